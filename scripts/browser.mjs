/** Finds Chromium for tests, and the flags that it starts with. */
import { findProgram } from "./programs.mjs";

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
  return process.env.CHROME_PATH || findProgram(names);
}
