import { memoryLimit } from "../../runtime/memory-limit.js";
import { Arena, type ArenaFields, type Slice } from "../../runtime/wasm/arena.js";
import {
  LIST_BLOCK,
  LIST_ENTRY_BYTES,
  LIST_PART_WORDS,
  layerWidth,
} from "../../runtime/wasm/wasm-exports.js";

/** Lists take at most this much memory, and this fraction of what the process may use; otherwise batches are listed one by one. */
const MOST_BYTES = 2 ** 28;
const MOST_OF_MEMORY = 1 / 16;

/** Rows that are listed at a time. */
const CHUNK = 64;

/** Returns the words that the list of a row has in the table of parts. */
export function partWordsOf(units: number): number {
  return LIST_PART_WORDS * Math.ceil(layerWidth(units) / LIST_BLOCK);
}

/** The shape of listed rows. */
interface ListedShape {
  readonly rows: number;
  readonly columns: number;
}

/** Rows to list, one after the other. */
interface ListedRows extends ListedShape {
  readonly values: Float32Array;
}

/** What workers get of listed rows. */
export interface NonzeroRowsFields extends ListedShape {
  readonly arena: ArenaFields;
}

/**
 * Lists of the numbers that are not zero of all rows which batches are taken from, in WebAssembly memory. They are made once: a batch
 * refers to the lists of its rows and copies nothing. Their owner releases them.
 */
export class NonzeroRows {
  readonly #arena: Arena;
  readonly #shape: ListedShape;
  readonly #parts: Slice<Int32Array>;

  private constructor(arena: Arena, shape: ListedShape) {
    this.#arena = arena;
    this.#shape = shape;
    this.#parts = arena.i32(shape.rows * partWordsOf(shape.columns));
  }

  /** Lists rows; returns undefined if that takes too much memory. */
  static allocate({ rows, columns, values }: ListedRows): NonzeroRows | undefined {
    let nonzero = 0;
    for (let k = 0; k < values.length; k++) if (values[k] !== 0) nonzero++;
    const chunk = Math.min(CHUNK, rows);
    const lists = LIST_ENTRY_BYTES * (nonzero + 1);
    const bytes = lists + 4 * (rows * partWordsOf(columns) + chunk * layerWidth(columns)) + 192;
    if (bytes > Math.min(MOST_BYTES, MOST_OF_MEMORY * memoryLimit())) return undefined;
    const arena = Arena.allocate(bytes);
    const source = new NonzeroRows(arena, { rows, columns });
    source.#list(values, arena.u8(lists).pointer, arena.f32(chunk * layerWidth(columns)));
    return source;
  }

  /** Views lists that another object owns. */
  static view({ arena, ...shape }: NonzeroRowsFields): NonzeroRows {
    return new NonzeroRows(new Arena(arena), shape);
  }

  /** What the input of a worker contains of the rows. */
  get fields(): NonzeroRowsFields {
    return { ...this.#shape, arena: this.#arena };
  }

  /** The table of the parts of each row's list: a new view at each access. */
  get parts(): Int32Array {
    return this.#parts.view;
  }

  release(): void {
    this.#arena.release();
  }

  /** Lists the rows, a few at a time: those are copied to WebAssembly memory, with zeros up to a whole vector. */
  #list(values: Float32Array, lists: number, chunk: Slice<Float32Array>): void {
    const { rows, columns } = this.#shape;
    const { exports } = this.#arena.memory;
    const width = layerWidth(columns);
    const { view } = chunk;
    view.fill(0);
    let end = lists;
    for (let first = 0; first < rows; first += CHUNK) {
      const count = Math.min(CHUNK, rows - first);
      for (let r = 0; r < count; r++) {
        const from = (first + r) * columns;
        view.set(values.subarray(from, from + columns), r * width);
      }
      const parts = this.#parts.pointer + 4 * first * partWordsOf(columns);
      end = exports.netPackLists(chunk.pointer, width, width, count, end, parts);
    }
  }
}
