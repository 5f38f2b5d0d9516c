import * as z from "zod";
import type { Features, Sample } from "../../encode/sample.js";
import { trainedClasses } from "../../runtime/codec/parts.js";
import { nonNegativeInteger } from "../../runtime/codec/schema-numbers.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import type { Run } from "../../runtime/parallel/run.js";
import { formatCount, formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { unionOfMachines } from "../../theory/compression/sample-compression.js";
import { defineLearner } from "../define-learner.js";
import type { TableSection } from "../description.js";
import type { Fitted } from "../learner-definition.js";
import type { Model } from "../model.js";
import { isPortableLearner } from "../registry.js";
import { belowAll, marginsOf, placeScores } from "../scores.js";
import { svm } from "../svm/svm.js";
import { checkFinite } from "../training-sample.js";
import { baseNamed, type ChosenBase, chooseBase, multiclassOptions } from "./base-learner.js";
import { binaryMachines, MOST_MACHINES, SeparateMachines, SvmMachines } from "./binary-machines.js";
import { fitMachines, joinedNotices } from "./fit-machines.js";
import { type ClassRows, type Problem, problemOf, rowsByClass } from "./problems.js";
import {
  dagScheme,
  oneVsOneScheme,
  oneVsRestScheme,
  type Scheme,
  type ScoredRows,
  type Sides,
} from "./schemes.js";
import { RowCosts, supportSets } from "./support-sets.js";

const parts = {
  trained: trainedClasses,
  machines: binaryMachines,
  /** Number of training rows. */
  rows: nonNegativeInteger.min(2),
  /** Whether machines were trained on subsamples of their rows. */
  subsampled: z.boolean(),
  /** Notices of the fit. */
  warnings: z.array(z.string()).readonly(),
};

type FittedScheme = Fitted<typeof parts>;

/**
 * Defines a classifier for several classes made of two-class machines.
 *
 * From `fit` to model:
 * 1. `chooseBase` makes the learner of the machines, from its name and options.
 * 2. `svmMachines` trains all pairs as one model of `svm`, whose machines share kernel values, if `svm` is the base of a scheme of
 *    pairs and no pair has more than `maxRows` rows.
 * 3. Otherwise the scheme lists the `sides` of each machine, and `problemOf` chooses the rows of both sides.
 * 4. `fitMachines` trains the machines as tasks, on threads or a cluster, or one after the other on the threads of the base.
 * 5. The model keeps the machines as `SvmMachines` or `SeparateMachines`, which evaluate rows in the same way.
 * 6. A prediction goes through the scheme in blocks of rows: votes, the largest value, or a path through the decision graph.
 */
function defineScheme(name: string, title: string, summary: string, scheme: Scheme) {
  const scoringOf = ({ machines, trained }: FittedScheme) => scheme.scoring(machines, trained.length);
  /** Scores all classes; one without training rows has probability 0, or a score below all others. */
  const allScores = (model: FittedScheme, { scores: own }: ScoredRows) => {
    const { classes, trained } = model;
    if (trained.length === classes.length) return own;
    const ofOthers = scoringOf(model) === "decision" ? belowAll : () => 0;
    const scores = new Matrix(own.rows, classes.length);
    for (let i = 0; i < own.rows; i++) placeScores(own.row(i), trained, scores.row(i), ofOthers);
    return scores;
  };
  return defineLearner({
    name,
    title,
    summary,
    options: multiclassOptions,
    features: "any",
    resolve: (options) => chooseBase(name, options),
    shownOptions: ({ shown }) => shown,
    encoding: ({ learner }) => learner.encoding,
    local: ({ learner }) => !isPortableLearner(learner),
    baseNamed: (base) => baseNamed(name, base),
    scoring: scoringOf,
    parts,
    async fit({ sample }, base, run) {
      if (sample.features instanceof Matrix) checkFinite(sample.features, sample.featureNames);
      const byClass = rowsByClass(sample);
      const { trained } = byClass;
      checkCount(name, scheme, trained.length);
      const machines =
        (await svmMachines(scheme, sample, byClass, base, run)) ??
        (await separateMachines(scheme, sample, byClass, base, run));
      return { trained, rows: sample.rows, ...machines };
    },
    fault({ machines, trained }) {
      const expected = scheme.sides(trained.length).length;
      if (machines.count !== expected) return `it has ${machines.count} machines and not ${expected}`;
      if (machines instanceof SeparateMachines) return undefined;
      return scheme !== oneVsRestScheme && machines.model.trained.length === trained.length
        ? undefined
        : "its machines are not for its classes";
    },
    outputs({ machines, trained }, features) {
      const scores = new Matrix(features.rows, trained.length);
      forEachBlock(scheme, trained.length, features, (block, from) => {
        scores.values.set(scheme.scores(machines, trained.length, block).values, from * trained.length);
      });
      return { features, scores };
    },
    scores: allScores,
    /** Computes margins that are positive only if the prediction is right, and negative only if it is wrong. */
    margins(model, outputs, labels) {
      const { machines, trained } = model;
      if (scoringOf(model) === "probability") return marginsOf(allScores(model, outputs), labels);
      const margins = new Float64Array(labels.length);
      const indexOf = new Map(trained.map((k, index) => [k, index]));
      forEachBlock(scheme, trained.length, outputs.features, (features, from) => {
        const own = labels.slice(from, from + features.rows).map((label) => indexOf.get(label) ?? -1);
        const values = outputs.scores.values.subarray(
          from * trained.length,
          (from + features.rows) * trained.length,
        );
        const scores = new Matrix(features.rows, trained.length, values);
        margins.set(scheme.margins(machines, { features, scores }, own), from);
      });
      return margins;
    },
    evaluations({ machines, trained }, features) {
      const sets = supportSets(machines);
      const { evaluated } = scheme;
      if (!evaluated || features.rows === 0) {
        return { ...(sets && { kernel: sets.total }), nodes: machines.count };
      }
      const cost = new RowCosts(sets);
      forEachBlock(scheme, trained.length, features, (block) => {
        const machinesOf: number[][] = Array.from({ length: block.rows }, () => []);
        for (const { machine, rows } of evaluated(machines, trained.length, block)) {
          for (const row of rows) machinesOf[row].push(machine);
        }
        for (const own of machinesOf) cost.add(own);
      });
      return cost.mean();
    },
    complexity(model) {
      const counts = { machines: model.machines.count, features: model.featureNames.length };
      const only = onlyMachine(model)?.complexity();
      if (only) return { ...only, counts: { ...only.counts, ...counts } };
      const sets = supportSets(model.machines);
      return { counts: { ...counts, ...(sets && { supportVectors: sets.total }) } };
    },
    /**
     * Lists the certificates of the machine if there is only one, otherwise those of the machines combined by a union bound.
     * There are none if a class has no training rows, if machines saw subsamples, whose class shares differ from those of new
     * rows, or if coupled probabilities decide, which need not follow the machines.
     */
    certificates(model, { confidence }) {
      const { machines, trained, classes, rows, subsampled } = model;
      if (subsampled || trained.length < classes.length) return [];
      const only = onlyMachine(model);
      if (only) return only.certificates?.({ confidence }) ?? [];
      if (scheme === oneVsOneScheme && scoringOf(model) === "probability") return [];
      const joined = unionOfMachines({
        rows,
        confidence,
        machines: machines.models.map((machine) => (options) => machine.certificates?.(options) ?? []),
        errorBound: (errors) => scheme.errorBound(errors, trained.length),
        reasoning: "a row is misclassified only if a machine misclassifies it",
      });
      return joined ? [joined] : [];
    },
    certifies: ({ learner }) => !learner.uncertified,
    converged({ machines }) {
      const known = machines.models.flatMap(({ converged }) => converged ?? []);
      return known.length > 0 ? known.every((reached) => reached) : undefined;
    },
    notices: ({ warnings }) => warnings,
    describe(model) {
      const { machines, trained } = model;
      return {
        facts: [
          { name: "base learner", value: machines.models[0].learner },
          { name: "classes with training rows", value: trained.length },
          { name: "machines", value: machines.count },
          { name: "scores", value: scoringOf(model) === "decision" ? "decision values" : "probabilities" },
        ],
        sections: [machineTable(model, scheme)],
      };
    },
  });
}

/** One-vs-one: a machine for each pair of classes, trained by any two-class learner; they vote. */
export const oneVsOne = defineScheme(
  "one-vs-one",
  "One-vs-one",
  "Trains a two-class learner on every pair of classes; the machines vote.",
  oneVsOneScheme,
);

/** One-vs-rest: a machine for each class against all others, trained by any two-class learner. */
export const oneVsRest = defineScheme(
  "one-vs-rest",
  "One-vs-rest",
  "Trains a two-class learner for each class against all others.",
  oneVsRestScheme,
);

/** DAGSVM: one-vs-one machines in a decision DAG. A prediction evaluates K − 1 of them for K classes. */
export const dagSvm = defineScheme(
  "dag-svm",
  "One-vs-one in a decision graph",
  "Arranges one-vs-one machines as a graph: with K classes, a prediction evaluates K − 1 of them.",
  dagScheme,
);

/** A classifier for many classes made of two-class machines. */
export type MulticlassModel = ReturnType<typeof oneVsOne.assemble>;

function checkCount(name: string, scheme: Scheme, classes: number): void {
  const machines = scheme === oneVsRestScheme ? classes : (classes * (classes - 1)) / 2;
  if (machines <= MOST_MACHINES) return;
  throw new VouchError(
    "learner/unsupported",
    `${name} would train ${formatNumber(machines)} machines for ${formatCount(classes, "class", "classes")}.`,
    { hint: `It trains up to ${formatNumber(MOST_MACHINES)}; one-vs-rest needs fewer.` },
  );
}

type TrainedMachines = Pick<FittedScheme, "machines" | "subsampled" | "warnings">;

/** Trains pairs of svm on all their rows: one model of all classes, whose machines share kernel values and support vectors. */
async function svmMachines(
  scheme: Scheme,
  sample: Sample<Features>,
  { rowsOf }: ClassRows,
  { learner, maxRows }: ChosenBase,
  run: Run,
): Promise<TrainedMachines | undefined> {
  const [largest, next] = rowsOf.map((rows) => rows.length).sort((a, b) => b - a);
  if (learner.name !== svm.name || scheme === oneVsRestScheme || largest + next > maxRows) return undefined;
  const model = await learner.fit(sample, run);
  if (!svm.made(model)) return undefined;
  return { machines: new SvmMachines(model), subsampled: false, warnings: model.notices ?? [] };
}

async function separateMachines(
  scheme: Scheme,
  sample: Sample<Features>,
  byClass: ClassRows,
  { learner, maxRows }: ChosenBase,
  run: Run,
): Promise<TrainedMachines> {
  const seeds = new Random(run.seed);
  const problems = scheme
    .sides(byClass.trained.length)
    .map((sides, machine) => problemOf(sample, byClass, sides, maxRows, seeds.fork(machine).bits()));
  const fitted = await fitMachines(sample, problems, learner, scheme.stage, run);
  const said = fitted.map(({ notices }, m) => ({ name: problems[m].name, notices }));
  const subsampling = subsamplingNotices(problems);
  return {
    machines: new SeparateMachines(fitted.map(({ model }) => model)),
    subsampled: subsampling.length > 0,
    warnings: [...subsampling, ...joinedNotices(said)],
  };
}

function subsamplingNotices(problems: readonly Problem[]): string[] {
  const cut = problems.filter(({ rows, available }) => rows.length < available);
  if (cut.length === 0) return [];
  const [{ rows, available, name }] = cut;
  return [
    `${formatNumber(cut.length)} of ${formatCount(problems.length, "machine")} trained on a random subsample: ` +
      `that for ${name} on ${formatNumber(rows.length)} of ${formatNumber(available)} rows. Option maxRows sets the size.`,
  ];
}

/** Numbers that are held at a time while rows are scored: 16 MB. */
const BLOCK_NUMBERS = 2 ** 21;

function forEachBlock(
  scheme: Scheme,
  classes: number,
  features: Features,
  visit: (block: Features, from: number) => void,
): void {
  const rowsAtOnce = Math.max(1, Math.floor(BLOCK_NUMBERS / scheme.width(classes)));
  if (features.rows <= rowsAtOnce) {
    visit(features, 0);
    return;
  }
  for (let from = 0; from < features.rows; from += rowsAtOnce) {
    const length = Math.min(rowsAtOnce, features.rows - from);
    visit(features.select(Int32Array.from({ length }, (_, i) => from + i)), from);
  }
}

/** Returns the only machine of a classifier that consists of one. */
function onlyMachine({ machines, trained, classes }: FittedScheme): Model | undefined {
  return machines.count > 1 || trained.length < classes.length ? undefined : machines.models[0];
}

function machineTable({ machines, trained, classes }: FittedScheme, scheme: Scheme): TableSection {
  const nameOf = ({ first, second }: Sides) =>
    `${classes[trained[first[0]]]} or ${second.length === 1 ? classes[trained[second[0]]] : "not"}`;
  const names = scheme.sides(trained.length).map(nameOf);
  const facts = names.map((_, machine) => machines.facts(machine));
  const columns = [...new Set(facts.flatMap(Object.keys))];
  return {
    kind: "table",
    title: "machines",
    columns: [{ name: "classes" }, ...columns.map((name) => ({ name: inWords(name) }))],
    rows: names.map((name, machine) => [name, ...columns.map((column) => facts[machine][column] ?? "")]),
  };
}

function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
