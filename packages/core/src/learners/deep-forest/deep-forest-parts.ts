import * as z from "zod";
import { checked, list, object, optional, size, variant } from "../../runtime/codec/parts.js";
import { nonNegativeNumber, positiveInteger, proportion } from "../../runtime/codec/schema-numbers.js";
import { float64, uint8 } from "../../runtime/codec/tensor-parts.js";
import { binnedCuts } from "../binned-cuts.js";
import { nestedEncoder, nestedModel } from "../nested.js";
import { treeSet } from "../tree/tree-set-part.js";
import { MOST_LAYERS } from "./deep-forest-options.js";
import { predictionNames } from "./layer-input.js";
import { BINS } from "./windows.js";

const MOST_MEMBERS = 1000;
const LARGEST_SIDE = 1_000_000;

/** α grows by a factor of at most 1,024 from layer to layer. */
const LARGEST_ALPHA = 1024 ** MOST_LAYERS;

const member = variant({
  forest: {
    name: z.enum(["forest", "random-trees"]),
    /** The trees of all folds, equally many of each: their mean is the mean over the folds. */
    trees: treeSet({ classes: "classes", columns: "columns", leaves: "shares" }),
  },
  learner: {
    name: z.string(),
    /** One model trained without each fold, with the encoder of its features. */
    folds: list(
      checked(object({ encoder: nestedEncoder, model: nestedModel }), ({ encoder, model }, { classes }) =>
        model.scoring === "probability" &&
        model.classes.length === classes &&
        model.featureNames.length === encoder.featureNames.length
          ? undefined
          : "the model does not fit into a layer",
      ),
      { min: 1 },
    ),
  },
});

const layer = object({
  /** Number of columns that the members see: features, and predictions of the layer before. */
  columns: size("columns", { min: 1 }),
  /** The predictions of the layer before, binned; none in the first layer. */
  passedOn: binnedCuts("predictions", predictionNames),
  members: list(member, { min: 1, max: MOST_MEMBERS }),
  /** α_t, not normalised; 0 for a layer that only makes features. */
  alpha: z.number().min(0).max(LARGEST_ALPHA),
  /** The loss that α_t minimises; absent in a plain cascade. */
  loss: z.strictObject({ r: z.number().gt(0).lt(1), mu: nonNegativeNumber.gt(0) }).optional(),
  /** Whether rows with a large loss had a larger weight. */
  reweighted: z.boolean(),
  /** Weighted share of the training rows that the model up to this layer gets right, out of fold. */
  outOfFoldAccuracy: proportion,
  /** Normalised margins of the model up to this layer on the training rows, out of fold. */
  margins: checked(float64(["rows"], { min: -1, max: 1 }), ({ length }) =>
    length === 0 ? "there are no margins" : undefined,
  ),
  /** ln|H_t| of Theorem 1; absent if the layer has members other than trees, which cannot be counted. */
  logFamilySize: nonNegativeNumber.optional(),
});

const side = (name: string) => size(name, { min: 1, max: LARGEST_SIDE });

const scan = object({
  shape: object({ width: side("width"), height: side("height"), channels: side("channels") }),
  /** The bins that all positions of a channel share: see `sharedBins`. */
  bins: uint8([({ features }) => features * BINS]),
  grains: list(
    object({
      window: object({ width: side("windowWidth"), height: side("windowHeight"), stride: side("stride") }),
      /** One set for each forest, with the trees of all folds. */
      forests: list(
        treeSet({
          classes: "classes",
          columns: ({ windowWidth, windowHeight, channels }) => windowWidth * windowHeight * channels,
          leaves: "shares",
        }),
        { min: 1, max: 100 },
      ),
      /** The class vectors of all positions, binned: position by position, forest by forest. */
      features: binnedCuts("predictions", predictionNames),
    }),
    { min: 1, max: 100 },
  ),
});

/** The parts of every deep forest. */
export const deepForestParts = {
  cascade: z.strictObject({
    /**
     * Passed on to the next layer: the class vectors of all members, the sums of the layers so far of all members, the sum of the
     * layers so far, or the layer's mean.
     */
    passesOn: z.enum(["vectors", "sums", "sum", "mean"]),
    /** Whether later layers see the features, too. */
    keepsFeatures: z.boolean(),
    /** Whether the model is a weighted sum of its layers (mdDF); otherwise the last layer predicts (casForest). */
    additive: z.boolean(),
  }),
  /** Minimum number of rows in a leaf of forests that do not set their own. */
  minLeafRows: positiveInteger,
  /** Scans the features before the first layer. */
  scan: optional(scan),
  layers: list(layer, { min: 1, max: MOST_LAYERS }),
};

/** A fitted layer of a deep forest. */
export type Layer = ReturnType<typeof layer.read>;
/** A fitted member of a layer: a forest, or a model of another learner without each fold. */
export type FittedMember = Layer["members"][number];
/** The fitted windows that scan images or sequences before the first layer. */
export type Scan = ReturnType<typeof scan.read>;
