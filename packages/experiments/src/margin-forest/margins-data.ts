import { z } from "zod";
import { sizesSchema } from "./table-data.js";

const margin = z.number().min(-1).max(1);

const layerSchema = z.strictObject({
  /** α_t as the line search found it. */
  alpha: z.number().min(0),
  /** Share of the training rows that the model up to this layer gets right, out of fold. */
  outOfFoldAccuracy: z.number().min(0).max(1),
  /** Of the test rows. */
  testAccuracy: z.number().min(0).max(1),
  mean: margin,
  variance: z.number().min(0),
  /** λ; null where the mean is 0. */
  ratio: z.number().min(0).nullable(),
  /** The cumulative curve: the margins at 0 %, 1 %, … 100 % of their ascending order. */
  quantiles: z.array(margin).length(101),
});

/** What is shown of a layer. */
export type LayerMargins = z.infer<typeof layerSchema>;

/** The layers of one model. */
export const layersSchema = z.array(layerSchema).min(1);

const setSchema = z.strictObject({
  dataset: z.string(),
  rows: z.int(),
  learners: z.array(z.strictObject({ name: z.string(), layers: layersSchema })),
});

/** The layers of all models on one data set. */
export type SetMargins = z.infer<typeof setSchema>;

/** The whole result. */
export const marginsSchema = z.strictObject({
  sizes: sizesSchema.omit({ singleTrees: true }),
  sets: z.array(setSchema),
  /** Data sets that were not on the machine. */
  absent: z.array(z.string()),
});
