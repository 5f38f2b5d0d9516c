import type * as z from "zod";
import { fitEncoder } from "../../encode/fit-encoder.js";
import { Sample } from "../../encode/sample.js";
import type { Json } from "../../runtime/codec/state.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Table } from "../../table/table.js";
import { bestGrowth, forestOptions, randomGrowth, randomTreesOptions } from "../forest/forest.js";
import { checkLearner, type Learner } from "../learner.js";
import { parseOptions } from "../options.js";
import { loadedLearner } from "../registry.js";
import { parseSetting, parseSettings } from "../settings.js";
import type { TreeGrowth } from "../tree/growth-options.js";
import type { Estimator, LayerOptions } from "./deep-forest-options.js";
import type { FittedMember } from "./deep-forest-parts.js";

/** A forest of a layer, before it is grown. */
export interface ForestMember {
  readonly kind: "forest";
  /** A random forest, which takes the best of some random splits, or a completely random one. */
  readonly name: "forest" | "random-trees";
  readonly trees: number;
  readonly bootstrap: boolean;
  /** How trees grow on a number of columns. */
  readonly growth: (columns: number) => TreeGrowth;
}

/** Any other learner of probabilities. */
export interface LearnerMember {
  readonly kind: "learner";
  readonly learner: Learner;
}

/** A member of a layer. Each is trained once without each fold. */
export type Member = ForestMember | LearnerMember;

/** Options of a forest that a layer can use; it has no class weights and no out-of-bag estimates. */
const inLayers = {
  trees: true,
  minLeafRows: true,
  minSplitRows: true,
  maxDepth: true,
  bootstrap: true,
} as const;
const layerForestOptions = forestOptions.pick({ ...inLayers, featuresPerSplit: true, criterion: true });
const layerRandomTreesOptions = randomTreesOptions.pick(inLayers);

/** Returns the members of a layer: the estimators, or forests if there are none. */
export function membersOf(learner: string, options: LayerOptions): Member[] {
  const { randomForests, completelyRandomForests, estimators } = options;
  if (estimators.length > 0) {
    return estimators.map((estimator) =>
      typeof estimator === "string"
        ? namedMember(estimator, options)
        : { kind: "learner", learner: givenLearner(estimator) },
    );
  }
  const members = [
    ...Array.from({ length: randomForests }, () => randomForest(options)),
    ...Array.from({ length: completelyRandomForests }, () => completelyRandomForest(options)),
  ];
  if (members.length > 0) return members;
  throw new VouchError("option/invalid", `A layer of ${learner} has no forests.`, {
    hint: "Set randomForests or completelyRandomForests to 1 or more, or name estimators.",
  });
}

/** Makes a random forest with the given settings; the others are those of the layers. */
function randomForest(layers: LayerOptions, given: Settings = {}): ForestMember {
  const { trees, minLeafRows, maxDepth, bootstrap } = layers;
  const options = parseOptions("forest", layerForestOptions, {
    trees,
    minLeafRows,
    maxDepth,
    bootstrap,
    featuresPerSplit: layers.featuresPerSplit,
    ...given,
  });
  return {
    kind: "forest",
    name: "forest",
    trees: options.trees,
    bootstrap: options.bootstrap,
    growth: (columns) => bestGrowth(options, columns),
  };
}

/** Makes a completely random forest. It sees all rows: bootstrap samples would only add noise. */
function completelyRandomForest(layers: LayerOptions, given: Settings = {}): ForestMember {
  const { trees, minLeafRows, maxDepth } = layers;
  const options = parseOptions("random-trees", layerRandomTreesOptions, {
    trees,
    minLeafRows,
    maxDepth,
    ...given,
  });
  const growth = randomGrowth(options);
  const { bootstrap } = options;
  return { kind: "forest", name: "random-trees", trees: options.trees, bootstrap, growth: () => growth };
}

type Settings = Readonly<Record<string, Json>>;

/** Makes the member behind a text such as `svm:probability=true:C=10`. */
function namedMember(text: string, layers: LayerOptions): Member {
  const [name, ...settings] = text.split(":").map((part) => part.trim());
  switch (name) {
    case "forest":
      return randomForest(layers, forestSettings(name, layerForestOptions, settings));
    case "random-trees":
      return completelyRandomForest(layers, forestSettings(name, layerRandomTreesOptions, settings));
    default: {
      const kind = loadedLearner(name);
      return { kind: "learner", learner: kind.create(parseSettings(kind, settings)) };
    }
  }
}

function forestSettings(name: string, schema: z.ZodObject, settings: readonly string[]): Settings {
  const parsed = settings.map((setting) => parseSetting(name, schema, setting));
  return Object.fromEntries(parsed.map((setting) => [setting.name, setting.value]));
}

function givenLearner(estimator: Estimator): Learner {
  const learner = isLearner(estimator) ? estimator : loadedLearner(estimator.name).create(estimator.options);
  checkLearner(learner);
  return learner;
}

/** Tells whether an estimator is a learner, not its name and options; `checkLearner` rejects other objects. */
function isLearner(estimator: Estimator): estimator is Learner {
  return "fit" in estimator || typeof estimator.name !== "string";
}

/** A model of any learner with the encoder that makes its features. */
export type EncodedModel = Extract<FittedMember, { kind: "learner" }>["folds"][number];

/** The target column of an encoder; the tables here have none. */
const NO_TARGET = "class";

/** The classes of rows and, unless all are equal, their weights. */
export interface LayerTarget {
  readonly labels: Int32Array;
  readonly classes: readonly string[];
  readonly weights?: Float64Array;
}

/** Trains a learner on the rows of a table. Throws if its model has no probabilities. */
export async function fitEncoded(
  learner: Learner,
  table: Table,
  target: LayerTarget,
  run: Run,
): Promise<EncodedModel> {
  const encoder = fitEncoder(table, { target: NO_TARGET, classes: target.classes }, learner.encoding);
  const { featureNames } = encoder;
  const sample = new Sample({ ...target, features: encoder.encode(table), featureNames });
  const model = await learner.fit(sample, run);
  if (model.scoring === "probability") return { encoder, model };
  throw new VouchError(
    "learner/unsupported",
    `${learner.name} cannot be part of a layer: it does not give probabilities.`,
    {
      hint:
        learner.name === "svm"
          ? "Calibrate its probabilities: svm:probability=true."
          : "Use learners that do, such as forest, random-trees or svm:probability=true.",
    },
  );
}

/** Predicts the probability of each class for the rows of a table. */
export function encodedScores({ encoder, model }: EncodedModel, table: Table): Matrix {
  return model.scores(encoder.encode(table));
}
