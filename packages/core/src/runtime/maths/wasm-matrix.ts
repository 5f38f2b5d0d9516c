import { ELEMENT_BYTES, type Precision } from "../wasm/wasm-exports.js";
import { attachWasmMemory, type Block, type WasmMemory, wasmMemory } from "../wasm/wasm-memory.js";
import { type Descriptor, WasmStructure } from "../wasm/wasm-structure.js";
import { Matrix } from "./matrix.js";

interface MatrixParts {
  readonly pointer: number;
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
}

/** A resident matrix as it is sent to another thread; structured-cloneable. */
export type WasmMatrixDescriptor = Descriptor<MatrixParts>;

/**
 * A matrix in WebAssembly memory, where kernels and threads use it without a copy. Its owner releases it.
 */
export class WasmMatrix extends WasmStructure<MatrixParts> implements MatrixParts {
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
  /** Address for kernels; rows follow each other without gaps. */
  readonly pointer: number;

  private constructor(memory: WasmMemory, parts: MatrixParts, blocks: readonly Block[]) {
    super(memory, parts, blocks);
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.precision = parts.precision;
    this.pointer = parts.pointer;
  }

  /** Allocates a matrix, not cleared. */
  static allocate(rows: number, columns: number, precision: Precision, memory = wasmMemory()): WasmMatrix {
    const block = memory.allocate(rows * columns * ELEMENT_BYTES[precision]);
    return new WasmMatrix(memory, { rows, columns, precision, pointer: block.pointer }, [block]);
  }

  /** Attaches a matrix that this or another thread allocated. */
  static attach({ memory, ...parts }: WasmMatrixDescriptor): WasmMatrix {
    return new WasmMatrix(attachWasmMemory(memory), parts, []);
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
