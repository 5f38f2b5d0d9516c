import * as z from "zod";
import { nonNegativeNumber, proportion } from "../../runtime/codec/schema-numbers.js";
import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { weightAfter, weightBetween } from "./start-weights.js";

/** An alternative: wrong rows have become more likely, by a factor of their odds. */
interface Alternative {
  /** π, its prior probability. */
  readonly prior: number;
  /** ln m, the factor. */
  readonly logFactor: number;
  /** −ln(1 + (m − 1) p₀): the growth of the capital for a row, apart from that for an error. */
  readonly logGrowth: number;
  /** The growth for a row that is not an error, and for one that is. */
  readonly ofRow: readonly [right: number, wrong: number];
}

/** Odds that are larger by less than the first factor count as no change; larger ones follow by octaves. */
const SMALL_FACTORS: readonly { readonly log2: number; readonly weight: number }[] = [
  { log2: 1 / 4, weight: 1 / 3 },
  { log2: 1 / 2, weight: 2 / 3 },
];
/** The largest factor leads to at least these odds of an error, and is at least as large, but no larger than 2⁴⁰. */
const LARGEST_ODDS = 16;
const MOST_OCTAVES = 40;
/** Prior probability that the error is too large from the first row on. */
const FROM_THE_START = 0.5;
/** The scale of the weights of later starts: as many rows as have this many errors under the bound, within a limit for small bounds. */
const ERRORS_BEFORE = 50;
const MOST_ROWS_BEFORE = 1e6;
/** A capital keeps no more than this, so that it stays finite: more would prove nothing more. */
const MOST_CAPITAL = 1e200;
const LOG_MOST_CAPITAL = 460;
/** Smaller capitals than this may have been rounded to 0. */
const LOG_LEAST_CAPITAL = -600;
/** Rounding of capitals, relative to the number of rows. */
const ROUNDING = 1e-6;

const stateSchema = z.strictObject({
  bound: proportion,
  rows: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  errors: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  /** Number of rows before the last start; absent before the first. */
  started: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /** The capital of each alternative; none before the first start. */
  capitals: z.array(z.number().min(0).max(MOST_CAPITAL)).max(MOST_OCTAVES + SMALL_FACTORS.length),
  largest: nonNegativeNumber,
});

/** The state of a `SequentialErrorTest`, as plain JSON. */
export type SequentialErrorState = z.infer<typeof stateSchema>;

/**
 * Tests "the error is at most p₀" while labelled rows come in, for as long as they do. It keeps an e-process E: at the start it is 1, and if
 * every row is wrong with a probability of at most p₀ given all rows before it, then
 *
 *     P(E ever reaches 1/δ) ≤ δ        (Ville 1939),
 *
 * no matter when and how often one looks. The rows need not be independent or alike. E is a capital that bets on errors.
 * A bet on the alternative that the odds of an error are m > 1 times as large multiplies its stake at each row, with X = 1 for an error and 0 otherwise, by
 *
 *     mˣ / (1 + (m − 1) p₀),
 *
 * the likelihood ratio of error rates of odds m·p₀/(1 − p₀) and p₀. Its mean is (1 + (m − 1)p) / (1 + (m − 1)p₀) ≤ 1 for an error rate p ≤ p₀. So each
 * bet is a supermartingale, and so is a mixture of bets. The capital is divided among alternatives m with the weights π, and in each
 * among starts k with the weights w: the stake of a start waits in reserve until it comes. With B(m, k, t) the product of the factors of the rows after k,
 *
 *     Eₜ = Σ_m π(m) Σ_{k<t} w(k) B(m, k, t)  +  Σ_{k≥t} w(k).
 *
 * A bet that began with the change grows by the relative entropy D per row, however many good rows came before. So the delay is about
 * (ln(1/δ) + ln(1/w) + ln(1/π)) / D, where w is the weight of the starts near the change. Each row costs one addition for each m, since the capital
 * R(m) of all starts together follows R ← (R + w) · mˣ / (1 + (m − 1) p₀), as in the statistic of Shiryaev and Roberts.
 *
 * Choices, which only the delay depends on: m is 2^¼, 2^½, 2, 4, 8, … up to odds of 16, where π is proportional to ⅓, ⅔, 1, ½, ⅓, ¼, …; the first row is the
 * start with probability ½, the others have the weights of start-weights.ts with s = 50/p₀.
 *
 * A capital that is cut off at 10²⁰⁰, or rounded to 0 by many good rows in one call, only throws money away: E remains a supermartingale.
 *
 * Rows of one call are one step: a start is before all of them, and E is computed after the last. So their order within a call does not
 * matter, not even if errors come first or last. The weight of a start is the weight of the rows since the previous start, which does not depend on the rows
 * after it; callers may choose how many rows to give by what they have seen.
 */
export class SequentialErrorTest {
  /** The bound p₀ on the error that is tested. */
  readonly bound: number;
  readonly #alternatives: readonly Alternative[];
  readonly #scale: number;
  readonly #capitals: Float64Array;
  #rows = 0;
  #errors = 0;
  #started: number | undefined;
  #logE = 0;
  #largest = 0;

  constructor(bound: number) {
    if (!(bound >= 0 && bound <= 1)) {
      throw new VouchError("option/invalid", `The bound on the error must be in [0, 1], not ${bound}.`);
    }
    this.bound = bound;
    this.#alternatives = alternativesTo(bound);
    this.#scale = Math.min(ERRORS_BEFORE / bound, MOST_ROWS_BEFORE);
    this.#capitals = new Float64Array(this.#alternatives.length);
  }

  /** Number of rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Number of errors so far. */
  get errors(): number {
    return this.#errors;
  }

  /** ln E: the evidence now that the error is, or has become, larger than the bound. */
  get logE(): number {
    return this.#logE;
  }

  /** The largest ln E so far, which is at least 0. The bound is rejected at level δ once it is ln(1/δ) or more. */
  get largestLogE(): number {
    return this.#largest;
  }

  /** Adds rows, and how many of them are errors. */
  add(errors: number, rows: number): void {
    if (
      !Number.isSafeInteger(rows + this.#rows) ||
      !Number.isInteger(errors) ||
      errors < 0 ||
      errors > rows
    ) {
      throw new VouchError(
        "option/invalid",
        `Got ${errors} errors on ${rows} rows: both must be counts, with no more errors than rows.`,
      );
    }
    if (rows === 0) return;
    const stake = this.#stake();
    this.#started = this.#rows;
    this.#rows += rows;
    this.#errors += errors;
    for (let j = 0; j < this.#capitals.length; j++) {
      const { logFactor, logGrowth, ofRow } = this.#alternatives[j];
      const growth = rows === 1 ? ofRow[errors] : real.exp(errors * logFactor + rows * logGrowth);
      this.#capitals[j] = Math.min(MOST_CAPITAL, (this.#capitals[j] + stake) * growth);
    }
    this.#logE = this.#currentLogE();
    this.#largest = Math.max(this.#largest, this.#logE);
  }

  /** Computes the weight of the start before the next row. */
  #stake(): number {
    if (this.#started === undefined) return FROM_THE_START;
    return (1 - FROM_THE_START) * weightBetween(this.#started, this.#rows, this.#scale);
  }

  #currentLogE(): number {
    if (this.#started === undefined) return 0;
    let sum = (1 - FROM_THE_START) * weightAfter(this.#started, this.#scale);
    for (let j = 0; j < this.#capitals.length; j++) sum += this.#alternatives[j].prior * this.#capitals[j];
    return real.log(sum);
  }

  /** Returns the state, from which `restore` continues exactly. */
  state(): SequentialErrorState {
    return {
      bound: this.bound,
      rows: this.#rows,
      errors: this.#errors,
      ...(this.#started !== undefined && {
        started: this.#started,
      }),
      capitals: this.#started === undefined ? [] : Array.from(this.#capitals),
      largest: this.#largest,
    };
  }

  /** Restores a test from its state; throws `data/malformed` for anything that no test can have as its state. */
  static restore(state: unknown): SequentialErrorTest {
    const parsed = stateSchema.safeParse(state);
    if (!parsed.success) throw malformed(z.prettifyError(parsed.error));
    const { bound, rows, errors, started, capitals, largest } = parsed.data;
    const test = new SequentialErrorTest(bound);
    if (errors > rows) throw malformed("it has more errors than rows");
    if (started === undefined) {
      if (rows > 0 || capitals.length > 0 || largest !== 0) throw malformed("it has evidence without rows");
      return test;
    }
    if (started >= rows) throw malformed("its last start has no rows");
    if (capitals.length !== test.#alternatives.length) throw malformed("its bets do not match the bound");
    test.#rows = rows;
    test.#errors = errors;
    test.#started = started;
    test.#capitals.set(capitals);
    test.#logE = test.#currentLogE();
    test.#largest = largest;
    test.#checkEvidence();
    return test;
  }

  /**
   * Throws unless each capital is at least the first start's, and neither it nor E exceeds what the errors can have
   * won.
   */
  #checkEvidence(): void {
    let most = 0;
    this.#alternatives.forEach(({ logFactor, logGrowth }, j) => {
      const capital = Math.max(LOG_LEAST_CAPITAL, real.log(this.#capitals[j]));
      const won = this.#errors * logFactor;
      const lost = this.#rows * logGrowth + real.log(FROM_THE_START);
      const slack = ROUNDING * (1 + won - lost);
      most = Math.max(most, won);
      const tooSmall =
        capital < won + lost - slack && won < LOG_MOST_CAPITAL && won + lost > LOG_LEAST_CAPITAL;
      if (capital > won + slack || tooSmall) throw malformed("its capital does not follow from its errors");
    });
    if (this.#largest < Math.max(0, this.#logE) || this.#largest > most * (1 + ROUNDING)) {
      throw malformed("its evidence does not follow from its errors");
    }
  }
}

/** Lists the alternatives to a bound, with their prior probabilities. */
function alternativesTo(bound: number): Alternative[] {
  const odds = (1 - bound) / bound;
  const octaves = Math.ceil(real.log2(LARGEST_ODDS * Math.max(1, odds)));
  const factors = [
    ...SMALL_FACTORS,
    ...Array.from({ length: Math.min(octaves, MOST_OCTAVES) }, (_, i) => ({
      log2: i + 1,
      weight: 1 / (i + 1),
    })),
  ];
  const total = factors.reduce((sum, { weight }) => sum + weight, 0);
  return factors.map(({ log2, weight }) => {
    const logFactor = log2 * Math.LN2;
    const logGrowth = -real.log1p(real.expm1(logFactor) * bound);
    return {
      prior: weight / total,
      logFactor,
      logGrowth,
      ofRow: [real.exp(logGrowth), real.exp(logFactor + logGrowth)],
    };
  });
}

function malformed(fault: string): VouchError {
  return new VouchError("data/malformed", `This is not the saved state of a sequential test: ${fault}.`, {
    hint: "Restore the file from a copy, or remove it to start the test again.",
  });
}
