import { z } from "zod";
import type { Features, Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { formatCount, formatNumber } from "../../runtime/number-format.js";
import { Random } from "../../runtime/random.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Learner } from "../learner.js";
import { type LearnerDefinition, type LearnerLookup, legacyKind } from "../legacy.js";
import { loadedLearner } from "../registry.js";
import { svm } from "../svm/svm.js";
import { checkFinite, trainingSample } from "../training-sample.js";
import {
  type BaseLearner,
  baseNamed,
  chooseBase,
  type MulticlassOptions,
  type SchemeName,
  type SchemeOptions,
} from "./base-learner.js";
import { SeparateMachines, SvmMachines } from "./machines.js";
import { MulticlassModel, type MulticlassModelParts } from "./multiclass-model.js";
import { multiclassParts } from "./multiclass-state.js";
import {
  type ClassRows,
  fitMachines,
  joinedNotices,
  type MachineTask,
  multiclassMachineTask,
  type Problem,
  problemOf,
  rowsByClass,
} from "./problems.js";
import { schemeNamed } from "./schemes.js";

/** What a scheme that makes a classifier for many classes of machines for two can be told. */
export const multiclassOptions = z.object({
  base: z
    .string()
    .default("svm")
    .describe("The learner that tells two classes apart: any that is not such a scheme itself."),
  baseOptions: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Options of the base; the command line sets them one by one as base.NAME=VALUE."),
  maxRows: z
    .union([z.int().min(10), z.enum(["auto", "all"])])
    .default("auto")
    .describe(
      "Most rows that one machine is trained on, drawn at random where there are more; auto is all rows, but 1000 for bases whose search is slow: deep cascades.",
    ),
});

/** More machines than anybody waits for. */
const MOST_MACHINES = 500_000;

/** A learner for many classes made of machines for two. */
export type MulticlassLearner = Learner<MulticlassModel>;

/** What the rest of the system knows of a scheme. */
type MulticlassDefinition = LearnerDefinition<typeof multiclassOptions, MulticlassModel>;

/** The schemes, and the task by which they train their machines on threads. */
interface MulticlassLearners {
  readonly oneVsOne: (options?: MulticlassOptions) => MulticlassLearner;
  readonly oneVsRest: (options?: MulticlassOptions) => MulticlassLearner;
  readonly dagSvm: (options?: MulticlassOptions) => MulticlassLearner;
  readonly definitions: readonly MulticlassDefinition[];
}

/**
 * The schemes on the learners that the lookup knows. It is asked when a learner is made, or a model restored, not before: the
 * list that it looks into may have the schemes themselves.
 */
export function multiclassLearners(lookup: LearnerLookup): MulticlassLearners {
  const creator = (name: SchemeName) => (options?: MulticlassOptions) => {
    const chosen = chooseBase(name, options, lookup);
    return schemeLearner(name, chosen.options, chosen.base, multiclassMachineTask);
  };
  const definition = (name: SchemeName, summary: string): MulticlassDefinition => ({
    name,
    summary,
    options: multiclassOptions,
    multiclass: true,
    baseNamed: (base) => baseNamed(name, base, lookup),
    create: creator(name),
    restore: (state) => new MulticlassModel(multiclassParts(name, state, lookup)),
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
      const byClass = rowsByClass(sample);
      const { trained } = byClass;
      checkCount(name, trained.length);
      const maxRows = mostRows(options, base);
      const machines =
        (await svmMachines(name, sample, byClass, maxRows, base, run)) ??
        (await separateMachines(name, sample, byClass, maxRows, base, task, run));
      return new MulticlassModel({
        learner: name,
        classes,
        featureNames,
        trained,
        base: options.base,
        rows,
        ...machines,
      });
    },
  };
}

/** The most rows of one machine. */
function mostRows({ maxRows }: SchemeOptions, { definition }: BaseLearner): number {
  if (maxRows === "all") return Infinity;
  return maxRows === "auto" ? (definition?.comfortableRows ?? Infinity) : maxRows;
}

function checkCount(name: SchemeName, classes: number): void {
  const machines = name === "one-vs-rest" ? classes : (classes * (classes - 1)) / 2;
  if (machines <= MOST_MACHINES) return;
  throw new VouchError(
    "learner/unsupported",
    `${name} would train ${formatNumber(machines)} machines for ${formatCount(classes, "class", "classes")}.`,
    { hint: `It trains up to ${formatNumber(MOST_MACHINES)}; one-vs-rest needs fewer.` },
  );
}

/** What training makes of a model. */
type Trained = Pick<MulticlassModelParts, "machines" | "drawn" | "notices">;

/** Pairs of svm on all their rows: its own model of all classes, whose machines share kernel values and support vectors. */
async function svmMachines(
  name: SchemeName,
  sample: Sample<Features>,
  { rowsOf }: ClassRows,
  maxRows: number,
  { learner }: BaseLearner,
  run: Run,
): Promise<Trained | undefined> {
  const [largest, next] = rowsOf.map((rows) => rows.length).sort((a, b) => b - a);
  if (learner.name !== "svm" || name === "one-vs-rest" || largest + next > maxRows) return undefined;
  const model = await learner.fit(sample, run);
  if (!svm.made(model)) return undefined;
  return { machines: new SvmMachines(model), drawn: false, notices: model.notices ?? [] };
}

async function separateMachines(
  name: SchemeName,
  sample: Sample<Features>,
  byClass: ClassRows,
  maxRows: number,
  base: BaseLearner,
  task: MachineTask,
  run: Run,
): Promise<Trained> {
  const { sides, stage } = schemeNamed(name);
  const seeds = new Random(run.seed);
  const problems = sides(byClass.trained.length).map((each, machine) =>
    problemOf(sample, byClass, each, maxRows, seeds.fork(machine).bits()),
  );
  const fitted = await fitMachines(sample, problems, base, task, stage, run);
  const said = fitted.map(({ notices }, m) => ({ name: problems[m].name, notices }));
  const drawing = drawingNotices(problems);
  return {
    machines: new SeparateMachines(fitted.map(({ model }) => model)),
    drawn: drawing.length > 0,
    notices: [...drawing, ...joinedNotices(said)],
  };
}

/** Says that rows were left out, where some were. */
function drawingNotices(problems: readonly Problem[]): string[] {
  const cut = problems.filter(({ rows, available }) => rows.length < available);
  if (cut.length === 0) return [];
  const [{ rows, available, name }] = cut;
  return [
    `${formatNumber(cut.length)} of ${formatCount(problems.length, "machine")} trained on some of their rows only, drawn at random: ` +
      `that for ${name} on ${formatNumber(rows.length)} of ${formatNumber(available)}. Option maxRows sets how many.`,
  ];
}

const schemes = multiclassLearners(loadedLearner);

/** A machine for each pair of classes, made by any learner for two classes; they vote. */
export const oneVsOne: (options?: MulticlassOptions) => MulticlassLearner = schemes.oneVsOne;

/** A machine for each class against all others, made by any learner for two classes. */
export const oneVsRest: (options?: MulticlassOptions) => MulticlassLearner = schemes.oneVsRest;

/** A machine for each pair of classes, of which those are asked that a row meets on its way through a DAG. */
export const dagSvm: (options?: MulticlassOptions) => MulticlassLearner = schemes.dagSvm;

/** TRANSITION */
export const [oneVsOneKind, oneVsRestKind, dagSvmKind] = schemes.definitions.map((one) => legacyKind(one));
