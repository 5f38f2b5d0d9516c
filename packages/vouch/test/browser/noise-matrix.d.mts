import type { Matrix } from "#vouch/numeric/matrix.js";

export declare function noiseMatrix(): Matrix;
