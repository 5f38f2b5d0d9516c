import type { z } from "zod";
import { boostedTreesDefinition } from "../boosted-trees/index.js";
import { adaboostDefinition } from "../boosting/index.js";
import { didYouMean } from "../data/nearest-name.js";
import { VouchError } from "../error.js";
import {
  featuresPerSplit,
  forestDefinition,
  forestOptions,
  randomTreesDefinition,
  randomTreesOptions,
} from "../forest/index.js";
import type { LearnerDefinition } from "../learning/learner.js";
import { parseOptions, parseSetting } from "../learning/options.js";
import { majorityDefinition } from "../majority/index.js";
import { dbnDefinition, mlpDefinition, saeDefinition } from "../net/index.js";
import { perceptronDefinition } from "../perceptron/index.js";
import type { Json } from "../state/state.js";
import { stumpDefinition } from "../stump/index.js";
import { svmDefinition } from "../svm/index.js";
import type { ForestMember, Member } from "./member.js";
import type { LayerOptions } from "./options.js";

/**
 * The learners that layers can be made of by name. Not the registry, which knows deep forests too: they would have to be
 * there before it is, and it before them.
 */
const known: readonly LearnerDefinition[] = [
  majorityDefinition,
  stumpDefinition,
  adaboostDefinition,
  perceptronDefinition,
  svmDefinition,
  forestDefinition,
  randomTreesDefinition,
  boostedTreesDefinition,
  mlpDefinition,
  saeDefinition,
  dbnDefinition,
];

/** What forests can be told in layers; class weights and out-of-bag estimates are no matter of theirs. */
const inLayers = {
  trees: true,
  minLeafRows: true,
  minSplitRows: true,
  maxDepth: true,
  bootstrap: true,
} as const;
const layerForestOptions = forestOptions.pick({ ...inLayers, featuresPerSplit: true, criterion: true });
const layerRandomTreesOptions = randomTreesOptions.pick(inLayers);

/** The learner of that name that a layer can have; undefined if there is none. */
export function knownLearner(name: string): LearnerDefinition | undefined {
  return known.find((definition) => definition.name === name);
}

/** The members of the layers that the options ask for. */
export function membersOf(learner: string, options: LayerOptions): Member[] {
  const { randomForests, completelyRandomForests, estimators } = options;
  if (estimators.length > 0) return estimators.map((text) => memberOf(learner, text, options));
  const members = [
    ...Array.from({ length: randomForests }, () => randomForest(options)),
    ...Array.from({ length: completelyRandomForests }, () => completelyRandomForest(options)),
  ];
  if (members.length > 0) return members;
  throw new VouchError("option/invalid", `A layer of ${learner} has no forests.`, {
    hint: "Set randomForests or completelyRandomForests to 1 or more, or name estimators.",
  });
}

/** A random forest, told what is given and the rest as the layers are. */
function randomForest(layers: LayerOptions, given: Settings = {}): ForestMember {
  const { trees, minLeafRows, maxDepth, bootstrap } = layers;
  const all = {
    trees,
    minLeafRows,
    maxDepth,
    bootstrap,
    featuresPerSplit: layers.featuresPerSplit,
    ...given,
  };
  const options = parseOptions("forest", layerForestOptions, all);
  return {
    kind: "forest",
    name: "forest",
    trees: options.trees,
    bootstrap: options.bootstrap,
    growth: (columns) => ({
      ...limitsOf(options),
      criterion: options.criterion,
      splits: "best",
      featuresPerSplit: featuresPerSplit(options.featuresPerSplit, columns),
    }),
  };
}

/** The same for completely random forests. They see all rows: drawing them would add nothing but chance. */
function completelyRandomForest(layers: LayerOptions, given: Settings = {}): ForestMember {
  const { trees, minLeafRows, maxDepth } = layers;
  const options = parseOptions("random-trees", layerRandomTreesOptions, {
    trees,
    minLeafRows,
    maxDepth,
    ...given,
  });
  const growth = { ...limitsOf(options), criterion: "gini", splits: "random", featuresPerSplit: 1 } as const;
  const { bootstrap } = options;
  return { kind: "forest", name: "random-trees", trees: options.trees, bootstrap, growth: () => growth };
}

function limitsOf({ maxDepth, minLeafRows, minSplitRows }: z.output<typeof layerRandomTreesOptions>) {
  return { maxDepth: maxDepth === "unlimited" ? Infinity : maxDepth, minLeafRows, minSplitRows };
}

/** Options as they were written. */
type Settings = Readonly<Record<string, Json>>;

/** The member behind a text such as `svm:probability=true:C=10`. */
function memberOf(learner: string, text: string, layers: LayerOptions): Member {
  const [name, ...settings] = text.split(":").map((part) => part.trim());
  switch (name) {
    case "forest":
      return randomForest(layers, parsedSettings(name, layerForestOptions, settings));
    case "random-trees":
      return completelyRandomForest(layers, parsedSettings(name, layerRandomTreesOptions, settings));
    default: {
      const definition = knownLearner(name) ?? unknownEstimator(learner, name);
      const given = parsedSettings(name, definition.options, settings);
      return { kind: "learner", learner: definition.create(given) };
    }
  }
}

function parsedSettings(name: string, schema: z.ZodObject, settings: readonly string[]): Settings {
  const parsed = settings.map((setting) => parseSetting(name, schema, setting));
  return Object.fromEntries(parsed.map((setting) => [setting.name, setting.value]));
}

function unknownEstimator(learner: string, name: string): never {
  const names = known.map((definition) => definition.name);
  const near = didYouMean(name, names);
  throw new VouchError("option/invalid", `Option estimators of ${learner} names "${name}".`, {
    hint: `${near ? `${near} ` : ""}Layers can be made of ${names.join(", ")}.`,
  });
}
