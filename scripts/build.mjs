/** `npm run build`: compiles, bundles and comments what has changed since the last build. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a program of the workspace with its output passed through; throws when it fails. */
function runOrThrow(what, args) {
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${what} failed (exit code ${status})`);
}

/**
 * Compiles the kernels, the style sheet and all packages, comments the learner options in declaration files, and bundles reports, the
 * pages of the server, the studio and the command. Steps that take long do nothing when nothing has changed.
 */
export function build() {
  runOrThrow("building the kernels", ["packages/core/wasm/build.mjs"]);
  runOrThrow("bundling the style sheet", ["packages/views/build-styles.mjs"]);
  runOrThrow("type-checking", ["node_modules/typescript/bin/tsc", "-b"]);
  runOrThrow("commenting the learner options", ["scripts/option-comments.mjs"]);
  runOrThrow("bundling the script of reports", ["packages/report/build-client.mjs"]);
  runOrThrow("bundling the pages of the server", ["packages/serve/build-page.mjs"]);
  runOrThrow("bundling the studio", ["packages/studio/build.mjs"]);
  runOrThrow("bundling the command", ["scripts/bundle.mjs"]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build();
