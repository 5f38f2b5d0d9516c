import { CALENDAR_PARTS } from "../encode/date-parts.js";
import { DENSE_NGRAMS } from "../encode/fit-derived-columns.js";
import { changedOptions } from "../learners/changed-options.js";
import { createLearner } from "../learners/index.js";
import type { Learner } from "../learners/learner.js";
import { pixelGrid } from "../learners/pixel-grid.js";
import { settingSummary, settingsOf, settingText } from "../learners/settings.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Column } from "../table/column.js";
import type { Labelled } from "../table/target.js";

/** A default candidate, and the data that it suits. */
interface DefaultCandidate {
  readonly learner: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly when?: (shape: DataShape) => boolean;
}

/** Everything that the list of candidates depends on, which excludes the labels of single rows. */
export interface DataShape {
  readonly rows: number;
  readonly classes: number;
  /** Approximate number of encoded features. */
  readonly features: number;
  /** Number of columns of numbers. */
  readonly numbers: number;
  /** Number of pixels along the shorter side of the image, if the column names are its pixels; otherwise 0. */
  readonly imageSide: number;
}

/** Lists the candidates, cheap and simple ones first, because ties go to the first. */
function listFor(shape: DataShape): readonly DefaultCandidate[] {
  const { features } = shape;
  // With standardised features the svm's default gamma is 1 / features; these kernels are narrower and wider by a
  // factor of 4.
  const narrow = roundedSetting(4 / features);
  const wide = roundedSetting(1 / (4 * features));
  const isTwo = ({ classes }: DataShape) => classes === 2;
  const isFew = ({ classes }: DataShape) => classes <= FEW_CLASSES;
  const notMany = ({ classes }: DataShape) => classes < MANY_CLASSES;
  return [
    { learner: "majority" },
    { learner: "stump" },
    { learner: "tree" },
    { learner: "adaboost", options: { rounds: 50 }, when: isFew },
    { learner: "adaboost", options: { rounds: 200 }, when: isFew },
    { learner: "adaboost", options: { rounds: 800 }, when: isTwo },
    { learner: "logistic", options: { C: 0.1 } },
    { learner: "logistic" },
    { learner: "linear-svm" },
    { learner: "linear-svm", options: { C: 0.1 } },
    { learner: "forest", options: { trees: 200 } },
    { learner: "forest", options: { trees: 200, minLeafRows: 3 } },
    { learner: "forest", options: { trees: 200, featuresPerSplit: 0.33 } },
    { learner: "random-trees", options: { trees: 200 } },
    { learner: "svm", options: { C: 1 } },
    { learner: "svm", options: { C: 10 } },
    { learner: "svm", options: { C: 100 } },
    { learner: "svm", options: { C: 10, gamma: narrow } },
    { learner: "svm", options: { C: 10, gamma: wide } },
    { learner: "svm", options: { C: 100, gamma: wide } },
    // Standardising columns separately is harmful if they share a unit, such as pixels.
    { learner: "svm", options: { C: 10, scaling: "common" } },
    { learner: "svm", options: { C: 10, gamma: roundedSetting(2 / features), scaling: "common" } },
    { learner: "svm", options: { kernel: "linear", C: 0.1 } },
    { learner: "boosted-trees", options: { rounds: 100, maxDepth: 3 }, when: notMany },
    { learner: "boosted-trees", options: { rounds: 300, maxDepth: 3 }, when: notMany },
    { learner: "boosted-trees", options: { rounds: 100 }, when: notMany },
    { learner: "boosted-trees", options: { rounds: 300 }, when: notMany },
    { learner: "boosted-trees", options: { ...SUBSAMPLED, rounds: 200 }, when: notMany },
    {
      learner: "boosted-trees",
      options: { ...SUBSAMPLED, rounds: 600 },
      when: ({ classes }) => classes <= 5,
    },
    { learner: "mlp", options: { layers: [64] } },
    {
      learner: "mlp",
      options: { ...STEADY_NETWORK, layers: [128, 64], learningRate: 0.003, dropout: 0.1 },
      when: isWorthSteadyNetworks,
    },
    {
      learner: "mlp",
      options: networkOfPixels(shape),
      when: (shape) => isWorthSteadyNetworks(shape) && shape.numbers >= MANY_NUMBERS,
    },
    { learner: "cascade-forest", options: { minLeafRows: 1 }, when: notMany },
    { learner: "mddf", when: notMany },
    {
      learner: "deep-cascade-svm",
      options: SHALLOW_CASCADE,
      when: (shape) => isTwo(shape) && shape.rows <= 1000,
    },
  ];
}

/** With more classes, stumps are of little use, because each predicts two. */
const FEW_CLASSES = 20;

/**
 * With this many classes, some learners take many times as long as others: boosting grows a tree per class in each
 * round, and the layers of cascade forests add a column for each class and forest.
 */
const MANY_CLASSES = 50;

/** Many small steps on subsamples of rows and columns: slower, and often a little better. */
const SUBSAMPLED = { learningRate: 0.05, maxDepth: 6, rowsPerTree: 0.8, columnsPerTree: 0.5 };

/**
 * A fixed number of steps with a learning rate that decays to 0 trains on all rows and takes a predictable time; early stopping
 * holds rows out.
 */
export const STEADY_NETWORK = { patience: 0, rateDecay: "linear", epochs: 25, minSteps: 2000 } as const;

/** With fewer rows, thousands of steps would take most of the time of a race and rarely win it. */
const FEW_ROWS = 500;

/** Returns whether there are enough rows for networks with a fixed number of steps. */
export function isWorthSteadyNetworks({ rows }: DataShape): boolean {
  return rows >= FEW_ROWS;
}

/** This many numeric columns may be the pixels of an image or similar data. */
const MANY_NUMBERS = 50;

/** Images with this many pixels per side look the same if they are shifted by one. */
const SIDE_TO_SHIFT = 16;

/** Returns whether the columns are pixels of images that look the same if they are shifted by a pixel. */
export function isShiftable({ imageSide }: DataShape): boolean {
  return imageSide >= SIDE_TO_SHIFT;
}

/**
 * Returns network options for many columns that share a unit: they keep their scale, and shifts or dropout prevent
 * overfitting.
 */
function networkOfPixels(shape: DataShape) {
  return {
    ...STEADY_NETWORK,
    minSteps: 3000,
    learningRate: 0.003,
    scaling: "common",
    ...(isShiftable(shape) ? { shift: 1, dropout: 0.1 } : { dropout: 0.2, inputDropout: 0.1 }),
  };
}

/** Cascades of at most two levels take a fraction of the time of four levels. */
const SHALLOW_CASCADE = { maxDepth: 2, gammas: [0.001, 0.01], cGrid: [0.1, 1, 10] };

/**
 * Creates the learners to try if the user names none, with options that suit the data. The list of k learners depends
 * only on the numbers of rows, classes and columns, so bounds at confidence 1 − δ/k for each of them hold at 1 − δ for
 * the chosen one.
 */
export async function defaultCandidates({ features, labels, classes }: Labelled): Promise<Learner[]> {
  const shape = measureShape({ features, labels, classes });
  const suitable = listFor(shape).filter(({ when }) => when?.(shape) ?? true);
  return Promise.all(suitable.map(({ learner, options }) => createLearner(learner, options)));
}

/** Number of configurations that the training rows choose from. It does not depend on the labels of single rows. */
export interface CandidateCounts {
  /** All configurations, including untried ones. */
  readonly among: number;
  /**
   * Configurations whose models may have a certificate from the training rows. Each gets an equal share of δ: by the
   * union bound all their certificates hold together, and a winner without a certificate quotes none.
   */
  readonly certifiable: number;
}

/** Counts candidates. */
export function countCandidates(candidates: readonly Learner[]): CandidateCounts {
  const certifiable = candidates.filter(({ uncertified }) => !uncertified).length;
  return { among: candidates.length, certifiable };
}

/** Returns what the choice of candidates depends on: the numbers of rows, classes, columns and features. */
export function measureShape({
  features,
  labels,
  classes,
}: Pick<Labelled, "features" | "labels" | "classes">): DataShape {
  const width = features.columns.reduce((sum, column) => sum + featuresOf(column), 0);
  const numbers = features.columns.filter(({ kind }) => kind === "numeric").length;
  const grid = pixelGrid(features.columns.map(({ name }) => name));
  return {
    ...{ rows: labels.length, classes: classes.length, features: width, numbers },
    imageSide: grid && numbers === features.columns.length ? Math.min(grid.width, grid.height) : 0,
  };
}

/** Estimates the number of features of a column. */
function featuresOf(column: Column): number {
  if (column.kind === "numeric") return 1;
  if (column.holds?.kind === "dates") return 1 + CALENDAR_PARTS.length;
  if (column.holds?.kind === "text") return DENSE_NGRAMS;
  return Math.max(1, column.levels.length);
}

/** Rounds to two digits, which are easy to read and type. */
export function roundedSetting(value: number): number {
  return Number(value.toPrecision(2));
}

/** Names each candidate by its learner and the options in which it differs from other candidates of that learner. */
export function candidateNames(candidates: readonly Learner[]): string[] {
  const settings = candidates.map(({ options }) => settingsOf(options));
  const names = candidates.map(({ name }, c) => {
    const alike = settings.filter((_, other) => candidates[other].name === name);
    // Learners with different bases differ in many options, so only those with the same base are compared.
    const comparable = (option: string) =>
      alike.filter(({ base }) => option === "base" || base === settings[c].base);
    const distinctive = Object.entries(settings[c]).filter(([option, value]) =>
      comparable(option).some((other) => settingText(other[option]) !== settingText(value)),
    );
    return [name, ...distinctive.map(([option, value]) => `${option}=${settingText(value)}`)].join(" ");
  });
  checkDistinct(names);
  return names;
}

function checkDistinct(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return;
  throw new VouchError("option/invalid", `The candidate ${twice} is named twice.`, {
    hint: "Name each candidate once.",
  });
}

/** Names each candidate by its learner and its changed options. */
export function conciseNames(candidates: readonly Learner[]): string[] {
  const names = candidates.map(conciseName);
  checkDistinct(names);
  return names;
}

/** Names a learner with its changed options: `svm C=10`. */
export function conciseName(learner: Learner): string {
  return [
    learner.name,
    ...changedOptions(learner, settingSummary).map(([name, value]) => `${name}=${value}`),
  ].join(" ");
}
