import { createLearner } from "#core/learners/index.js";
import { type CalibrationMethod, calibrationMethods } from "#core/metrics/calibrator.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";
import { labelsFor } from "#core/table/target.js";
import { Classifier } from "#core/train/classifier.js";
import { importLibsvm } from "#core/train/libsvm.js";
import { serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import type { TrainOptions } from "#core/train/train-options.js";
import { fitMethod, prepareScores } from "#core/validation/calibrator-solvers.js";
import { blobs } from "./blobs.js";

/** The bytes of a model file as vouch writes it, and a name for messages. */
export interface OriginalModel {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const TWO = ["no", "yes"];
const THREE = ["a", "b", "c"];

/** Adds columns of dates, prose, groups and amounts. */
function withMore(table: Table): Table {
  const random = new Random(3);
  const rows = Array.from({ length: table.rows }, (_, i) => i);
  const amounts = (k: number) => rows.map((i) => (i % k) + random.uniform());
  const { columns } = Table.fromColumns("more", {
    at: rows.map((i) => new Date(1e12 + i * 7e7).toISOString()),
    note: rows.map((i) => `note ${i % 7} of ${i % 3 === 0 ? "a good cat" : "the bad dog"} ${i}`),
    farm: rows.map((i) => `farm ${i % 60}`),
    area: amounts(2),
    mass: amounts(3),
    left: amounts(2),
    right: amounts(3),
    f1: amounts(2),
    f2: amounts(3),
    f3: amounts(2),
  });
  return columns.reduce((all, column) => all.withColumn(column), table);
}

/** Rows with the columns of all originals. */
export const FRESH_ROWS = withMore(blobs(10, 77, THREE));

/** Keeps some columns of a table, and the label. */
function columnsOf(table: Table, names: readonly string[]): Table {
  return new Table(
    table.name,
    table.rows,
    [...names, "label"].map((name) => table.column(name)),
  );
}

interface Recipe {
  readonly learner: string;
  readonly learnerOptions?: Readonly<Record<string, unknown>>;
  readonly table: Table;
  readonly options?: TrainOptions;
}

const two = blobs(40, 5, TWO);
const three = blobs(48, 5, THREE);
const prose = columnsOf(withMore(three), ["height", "colour", "at", "note"]);
const farms = columnsOf(withMore(blobs(240, 6, TWO)), ["height", "weight", "farm"]);
const repeated = farms.select(Int32Array.from({ length: 240 }, (_, i) => i % 100));
const AMOUNTS = ["area", "mass", "left", "right"];
const twoAmounts = columnsOf(withMore(two), AMOUNTS);
const threeAmounts = columnsOf(withMore(three), AMOUNTS);

const SMALL_NET = { layers: [3], epochs: 2, patience: 0 };
const SMALL_SEARCH = { maxDepth: 3, gammas: [0.01], fractions: [0.4, 0.8] };
const SMALL_FOREST = { trees: 2, randomForests: 1, completelyRandomForests: 1, layers: 2, folds: 2 };

/** A few models of every learner: all kernels, all encoders, two and more classes. */
const RECIPES: readonly Recipe[] = [
  { learner: "majority", table: three },
  { learner: "stump", table: three },
  { learner: "tree", table: two },
  { learner: "tree", learnerOptions: { prune: "none", maxDepth: 3 }, table: prose },
  { learner: "adaboost", learnerOptions: { rounds: 3 }, table: two },
  { learner: "adaboost", learnerOptions: { weakLearner: "tree", depth: 2, rounds: 2 }, table: three },
  { learner: "perceptron", table: two },
  { learner: "perceptron", learnerOptions: { kernel: "rbf", averaged: true }, table: two },
  { learner: "linear-svm", table: prose },
  { learner: "linear-svm", table: two, options: { holdout: 0.3 } },
  { learner: "logistic", table: prose },
  { learner: "logistic", table: two },
  { learner: "svm", learnerOptions: { probability: true }, table: three },
  { learner: "svm", learnerOptions: { kernel: "polynomial" }, table: two },
  { learner: "svm", learnerOptions: { kernel: "linear" }, table: three },
  { learner: "svm", learnerOptions: { kernel: "chi-square" }, table: twoAmounts },
  { learner: "svm", learnerOptions: { kernel: "intersection" }, table: threeAmounts },
  { learner: "relaxed-hierarchy", table: three },
  { learner: "relaxed-hierarchy", learnerOptions: { kernel: "linear" }, table: three },
  { learner: "relaxed-hierarchy", learnerOptions: { kernel: "polynomial" }, table: two },
  { learner: "forest", learnerOptions: { trees: 2 }, table: prose },
  { learner: "random-trees", learnerOptions: { trees: 2 }, table: two },
  { learner: "boosted-trees", learnerOptions: { rounds: 2, maxDepth: 2 }, table: two },
  { learner: "boosted-trees", learnerOptions: { rounds: 2, maxDepth: 2 }, table: three },
  { learner: "mlp", learnerOptions: SMALL_NET, table: two },
  { learner: "mlp", learnerOptions: { ...SMALL_NET, patience: 1 }, table: three },
  { learner: "sae", learnerOptions: { ...SMALL_NET, pretrainEpochs: 1 }, table: three },
  { learner: "dbn", learnerOptions: { ...SMALL_NET, pretrainEpochs: 1 }, table: two },
  { learner: "deep-cascade", learnerOptions: SMALL_SEARCH, table: two },
  { learner: "deep-cascade-perceptron", learnerOptions: { ...SMALL_SEARCH, degrees: [1, 2] }, table: two },
  {
    learner: "deep-cascade-svm",
    learnerOptions: { ...SMALL_SEARCH, kernel: "rbf", cGrid: [1], cFolds: 2, kernelGammas: [1, 4] },
    table: two,
  },
  { learner: "cascade-forest", learnerOptions: SMALL_FOREST, table: two },
  { learner: "cascade-forest", learnerOptions: { ...SMALL_FOREST, estimators: ["logistic"] }, table: three },
  {
    learner: "gcforest",
    learnerOptions: { ...SMALL_FOREST, shape: [2, 2], windows: [1], scanTrees: 1, scanLeafRows: 20 },
    table: twoAmounts,
  },
  { learner: "mddf", learnerOptions: SMALL_FOREST, table: two },
  { learner: "one-vs-one", table: three },
  { learner: "one-vs-one", learnerOptions: { base: "tree" }, table: three },
  { learner: "one-vs-rest", learnerOptions: { base: "logistic" }, table: three },
  { learner: "dag-svm", table: three },
  { learner: "ensemble", learnerOptions: { members: ["logistic", "stump", "tree"], folds: 2 }, table: prose },
  {
    learner: "ensemble",
    learnerOptions: {
      members: [
        { learner: "linear-svm", weight: 0.4, temperature: 2 },
        { learner: "stump", weight: 1.2, evidence: { error: 0.2, adds: 0.1, secondsPerRow: 1e-6 } },
      ],
      combine: "log-linear",
      offsets: [0.1, -0.1],
    },
    table: two,
  },
  // Decisions of all kinds, with the evidence that they keep.
  { learner: "stump", table: three, options: { costs: { a: { b: 5 } }, abstain: 0.3, holdout: 0.5 } },
  {
    learner: "stump",
    table: farms,
    options: { group: "farm", holdout: 0.5, abstain: 0.4, sets: 0.5 },
  },
  {
    learner: "logistic",
    table: three,
    options: { metric: "balanced-error", sets: 0.8, setsBy: "class", holdout: 0.5 },
  },
  {
    learner: "stump",
    table: two,
    options: { metric: "f1", abstain: 0.5, sets: 0.7, holdout: 0.5, classWeights: "balanced" },
  },
  { learner: "stump", table: three, options: { folds: 3, chosenAmong: 3 } },
  { learner: "stump", table: repeated, options: { holdout: 0.5 } },
  {
    learner: "stump",
    table: columnsOf(withMore(two), ["height", "at"]),
    options: { time: "at", holdout: 0.5 },
  },
];

/** The text of a LIBSVM model file. */
export const LIBSVM_MODEL = `svm_type c_svc
kernel_type polynomial
degree 3
gamma 0.5
coef0 0.25
nr_class 2
total_sv 2
rho 0.1
label 1 -1
probA -1.5
probB 0.1
nr_sv 1 1
SV
1 1:0.5 2:1
-1 1:-0.5 3:2
`;

async function trained({ learner, learnerOptions, table, options }: Recipe): Promise<Classifier> {
  const given = await createLearner(learner, learnerOptions);
  const { classifier } = await trainClassifier(table, given, {
    target: "label",
    calibrate: options !== undefined,
    ...options,
  });
  return classifier;
}

/** Adds a calibrator of a method, fitted to the training rows. */
function calibrated(classifier: Classifier, table: Table, method: CalibrationMethod): Classifier {
  const { model, encoder, decision } = classifier;
  const { labels } = labelsFor(table, encoder.schema);
  const prepared = prepareScores(classifier.scores(table), model.scoring, labels);
  const calibrator = fitMethod(method, prepared, new Float64Array(table.rows).fill(1));
  return new Classifier({ ...classifier, decision: { ...decision, calibrator } });
}

/** Puts on the card that the training rows chose the learner. */
function chosenAmongTwo(classifier: Classifier): Classifier {
  const results = { error: 0.25, metric: 0.5, rounds: 3, rows: 20 };
  const candidates = [
    { name: "stump", ...results, fate: "finished" as const },
    { name: "tree", ...results, fate: "behind" as const },
  ];
  // In the order in which cards are written.
  const { margins, notices, ...rest } = classifier.card;
  const card = { ...rest, choice: { among: 2, candidates }, margins, notices };
  return new Classifier({ ...classifier, card });
}

/** Trains all originals. */
export async function originalModels(): Promise<OriginalModel[]> {
  const originals: OriginalModel[] = [];
  for (const [n, recipe] of RECIPES.entries()) {
    const bytes = await serialise(await trained(recipe));
    originals.push({ name: `${n + 1} ${recipe.learner}`, bytes });
  }
  for (const [table, learner] of [
    [two, "perceptron"],
    [three, "stump"],
  ] as const) {
    const classifier = await trained({ learner, table });
    for (const method of calibrationMethods) {
      if (method === "none" && classifier.model.scoring === "decision") continue;
      originals.push({
        name: `${learner} with ${method}`,
        bytes: await serialise(calibrated(classifier, table, method)),
      });
    }
  }
  const imported = importLibsvm(LIBSVM_MODEL, { name: "imported" });
  const chosen = chosenAmongTwo(await trained({ learner: "stump", table: two, options: { holdout: 0.5 } }));
  return [
    ...originals,
    { name: "imported svm", bytes: await serialise(imported) },
    { name: "chosen stump", bytes: await serialise(chosen) },
  ];
}
