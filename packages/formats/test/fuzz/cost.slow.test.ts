import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readTable } from "@vouch/formats";
import { describe, expect, test } from "vitest";
import { VouchError } from "vouch";
import { COSTLY_FILES, type CostlyFile, costlyBytes } from "./costly-files.js";

/** Times of less are mostly noise. */
const LEAST_SECONDS = 0.05;
/** Four times the bytes may take this many times as long; quadratic time would be 16. */
const MOST_RATIO = 8;
const TRIES = 8;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Reads a file and returns the computing time in seconds, which does not depend on what else the machine does. */
async function secondsToRead(file: CostlyFile, bytes: Buffer): Promise<number> {
  // What earlier files left behind is not the memory of this one.
  collectGarbage();
  const before = process.cpuUsage();
  try {
    await readTable(bytes, { format: file.format, name: "costly" });
  } catch (error) {
    if (!(error instanceof VouchError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function timeRatio(file: CostlyFile): Promise<number> {
  const small = Math.max(LEAST_SECONDS, await secondsToRead(file, costlyBytes(file, file.bytes)));
  return (await secondsToRead(file, costlyBytes(file, 4 * file.bytes))) / small;
}

describe("the time to read a file is linear in its size:", () => {
  test.each(COSTLY_FILES.map((file) => [file.format, file.title, file] as const))(
    "%s, %s",
    { retry: 2 },
    async (_, __, file) => {
      let ratio = await timeRatio(file);
      // A garbage collection, or other work on the machine, may fall into one of the two.
      for (let tried = 1; tried < TRIES && ratio > MOST_RATIO; tried++)
        ratio = Math.min(ratio, await timeRatio(file));
      expect(ratio).toBeLessThan(MOST_RATIO);
    },
  );
});

test("no file of these took more than a gigabyte and 20 bytes for each of its own", () => {
  const largest = Math.max(...COSTLY_FILES.map(({ bytes }) => 4 * bytes));
  expect(process.resourceUsage().maxRSS * 1024).toBeLessThan(2 ** 30 + 20 * largest);
});
