import { ELEMENT_BYTES, type Precision } from "../wasm/wasm-exports.js";
import { type Block, type WasmMemory, wasmMemory } from "../wasm/wasm-memory.js";
import { WasmStructure } from "../wasm/wasm-structure.js";
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
export class WasmMatrix extends WasmStructure<object> implements WasmMatrixFields {
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
  readonly pointer: number;

  /** Without blocks, a view of a matrix that another object owns. */
  constructor(
    { memory, rows, columns, precision, pointer }: WasmMatrixFields,
    blocks: readonly Block[] = [],
  ) {
    super(memory, {}, blocks);
    this.rows = rows;
    this.columns = columns;
    this.precision = precision;
    this.pointer = pointer;
  }

  /** Allocates a matrix, not cleared. */
  static allocate(rows: number, columns: number, precision: Precision, memory = wasmMemory()): WasmMatrix {
    const block = memory.allocate(rows * columns * ELEMENT_BYTES[precision]);
    return new WasmMatrix({ memory, rows, columns, precision, pointer: block.pointer }, [block]);
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
