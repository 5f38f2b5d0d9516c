import { numberOf } from "./number-text.js";

/** The character before the decimals of a number. */
export type DecimalMark = "." | ",";

/** A number in another notation, and what is special about it. */
export interface WrittenNumber {
  readonly value: number;
  readonly isMoney: boolean;
  readonly isPercentage: boolean;
  readonly hasThousands: boolean;
  /** Whether the number is a limit, as in "<0.1" and "3+". */
  readonly isLimit: boolean;
}

/** Longer strings are not numbers. */
const MOST_CHARACTERS = 60;

const SPACE = String.raw`[ \u00a0\u2007\u2009\u202f]`;
const SIGN = String.raw`[+\-−–]`;
const CURRENCY_CODES =
  "AED|ARS|AUD|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EUR|GBP|HKD|HUF|IDR|ILS|INR|JPY|KRW|MXN|MYR|NOK|NZD|PHP|PLN|RON|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR";
const CURRENCY = String.raw`(?:(?:US|AU?|CA?|NZ|HK|S|R|Mex)?\p{Sc}|${CURRENCY_CODES}|kr\.?|zł|Kč|Ft|S?Fr\.?|Rs\.?|RM|руб\.?|лв\.?)`;
const DIGITS = String.raw`[\d.,](?:[\d.,'’ \u00a0\u2007\u2009\u202f]*[\d.,])?(?:[eE][+-]?\d+)?`;

/** A sign, a currency and digits, in the usual orders: "-$5", "$-5", "5 €", "12 %", "<0.1" and "3+". */
const WRITTEN = new RegExp(
  `^(?<limit>[<>≤≥~≈]${SPACE}?)?(?<sign>${SIGN}?)${SPACE}?(?<before>${CURRENCY})?${SPACE}?(?<inner>${SIGN}?)` +
    `(?<digits>${DIGITS})(?:${SPACE}?(?<after>${CURRENCY}|%))?(?<open>\\+)?$`,
  "u",
);

/** Digits by decimal mark. Groups have three digits, or two before the last group as in India. */
const GROUPED: Readonly<Record<DecimalMark, RegExp>> = {
  ".": /^(?:\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3}|[1-9]\d{0,2}(['’ \u00a0\u2007\u2009\u202f])\d{3}(?:\1\d{3})*)?(?:\.\d*)?(?:[eE][+-]?\d+)?$/,
  ",": /^(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(['’ \u00a0\u2007\u2009\u202f])\d{3}(?:\1\d{3})*)?(?:,\d*)?(?:[eE][+-]?\d+)?$/,
};
const SEPARATORS: Readonly<Record<DecimalMark, RegExp>> = {
  ".": /[,'’ \u00a0\u2007\u2009\u202f]/g,
  ",": /[.'’ \u00a0\u2007\u2009\u202f]/g,
};
const ANY_SPACE = new RegExp(SPACE);

/**
 * Parses a number as people and spreadsheets write it: with thousands separators, a currency, a percent sign ("34.6 %"
 * is 34.6), parentheses or a Unicode minus for negative amounts, or as a limit ("<0.1" is 0.1). Undefined for any other
 * string.
 */
export function parseWritten(text: string, mark: DecimalMark): WrittenNumber | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const trimmed = text.trim().replace(/^'/, "");
  const inParentheses = trimmed.startsWith("(") && trimmed.endsWith(")");
  const { groups } = WRITTEN.exec(inParentheses ? trimmed.slice(1, -1).trim() : trimmed) ?? {};
  if (!groups) return undefined;
  const { limit, sign, before, inner, digits, after, open } = groups;
  const isMoney = before !== undefined || (after !== undefined && after !== "%");
  if (before !== undefined && after !== undefined) return undefined;
  if ((sign !== "" && inner !== "") || (inParentheses && sign + inner !== "")) return undefined;
  if (limit !== undefined && (open !== undefined || inParentheses)) return undefined;
  const hasSpaces = ANY_SPACE.test(digits);
  // "+49 170 123" is a telephone number.
  if ((sign + inner).includes("+") && hasSpaces) return undefined;
  if (!GROUPED[mark].test(digits)) return undefined;
  const separated = digits.replace(SEPARATORS[mark], "");
  const value = Number(mark === "," ? separated.replace(",", ".") : separated);
  if (!Number.isFinite(value)) return undefined;
  const isNegative = inParentheses || /[-−–]/.test(sign + inner);
  return {
    value: isNegative ? -value : value,
    isMoney,
    isPercentage: after === "%",
    hasThousands: separated.length < digits.length,
    isLimit: limit !== undefined || open !== undefined,
  };
}

/**
 * Parses a number with the given decimal mark, or else with the other one: "0,5" and "1.234,5" are unambiguous. NaN for
 * any other string.
 */
export function readWrittenNumber(text: string, mark: DecimalMark): number {
  if (mark === ".") {
    const plain = numberOf(text);
    if (!Number.isNaN(plain)) return plain;
  }
  const other = mark === "." ? "," : ".";
  return (parseWritten(text, mark) ?? parseWritten(text, other))?.value ?? Number.NaN;
}

/** Parses a number without context; NaN for an ambiguous string such as "1,234". */
export function readLoneNumber(text: string): number {
  const plain = numberOf(text);
  if (!Number.isNaN(plain)) return plain;
  const point = parseWritten(text, ".");
  const comma = parseWritten(text, ",");
  if (point && comma && point.value !== comma.value) return Number.NaN;
  return (point ?? comma)?.value ?? Number.NaN;
}
