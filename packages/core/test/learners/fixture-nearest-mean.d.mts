import type { DefinedLearner, Matrix, Part } from "vouch/extend";
import type { z } from "zod";

export declare const nearestMean: DefinedLearner<
  z.ZodObject,
  { means: Part<Matrix>; onThread: z.ZodBoolean },
  Matrix
>;
