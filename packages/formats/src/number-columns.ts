import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { listArgument } from "@vouch/core/internal/runtime/text/shell";
import type { DecimalMark } from "@vouch/core/internal/table/number-notation";
import type { TableNotice } from "@vouch/core/internal/table/table";
import { excerpt } from "./cell.js";
import type { NumberEvidence } from "./number-evidence.js";

/** Minimum share of numbers in a numeric column; other words are missing values. */
export const NUMBER_SHARE = 0.9;
/** Minimum share of numbers in a word column for a warning that it may be numeric. */
export const DOUBTFUL_SHARE = 0.5;
/** If more than this share of words mix letters and digits, they are codes rather than slips. */
const CODE_SHARE = 0.01;
/** Maximum number of columns in a message. */
const MOST_NAMED = 5;
/** Maximum number of words per column that are counted individually. */
const MOST_WORDS = 6;

/** A column of a file, and the evidence from its first values. */
export interface SurveyedColumn {
  readonly name: string;
  readonly evidence: NumberEvidence;
  /**
   * Who declares it numeric: the user, or a model, which itself refuses a column without numbers. Otherwise its values
   * decide.
   */
  readonly numericBy?: "user" | "model" | undefined;
}

/** Context that determines how the numbers of a file are read. */
export interface NumberOptions {
  readonly decimalComma?: boolean | undefined;
  /** Delimiter of the cells. */
  readonly delimiter?: string;
}

/** How a numeric column is read. */
export interface WrittenColumn {
  readonly mark: DecimalMark;
  /** The most frequent words read as missing values. */
  readonly words: readonly string[];
}

/** The numeric columns, with notes that let the user judge them. */
export interface NumberColumns {
  /** By column; undefined if it is not numeric. */
  readonly columns: readonly (WrittenColumn | undefined)[];
  readonly notices: readonly TableNotice[];
}

/**
 * Decides which columns are numeric, and how their numbers are written. The file as a whole decides what a column
 * leaves open.
 */
export function decideNumberColumns(
  surveyed: readonly SurveyedColumn[],
  options: NumberOptions,
): NumberColumns {
  const numeric = surveyed.filter(isNumeric);
  const fileMark = findFileMark(numeric);
  const read = new Map(
    numeric.map((column) => [column, readingOf(column.evidence, options, fileMark)] as const),
  );
  return {
    columns: surveyed.map((column) => read.get(column)),
    notices: [
      ...notationNotices(read),
      ...surveyed.flatMap((column) => (read.has(column) ? [] : doubtAboutWords(column))),
    ],
  };
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}

function isNumeric({ evidence, numericBy }: SurveyedColumn): boolean {
  const { numbers, words, markers, isText } = evidence;
  if (numericBy === "user" || (numericBy === "model" && (numbers > 0 || words.size === 0))) return true;
  if (isText) return false;
  const others = sum(words.values());
  if (numbers === 0) return others + sum(markers.values()) === 0;
  if (evidence.looksLikePhones) return false;
  // "none" and "unknown" may be the most frequent category.
  const named = sum([...markers].flatMap(([word, count]) => (/\p{L}/u.test(word) ? [count] : [])));
  if (numbers < DOUBTFUL_SHARE * (numbers + named)) return false;
  if (evidence.limits > DOUBTFUL_SHARE * numbers) return false;
  if (others === 0) return true;
  return (
    numbers >= NUMBER_SHARE * (numbers + others) &&
    countCodes(words) <= CODE_SHARE * (numbers + others) &&
    evidence.leadingZeros <= CODE_SHARE * numbers
  );
}

function countCodes(words: ReadonlyMap<string, number>): number {
  return sum([...words].flatMap(([word, count]) => (/\p{L}/u.test(word) && /\d/.test(word) ? [count] : [])));
}

/** Finds the decimal mark that columns of the file prove; undefined if none does or they disagree. */
function findFileMark(columns: readonly SurveyedColumn[]): DecimalMark | undefined {
  const commas = columns.some(({ evidence }) => evidence.withComma > evidence.withPoint);
  const points = columns.some(({ evidence }) => evidence.withPoint > evidence.withComma);
  return commas === points ? undefined : commas ? "," : ".";
}

/** How a column is read, and whether evidence beyond its own values would help. */
interface Reading extends WrittenColumn {
  readonly isDoubtful: boolean;
}

function readingOf(
  evidence: NumberEvidence,
  options: NumberOptions,
  fileMark: DecimalMark | undefined,
): Reading {
  const all = [...evidence.words, ...evidence.markers].sort(([, a], [, b]) => b - a);
  const words = all.slice(0, MOST_WORDS).map(([word]) => word);
  return { ...markOf(evidence, options, fileMark), words };
}

/** Decides the decimal mark of numbers from its own proof, then from the file, then by convention. */
function markOf(
  { withPoint, withComma, eitherPoint, eitherComma, longWhole, shortWhole }: NumberEvidence,
  { decimalComma, delimiter }: NumberOptions,
  fileMark: DecimalMark | undefined,
): Omit<Reading, "words"> {
  if (decimalComma !== undefined) return { mark: decimalComma ? "," : ".", isDoubtful: false };
  if (withPoint + withComma > 0) {
    const mark = withComma > withPoint ? "," : ".";
    const isMixed = withPoint > 0 && withComma > 0;
    return { mark, isDoubtful: isMixed && eitherPoint + eitherComma > 0 };
  }
  if (eitherComma === 0 && (eitherPoint === 0 || fileMark === undefined))
    return { mark: ".", isDoubtful: false };
  if (fileMark !== undefined) return { mark: fileMark, isDoubtful: false };
  if (eitherPoint > 0) return { mark: ".", isDoubtful: true };
  if (longWhole > 0 || delimiter === ";") return { mark: ",", isDoubtful: true };
  return { mark: ".", isDoubtful: shortWhole === 0 };
}

/** Describes notations that are not plain, with one note for all columns of the same notation. */
function notationNotices(columns: ReadonlyMap<SurveyedColumn, Reading>): TableNotice[] {
  const byNotation = new Map<string, SurveyedColumn[]>();
  const doubtful: TableNotice[] = [];
  for (const [column, reading] of columns) {
    if (reading.isDoubtful) doubtful.push(doubtAboutMark(column, reading));
    const notation = describeNotation(column.evidence, reading.mark);
    if (notation === undefined) continue;
    byNotation.set(notation, [...(byNotation.get(notation) ?? []), column]);
  }
  const sure = Array.from(byNotation, ([notation, ofOne]): TableNotice => {
    const [{ evidence }] = ofOne;
    const mark = columns.get(ofOne[0])?.mark ?? ".";
    const { text, value } = evidence.written ?? { text: "1.234", value: { ".": 1.234, ",": 1234 } };
    const example = `${excerpt(text)} is read as ${value[mark] ?? value["."] ?? value[","]}`;
    return {
      message: `${columnList(ofOne)} ${ofOne.length === 1 ? "contains" : "contain"} ${notation}: ${example}.`,
      columns: ofOne.map(({ name }) => name),
    };
  });
  return [...sure, ...doubtful];
}

/** Names what is written in a column apart from plain numbers; undefined if there is nothing else. */
function describeNotation(
  { written, thousands, traits, withComma, eitherComma, eitherPoint }: NumberEvidence,
  mark: DecimalMark,
): string | undefined {
  const hasDecimalComma = withComma > 0 || (mark === "," && eitherComma > 0);
  const hasThousands = thousands[mark] || (mark === "," && eitherPoint > 0);
  if (written === undefined && !hasThousands) return undefined;
  const what = traits.has("money")
    ? "amounts of money"
    : traits.has("percentage")
      ? "percentages"
      : "numbers";
  const features = [
    ...(hasDecimalComma ? ["a decimal comma"] : []),
    ...(hasThousands ? ["thousands separators"] : []),
    ...(traits.has("limit") ? ["limits"] : []),
  ];
  return features.length === 0 ? what : `${what} with ${features.join(" and ")}`;
}

function columnList(columns: readonly Pick<SurveyedColumn, "name">[]): string {
  const named = columns.slice(0, MOST_NAMED).map(({ name }) => `"${name}"`);
  const more = columns.length - named.length;
  const list = more > 0 ? `${named.join(", ")} and ${formatNumber(more)} more` : named.join(", ");
  return `${columns.length === 1 ? "Column" : "Columns"} ${list}`;
}

function doubtAboutMark({ name, evidence }: SurveyedColumn, { mark }: Reading): TableNotice {
  const { text, value } = evidence.ambiguous ?? { text: "1.234", value: { ".": 1.234, ",": 1234 } };
  const other = mark === "." ? "," : ".";
  return {
    message: `Column "${name}": ${excerpt(text)} is read as ${value[mark]}, but it could also be ${value[other]}. Use --decimal-comma or --no-decimal-comma to settle it.`,
    columns: [name],
    isDoubtful: true,
  };
}

/** Warns of a categorical column that looks numeric. */
function doubtAboutWords({ name, evidence }: SurveyedColumn): TableNotice[] {
  const { numbers, words, markers, isText } = evidence;
  const others = sum(words.values());
  if (isText || !evidence.hasManyNumbers || evidence.looksLikePhones || others === 0) return [];
  const share = numbers / (numbers + others);
  const isCode = countCodes(words) > others / 2 || evidence.leadingZeros > CODE_SHARE * numbers;
  if (share < DOUBTFUL_SHARE || (isCode && share < NUMBER_SHARE)) return [];
  const frequent = [...words, ...markers].sort(([, a], [, b]) => b - a).slice(0, 3);
  const flag = listArgument([name]);
  return [
    {
      message: `Column "${name}" is read as categories, although ${Math.floor(100 * share)}% of its values are numbers: others are ${frequent.map(([word]) => excerpt(word)).join(", ")}. Use --numeric ${flag} to read them as missing, or --categorical ${flag} to keep them.`,
      columns: [name],
      isDoubtful: true,
    },
  ];
}

/** Words in a numeric column that were read as missing values. */
export interface ColumnWords {
  readonly name: string;
  /** Words with their counts, and the number of other words. */
  readonly counted: readonly (readonly [string, number])[];
  readonly others: number;
  /** The first other word, and its row, counted from 1. */
  readonly firstOther?: { readonly text: string; readonly row: number } | undefined;
}

/** Maximum number of columns with individual notes. */
const MOST_NOTICES = 3;

/** Names words that were read as missing values, with a note for each of a few columns or one for many. */
export function missingWordNotices(columns: readonly ColumnWords[]): TableNotice[] {
  const counts = columns.map(({ counted, others }) => sum(counted.map(([, count]) => count)) + others);
  if (columns.length <= MOST_NOTICES) {
    return columns.map((column, i) => ({ message: oneColumn(column, counts[i]), columns: [column.name] }));
  }
  const byCount = Array.from(columns.keys()).sort((a, b) => counts[b] - counts[a]);
  const words = new Map<string, number>();
  for (const { counted } of columns) {
    for (const [word, count] of counted) words.set(word, (words.get(word) ?? 0) + count);
  }
  const frequent = [...words].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const shown = frequent
    .slice(0, MOST_WORDS)
    .map(([word, count]) => `${excerpt(word)} ${formatNumber(count)}`);
  const named = byCount.slice(0, MOST_NAMED).map((i) => `"${columns[i].name}" ${formatNumber(counts[i])}`);
  const more = columns.length - named.length;
  return [
    {
      message: `${formatNumber(columns.length)} columns: ${formatCount(sum(counts), "value")} read as missing: ${[...shown, ...othersIn(frequent.length > MOST_WORDS, columns)].join(", ")}. By column: ${named.join(", ")}${more > 0 ? `, ${formatNumber(more)} more` : ""}.`,
      columns: columns.map(({ name }) => name),
    },
  ];
}

function othersIn(isCut: boolean, columns: readonly ColumnWords[]): string[] {
  return isCut || columns.some(({ others }) => others > 0) ? ["others"] : [];
}

function oneColumn({ name, counted, others, firstOther }: ColumnWords, total: number): string {
  const words = counted.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  // A single word needs no count.
  const shown = words.map(([word, count]) =>
    count === total ? excerpt(word) : `${excerpt(word)} ${formatNumber(count)}`,
  );
  if (others > 0 && firstOther) {
    const which = `${excerpt(firstOther.text)} in row ${formatNumber(firstOther.row)}`;
    const first = others === total ? "the first" : `${formatNumber(others)} others, the first`;
    shown.push(others === 1 ? which : `${first} ${which}`);
  }
  return `Column "${name}": ${formatCount(total, "value")} read as missing: ${shown.join(", ")}.`;
}
