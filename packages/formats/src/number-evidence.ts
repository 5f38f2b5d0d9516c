import { isMissingNumber } from "@vouch/core/internal/table/missing-markers";
import {
  type DecimalMark,
  parseWritten,
  type WrittenNumber,
} from "@vouch/core/internal/table/number-notation";
import { parseNumber } from "./cell.js";

/** Maximum number of different words to count; a column with more is text. */
const MOST_WORDS = 1000;
/** Number of different values that shows that a column measures something. */
const MANY_NUMBERS = 10;

/** Number of digits of a telephone number. */
const PHONE_DIGITS = 9;

const ZERO = 48;
const NINE = 57;
const POINT = 46;

/** What numbers contain in addition to digits. */
export type NumberTrait = "money" | "percentage" | "limit";

// A file may have a million columns, most of which have no traits.
const NO_TRAITS: ReadonlySet<NumberTrait> = new Set();
const NO_THOUSANDS = { ".": false, ",": false };
const NO_WORDS: ReadonlyMap<string, number> = new Map();
const NO_NUMBERS: readonly number[] = [];

/** A number as written, for messages. */
export interface NumberExample {
  readonly text: string;
  readonly value: Readonly<Record<DecimalMark, number | undefined>>;
}

/**
 * Evidence from the first values of a column: whether they are numbers, and how these are written. Missing values do
 * not count.
 */
export class NumberEvidence {
  /** Numbers of any notation. */
  numbers = 0;
  /** Numbers that are valid only with a decimal point, or only with a decimal comma. */
  withPoint = 0;
  withComma = 0;
  /** Numbers that mean one thing with a decimal point and another with a comma, such as 1.234 and 1,234. */
  eitherPoint = 0;
  eitherComma = 0;
  /** Plain whole numbers from 1000 on, which show that thousands are not separated. */
  longWhole = 0;
  /** Plain whole numbers below 1000. */
  shortWhole = 0;
  /** Numbers with a leading zero, as in codes. */
  leadingZeros = 0;
  /** Numbers written as limits, such as "<0.1". */
  limits = 0;
  traits: ReadonlySet<NumberTrait> = NO_TRAITS;
  /** Whether thousands are separated, for each possible decimal mark. */
  thousands: Readonly<Record<DecimalMark, boolean>> = NO_THOUSANDS;
  /** The first number that is not plain, and the first ambiguous one. */
  written: NumberExample | undefined;
  ambiguous: NumberExample | undefined;
  #words: Map<string, number> | undefined;
  #markers: Map<string, number> | undefined;
  /** Numbers with spaces between thousands, and their number of digits; undefined if it varies. */
  #spaced = 0;
  #spacedDigits: number | undefined = 0;
  #different: readonly number[] = NO_NUMBERS;

  /** Words that are not numbers and their counts, in order of appearance. */
  get words(): ReadonlyMap<string, number> {
    return this.#words ?? NO_WORDS;
  }

  /** Words for missing numbers, counted separately. */
  get markers(): ReadonlyMap<string, number> {
    return this.#markers ?? NO_WORDS;
  }

  /** Whether there are more words than in a numeric column. */
  get isText(): boolean {
    return this.words.size > MOST_WORDS;
  }

  get hasManyNumbers(): boolean {
    return this.#different.length >= MANY_NUMBERS;
  }

  /**
   * Whether all numbers are groups of digits of equal total length with spaces between them, like telephone numbers.
   */
  get looksLikePhones(): boolean {
    return this.numbers > 1 && this.#spaced === this.numbers && (this.#spacedDigits ?? 0) >= PHONE_DIGITS;
  }

  /** Adds plain numbers, counted by shape; shape 0 is at index `first`. */
  addShapes(counts: ArrayLike<number>, first = 0): void {
    this.shortWhole += counts[first + SHORT_WHOLE];
    this.longWhole += counts[first + LONG_WHOLE];
    this.leadingZeros += counts[first + LEADING_ZERO];
    this.eitherPoint += counts[first + EITHER_POINT];
    this.withPoint += counts[first + WITH_POINT];
    for (let shape = 0; shape < PLAIN_SHAPES; shape++) this.numbers += counts[first + shape];
  }

  /** Adds numbers whose notation is unknown. */
  addExact(value: number, count = 1): void {
    this.numbers += count;
    this.addValue(value);
  }

  /** Records the value of a number that is counted separately; returns whether there are many different values. */
  addValue(value: number): boolean {
    const different = this.#different;
    if (!this.hasManyNumbers && !different.includes(value)) this.#different = [...different, value];
    return this.hasManyNumbers;
  }

  /** Adds a non-missing value `count` times. */
  add(text: string, count = 1): void {
    if (this.#words?.has(text)) this.#words.set(text, (this.#words.get(text) ?? 0) + count);
    else if (this.#addWritten(text, count)) return;
    else if (isMissingNumber(text)) {
      this.#markers ??= new Map();
      this.#markers.set(text, (this.#markers.get(text) ?? 0) + count);
    } else {
      this.#words ??= new Map();
      this.#words.set(text, count);
    }
  }

  #addWritten(text: string, count: number): boolean {
    const plain = parseNumber(text);
    if (plain !== undefined) {
      const bytes = new TextEncoder().encode(text.trim());
      const counts = new Array<number>(PLAIN_SHAPES).fill(0);
      counts[plainShape(bytes, 0, bytes.length)] = count;
      this.addShapes(counts);
      this.addValue(plain);
      return true;
    }
    const point = parseWritten(text, ".");
    const comma = parseWritten(text, ",");
    const read = point ?? comma;
    if (!read) return false;
    this.addExact(read.value, count);
    const example = { text: text.trim(), value: { ".": point?.value, ",": comma?.value } };
    if (!comma) this.withPoint += count;
    else if (!point) this.withComma += count;
    else if (point.value !== comma.value) {
      if (text.includes(",")) this.eitherComma += count;
      else this.eitherPoint += count;
      this.ambiguous ??= example;
    }
    this.written ??= example;
    this.#addTraits(point, comma);
    if (read.isLimit) this.limits += count;
    this.#addSpaced(text.trim(), count);
    return true;
  }

  #addTraits(point: WrittenNumber | undefined, comma: WrittenNumber | undefined): void {
    const { thousands, traits } = this;
    if (point?.hasThousands && !thousands["."]) this.thousands = { ...thousands, ".": true };
    if (comma?.hasThousands && !thousands[","]) this.thousands = { ...this.thousands, ",": true };
    const read = point ?? comma;
    const own: readonly NumberTrait[] = [
      ...(read?.isMoney ? (["money"] as const) : []),
      ...(read?.isPercentage ? (["percentage"] as const) : []),
      ...(read?.isLimit ? (["limit"] as const) : []),
    ];
    if (own.some((trait) => !traits.has(trait))) this.traits = new Set([...traits, ...own]);
  }

  #addSpaced(text: string, count: number): void {
    if (!/^\d{1,3}(?:[ \u00a0]\d{3})+$/.test(text)) return;
    const digits = text.replace(/\D/g, "").length;
    this.#spacedDigits = this.#spaced === 0 || this.#spacedDigits === digits ? digits : undefined;
    this.#spaced += count;
  }
}

/** Shapes of plain numbers that matter for the notation of a column. */
const [SHORT_WHOLE, LONG_WHOLE, LEADING_ZERO, EITHER_POINT, WITH_POINT] = [0, 1, 2, 3, 4];
export const PLAIN_SHAPES = 5;

/** Returns the shape of the plain number in bytes `from` to `to`. */
export function plainShape(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from] === 45 || bytes[from] === 43 ? from + 1 : from;
  let p = first;
  while (p < to && bytes[p] >= ZERO && bytes[p] <= NINE) p++;
  const startsWithZero = bytes[first] === ZERO;
  if (p === to) {
    if (startsWithZero && to - first > 1) return LEADING_ZERO;
    return to - first > 3 ? LONG_WHOLE : SHORT_WHOLE;
  }
  // 1.234 could also mean 1234.
  if (to - p !== 4 || bytes[p] !== POINT || startsWithZero || p === first || p - first > 3) return WITH_POINT;
  for (p++; p < to; p++) if (bytes[p] < ZERO || bytes[p] > NINE) return WITH_POINT;
  return EITHER_POINT;
}
