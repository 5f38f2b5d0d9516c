/** `npm run bench [-- NAME …]`: builds, then runs the benchmarks against the peers that are installed. */
import { spawnSync } from "node:child_process";
import { build } from "./build.mjs";
import { checkNode, install, root } from "./setup.mjs";

checkNode();
install();
build();
const { status } = spawnSync(process.execPath, ["packages/bench/dist/main.js", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
