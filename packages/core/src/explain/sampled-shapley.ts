import type { Features, Selectable } from "../encode/sample.js";
import type { Random } from "../runtime/maths/random.js";
import type { Pausable } from "../runtime/parallel/pausable.js";
import { type FeatureGroup, withCells } from "./feature-groups.js";

/** Number of mixed rows scored at once. */
const BLOCK_ROWS = 512;

/** Default maximum of mixed rows scored per row; with many columns, this allows fewer permutations. */
const MOST_SCORED = 1 << 15;

/** Pairs of permutations per background row; with two, their spread shows the sampling error. */
const PAIRS_PER_ROW = 2;

/** Minimum number of background rows, for any number of columns. */
const FEWEST_ROWS = 8;

/** Minimum number of pairs of permutations, so that standard errors are reliable. */
const PAIRS = 128;

/** Numbers of background rows, and of pairs of permutations per background row. */
export interface SamplingPlan {
  readonly rows: number;
  readonly pairs: number;
}

/** Plans the sampling; with too few permutations for all background rows, only the first ones are used. */
export function samplingPlan(columns: number, background: number, permutations?: number): SamplingPlan {
  const affordable = Math.max(FEWEST_ROWS * PAIRS_PER_ROW, Math.floor(MOST_SCORED / (2 * columns)));
  const wanted =
    permutations === undefined
      ? Math.min(affordable, Math.max(PAIRS, background * PAIRS_PER_ROW))
      : Math.max(PAIRS_PER_ROW, Math.ceil(permutations / 2));
  const rows = Math.min(background, Math.max(1, Math.floor(wanted / PAIRS_PER_ROW)));
  return { rows, pairs: Math.max(PAIRS_PER_ROW, Math.ceil(wanted / rows)) };
}

/** A row to explain, the rows to compare it with, and their scores. */
interface SampledRow {
  readonly features: Features & Selectable<Features>;
  readonly groups: readonly FeatureGroup[];
  readonly row: number;
  readonly score: number;
  readonly background: Int32Array;
  readonly backgroundScores: Float64Array;
  readonly pairs: number;
  /** Scores mixed rows. */
  scoresOf(features: Features): Float64Array;
}

/** Shapley values of the groups, and their standard errors. */
interface SampledValues {
  readonly values: Float64Array;
  readonly errors: Float64Array;
}

/**
 * Estimates Shapley values by permutation sampling (Castro et al. 2009): one column after the other, in random order,
 * changes from a background row to the row itself, and gets credit for the change of the score. Each order is also used
 * backwards, which cancels much of the error (antithetic sampling; Mitchell et al. 2022, section 4.1). Every background
 * row takes part equally often. The values therefore sum to f(x) − mean f(b) exactly, and only the orders within a
 * background row cause the standard error:
 *
 *     se² = Σ_b s_b² / (pairs · rows²),   with s_b² the variance over the pairs of background row b.
 */
export function* sampledShapley(given: SampledRow, random: Random): Pausable<SampledValues> {
  const { groups, background, backgroundScores, pairs, score } = given;
  const columns = groups.length;
  const values = new Float64Array(columns);
  const variances = new Float64Array(columns);
  const places = new Int32Array(pairs * columns);
  const order = Int32Array.from({ length: columns }, (_, g) => g);
  const changes = new Float64Array(pairs * columns);
  for (const [b, start] of backgroundScores.entries()) {
    for (let pair = 0; pair < pairs; pair++) {
      random.shuffle(order);
      for (let place = 0; place < columns; place++) places[pair * columns + order[place]] = place;
    }
    const scores = yield* chainScores(given, background[b], places);
    for (let k = 0; k < changes.length; k++) {
      changes[k] = meanChange(scores, Math.floor(k / columns), places[k], { columns, start, end: score });
    }
    for (let g = 0; g < columns; g++) addMoments(changes, g, columns, values, variances);
  }
  const rows = background.length;
  return {
    values: values.map((sum) => sum / (rows * pairs)),
    errors: variances.map((sum) => Math.sqrt(sum / (pairs * rows * rows))),
  };
}

/**
 * Scores the mixed rows of all pairs with one background row. Each order of n columns has n − 1 rows between its ends:
 * row s (from 1) takes the first s columns from the row to explain; backwards, the last s.
 */
function* chainScores(
  { features, groups, row, scoresOf }: SampledRow,
  background: number,
  places: Int32Array,
): Pausable<Float64Array> {
  const columns = groups.length;
  const inner = columns - 1;
  const total = 2 * inner * (places.length / columns);
  const scores = new Float64Array(total);
  for (let begin = 0; begin < total; begin += BLOCK_ROWS) {
    const sources = new Int32Array(Math.min(total - begin, BLOCK_ROWS));
    let block = features.select(sources);
    for (const [g, group] of groups.entries()) {
      for (let i = 0; i < sources.length; i++) {
        const chain = Math.floor((begin + i) / inner);
        const moved = ((begin + i) % inner) + 1;
        const place = places[(chain >> 1) * columns + g];
        const isMoved = (chain & 1) === 0 ? place < moved : place >= columns - moved;
        sources[i] = isMoved ? row : background;
      }
      block = withCells(block, group.features, features, sources);
    }
    scores.set(scoresOf(block), begin);
    yield;
  }
  return scores;
}

/** Averages the change of the score when the column at a position changes, forwards and backwards. */
function meanChange(
  scores: Float64Array,
  pair: number,
  place: number,
  { columns, start, end }: { readonly columns: number; readonly start: number; readonly end: number },
): number {
  const inner = columns - 1;
  const at = (chain: number, moved: number) => {
    if (moved === 0) return start;
    return moved === columns ? end : scores[chain * inner + moved - 1];
  };
  const forward = at(2 * pair, place + 1) - at(2 * pair, place);
  const last = columns - 1 - place;
  const backward = at(2 * pair + 1, last + 1) - at(2 * pair + 1, last);
  return (forward + backward) / 2;
}

/** Adds the sum and the variance of the changes of column g over the pairs. */
function addMoments(
  changes: Float64Array,
  g: number,
  columns: number,
  sums: Float64Array,
  variances: Float64Array,
): void {
  const pairs = changes.length / columns;
  let sum = 0;
  for (let pair = 0; pair < pairs; pair++) sum += changes[pair * columns + g];
  let squares = 0;
  for (let pair = 0; pair < pairs; pair++) squares += (changes[pair * columns + g] - sum / pairs) ** 2;
  sums[g] += sum;
  variances[g] += squares / (pairs - 1);
}
