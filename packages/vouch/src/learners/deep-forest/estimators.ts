import type { z } from "zod";
import type { Json } from "../../runtime/state.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { featuresPerSplit, forestOptions, randomTreesOptions } from "../forest/forest.js";
import type { LearnerLookup } from "../legacy.js";
import { parseOptions, parseSetting } from "../options.js";
import type { LayerOptions } from "./deep-forest-options.js";
import type { ForestMember, Member } from "./members.js";

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

/** The members of the layers that the options ask for; learners other than forests are those that the lookup knows. */
export function membersOf(learner: string, options: LayerOptions, lookup: LearnerLookup): Member[] {
  const { randomForests, completelyRandomForests, estimators } = options;
  if (estimators.length > 0) return estimators.map((text) => memberOf(text, options, lookup));
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
function memberOf(text: string, layers: LayerOptions, lookup: LearnerLookup): Member {
  const [name, ...settings] = text.split(":").map((part) => part.trim());
  switch (name) {
    case "forest":
      return randomForest(layers, parsedSettings(name, layerForestOptions, settings));
    case "random-trees":
      return completelyRandomForest(layers, parsedSettings(name, layerRandomTreesOptions, settings));
    default: {
      const definition = lookup(name);
      const given = parsedSettings(name, definition.options, settings);
      return { kind: "learner", learner: definition.create(given) };
    }
  }
}

function parsedSettings(name: string, schema: z.ZodObject, settings: readonly string[]): Settings {
  const parsed = settings.map((setting) => parseSetting(name, schema, setting));
  return Object.fromEntries(parsed.map((setting) => [setting.name, setting.value]));
}
