import type { z } from "zod";
import { type BinnedColumns, MISSING_BIN } from "../data/binned-columns.js";
import type { BinnedEncoding } from "../data/encoder.js";
import type { Sample } from "../data/sample.js";
import { checkBinned } from "../learning/check-binned.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { completeRun, type Run } from "../learning/run.js";
import { trainingSample } from "../learning/training-sample.js";
import { membersOf } from "./estimators.js";
import { type CascadePlan, growLayers, type TrainingRows } from "./grow-layers.js";
import { chooseLeafRows } from "./leaf-rows.js";
import type { Member } from "./member.js";
import { DeepForestModel, type DeepForestName } from "./model.js";
import {
  cascadeForestOptions,
  type DeepForestOptions,
  gcForestOptions,
  type LayerOptions,
  mddfOptions,
  type ScanOptions,
} from "./options.js";
import { fitScan, type Scan, type ScanPlan } from "./scan.js";
import { seedAt } from "./seeds.js";
import { gridShape, scanWindows } from "./windows.js";

/** As many bins as one byte can tell apart, the one of missing cells besides. */
const ENCODING: BinnedEncoding = { kind: "binned", maxBins: MISSING_BIN };

/** A learner of deep forests. */
export type DeepForestLearner = Learner<DeepForestModel, BinnedColumns>;

/** casForest: a cascade of forests in which the last layer predicts. `estimators` are further members of the layers. */
export function cascadeForest(
  options?: z.input<typeof cascadeForestOptions>,
  estimators: readonly Learner[] = [],
): DeepForestLearner {
  const parsed = parseOptions("cascade-forest", cascadeForestOptions, options);
  return deepForest("cascade-forest", parsed, estimators, PLAIN);
}

/** gcForest: windows scan images or sequences before the cascade. */
export function gcForest(
  options?: z.input<typeof gcForestOptions>,
  estimators: readonly Learner[] = [],
): DeepForestLearner {
  const parsed = parseOptions("gcforest", gcForestOptions, options);
  return deepForest("gcforest", parsed, estimators, PLAIN, parsed);
}

/** mdDF: an additive cascade of forests whose weights follow the margin distribution. */
export function mddf(
  options?: z.input<typeof mddfOptions>,
  estimators: readonly Learner[] = [],
): DeepForestLearner {
  const parsed = parseOptions("mddf", mddfOptions, options);
  const { variant, r, mu, reweight, randomForests, completelyRandomForests } = parsed;
  const forests = {
    ...parsed,
    ...(variant === "SF" && {
      randomForests: randomForests + completelyRandomForests,
      completelyRandomForests: 0,
    }),
  };
  const kind: CascadeKind = {
    handsOn: variant === "NP" ? "mean" : "sum",
    keepsFeatures: variant !== "ST",
    additive: true,
    losses: mu.flatMap((each) => r.map((wanted) => ({ r: wanted, mu: each }))),
    reweight,
  };
  return { ...deepForest("mddf", forests, estimators, kind, parsed), options: optionsOf(parsed, estimators) };
}

/** What tells the three learners apart. */
type CascadeKind = Omit<CascadePlan, "members" | "layers" | "patience" | "improvement" | "folds">;

/** A plain cascade: the class vectors of all members go on beside the features, and the last layer predicts. */
const PLAIN: CascadeKind = {
  handsOn: "vectors",
  keepsFeatures: true,
  additive: false,
  losses: [],
  reweight: "never",
};

/** All options, with the names of learners that were given as such. */
function optionsOf(options: DeepForestOptions, estimators: readonly Learner[]): DeepForestOptions {
  return { ...options, estimators: [...options.estimators, ...estimators.map(({ name }) => name)] };
}

function deepForest(
  name: DeepForestName,
  options: DeepForestOptions,
  estimators: readonly Learner[],
  kind: CascadeKind,
  scan?: ScanOptions,
): DeepForestLearner {
  const membersWith = (minLeafRows: number) => allMembers(name, { ...options, minLeafRows }, estimators);
  // Whatever is wrong with the members is to be found now.
  membersWith(1);
  const scans = scan !== undefined && scan.shape.length > 0;
  return {
    name,
    options: optionsOf(options, estimators),
    encoding: scans ? { ...ENCODING, constants: "keep" } : ENCODING,
    async fit(given: Sample<BinnedColumns>, partialRun?: Partial<Run>) {
      const run = completeRun(partialRun);
      checkBinned(name, given.features);
      const plan = scans
        ? scanPlan(name, { ...scan, folds: options.folds }, given.features.columns)
        : undefined;
      const { sample, distribution } = trainingSample(name, given);
      const { features, labels, classes, featureNames } = sample;
      const rows = { features, labels, classes, distribution };
      const input = plan ? await scannedRows(rows, plan, run) : { rows };
      const minLeafRows = await leafRows(options, input.rows, membersWith, run);
      const { layers: most, patience, improvement, folds } = options;
      const members = membersWith(minLeafRows);
      const cascade = { ...kind, members, layers: most, patience, improvement, folds };
      const layers = await growLayers(input.rows, cascade, { ...run, seed: seedAt(run.seed, 1) });
      const { handsOn, keepsFeatures, additive } = kind;
      return new DeepForestModel({
        learner: name,
        classes,
        featureNames,
        cascading: { handsOn, keepsFeatures, additive },
        minLeafRows,
        // The trees of the scan have made the features: those of the layers are not all that there could have been.
        layers: input.scan ? layers.map(({ logFamilySize: _, ...layer }) => layer) : layers,
        ...(input.scan && { scan: input.scan }),
      });
    },
  };
}

/** Fewest rows of a leaf: as told, or as a probe says; it makes no difference to layers without forests. */
async function leafRows(
  { minLeafRows, folds }: DeepForestOptions,
  rows: TrainingRows,
  membersWith: (minLeafRows: number) => readonly Member[],
  run: Run,
): Promise<number> {
  if (minLeafRows !== "auto") return minLeafRows;
  if (!membersWith(1).some(({ kind }) => kind === "forest")) return 1;
  return await chooseLeafRows(rows, membersWith, folds, { ...run, seed: seedAt(run.seed, 2) });
}

function allMembers(
  learner: DeepForestName,
  options: LayerOptions,
  estimators: readonly Learner[],
): readonly Member[] {
  const given = estimators.map((each): Member => ({ kind: "learner", learner: each }));
  // Learners instead of forests, unless forests are named as well.
  const named = estimators.length > 0 && options.estimators.length === 0 ? [] : membersOf(learner, options);
  return [...named, ...given];
}

async function scannedRows(
  rows: TrainingRows,
  plan: ScanPlan,
  run: Run,
): Promise<{ rows: TrainingRows; scan?: Scan }> {
  const { scan, features } = await fitScan(rows, plan, { ...run, seed: seedAt(run.seed, 0) });
  return { rows: { ...rows, features }, scan };
}

function scanPlan(
  learner: DeepForestName,
  options: ScanOptions & { readonly folds: number },
  features: number,
): ScanPlan {
  const shape = gridShape(learner, options.shape, features);
  const limits = { maxDepth: Infinity, minLeafRows: options.scanLeafRows, minSplitRows: 2 };
  return {
    shape,
    windows: scanWindows(learner, shape, options.windows, options.stride),
    growths: (pixels) => [
      {
        ...limits,
        criterion: "gini",
        splits: "best",
        featuresPerSplit: Math.max(1, Math.floor(Math.sqrt(pixels))),
      },
      { ...limits, criterion: "gini", splits: "random", featuresPerSplit: 1 },
    ],
    trees: options.scanTrees,
    folds: options.folds,
    mostWindows: options.scanWindows,
  };
}

/** What the rest of the system knows of `cascade-forest`. */
export const cascadeForestDefinition: LearnerDefinition<
  typeof cascadeForestOptions,
  DeepForestModel,
  BinnedColumns
> = {
  name: "cascade-forest",
  summary: "Layers of forests, each of which sees the features and what the forests before it say.",
  options: cascadeForestOptions,
  multiclass: true,
  create: (options) => cascadeForest(options),
  restore: DeepForestModel.restorer("cascade-forest"),
};

/** What the rest of the system knows of `gcforest`. */
export const gcForestDefinition: LearnerDefinition<typeof gcForestOptions, DeepForestModel, BinnedColumns> = {
  name: "gcforest",
  summary: "A cascade of forests on images or sequences, which windows of several sizes scan first.",
  options: gcForestOptions,
  multiclass: true,
  create: (options) => gcForest(options),
  restore: DeepForestModel.restorer("gcforest"),
};

/** What the rest of the system knows of `mddf`. */
export const mddfDefinition: LearnerDefinition<typeof mddfOptions, DeepForestModel, BinnedColumns> = {
  name: "mddf",
  summary: "A weighted sum of layers of forests, each grown for the rows whose margins are too small.",
  options: mddfOptions,
  multiclass: true,
  create: (options) => mddf(options),
  restore: DeepForestModel.restorer("mddf"),
};
