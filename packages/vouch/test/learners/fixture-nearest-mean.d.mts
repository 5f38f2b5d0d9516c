import type { z } from "zod";
import type { DefinedLearner } from "#vouch/learners/frame.js";
import type { Matrix } from "#vouch/runtime/matrix.js";
import type { Part } from "#vouch/runtime/parts.js";

export declare const nearestMean: DefinedLearner<
  z.ZodObject,
  { means: Part<Matrix>; onThread: z.ZodBoolean },
  Matrix
>;
