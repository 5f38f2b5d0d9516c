import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { sharedBuffer } from "@vouch/core/internal/runtime/parallel/shared-array";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Maximum number of columns: each takes 500 bytes even if it is empty, but a file may need one byte to name it. */
const MAX_COLUMNS = 2 ** 20;

/** Maximum number of columns of text in CSV: each takes 1500 bytes. */
const MAX_TEXT_COLUMNS = 2 ** 19;

/** Maximum number of different texts in a column: JavaScript's maps hold no more. */
const MAX_LEVELS = 2 ** 24 - 1;

/** Memory for cells that a table may have although the file does not contain them. */
const FREE_BYTES = 2 ** 29;

/** Memory for each cell that the file contains, which takes at least two bytes there. A growing column takes up to 24. */
const BYTES_PER_CELL = 40;

/** Arrays below this size share a buffer: a buffer each would cost more than the arrays themselves. */
const LARGEST_SHARING = 1 << 16;
const SLAB_BYTES = 1 << 20;

/** The memory in use is checked once in so many bytes. */
const BYTES_BETWEEN_CHECKS = 2 ** 24;

/**
 * Memory for the columns of a table that grows row by row, for files whose rows need not name every column. A row that does not
 * name a column has a missing cell there, which takes as much memory as any other: n rows, each with a new key, become a table of
 * n² cells. So the memory is bounded by the cells that the file contains.
 */
export class ColumnMemory {
  readonly #file: string;
  #rows = 0;
  #columns = 0;
  #cells = 0;
  #bytes = 0;
  #checkedBytes = 0;
  #slab = sharedBuffer(0);
  #slabUsed = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Counts rows, and the cells that the file has in them, before these are stored. */
  addRows(rows: number, cells: number): void {
    this.#rows += rows;
    this.#cells += cells;
  }

  /** Counts a column; throws if there are too many. */
  addColumn(): void {
    checkColumnCount(this.#file, ++this.#columns);
  }

  /** Allocates an array of zeros, in memory that threads can share. */
  floats(length: number): Float64Array {
    const { buffer, start } = this.#allocate(8 * length);
    return new Float64Array(buffer, start, length);
  }

  /** Allocates an array of zeros, in memory that threads can share. */
  integers(length: number): Int32Array {
    const { buffer, start } = this.#allocate(4 * length);
    return new Int32Array(buffer, start, length);
  }

  /** Takes back an array that a longer one has replaced. */
  release({ byteLength }: ArrayBufferView): void {
    if (byteLength >= LARGEST_SHARING) this.#bytes -= byteLength;
  }

  #allocate(bytes: number): { buffer: ArrayBufferLike; start: number } {
    this.#charge(bytes);
    if (bytes >= LARGEST_SHARING) return { buffer: sharedBuffer(bytes, this.#table()), start: 0 };
    if (this.#slabUsed + bytes > this.#slab.byteLength) {
      this.#slab = sharedBuffer(SLAB_BYTES);
      this.#slabUsed = 0;
    }
    const start = this.#slabUsed;
    this.#slabUsed += Math.ceil(bytes / 8) * 8;
    return { buffer: this.#slab, start };
  }

  #charge(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > FREE_BYTES + BYTES_PER_CELL * this.#cells) throw this.#tooSparse();
    if (this.#bytes < this.#checkedBytes + BYTES_BETWEEN_CHECKS) return;
    reserveMemory(this.#table(), BYTES_BETWEEN_CHECKS);
    this.#checkedBytes = this.#bytes;
  }

  #table(): string {
    return `a table of ${formatNumber(this.#rows)} rows and ${formatNumber(this.#columns)} columns`;
  }

  #tooSparse(): VouchError {
    return new VouchError(
      "data/too-large",
      `${this.#file}: ${this.#table()} has ${formatNumber(this.#rows * this.#columns)} cells, ` +
        `but up to there the file contains only ${formatNumber(this.#cells)}. The others would all be missing.`,
      {
        hint: "Use the same few columns in all rows. Turn rare keys into values of one column.",
      },
    );
  }
}

/** Throws if a table would have too many columns, or too many of text. */
export function checkColumnCount(file: string, columns: number, texts = 0): void {
  if (columns <= MAX_COLUMNS && texts <= MAX_TEXT_COLUMNS) return;
  const most = columns > MAX_COLUMNS ? formatNumber(MAX_COLUMNS) : `${formatNumber(MAX_TEXT_COLUMNS)} text`;
  throw new VouchError("data/too-large", `${file} has more than ${most} columns.`, {
    hint: "Each row should be an example, and each column a property. Check the delimiter and the line ends.",
  });
}

/** Throws if a column has too many different texts. */
export function checkLevels(column: string, levels: number): void {
  if (levels <= MAX_LEVELS) return;
  throw new VouchError(
    "data/too-large",
    `Column "${column}" has more than ${formatNumber(MAX_LEVELS)} different texts.`,
    {
      hint: "Leave the column out with --ignore.",
    },
  );
}
