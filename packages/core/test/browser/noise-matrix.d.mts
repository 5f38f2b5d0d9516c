import type { Matrix } from "#core/runtime/matrix.js";

export declare function noiseMatrix(): Matrix;
