import type * as z from "zod";
import { MISSING_BIN } from "../../encode/binned-columns.js";
import type { BinnedEncoding } from "../../encode/encoder.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { seedAt } from "../../runtime/maths/random.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import type { Run } from "../../runtime/parallel/run.js";
import { formatPercent } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { mddfMargin } from "../../theory/forests/mddf-margin.js";
import { marginStatistics } from "../../theory/margins/margin-statistics.js";
import { defineLearner } from "../define-learner.js";
import type { Description, DescriptionSection } from "../description.js";
import type { Fitted } from "../learner-definition.js";
import { isPortableLearner } from "../registry.js";
import type { TrainingRows } from "./block.js";
import {
  cascadeForestOptions,
  type DeepForestOptions,
  gcForestOptions,
  mddfOptions,
  type ScanOptions,
} from "./deep-forest-options.js";
import { deepForestParts, type Layer } from "./deep-forest-parts.js";
import { type CascadePlan, growLayers } from "./grow-layers.js";
import { cascadeScores, passedAmong } from "./layer-output.js";
import { type Member, membersOf } from "./members.js";
import { chooseLeafRows } from "./probe.js";
import { fitScan, scanned, scanPlan } from "./scan.js";
import { windowCorners } from "./windows.js";

/** As many bins as a byte can hold beside the one of missing cells. */
const ENCODING: BinnedEncoding = { kind: "binned", maxBins: MISSING_BIN };

type FittedForest = Fitted<typeof deepForestParts>;

/** The differences between the three learners. */
type CascadeKind = Omit<CascadePlan, "members" | "layers" | "patience" | "improvement" | "folds">;

/** Resolved options. */
interface DeepForestPlan {
  readonly options: DeepForestOptions;
  readonly kind: CascadeKind;
  /** Absent if nothing is scanned. */
  readonly scan?: ScanOptions;
  /** All options as JSON. */
  readonly shown: Readonly<Record<string, unknown>>;
  readonly membersWith: (minLeafRows: number) => readonly Member[];
}

/** A plain cascade: layers see the features and the class vectors of all members, and the last layer predicts. */
const PLAIN: CascadeKind = {
  passesOn: "vectors",
  keepsFeatures: true,
  additive: false,
  losses: [],
  reweight: "never",
};

/**
 * Defines a deep forest: layers of forests, each of which sees the predictions of the layer before.
 *
 * From `fit` to model:
 * 1. `fitScan` scans images or sequences: forests predict the class at each position of a window (`gcforest`, `mddf`).
 * 2. `chooseLeafRows` compares small first layers, if the minimum leaf size is `auto`.
 * 3. `growLayers` adds layers as long as the out-of-fold accuracy rises. Each layer takes a `LayerInput`: the features, the
 *    binned predictions of the layer before (`passedOn`), or both.
 * 4. `fitBlock` trains every member of the layer k times, each time without one fold, and predicts the fold. Trees of all
 *    forests and folds grow together (`growJointly`); other learners are trained one after the other (`fitEncoded`).
 * 5. In an additive model, `weighLayer` chooses the loss and the weight α of the layer, and `reweighted` the weights of the
 *    rows for the next layer; a probe decides whether these weights help.
 * 6. The layers up to the best become the model. `cascadeScores` walks new rows through them.
 */
function defineDeepForest<Schema extends z.ZodObject>(
  name: string,
  title: string,
  summary: string,
  schema: Schema,
  resolve: (options: z.output<Schema>) => DeepForestPlan,
) {
  return defineLearner({
    name,
    title,
    summary,
    tasks: ["forest/grow", "forest/scores", "encode/bin-matrix", "deep-forest/weigh-layer", "forest/walk"],
    options: schema,
    features: "binned",
    resolve,
    shownOptions: ({ shown }) => shown,
    local: ({ membersWith }) =>
      membersWith(1).some((member) => member.kind === "learner" && !isPortableLearner(member.learner)),
    encoding: ({ scan }) => (scan ? { ...ENCODING, constants: "keep" } : ENCODING),
    parts: deepForestParts,
    async fit({ sample, distribution }, { options, kind, scan: scanning, membersWith }, run) {
      const { features, labels, classes } = sample;
      const { layers: most, patience, improvement, folds } = options;
      const given = { features, labels, classes, distribution };
      const plan = scanning && scanPlan(name, { ...scanning, folds }, features.columns);
      const scan = plan && (await fitScan(given, plan, { ...run, seed: seedAt(run.seed, 0) }));
      const rows = scan ? { ...given, features: scan.features } : given;
      const minLeafRows = await leafRows(options, rows, membersWith, run);
      const passesOn = passedAmong(rows.features.columns, classes.length, kind);
      const members = membersWith(minLeafRows);
      const layers = await growLayers(
        rows,
        { ...kind, passesOn, layers: most, patience, improvement, folds, members },
        { ...run, seed: seedAt(run.seed, 1) },
      );
      const { keepsFeatures, additive } = kind;
      return {
        cascade: { passesOn, keepsFeatures, additive },
        minLeafRows,
        // Theorem 1 counts the trees that layers could have had, but the features come from the trees of the scan.
        layers: scan ? layers.map(({ logFamilySize: _, ...layer }) => layer) : layers,
        ...(scan && { scan: scan.scan }),
      };
    },
    fault: (model) => faultOfScan(model) ?? faultOfLayers(model),
    *evaluate(model, features): Pausable<Matrix> {
      if (features.rows === 0) return new Matrix(0, model.classes.length);
      return yield* cascadeScores(model, model.scan ? yield* scanned(model.scan, features) : features);
    },
    scores: (_, scores) => scores,
    notices({ layers }) {
      const { outOfFoldAccuracy, margins } = layers[layers.length - 1];
      const error = formatPercent(1 - outOfFoldAccuracy);
      return [
        `Out-of-fold error: ${error} of ${margins.length} training rows. This estimate was also used to choose the number of layers.`,
      ];
    },
    complexity: complexityOf,
    /** Lists the bound of Theorem 1 of Lyu, Yang and Zhou (2019). */
    certificates({ layers, classes }, { confidence }) {
      const families = layers.map(({ alpha, logFamilySize = Infinity }) => ({ alpha, logFamilySize }));
      const { margins } = layers[layers.length - 1];
      const facts = { layers: families, margins, classes: classes.length, outOfFold: true };
      return [mddfMargin({ ...facts, confidence })];
    },
    certifies: () => false,
    describe: describeForest,
  });
}

/** casForest, a cascade of forests: the last layer predicts. */
export const cascadeForest = defineDeepForest(
  "cascade-forest",
  "Deep forest",
  "Layers of forests, each using the features and the predictions of the layer before.",
  cascadeForestOptions,
  (options) => planOf("cascade-forest", options, options, PLAIN),
);

/** gcForest: windows scan images or sequences before the cascade. */
export const gcForest = defineDeepForest(
  "gcforest",
  "Deep forest with sliding windows",
  "For images and sequences: sliding windows extract features for a cascade of forests.",
  gcForestOptions,
  (options) => planOf("gcforest", options, options, PLAIN, options),
);

/** mdDF, the margin distribution deep forest: a weighted sum of layers. */
export const mddf = defineDeepForest(
  "mddf",
  "Margin distribution deep forest",
  "A weighted sum of forest layers, trained for large and uniform margins.",
  mddfOptions,
  (options) => {
    const { variant, r, mu, reweight } = options;
    const kind: CascadeKind = {
      passesOn: variant === "NP" ? "mean" : "sum",
      keepsFeatures: variant !== "ST",
      additive: true,
      losses: mu.flatMap((each) => r.map((target) => ({ r: target, mu: each }))),
      reweight,
    };
    const forests = variant === "SF" ? withRandomForestsOnly(options) : options;
    return planOf("mddf", options, forests, kind, options);
  },
);

/** A deep forest: layers of forests, each of which uses the predictions of those before. */
export type DeepForestModel = ReturnType<typeof cascadeForest.assemble>;

/** Returns a model as it was after its first layers. */
export function firstLayers(model: DeepForestModel, count: number): DeepForestModel {
  const kind = [cascadeForest, gcForest, mddf].find(({ made }) => made(model));
  if (!kind || !(Number.isInteger(count) && count >= 1 && count <= model.layers.length)) {
    throw new VouchError("option/invalid", `The model has layers 1 to ${model.layers.length}, not ${count}.`);
  }
  const kept = model.layers.slice(0, count);
  return kind.assemble({
    ...model,
    layers: model.cascade.additive
      ? kept
      : kept.map((layer, t) => ({ ...layer, alpha: t === count - 1 ? 1 : 0 })),
  });
}

function planOf(
  name: string,
  given: DeepForestOptions,
  options: DeepForestOptions,
  kind: CascadeKind,
  scan?: ScanOptions,
): DeepForestPlan {
  const membersWith = (minLeafRows: number) => membersOf(name, { ...options, minLeafRows });
  // Throws now if anything is wrong with the members.
  membersWith(1);
  const estimators = given.estimators.map((estimator) =>
    typeof estimator === "string" ? estimator : { name: estimator.name, options: estimator.options },
  );
  const scans = scan !== undefined && scan.shape.length > 0;
  return { options, kind, ...(scans && { scan }), shown: { ...given, estimators }, membersWith };
}

function withRandomForestsOnly(options: DeepForestOptions): DeepForestOptions {
  const { randomForests, completelyRandomForests } = options;
  return { ...options, randomForests: randomForests + completelyRandomForests, completelyRandomForests: 0 };
}

/** Chooses the minimum number of rows in a leaf; it makes no difference to layers without forests. */
async function leafRows(
  { minLeafRows, folds }: DeepForestOptions,
  rows: TrainingRows,
  membersWith: DeepForestPlan["membersWith"],
  run: Run,
): Promise<number> {
  if (minLeafRows !== "auto") return minLeafRows;
  if (!membersWith(1).some(({ kind }) => kind === "forest")) return 1;
  return await chooseLeafRows(rows, membersWith, folds, { ...run, seed: seedAt(run.seed, 2) });
}

function faultOfScan({ scan, classes, featureNames }: FittedForest): string | undefined {
  if (!scan) return undefined;
  const { shape } = scan;
  if (shape.width * shape.height * shape.channels !== featureNames.length)
    return "its images do not have as many pixels as there are features";
  for (const { window, forests, features } of scan.grains) {
    if (window.width > shape.width || window.height > shape.height)
      return "a window is larger than the image";
    const expected = windowCorners(shape, window).length * forests.length * classes.length;
    if (features.length !== expected) return `a window makes ${features.length} features and not ${expected}`;
  }
  return undefined;
}

/**
 * Says what is wrong with the layers: each must see the features of the scan, or those of the model, and the predictions of
 * the layer before.
 */
function faultOfLayers({ cascade, layers, scan, classes, featureNames }: FittedForest): string | undefined {
  const base = scan
    ? scan.grains.reduce((sum, { features }) => sum + features.length, 0)
    : featureNames.length;
  for (const [t, { columns, passedOn, margins }] of layers.entries()) {
    const ofMembers = cascade.passesOn === "vectors" || cascade.passesOn === "sums";
    const sources = t === 0 ? 0 : ofMembers ? layers[t - 1].members.length : 1;
    const predictions = sources * classes.length;
    const expected = predictions + (t === 0 || cascade.keepsFeatures ? base : 0);
    if (columns !== expected || passedOn.length !== predictions)
      return `layer ${t + 1} sees ${columns} columns and not ${expected}`;
    if (margins.length !== layers[0].margins.length) return `layer ${t + 1} was trained on other rows`;
  }
  return layers.some(({ alpha }) => alpha > 0) ? undefined : "no layer has a weight";
}

function complexityOf({ layers, featureNames }: FittedForest) {
  const forests = layers.flatMap(({ members }) =>
    members.flatMap((member) => (member.kind === "forest" ? [member.trees] : [])),
  );
  const trees = forests.reduce((sum, set) => sum + set.trees, 0);
  const nodes = forests.reduce((sum, set) => sum + set.nodes, 0);
  return { counts: { layers: layers.length, trees, nodes, features: featureNames.length } };
}

function describeForest(model: FittedForest): Description {
  const { layers, trees, nodes } = complexityOf(model).counts;
  return {
    facts: [
      { name: "layers", value: layers },
      { name: "members of a layer", value: model.layers[0].members.map(({ name }) => name) },
      { name: "trees", value: trees },
      { name: "nodes", value: nodes },
      { name: "minimum rows in a leaf", value: model.minLeafRows },
    ],
    sections: [
      ...(model.scan ? [windowTable(model.scan.grains)] : []),
      {
        kind: "layers",
        title: "layers",
        layers: model.layers.map(({ members, alpha, outOfFoldAccuracy, margins }, t) => {
          const { mean, variance, ratio, quantiles } = marginStatistics(margins);
          return {
            name: `layer ${t + 1}`,
            members: members.map(({ name }) => name),
            alpha,
            outOfFoldAccuracy,
            margins: { mean, variance, ratio, quantiles },
          };
        }),
      },
      ...(model.cascade.additive ? [lossTable(model.layers)] : []),
    ],
  };
}

function windowTable(grains: NonNullable<FittedForest["scan"]>["grains"]): DescriptionSection {
  return {
    kind: "table",
    title: "scanning windows",
    columns: ["width", "height", "stride", "features"].map((name) => ({ name })),
    rows: grains.map(({ window, features }) => [window.width, window.height, window.stride, features.length]),
  };
}

function lossTable(layers: readonly Layer[]): DescriptionSection {
  return {
    kind: "table",
    title: "loss of each layer",
    columns: ["layer", "r", "μ", "reweighted"].map((name) => ({ name })),
    rows: layers.map(({ loss, reweighted }, t) => [
      t + 1,
      loss?.r ?? "",
      loss?.mu ?? "",
      reweighted ? "yes" : "no",
    ]),
  };
}
