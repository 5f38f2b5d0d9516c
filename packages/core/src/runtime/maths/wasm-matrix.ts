import { Arena } from "../wasm/arena.js";
import { ELEMENT_BYTES, type Precision } from "../wasm/wasm-exports.js";
import { type WasmMemory, wasmMemory } from "../wasm/wasm-memory.js";
import { type Releasable, WasmStructure } from "../wasm/wasm-structure.js";
import { Matrix } from "./matrix.js";

/** What tasks get of a matrix in WebAssembly memory. */
export interface WasmMatrixFields {
  readonly memory: WasmMemory;
  /** Address for kernels; rows follow each other without gaps. */
  readonly pointer: number;
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
}

/** A matrix in WebAssembly memory, where kernels and threads use it without a copy. Its owner releases it. */
export class WasmMatrix extends WasmStructure implements WasmMatrixFields {
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
  readonly pointer: number;

  /** A view of a matrix that another object owns, or the owner of its memory. */
  constructor({ memory, rows, columns, precision, pointer }: WasmMatrixFields, owned?: Releasable) {
    super(memory, owned);
    this.rows = rows;
    this.columns = columns;
    this.precision = precision;
    this.pointer = pointer;
  }

  /** Allocates a matrix, not cleared. */
  static allocate(rows: number, columns: number, precision: Precision, memory = wasmMemory()): WasmMatrix {
    const arena = Arena.allocate(rows * columns * ELEMENT_BYTES[precision], memory);
    return new WasmMatrix({ memory, rows, columns, precision, pointer: arena.pointer }, arena);
  }

  /**
   * A view of the matrix, not a copy: a new one at each access, valid until the matrix is released or, if the memory is not
   * shared, until the memory grows.
   */
  get matrix(): Matrix {
    const { memory, precision, pointer, rows, columns } = this;
    return new Matrix(rows, columns, memory[precision](pointer, rows * columns));
  }
}
