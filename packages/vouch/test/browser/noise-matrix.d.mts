import type { Matrix } from "#vouch/runtime/matrix.js";

export declare function noiseMatrix(): Matrix;
