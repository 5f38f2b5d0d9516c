import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

const services = ["background-networking", "component-update", "sync"];

/** What a browser is started with for tests: it draws nothing, asks nobody and also runs as root. */
export const browserFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  ...services.map((service) => `--disable-${service}`),
];

/** The path of a Chromium or Chrome on this machine: `CHROME_PATH`, or the first one on the PATH. */
export function findBrowser() {
  const { CHROME_PATH, PATH = "" } = process.env;
  if (CHROME_PATH) return CHROME_PATH;
  const candidates = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return candidates.find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
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
