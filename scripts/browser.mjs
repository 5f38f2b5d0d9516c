import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** The path of a Chromium or Chrome on this machine: `CHROME_PATH`, or the first one on the PATH. */
export function findBrowser() {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH;
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/** Installs Chromium for the browser tests where that is possible without asking: as root on Debian. */
export function provideBrowser() {
  if (findBrowser()) return;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    console.error("No Chromium or Chrome found (set CHROME_PATH): the browser tests will be skipped.");
    return;
  }
  console.error("Installing Chromium for the browser tests (apt-get) …");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: ["ignore", 2, 2], env });
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], {
    stdio: ["ignore", "ignore", 2],
    env,
  });
  if (!findBrowser()) console.error("Chromium could not be installed: the browser tests will be skipped.");
}
