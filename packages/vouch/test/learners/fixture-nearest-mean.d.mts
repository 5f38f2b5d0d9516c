import type { DefinedLearner, Matrix, Part } from "vouch/learning";
import type { z } from "zod";

export declare const nearestMean: DefinedLearner<
  z.ZodObject,
  { means: Part<Matrix>; onThread: z.ZodBoolean },
  Matrix
>;
