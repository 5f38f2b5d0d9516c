/** Finds the programs that tests need, and installs them where it can. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of the first of these programs that is on the PATH. */
export function findProgram(names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs programs that some tests need and that are not on this machine, where that is possible without asking:
 * as root on Debian. Each is {title, find, debian: package}; without it its tests are skipped, and this says so.
 */
export function providePrograms(programs) {
  const missing = programs.filter(({ find }) => find() === undefined);
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.error(`Installing ${missing.map(({ title }) => title).join(" and ")} for the tests (apt-get) …`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    spawnSync("apt-get", ["update", "-qq"], { stdio: ["ignore", 2, 2], env });
    const args = ["install", "-y", "-qq", "--no-install-recommends", ...missing.map(({ debian }) => debian)];
    spawnSync("apt-get", args, { stdio: ["ignore", "ignore", 2], env });
  }
  for (const { title, find } of missing) {
    if (find() === undefined) console.error(`${title} is not on this machine: its tests will be skipped.`);
  }
}
