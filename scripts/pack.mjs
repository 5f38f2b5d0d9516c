/** `npm run pack`: installs, builds, and writes the packages as they would be published to the folder build/packages. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { install, root } from "./setup.mjs";

/** Packs all packages that are not private into a folder; gives what npm tells of each. */
export function pack(folder) {
  const manifests = readdirSync(join(root, "packages")).map((name) =>
    JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")),
  );
  const names = manifests.filter((manifest) => !manifest.private).map(({ name }) => `--workspace=${name}`);
  const args = ["pack", "--json", "--loglevel=error", "--pack-destination", folder, ...names];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  return JSON.parse(stdout);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install();
  build();
  const folder = join(root, "build", "packages");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { filename } of pack(folder)) console.log(join("build", "packages", filename));
}
