import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** This package within a clone. */
const PACKAGE = "packages/experiments";

/** Files that results depend on. */
const SOURCES = [":(top,glob)packages/*/src/**", ":(top)packages/core/wasm"];

let known: { readonly commit: string | undefined } | undefined;

/**
 * Returns the commit of the running code, with a + if files have changed since: VOUCH_COMMIT if set, or the commit of
 * the clone. Undefined for an installed package.
 */
export function currentCommit(): string | undefined {
  known ??= { commit: process.env.VOUCH_COMMIT || commitOfClone() };
  return known.commit;
}

function commitOfClone(): string | undefined {
  const folder = realpathSync(fileURLToPath(new URL("..", import.meta.url)));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", folder, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    // An installed package may lie in someone else's clone.
    if (git("rev-parse", "--show-prefix") !== `${PACKAGE}/`) return undefined;
    const changed = git("status", "--porcelain", "--", ...SOURCES) !== "";
    return `${git("rev-parse", "--short=8", "HEAD")}${changed ? "+" : ""}`;
  } catch {
    return undefined;
  }
}
