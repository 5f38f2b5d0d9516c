import type { Matrix } from "#core/runtime/maths/matrix.js";

export declare function noiseMatrix(): Matrix;
