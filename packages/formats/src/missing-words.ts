import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { listArgument } from "@vouch/core/internal/runtime/text/shell";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { isMissingNumber } from "@vouch/core/internal/table/missing-markers";
import type { TableNotice } from "@vouch/core/internal/table/table";
import { type CellPosition, excerpt, INFERENCE_ROWS, positionText } from "./cell.js";
import type { PartsOfData } from "./data-part.js";
import { DOUBTFUL_SHARE, missingWordNotices, NUMBER_SHARE } from "./number-columns.js";

/** Minimum share of numbers in a column that the user declares numeric. */
const DECLARED_SHARE = 0.1;

/** Words of a numeric column, as plain data that threads and processes exchange. */
interface CountedWords {
  /** Counts of the words named by the survey, then of all other words. */
  readonly counts: number[];
  /** Number of words that are not known markers of missing values. */
  wrong: number;
  /** The first other word, and the first wrong one. */
  firstOther?: PlacedWord;
  firstWrong?: PlacedWord;
}

interface PlacedWord extends Pick<CellPosition, "row" | "line"> {
  readonly text: string;
}

/** Missing values in the numeric columns of some rows. */
export interface WordsOfRows {
  /** Words by column position. */
  readonly words: readonly (readonly [number, CountedWords])[];
  /** Number of missing markers per column. */
  readonly markers: readonly number[];
}

/** Validates words that another process has sent. */
function isWordsOfRows(value: unknown): value is WordsOfRows {
  if (typeof value !== "object" || value === null || !("words" in value && "markers" in value)) return false;
  const { words, markers } = value;
  if (!Array.isArray(markers) || !markers.every(Number.isInteger) || !Array.isArray(words)) return false;
  return words.every(
    (entry: unknown) => Array.isArray(entry) && Number.isInteger(entry[0]) && isCounted(entry[1]),
  );
}

function isCounted(value: unknown): value is CountedWords {
  if (typeof value !== "object" || value === null || !("counts" in value && "wrong" in value)) return false;
  return Array.isArray(value.counts) && value.counts.every(Number.isInteger) && Number.isInteger(value.wrong);
}

/**
 * Counts words in numeric columns, which are read as missing values. Words from the first rows are counted
 * individually, all other words together. The counts thus take little memory and do not depend on how the file is
 * divided.
 */
export class MissingWords {
  readonly #named: readonly (readonly string[])[];
  readonly #columns = new Map<number, CountedWords>();
  readonly #markers: number[];
  /** Words of the current record. */
  #recordWords: { readonly j: number; readonly word: PlacedWord }[] = [];
  #recordMarkers: number[] = [];

  /** @param named words to count individually, by column; holes for columns without such words */
  constructor(columns: number, named: readonly (readonly string[])[]) {
    this.#named = named;
    this.#markers = new Array<number>(columns).fill(0);
  }

  /** Counts a missing marker. */
  addMarker(j: number): void {
    this.#recordMarkers.push(j);
  }

  /** Counts values absent from the file, such as nulls. */
  addAbsent(j: number, count: number): void {
    this.#markers[j] = (this.#markers[j] ?? 0) + count;
  }

  /** Counts a word. */
  add(j: number, word: PlacedWord): void {
    this.#recordWords.push({ j, word });
  }

  /** Commits the words and markers of a complete record; an incomplete one will be parsed again. */
  endRecord(isComplete: boolean): void {
    if (this.#recordMarkers.length > 0) {
      if (isComplete) for (const j of this.#recordMarkers) this.addAbsent(j, 1);
      this.#recordMarkers = [];
    }
    if (this.#recordWords.length > 0) {
      if (isComplete) for (const { j, word } of this.#recordWords) this.#count(j, word);
      this.#recordWords = [];
    }
  }

  #count(j: number, { text, ...position }: PlacedWord): void {
    const named = this.#named[j] ?? [];
    let column = this.#columns.get(j);
    if (!column) {
      column = { counts: new Array<number>(named.length + 1).fill(0), wrong: 0 };
      this.#columns.set(j, column);
    }
    const place = named.indexOf(text);
    column.counts[place < 0 ? named.length : place]++;
    const placed = { ...position, text: text.slice(0, 100) };
    if (place < 0) column.firstOther ??= placed;
    if (isMissingNumber(text)) return;
    column.wrong++;
    column.firstWrong ??= placed;
  }

  /** Returns the counts, for `merge`. */
  ofRows(): WordsOfRows {
    return { words: [...this.#columns], markers: this.#markers };
  }

  /** Adds the counts of later rows. */
  merge(later: WordsOfRows): void {
    later.markers.forEach((count, j) => {
      this.addAbsent(j, count);
    });
    for (const [j, words] of later.words) {
      const own = this.#columns.get(j);
      if (!own) {
        this.#columns.set(j, { ...words, counts: [...words.counts] });
        continue;
      }
      words.counts.forEach((count, place) => {
        own.counts[place] += count;
      });
      own.wrong += words.wrong;
      if (words.firstOther) own.firstOther ??= words.firstOther;
      if (words.firstWrong) own.firstWrong ??= words.firstWrong;
    }
  }

  /**
   * Describes what was read as missing, after the last row. Throws if a column turns out to have hardly any numbers.
   */
  notices(file: FileColumns): TableNotice[] {
    const columns = [...this.#columns].sort(([a], [b]) => a - b);
    const doubtful = columns.flatMap(([j, words]) =>
      checkShare(file, j, words, file.rows - (this.#markers[j] ?? 0)),
    );
    const counted = columns.map(([j, { counts, firstOther }]) => {
      const named = this.#named[j] ?? [];
      return {
        name: file.names[j],
        counted: named.map((word, place) => [word, counts[place]] as const),
        others: counts[named.length],
        firstOther,
      };
    });
    return [...missingWordNotices(counted), ...doubtful];
  }
}

/** The columns of a file. */
export interface FileColumns {
  readonly file: string;
  readonly names: readonly string[];
  readonly rows: number;
  /** By column: whether the user declares it numeric. */
  readonly isDeclared: readonly boolean[];
}

function checkShare(
  { file, names, rows, isDeclared }: FileColumns,
  j: number,
  { wrong, counts, firstWrong }: CountedWords,
  present: number,
): TableNotice[] {
  if (!firstWrong) return [];
  const words = counts.reduce((sum, count) => sum + count, 0);
  const share = (present - words) / (present - words + wrong);
  const flag = listArgument([names[j]]);
  if (share < (isDeclared[j] ? DECLARED_SHARE : DOUBTFUL_SHARE)) {
    const { text, ...position } = firstWrong;
    const more = wrong > 1 ? `, nor are ${formatNumber(wrong - 1)} more values of this column` : "";
    throw new VouchError(
      "data/not-a-number",
      `${positionText({ ...position, file, column: names[j] })}: ${excerpt(text)} is not a number${more}.`,
      { hint: `If the column is categorical, pass --categorical ${flag}; otherwise correct it.` },
    );
  }
  if (isDeclared[j] || rows <= INFERENCE_ROWS || share >= NUMBER_SHARE) return [];
  return [
    {
      message: `Column "${names[j]}" is read as numbers, although ${Math.floor(100 * (1 - share))}% of its values are other words, the first ${excerpt(firstWrong.text)} in row ${formatNumber(firstWrong.row)}. Use --categorical ${flag} to keep them, or --numeric ${flag} to read them as missing.`,
      columns: [names[j]],
      isDoubtful: true,
    },
  ];
}

/** Sums the words of all shards in `total`; all shards must call this together. */
export async function wordsOfShards(
  own: MissingWords,
  part: PartsOfData,
  total: MissingWords,
): Promise<MissingWords> {
  for (const bytes of await part.gather(new TextEncoder().encode(JSON.stringify(own.ofRows())))) {
    const words: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isWordsOfRows(words)) {
      throw new VouchError(
        "data/malformed",
        "A shard has sent something else than the words it has counted.",
        {
          hint: "All shards must be of the same version.",
        },
      );
    }
    total.merge(words);
  }
  return total;
}
