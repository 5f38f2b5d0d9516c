import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { sharedBuffer } from "@vouch/core/internal/runtime/parallel/shared-array";
import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Maximum number of columns: each takes 500 bytes even if it is empty, but a file may name it with one byte. */
const MAX_COLUMNS = 2 ** 20;

/** Maximum number of text columns in CSV: each takes 1500 bytes. */
const MAX_TEXT_COLUMNS = 2 ** 19;

/** Maximum number of different strings in a column, which is the limit of JavaScript's maps. */
const MAX_LEVELS = 2 ** 24 - 1;

/** Memory for cells that the file does not contain. */
const FREE_BYTES = 2 ** 29;

/** Memory per cell of the file, where a cell takes at least two bytes. A growing column takes up to 24. */
const BYTES_PER_CELL = 40;

/** Smaller arrays share a buffer, because separate buffers would cost more than the arrays. */
const LARGEST_SHARING = 1 << 16;
const SLAB_BYTES = 1 << 20;

/** Number of bytes between two checks of the memory in use. */
const BYTES_BETWEEN_CHECKS = 2 ** 24;

/**
 * Allocates the columns of a table that grows row by row, for formats whose rows may omit columns. An omitted cell
 * takes as much memory as any other: n rows, each with a new key, become a table of n² cells. The memory is therefore
 * bounded by the cells that the file contains.
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

  /** Counts rows and their cells in the file, before they are stored. */
  addRows(rows: number, cells: number): void {
    this.#rows += rows;
    this.#cells += cells;
  }

  /** Counts a column; throws if there are too many. */
  addColumn(): void {
    checkColumnCount(this.#file, ++this.#columns);
  }

  /** Allocates an array of zeros in shared memory. */
  floats(length: number): Float64Array {
    const { buffer, start } = this.#allocate(8 * length);
    return new Float64Array(buffer, start, length);
  }

  /** Allocates an array of zeros in shared memory. */
  integers(length: number): Int32Array {
    const { buffer, start } = this.#allocate(4 * length);
    return new Int32Array(buffer, start, length);
  }

  /** Releases an array that a longer one has replaced. */
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
        `but up to that point the file contains only ${formatNumber(this.#cells)}. All other cells would be missing.`,
      {
        hint: "Use the same few columns in all rows. Turn rare keys into values of one column.",
      },
    );
  }
}

/** Throws if a table would have too many columns, or too many text columns. */
export function checkColumnCount(file: string, columns: number, texts = 0): void {
  if (columns <= MAX_COLUMNS && texts <= MAX_TEXT_COLUMNS) return;
  const most = columns > MAX_COLUMNS ? formatNumber(MAX_COLUMNS) : `${formatNumber(MAX_TEXT_COLUMNS)} text`;
  throw new VouchError("data/too-large", `${file} has more than ${most} columns.`, {
    hint: "Each row should be an example, and each column a property. Check the delimiter and the line ends.",
  });
}

/** Throws if a column has too many different strings. */
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
