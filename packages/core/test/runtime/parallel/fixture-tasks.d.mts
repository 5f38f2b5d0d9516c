import type { Task } from "#core/runtime/parallel/executor.js";

export declare const sumOfNoise: Task<
  { seed: number; index: number; count: number },
  { index: number; sum: number }
>;
export declare const wait: Task<{ milliseconds: number; value: number }, number>;
export declare const cooperativeLoop: Task<{ shared?: Int32Array }, never>;
export declare const deafLoop: Task<{ shared?: Int32Array }, never>;
export declare const fail: Task<unknown, unknown>;
export declare const mark: Task<{ shared: Int32Array; index: number }, string>;
export declare const steps: Task<number, number>;
export declare const busy: Task<number, { begin: number; end: number }>;
