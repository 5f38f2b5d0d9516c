/**
 * `npm run pictures`: draws the pictures of the documentation again, in docs/images and docs/certificates.svg. Needs Chromium, and the data
 * sets german, german-categorical and digits in the folder that `VOUCH_DATA` names. Look at each picture before you commit it.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "./build.mjs";
import { checkNode, install, root } from "./setup.mjs";

checkNode();
install();
build();
const folder = join(root, "build", "screenshots");
const programs = [
  ["packages/studio/screenshots.mjs", folder, "--docs"],
  ["packages/report/screenshots.mjs", folder, "--docs", "--fresh"],
  ["packages/experiments/dist/pictures/draw-certificates.js"],
];
for (const args of programs) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
