import type { z } from "zod";
import { type BinnedColumns, MISSING_BIN } from "../../encode/binned-columns.js";
import type { BinnedEncoding } from "../../encode/encoder.js";
import type { Sample } from "../../encode/sample.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { checkLearner, type Learner } from "../learner.js";
import { type LearnerDefinition, type LearnerLookup, legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import { loadedLearner } from "../registry.js";
import { checkBinned, trainingSample } from "../training-sample.js";
import { DeepForestModel, type DeepForestName } from "./deep-forest-model.js";
import {
  cascadeForestOptions,
  type DeepForestOptions,
  gcForestOptions,
  type LayerOptions,
  mddfOptions,
  type ScanOptions,
} from "./deep-forest-options.js";
import { membersOf } from "./estimators.js";
import { type CascadePlan, growLayers, type TrainingRows } from "./grow-layers.js";
import { chooseLeafRows, seedAt } from "./leaf-rows.js";
import type { Member } from "./members.js";
import { fitScan, type Scan, type ScanPlan } from "./scan.js";
import { gridShape, scanWindows } from "./windows.js";

/** As many bins as one byte can tell apart, the one of missing cells besides. */
const ENCODING: BinnedEncoding = { kind: "binned", maxBins: MISSING_BIN };

/** A learner of deep forests. */
export type DeepForestLearner = Learner<DeepForestModel, BinnedColumns>;

/** Makes a learner of deep forests from its options; `estimators` are further members of the layers. */
type Maker<Schema extends z.ZodObject> = (
  options?: z.input<Schema>,
  estimators?: readonly Learner[],
) => DeepForestLearner;

/** What the rest of the system knows of a learner of deep forests. */
type Definition<Schema extends z.ZodObject> = LearnerDefinition<Schema, DeepForestModel, BinnedColumns>;

/** The learners of deep forests. */
interface DeepForestLearners {
  readonly cascadeForest: Maker<typeof cascadeForestOptions>;
  readonly gcForest: Maker<typeof gcForestOptions>;
  readonly mddf: Maker<typeof mddfOptions>;
  readonly definitions: readonly [
    Definition<typeof cascadeForestOptions>,
    Definition<typeof gcForestOptions>,
    Definition<typeof mddfOptions>,
  ];
}

/**
 * Deep forests whose layers can be made of any learner that the lookup knows. It is asked when a learner is made, or a model
 * restored, not before: the list that it looks into may have deep forests themselves.
 */
export function deepForestLearners(lookup: LearnerLookup): DeepForestLearners {
  const cascadeForest: DeepForestLearners["cascadeForest"] = (options, estimators = []) => {
    const parsed = parseOptions("cascade-forest", cascadeForestOptions, options);
    return deepForest({ name: "cascade-forest", options: parsed, estimators, kind: PLAIN, lookup });
  };
  const gcForest: DeepForestLearners["gcForest"] = (options, estimators = []) => {
    const parsed = parseOptions("gcforest", gcForestOptions, options);
    return deepForest({ name: "gcforest", options: parsed, estimators, kind: PLAIN, scan: parsed, lookup });
  };
  const mddf: DeepForestLearners["mddf"] = (options, estimators = []) => {
    const parsed = parseOptions("mddf", mddfOptions, options);
    const forests = parsed.variant === "SF" ? withRandomForestsOnly(parsed) : parsed;
    const kind = kindOfMddf(parsed);
    const learner = deepForest({ name: "mddf", options: forests, estimators, kind, scan: parsed, lookup });
    return { ...learner, options: optionsOf(parsed, estimators) };
  };
  const definition = <Schema extends z.ZodObject>(
    name: DeepForestName,
    summary: string,
    options: Schema,
    make: Maker<Schema>,
  ): Definition<Schema> => ({
    name,
    summary,
    options,
    multiclass: true,
    create: (given) => make(given),
    restore: DeepForestModel.restorer(name, lookup),
  });
  return {
    cascadeForest,
    gcForest,
    mddf,
    definitions: [
      definition(
        "cascade-forest",
        "Layers of forests, each of which sees the features and what the forests before it say.",
        cascadeForestOptions,
        cascadeForest,
      ),
      definition(
        "gcforest",
        "A cascade of forests on images or sequences, which windows of several sizes scan first.",
        gcForestOptions,
        gcForest,
      ),
      definition(
        "mddf",
        "A weighted sum of layers of forests, each grown for the rows whose margins are too small.",
        mddfOptions,
        mddf,
      ),
    ],
  };
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

function kindOfMddf({ variant, r, mu, reweight }: z.output<typeof mddfOptions>): CascadeKind {
  return {
    handsOn: variant === "NP" ? "mean" : "sum",
    keepsFeatures: variant !== "ST",
    additive: true,
    losses: mu.flatMap((each) => r.map((wanted) => ({ r: wanted, mu: each }))),
    reweight,
  };
}

function withRandomForestsOnly(options: DeepForestOptions): DeepForestOptions {
  const { randomForests, completelyRandomForests } = options;
  return { ...options, randomForests: randomForests + completelyRandomForests, completelyRandomForests: 0 };
}

/** All options, with the names of learners that were given as such. */
function optionsOf(options: DeepForestOptions, estimators: readonly Learner[]): DeepForestOptions {
  return { ...options, estimators: [...options.estimators, ...estimators.map(({ name }) => name)] };
}

/** What a learner of deep forests is told. */
interface DeepForestPlan {
  readonly name: DeepForestName;
  readonly options: DeepForestOptions;
  readonly estimators: readonly Learner[];
  readonly kind: CascadeKind;
  readonly scan?: ScanOptions;
  readonly lookup: LearnerLookup;
}

function deepForest(plan: DeepForestPlan): DeepForestLearner {
  const { name, options, estimators, kind, scan } = plan;
  const membersWith = (minLeafRows: number) => allMembers(plan, { ...options, minLeafRows });
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
      const windows = scans
        ? scanPlan(name, { ...scan, folds: options.folds }, given.features.columns)
        : undefined;
      const { sample, distribution } = trainingSample(name, given);
      const { features, labels, classes, featureNames } = sample;
      const rows = { features, labels, classes, distribution };
      const input = windows ? await scannedRows(rows, windows, run) : { rows };
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

function allMembers({ name, estimators, lookup }: DeepForestPlan, options: LayerOptions): readonly Member[] {
  const given = estimators.map((learner): Member => {
    checkLearner(learner);
    return { kind: "learner", learner };
  });
  // Learners instead of forests, unless forests are named as well.
  const isGivenOnly = given.length > 0 && options.estimators.length === 0;
  return [...(isGivenOnly ? [] : membersOf(name, options, lookup)), ...given];
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

const deepForests = deepForestLearners(loadedLearner);

/**
 * casForest: a cascade of forests in which the last layer predicts. As with all deep forests, `estimators` are further members
 * of the layers: any learners that give probabilities. With a learner of your own among them the model works as any other, but
 * its file cannot be loaded.
 */
export const { cascadeForest, gcForest, mddf } = deepForests;

/** TRANSITION */
const [first, second, third] = deepForests.definitions;
export const cascadeForestKind = legacyKind(first);
export const gcForestKind = legacyKind(second);
export const mddfKind = legacyKind(third);
