import { trainingFacts } from "@vouch/views/facts";
import { defaultMeasuring, parseSettings, sharesAmongCandidates, trainCommand } from "vouch/command";
import {
  byRacing,
  type Choice,
  createLearner,
  defaultCandidates,
  formatDuration,
  type Json,
  type Learner,
  type LearnerChoice,
  labelled,
  learnerNamed,
  type RaceStanding,
  type Run,
  serialise,
  type Table,
  type Training,
  trainClassifier,
  withLearners,
} from "vouch/train";
import { settingTexts } from "../options/settings.js";
import type { DataToTrain } from "./chosen-data.js";
import { programText } from "./program-text.js";
import type { ChosenLearner, ModelResult, RaceBoard, TrainPlan } from "./protocol.js";
import { unshared } from "./unshared.js";
import { wantedFlags, wantedOptions } from "./wanted-model.js";

/** Folds of the race, and the confidence of certificates: those of `vouch train`. */
const FOLDS = 5;
const CONFIDENCE = 0.95;

/** How a training reports and ends. */
export interface TrainServices {
  readonly run: Omit<Run, "seed">;
  /** Ends the race with the best so far. */
  readonly finish: AbortSignal;
  /** Called after every test of the race, and with the winner at its end. */
  readonly onBoard: (board: RaceBoard) => void;
}

/** Trains as `vouch train` does: the same learner, options and seed give the same model file. */
export async function trainModel(
  { prepared, splitBy }: DataToTrain,
  plan: TrainPlan,
  { run, finish, onBoard }: TrainServices,
): Promise<Training> {
  const learner = plan.learner ? await namedLearner(plan.learner) : race(plan.seconds, finish, onBoard);
  const { table, target, notices } = prepared;
  const { classes } = labelled(table, target, splitBy);
  return trainClassifier(table, learner, {
    target,
    ...splitBy,
    ...wantedOptions(plan, classes),
    confidence: CONFIDENCE,
    notices,
    ...defaultMeasuring(prepared, { ...splitBy, ...answersOf(plan) }),
    run: { ...run, seed: plan.seed },
  });
}

/** Abstention and sets need held-out rows. */
function answersOf({ abstain, sets }: TrainPlan) {
  return { ...(abstain !== undefined && { abstain }), ...(sets !== undefined && { sets }) };
}

async function namedLearner({ name, settings }: ChosenLearner): Promise<Learner> {
  const kind = await learnerNamed(name);
  return withLearners(() => kind.create(parseSettings(kind, settingTexts(settings))));
}

function race(seconds: number, stop: AbortSignal, onBoard: TrainServices["onBoard"]): LearnerChoice {
  let leaders: readonly RaceStanding[] = [];
  const choose = byRacing(defaultCandidates, {
    seconds,
    folds: FOLDS,
    search: true,
    ensemble: true,
    stop,
    onStanding: (standing) => {
      leaders = standing;
      onBoard({ leaders });
    },
  });
  return async (...training) => {
    const choice = await choose(...training);
    onBoard(finalBoard(choice, leaders));
    return choice;
  };
}

/** Lists the candidates of a race that is over: those of its last standing, and an ensemble if one has won. */
function finalBoard(
  { candidates: [winner, ...others] }: Choice,
  standing: readonly RaceStanding[],
): RaceBoard {
  const { name, learner, validation, rows } = winner;
  const fates = new Map(others.map((one) => [one.name, one.fate]));
  const first = {
    name,
    learner: learner.name,
    errors: validation.errors,
    metric: validation.metric,
    rows,
    // The rows that tested the members test their ensemble.
    tested: Math.max(0, ...standing.filter((one) => one.rows === rows).map(({ tested }) => tested)),
    ...standing.find((one) => one.name === name),
    fate: "finished",
  } as const;
  const rest = standing.filter((one) => one.name !== name);
  return {
    leaders: [
      first,
      ...rest.map((one) => ({ ...one, fate: fates.get(one.name) ?? one.fate ?? "not tried" })),
    ],
    chosen: name,
  };
}

/** Makes what the page shows and keeps of a training. */
export async function modelResult(
  data: DataToTrain,
  training: Training,
  plan: TrainPlan,
  run: Partial<Run>,
): Promise<Omit<ModelResult, "number">> {
  const { seed, learner, seconds } = plan;
  const { classifier, certificates, choice } = training;
  const { card } = classifier;
  const { table } = data.prepared;
  const flags = {
    ...data.flags,
    ...wantedFlags(plan, classifier.classes),
    confidence: CONFIDENCE,
    seed,
    out: "model.safetensors",
  };
  const command = trainCommand({ data: table.name, flags }, training);
  const program = programText({
    data: table.name,
    flags: data.flags,
    learner: card.learner,
    options: await changed(card.learner, card.options),
    seed,
    wanted: wantedOptions(plan, classifier.classes),
    rows: choice?.rows,
    among: sharesAmongCandidates(card.choice),
  });
  const shown = table.without(Object.values(data.splitBy));
  const facts = unshared(await trainingFacts(training, shown, { command, run: runFor(shown, run) }));
  return {
    model: new Uint8Array(await serialise(classifier)),
    title: (await learnerNamed(card.learner)).title,
    variant: learner ? settingTexts(learner.settings).join(", ") : `won a race of ${formatDuration(seconds)}`,
    card,
    target: data.prepared.target,
    quoted: certificates[0],
    fields: facts.fields,
    facts,
    reading: data.reading,
    command,
    program,
  };
}

/** Cells of a table whose facts are computed sooner than threads start. */
const FEW_CELLS = 20_000;

/** Leaves out the threads for a small table. The facts are the same. */
function runFor({ rows, columns }: Table, { executor, ...alone }: Partial<Run>): Partial<Run> {
  return rows * columns.length <= FEW_CELLS || !executor ? alone : { ...alone, executor };
}

/** Leaves out options that are at their defaults. */
async function changed(
  learner: string,
  options: Readonly<Record<string, Json>>,
): Promise<Readonly<Record<string, Json>>> {
  const { options: schema } = await learnerNamed(learner);
  if (!schema.safeParse({}).success) return options;
  const defaults = (await createLearner(learner)).options;
  const own = Object.entries(options).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  return Object.fromEntries(own);
}
