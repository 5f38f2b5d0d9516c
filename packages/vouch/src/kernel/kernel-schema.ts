import { z } from "zod";

/** A kernel in a model file; what `Kernel` is to the compiler. */
export const kernelSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("linear") }),
  z.strictObject({
    kind: z.literal("polynomial"),
    degree: z.int().min(0),
    scale: z.number().min(0),
    offset: z.number().optional(),
  }),
  z.strictObject({ kind: z.literal("rbf"), gamma: z.number().min(0) }),
  z.strictObject({ kind: z.literal("chi-square"), gamma: z.number().min(0) }),
  z.strictObject({ kind: z.literal("intersection") }),
]);
