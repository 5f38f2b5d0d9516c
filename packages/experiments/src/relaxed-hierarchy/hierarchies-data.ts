import { z } from "zod";

const nodeSchema = z.strictObject({
  /** Names of the classes on each side, and of those that go to both. */
  left: z.array(z.string()),
  right: z.array(z.string()),
  ignored: z.array(z.string()),
  margin: z.number(),
  rows: z.int(),
  errors: z.int(),
  supportVectors: z.int().optional(),
  leftChild: z.union([z.strictObject({ node: z.int() }), z.strictObject({ class: z.string() })]),
  rightChild: z.union([z.strictObject({ node: z.int() }), z.strictObject({ class: z.string() })]),
});

/** A node of a learned hierarchy. */
export type PictureNode = z.infer<typeof nodeSchema>;

/** The description of a hierarchy; the first node is the root, children are counted from 1. */
export const describedSchema = z.looseObject({
  sections: z.tuple([z.looseObject({ nodes: z.array(nodeSchema) })]),
});

/** The shape of a picture. */
export const pictureSchema = z.strictObject({
  dataset: z.string(),
  kernel: z.string(),
  rho: z.number(),
  training: z.int(),
  classes: z.int(),
  accuracy: z.number().min(0).max(1),
  /** How many nodes there are; those beyond the first levels are left out below. */
  nodeCount: z.int(),
  nodes: z.array(nodeSchema),
});

/** The first levels of the hierarchy of a data set. */
export type Picture = z.infer<typeof pictureSchema>;

/** The whole result. */
export const hierarchiesSchema = z.strictObject({
  pictures: z.array(pictureSchema),
  absent: z.array(z.string()),
});
