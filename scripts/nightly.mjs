/**
 * `npm run nightly`: the tests that take too long for every change, with fresh seeds. Forged models, damaged data files, property-based
 * tests of the readers with many tries, tests that otherwise draw fewer seeds or leave out large data sets, the studio driven at random, malformed requests to a server, a
 * cluster whose workers and Redis are killed (which needs redis-server; the studio needs Chromium), certificates of adversarial data, a soak, and the bytes that all
 * learners give on other runtimes. `npm run nightly -- --tries 100000 --seed 7` sets how many files of each kind, and
 * the seed, which every run prints. Exits with 1 if one of them fails.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { findBrowser } from "./browser.mjs";
import { build } from "./build.mjs";
import { providePrograms } from "./programs.mjs";
import { checkNode, install, root } from "./setup.mjs";

const { values } = parseArgs({
  options: {
    tries: { type: "string", default: "50000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    fits: { type: "string", default: "1000" },
  },
});
const { tries, seed, fits } = values;

checkNode();
install();
providePrograms([{ title: "Chromium", find: findBrowser, debian: "chromium" }]);
build();
console.log(`Seed ${seed}, ${tries} forged models and ${tries} damaged data files.`);

const steps = [
  ["Forged models", ["scripts/fuzz-models.mjs", "--tries", tries, "--seed", seed]],
  ["Damaged data files", ["scripts/fuzz-data.mjs", "--tries", tries, "--seed", seed]],
  [
    "Readers against second implementations",
    ["node_modules/vitest/vitest.mjs", "run", "packages/formats/test/fuzz"],
  ],
  [
    "Tests at full volume",
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "train/verdict",
      "every-thread-count",
      "score-rows",
      "vouch/test/threads",
      "every-dataset",
      "certificates/coverage",
      "tiny-coverage",
      "tight-families",
      "compression-on-a-line",
      "certificates/adversaries",
    ],
  ],
  [
    "The studio, driven at random for 20 minutes",
    ["node_modules/vitest/vitest.mjs", "run", "studio/test/random-walk"],
  ],
  ["Malformed requests", ["packages/serve/fuzz.mjs", "--rounds", "3", "--seed", seed]],
  ["A long run on a cluster whose workers and Redis are killed", ["packages/cluster/chaos.mjs", "--long"]],
  [
    "A long run on a cluster without Redis for a minute",
    ["packages/cluster/chaos.mjs", "--long", "--kills", "0", "--restarts", "1", "--outage", "60"],
  ],
  [
    "Commands and a server while workers, Redis, disks and files fail, for ten minutes",
    ["scripts/chaos-hour.mjs", "--minutes", "10", "--seed", seed],
  ],
  ["Soak", ["scripts/soak.mjs", "--fits", fits]],
  ["The same bytes on Node 20 to 26, Bun and Deno", ["scripts/runtimes.mjs"]],
];
const failed = steps.filter(([title, args]) => {
  console.log(`\n${title}`);
  const env = { ...process.env, VOUCH_FUZZ_SEED: seed, VOUCH_FUZZ_TRIES: "2000", VOUCH_NIGHTLY: "1" };
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env }).status !== 0;
});
console.log(
  failed.length === 0 ? "\nAll passed." : `\nFailed: ${failed.map(([title]) => title).join(", ")}.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
