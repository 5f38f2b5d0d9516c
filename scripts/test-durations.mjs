/**
 * How long the test files took when `npm test -- --record` last ran. From this follow how long `npm test` will take, which files start
 * first, and which are left out of `npm run test:quick`.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

export const DURATIONS_FILE = fileURLToPath(new URL("test-durations.json", import.meta.url));

/** The time that the tests of `npm run test:quick` may take together, summed over cores. */
const QUICK_SECONDS = 120;

/** Reads the record: the cores and the wall-clock seconds of that run, and the seconds of each test file by its path. */
export function testDurations() {
  return JSON.parse(readFileSync(DURATIONS_FILE, "utf8"));
}

/** Lists the test files that are too slow for a quick run: all but the fastest. Files without a record are not slow. */
export function slowTests() {
  const fastestFirst = Object.entries(testDurations().files).sort(([, a], [, b]) => a - b);
  let total = 0;
  return fastestFirst
    .filter(([, seconds]) => {
      total += seconds;
      return total > QUICK_SECONDS;
    })
    .map(([path]) => path);
}

/** Says how long all tests take on this machine. */
export function timeOfAllTests() {
  const { cores, seconds, files } = testDurations();
  const here = availableParallelism();
  const longest = Math.max(...Object.values(files));
  const minutes = Math.ceil(Math.max(longest, (seconds * cores) / here) / 60);
  return `about ${minutes} ${minutes === 1 ? "minute" : "minutes"} on ${here} ${here === 1 ? "core" : "cores"}`;
}
