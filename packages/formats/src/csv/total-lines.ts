import { countFilled, readTextRecord } from "./text-record.js";

const LINE_FEED = 10;
/** Number of last bytes to search for total lines. */
export const TAIL_BYTES = 1 << 16;
/** Maximum number of total lines: subtotals, a total and an average. */
const MOST_TOTALS = 5;

const TOTAL =
  /^(?:(?:grand|overall|sub)?[ -]?totals?|sum|summe|(?:zwischen|gesamt)summe|gesamt|insgesamt|somme|suma|totale|totaal|total g[ée]n[ée]ral|итого|всего|合计|总计|合計|総計|average|mean|mittelwert|durchschnitt|moyenne)(?:\s*[:(\d].*)?$/iu;
const NUMBER_LIKE = /^[-+(]?\s*\p{Sc}?\s*[-+]?\d[\d.,'’\s]*(?:e[-+]?\d+)?\s*[%\p{Sc}]?\)?$/iu;

interface Layout {
  readonly delimiter: number;
  readonly columns: number;
}

/** Total lines at the end of a text. */
export interface TotalLines {
  /** Number of bytes from the first total line to the end. */
  readonly bytes: number;
  /** Their first words, from the last line upwards. */
  readonly words: readonly string[];
}

/**
 * Finds lines at the end of a table that summarise its rows. Their first filled cell is a word such as "Total" that
 * starts no other line near the end. All other cells are empty or numbers, and at least one is empty. Blank lines and
 * records around them belong to them.
 *
 * The lines are read without their context. A line that ends a quoted cell cannot match: either it has text around a
 * quote, or the cell never closes.
 *
 * @param tail the last bytes of the rows, starting anywhere in a line
 * @param isWhole whether a record starts at the first of these bytes
 */
export function findTotalLines(tail: Uint8Array, layout: Layout, isWhole: boolean): TotalLines {
  const words: string[] = [];
  let end = tail.length;
  let kept = end;
  const first = isWhole ? 0 : tail.indexOf(LINE_FEED) + 1;
  while (end > first && words.length < MOST_TOTALS) {
    // A negative index would count from the end of the bytes.
    const start = end < 2 ? 0 : tail.lastIndexOf(LINE_FEED, end - 2) + 1;
    if (start < first) break;
    const cells = readLine(tail.subarray(start, end), layout.delimiter);
    if (cells === undefined) break;
    const word = countFilled(cells) === 0 ? "" : totalWord(cells, layout.columns);
    if (word === undefined) break;
    if (word !== "") words.push(word);
    end = start;
    kept = words.length > 0 ? start : kept;
  }
  if (words.length === 0 || isCategory(words, tail.subarray(first, kept), layout)) {
    return { bytes: 0, words: [] };
  }
  return { bytes: tail.length - kept, words };
}

/** Reads a line as a record; undefined if it is not one. */
function readLine(line: Uint8Array, delimiter: number): readonly string[] | undefined {
  const bytes = new Uint8Array(line.length + 2);
  bytes.set(line);
  bytes.fill(LINE_FEED, line.length);
  const end = line[line.length - 1] === LINE_FEED ? line.length : line.length + 1;
  try {
    const record = readTextRecord("", { bytes, end }, delimiter, { at: 0, line: 1 });
    return record?.next.at === end ? record.cells : undefined;
  } catch {
    return undefined;
  }
}

function totalWord(cells: readonly string[], columns: number): string | undefined {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  const [word, ...others] = filled;
  const isTotal =
    columns > 1 &&
    cells.length <= columns &&
    filled.length < columns &&
    TOTAL.test(word) &&
    others.every(isNumber);
  return isTotal ? word : undefined;
}

function isNumber(cell: string): boolean {
  return NUMBER_LIKE.test(cell) || cell.startsWith("#");
}

/** Tests whether another line starts with one of the words, which is then an ordinary value. */
function isCategory(words: readonly string[], before: Uint8Array, { delimiter }: Layout): boolean {
  const others = new Set<string>();
  for (let start = 0; start < before.length; ) {
    const next = before.indexOf(LINE_FEED, start) + 1 || before.length;
    const cells = readLine(before.subarray(start, next), delimiter);
    const word = cells?.map((cell) => cell.trim()).find((cell) => cell !== "");
    if (word !== undefined) others.add(word);
    start = next;
  }
  return words.some((word) => others.has(word));
}
