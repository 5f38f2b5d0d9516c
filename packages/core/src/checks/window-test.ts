import * as real from "../runtime/maths/portable-math.js";
import type { ColumnProfile } from "../table/column-profile.js";
import { logFisher } from "./share-test.js";

/** Cells of a column in a window of new rows, counted as in the profile of the training rows. */
export interface WindowCells {
  readonly counts: ArrayLike<number>;
  readonly missing: number;
}

/** How the cells of a window differ from the training rows. */
export interface WindowTest {
  /**
   * The larger of two distances in [0, 1]: of the present cells, by distribution functions or total variation, and of
   * the shares of missing cells.
   */
  readonly distance: number;
  /** Probability of at least as clear a difference if window and training rows come from the same distribution. */
  readonly p: number;
  /** Whether the difference is worth reporting if it is not chance. */
  readonly relevant: boolean;
}

/** Smaller distances are not worth reporting… */
const NEGLIGIBLE = 0.1;
/** …unless this share of cells is unknown to the training rows: missing, an unknown category, or outside the range. */
const FEW_NEW = 0.01;
/** Events with a smaller χ² are ignored; p is 1 if there is no other. */
const LEAST_SQUARE = 4;

/** How often an event occurs in the training rows and in a window, and how clear the difference is. */
interface ComparedEvent {
  readonly ours: number;
  readonly ofOurs: number;
  readonly theirs: number;
  readonly ofTheirs: number;
  readonly evidence: number;
}

/**
 * Compares a window of new rows with the training rows. Each column has a list of events: "the cell is missing", and
 * among the present cells "the number is at most (or below) a cut point" for all cut points, or "the category is this
 * one" for all categories and "it is unknown". The clearest of the K events is tested by Fisher's exact test, whose
 * one-sided p-value is multiplied by 2K for both sides and for the choice. So p is valid for any numbers of rows in
 * both parts, and takes into account that the training rows are a sample, too.
 */
export function testWindow(profile: ColumnProfile, rows: number, cells: WindowCells): WindowTest {
  const { counts: known } = profile;
  const { counts, missing } = cells;
  const ours = rows - profile.missing;
  const theirs = totalOf(counts);
  let clearest = eventOf(profile.missing, rows, missing, theirs + missing);
  let distance = 0;
  let ourSum = 0;
  let theirSum = 0;
  const isNumbers = profile.kind === "numbers";
  const events = isNumbers ? counts.length - 1 : counts.length;
  if (ours > 0 && theirs > 0) {
    for (let k = 0; k < events; k++) {
      ourSum = known[k] + (isNumbers ? ourSum : 0);
      theirSum = counts[k] + (isNumbers ? theirSum : 0);
      const gap = Math.abs(ourSum / ours - theirSum / theirs);
      distance = isNumbers ? Math.max(distance, gap) : distance + gap / 2;
      const event = eventOf(ourSum, ours, theirSum, theirs);
      if (event.evidence > clearest.evidence) clearest = event;
    }
  }
  const gaps = Math.abs(profile.missing / rows - missing / (theirs + missing));
  const largest = Math.max(distance, gaps);
  return {
    distance: Math.min(1, largest),
    p: clearest.evidence === 0 ? 1 : Math.min(1, 2 * (events + 1) * probabilityOf(clearest)),
    relevant: largest > NEGLIGIBLE || isNew(clearest),
  };
}

function probabilityOf({ ours, ofOurs, theirs, ofTheirs }: ComparedEvent): number {
  return real.exp(logFisher(ours, ofOurs, theirs, ofTheirs));
}

/**
 * Returns whether the cells of an event, or all others, are new: no training row has them, and more than a few new ones
 * do.
 */
function isNew({ ours, ofOurs, theirs, ofTheirs }: ComparedEvent): boolean {
  const share = theirs / ofTheirs;
  return (ours === 0 && share > FEW_NEW) || (ours === ofOurs && 1 - share > FEW_NEW);
}

/** Counts an event; its evidence is the deviance of the two shares from a common one, and 0 if their χ² is small. */
function eventOf(ours: number, ofOurs: number, theirs: number, ofTheirs: number): ComparedEvent {
  const share = (ours + theirs) / (ofOurs + ofTheirs);
  const difference = theirs / ofTheirs - ours / ofOurs;
  const square = (difference ** 2 * ofOurs * ofTheirs) / ((ofOurs + ofTheirs) * share * (1 - share));
  const evidence =
    square > LEAST_SQUARE ? deviance(ours, ofOurs, share) + deviance(theirs, ofTheirs, share) : 0;
  return { ours, ofOurs, theirs, ofTheirs, evidence };
}

/** Computes n times the relative entropy of k of n rows and an expected share. */
function deviance(k: number, n: number, share: number): number {
  const part = (count: number, expected: number) => (count === 0 ? 0 : count * real.log(count / expected));
  return part(k, n * share) + part(n - k, n * (1 - share));
}

/** Counts the present cells. */
export function totalOf(counts: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < counts.length; k++) sum += counts[k];
  return sum;
}
