/** Cells of a column: numbers, or texts. */
export type InputCells = Float64Array | readonly string[];

/** An output: its cells row by row, and its shape. */
export interface OutputTensor {
  readonly data: ArrayLike<unknown>;
  readonly dims: readonly number[];
}

/** A model that a runtime has loaded. */
export interface EngineSession {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  run(columns: Readonly<Record<string, InputCells>>): Promise<Record<string, OutputTensor>>;
  close(): Promise<void>;
}

/** A runtime of ONNX models. */
export interface Engine {
  readonly name: string;
  open(bytes: Uint8Array, options?: Readonly<Record<string, unknown>>): Promise<EngineSession>;
}

export const INSTALLATION: string;
export function installedEngines(): Engine[];
