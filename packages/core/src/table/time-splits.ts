import { formatNumber } from "../runtime/text/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import { checkFolds, checkFraction, type Folds, rowsWhere, type Split, untestedClasses } from "./splits.js";

/**
 * Trains on the past and tests on the latest rows, as close to `fraction` of all rows as possible; rows of the same
 * time stay on the same side. Of two equally close cuts, takes the later one.
 */
export function timeHoldout(times: Float64Array, fraction: number): Split {
  checkFraction(fraction);
  return testingBlock(timeBlocks(times, [1 - fraction], "hold the latest rows out"), 1);
}

/**
 * Makes k folds that never train on the future (forward chaining). The rows are cut by time into k + 1 blocks, as equal
 * as rows of the same time allow, and each block but the first is tested by models of all earlier blocks.
 */
export function timeFolds(times: Float64Array, labels: Int32Array, k: number): Folds {
  checkFolds(k);
  const shares = Array.from({ length: k }, (_, j) => (j + 1) / (k + 1));
  const blocks = timeBlocks(times, shares, `make ${k} folds by time`);
  const folds = shares.map((_, j) => testingBlock(blocks, j + 1));
  return { folds, sparse: untestedClasses(folds, labels) };
}

/** Counts the different times. */
export function countTimes(times: Float64Array): number {
  return new Set(times).size;
}

function testingBlock(blocks: Int32Array, tested: number): Split {
  return {
    train: rowsWhere(blocks, (block) => block < tested),
    test: rowsWhere(blocks, (block) => block === tested),
  };
}

/** Cuts the rows by time at the given ascending shares of all rows, and returns the block index of each row. */
function timeBlocks(times: Float64Array, shares: readonly number[], purpose: string): Int32Array {
  checkPresent(times);
  const sorted = times.slice().sort();
  /** Rows can be cut where the time changes: before row `starts[i]` in order of time. */
  const starts = Int32Array.from(sorted.keys()).filter((row) => row > 0 && sorted[row] > sorted[row - 1]);
  if (starts.length < shares.length) throw tooFewTimes(starts.length + 1, shares.length + 1, purpose);
  const cuts = new Float64Array(shares.length);
  let first = 0;
  shares.forEach((share, j) => {
    const last = starts.length - (shares.length - j);
    let nearest = first;
    const distance = (cut: number) => Math.abs(starts[cut] - share * sorted.length);
    for (let cut = first; cut <= last; cut++) if (distance(cut) <= distance(nearest)) nearest = cut;
    cuts[j] = sorted[starts[nearest]];
    first = nearest + 1;
  });
  return Int32Array.from(times, (time) => cuts.reduce((block, cut) => block + (time >= cut ? 1 : 0), 0));
}

function checkPresent(times: Float64Array): void {
  const missing = times.reduce((count, time) => count + (Number.isFinite(time) ? 0 : 1), 0);
  if (missing === 0) return;
  throw new VouchError(
    "data/malformed",
    `${formatNumber(missing)} of ${formatNumber(times.length)} rows have no time.`,
    { hint: "Complete their times, or leave these rows out." },
  );
}

function tooFewTimes(times: number, least: number, purpose: string): VouchError {
  return new VouchError(
    "data/too-few-rows",
    times <= 1
      ? `It takes at least ${least} different times to ${purpose}, but all rows have the same time.`
      : `It takes at least ${least} different times to ${purpose}, but there are only ${times}.`,
  );
}
