import { log } from "../runtime/maths/portable-math.js";
import { formatNumber } from "../runtime/text/number-format.js";
import { numberOf } from "./number-text.js";

/** Up to this many distinct whole numbers may be ratings or codes. */
const FEW_NUMBERS = 12;
/** Whole numbers that fill less than this fraction of their range have wide gaps, which codes rarely have. */
const FILLED = 0.5;
/** A clear quantity has more distinct numbers than this… */
const MANY_NUMBERS = 50;
/** …of which at least half occur in at most this many rows; no learner can learn that many rare classes. */
const RARE_ROWS = 2;
/**
 * Minimum correlation of the frequencies of neighbours for them to be similar, and how uneven frequencies must be to
 * judge that.
 */
const ALIKE = 0.5;
const UNEVEN = 1.5;
/** With wide gaps, the most frequent number of a quantity occurs this many times as often as the median one. */
const UNEVEN_WITH_GAPS = 5;
/** At least half of the rows are multiples of this, although few numbers are. */
const ROUND = 5;

/** Why whole numbers look like a quantity rather than names of classes. */
export interface QuantityEvidence {
  /** Clear quantities are rejected; doubtful ones get a warning. */
  readonly isClear: boolean;
  /** Such as "73 whole numbers, with near ones about equally frequent". */
  readonly words: string;
}

/**
 * Checks whether classes are whole numbers that look like a quantity, such as amounts or ages; undefined if they do
 * not. Class codes are usually consecutive, with frequencies in no order. Quantities have wide gaps and rare numbers
 * (amounts), similar frequencies of near numbers (ages), or round numbers in most rows (hours).
 *
 * @param counts the rows of each class, in the order of the numbers
 */
export function quantityEvidence(
  classes: readonly string[],
  counts: ArrayLike<number>,
): QuantityEvidence | undefined {
  if (classes.length <= FEW_NUMBERS) return undefined;
  const numbers = classes.map(numberOf);
  if (!numbers.every(Number.isInteger)) return undefined;
  const rows = Array.from(counts);
  const ascending = [...rows].sort((a, b) => a - b);
  const median = ascending[rows.length >> 1];
  const unevenness = ascending[rows.length - 1] / Math.max(1, median);
  const hasGaps = classes.length < FILLED * (Math.max(...numbers) - Math.min(...numbers) + 1);
  const rare = rows.filter((count) => count <= RARE_ROWS).length / rows.length;
  const count = `${formatNumber(classes.length)} whole numbers`;
  const isRare = rare >= 0.5;
  if (hasGaps && isRare && classes.length > MANY_NUMBERS) {
    const words = `${count} with wide gaps, at least half of them in at most ${RARE_ROWS} rows`;
    return { isClear: true, words };
  }
  if (hasGaps && unevenness >= UNEVEN_WITH_GAPS) {
    return { isClear: false, words: `${count} with wide gaps and very different frequencies` };
  }
  if (unevenness >= UNEVEN && neighbourCorrelation(rows) >= ALIKE) {
    return { isClear: false, words: `${count}, with near ones about equally frequent` };
  }
  return isMostlyRound(numbers, rows)
    ? { isClear: false, words: `${count}, with mostly round ones in the rows` }
    : undefined;
}

/** Correlates the logarithms of the frequencies of successive numbers. */
function neighbourCorrelation(rows: readonly number[]): number {
  const logs = rows.map((count) => log(Math.max(1, count)));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [logs.slice(0, -1), logs.slice(1)];
  const [meanX, meanY] = [mean(x), mean(y)];
  const covariance = x.reduce((sum, value, i) => sum + (value - meanX) * (y[i] - meanY), 0);
  const variance = (values: readonly number[], of: number) =>
    values.reduce((sum, value) => sum + (value - of) ** 2, 0);
  const scale = Math.sqrt(variance(x, meanX) * variance(y, meanY));
  return scale > 0 ? covariance / scale : 0;
}

function isMostlyRound(numbers: readonly number[], rows: readonly number[]): boolean {
  const isRound = (number: number) => number % ROUND === 0;
  const all = rows.reduce((sum, count) => sum + count, 0);
  const round = rows.reduce((sum, count, i) => sum + (isRound(numbers[i]) ? count : 0), 0);
  return 2 * round >= all && 3 * numbers.filter(isRound).length <= numbers.length;
}
