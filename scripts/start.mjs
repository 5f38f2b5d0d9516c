/**
 * `npm start`: installs and builds what is missing or stale, then trains a classifier on a data set that
 * ships with vouch. `npm start -- ARGUMENTS` runs the vouch command with those arguments instead.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { checkNode, install, root } from "./setup.mjs";

const folder = ".vouch";
const model = join(folder, "penguins.safetensors");
const mainJob = ["train", "penguins", "--out", model, "--report", join(folder, "penguins.html")];

checkNode();
install();
build();
mkdirSync(join(root, folder), { recursive: true });
const given = process.argv.slice(2);
const args = given.length > 0 ? given : mainJob;
if (given.length === 0) console.log(`$ npx vouch ${args.join(" ")}\n`);
const { status, signal } = spawnSync(process.execPath, ["packages/vouch/bin/vouch.js", ...args], {
  cwd: root,
  stdio: "inherit",
});
if (given.length === 0 && status === 0) {
  console.log(`\nNext: npx vouch inspect ${model}, npx vouch train YOUR.csv, npx vouch help`);
}
process.exitCode = signal ? 130 : (status ?? 1);
