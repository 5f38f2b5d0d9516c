import type { Features, Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { completeRun, type Run } from "../learning/run.js";
import { checkFinite, trainingSample } from "../learning/training-sample.js";
import { formatCount, formatNumber } from "../number-format.js";
import { Matrix } from "../numeric/matrix.js";
import { Random } from "../numeric/random.js";
import { SvmModel } from "../svm/index.js";
import {
  type BaseLearner,
  baseNamed,
  chooseBase,
  type LearnerLookup,
  type MulticlassOptions,
  type SchemeName,
  type SchemeOptions,
} from "./base-learner.js";
import { defineMachineTask, fitMachines, type MachineTask } from "./fit-machines.js";
import { joinedNotices } from "./machine-notices.js";
import { SeparateMachines, SvmMachines } from "./machines.js";
import { MulticlassModel, type MulticlassModelParts } from "./model.js";
import { partsOf } from "./model-state.js";
import { multiclassOptions } from "./options.js";
import { type Problem, problemOf, rowsOfClasses } from "./problem.js";
import { schemeNamed } from "./schemes.js";

/** More machines than anybody waits for. */
const MOST_MACHINES = 500_000;

/** A learner for many classes made of machines for two. */
export type MulticlassLearner = Learner<MulticlassModel>;

/** What the rest of the system knows of a scheme. */
export type MulticlassDefinition = LearnerDefinition<typeof multiclassOptions, MulticlassModel>;

/** The schemes, and the task by which they train their machines on threads. */
export interface MulticlassLearners {
  readonly oneVsOne: (options?: MulticlassOptions) => MulticlassLearner;
  readonly oneVsRest: (options?: MulticlassOptions) => MulticlassLearner;
  readonly dagSvm: (options?: MulticlassOptions) => MulticlassLearner;
  readonly definitions: readonly MulticlassDefinition[];
  readonly machineTask: MachineTask;
}

/**
 * The schemes on the learners that the lookup knows. It is asked when a learner is made, or a model restored, not before: the
 * list that it looks into may have the schemes themselves.
 */
export function multiclassLearners(lookup: LearnerLookup): MulticlassLearners {
  const machineTask = defineMachineTask(lookup);
  const creator = (name: SchemeName) => (options?: MulticlassOptions) => {
    const chosen = chooseBase(name, options, lookup);
    return schemeLearner(name, chosen.options, chosen.base, machineTask);
  };
  const definition = (name: SchemeName, summary: string): MulticlassDefinition => ({
    name,
    summary,
    options: multiclassOptions,
    multiclass: true,
    baseNamed: (base) => baseNamed(name, base, lookup),
    create: creator(name),
    restore: (state) => new MulticlassModel(partsOf(name, state, lookup)),
  });
  return {
    oneVsOne: creator("one-vs-one"),
    oneVsRest: creator("one-vs-rest"),
    dagSvm: creator("dag-svm"),
    definitions: [
      definition("one-vs-one", "A machine for each pair of classes, of any learner for two; they vote."),
      definition("one-vs-rest", "A machine for each class against all others, of any learner for two."),
      definition(
        "dag-svm",
        "A machine for each pair of classes; each row asks one fewer than there are classes.",
      ),
    ],
    machineTask,
  };
}

function schemeLearner(
  name: SchemeName,
  options: SchemeOptions,
  base: BaseLearner,
  task: MachineTask,
): MulticlassLearner {
  return {
    name,
    options,
    encoding: base.learner.encoding,
    async fit(given: Sample<Features>, partialRun?: Partial<Run>) {
      const run = completeRun(partialRun);
      if (given.features instanceof Matrix) checkFinite(given.features, given.featureNames);
      const { sample } = trainingSample(name, given);
      const { classes, featureNames, rows } = sample;
      const rowsOf = rowsOfClasses(sample);
      const trained = classes.map((_, k) => k).filter((k) => rowsOf[k].length > 0);
      const problems = problemsOf(name, sample, trained, mostRows(options, base), run.seed);
      const facts = { learner: name, classes, featureNames, trained, base: options.base, rows };
      const machines = await train(name, sample, problems, base, task, run);
      return new MulticlassModel({ ...facts, ...machines, ...drawing(problems, machines.notices) });
    },
  };
}

/** The most rows of one machine. */
function mostRows({ maxRows }: SchemeOptions, { definition }: BaseLearner): number {
  if (maxRows === "all") return Infinity;
  return maxRows === "auto" ? (definition.comfortableRows ?? Infinity) : maxRows;
}

function problemsOf(
  name: SchemeName,
  sample: Sample<Features>,
  trained: readonly number[],
  maxRows: number,
  seed: number,
): Problem[] {
  const machines = name === "one-vs-rest" ? trained.length : (trained.length * (trained.length - 1)) / 2;
  if (machines > MOST_MACHINES) {
    throw new VouchError(
      "learner/unsupported",
      `${name} would train ${formatNumber(machines)} machines for ${formatCount(trained.length, "class", "classes")}.`,
      { hint: `It trains up to ${formatNumber(MOST_MACHINES)}; one-vs-rest needs fewer.` },
    );
  }
  const all = rowsOfClasses(sample);
  const rowsOf = trained.map((k) => all[k]);
  const seeds = new Random(seed);
  return schemeNamed(name)
    .sides(trained.length)
    .map((sides, machine) => problemOf(sample, rowsOf, sides, maxRows, seeds.fork(machine).bits()));
}

/** Trains the machines; those of svm for all pairs at once, as its own model of all classes has them. */
async function train(
  name: SchemeName,
  sample: Sample<Features>,
  problems: readonly Problem[],
  base: BaseLearner,
  task: MachineTask,
  run: Run,
): Promise<Pick<MulticlassModelParts, "machines" | "notices">> {
  const isWhole = problems.every(({ rows, available }) => rows.length === available);
  if (base.definition.name === "svm" && name !== "one-vs-rest" && isWhole) {
    const model = await base.learner.fit(sample, run);
    if (model instanceof SvmModel) return { machines: new SvmMachines(model), notices: model.notices };
  }
  const fitted = await fitMachines(sample, problems, base, task, schemeNamed(name).stage, run);
  return {
    machines: new SeparateMachines(fitted.map(({ model }) => model)),
    notices: joinedNotices(fitted.map(({ notices }, m) => ({ name: problems[m].name, notices }))),
  };
}

/** Whether rows were left out, which is told first. */
function drawing(
  problems: readonly Problem[],
  notices: readonly string[],
): Pick<MulticlassModelParts, "drawn" | "notices"> {
  const cut = problems.filter(({ rows, available }) => rows.length < available);
  if (cut.length === 0) return { drawn: false, notices };
  const [{ rows, available, name }] = cut;
  const notice =
    `${formatNumber(cut.length)} of ${formatCount(problems.length, "machine")} trained on some of their rows only, drawn at random: ` +
    `that for ${name} on ${formatNumber(rows.length)} of ${formatNumber(available)}. Option maxRows sets how many.`;
  return { drawn: true, notices: [notice, ...notices] };
}
