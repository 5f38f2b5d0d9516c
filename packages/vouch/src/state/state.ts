/** Plain data that survives a round trip through JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Arrays that a model file stores as tensors. */
export type TensorData =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int8Array
  | Uint8Array
  | BigUint64Array;

/** A named block of numbers with its shape; the product of the shape is the length of the data. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** What a model or an encoder is made of, ready to be written to a file: structure and numbers. */
export interface State {
  readonly json: Json;
  readonly tensors: Readonly<Record<string, Tensor>>;
}
