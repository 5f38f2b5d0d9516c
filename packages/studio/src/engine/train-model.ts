import { createLearner, learnerNamed } from "@vouch/core/internal/learners/index";
import type { Json } from "@vouch/core/internal/runtime/codec/state";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { formatDuration } from "@vouch/core/internal/runtime/text/number-format";
import type { Choice } from "@vouch/core/internal/select/choose-learner";
import type { LeaderboardRow } from "@vouch/core/internal/select/race/state";
import type { Table } from "@vouch/core/internal/table/table";
import { labelled } from "@vouch/core/internal/table/target";
import { serialise } from "@vouch/core/internal/train/model-file";
import { planTraining } from "@vouch/core/internal/train/plan-training";
import { parseTrainRequest } from "@vouch/core/internal/train/request/request";
import { reproductionCommand } from "@vouch/core/internal/train/request/request-text";
import { type Trained, trainRows } from "@vouch/core/internal/train/train-table";
import { type TrainingFacts, trainingFacts } from "@vouch/views/facts";
import { settingTexts } from "../options/settings.js";
import { cardInAPage, inAPage } from "./advice.js";
import type { DataToTrain } from "./chosen-data.js";
import { programText } from "./program-text.js";
import type { ModelResult, RaceBoard, TrainPlan } from "./protocol.js";
import { unshared } from "./unshared.js";
import { wantedOptions } from "./wanted-model.js";

/** Model file in the command that trains the same model. */
const MODEL_FILE = "model.safetensors";

/** Callbacks and signals of a training. */
interface TrainServices {
  readonly run: Omit<Run, "seed">;
  /** Ends the race with the best model so far. */
  readonly finish: AbortSignal;
  /** Called after every test of the race, and at its end with the winner. */
  readonly onBoard: (board: RaceBoard) => void;
}

/** Trains like `vouch train`: the same learner, options and seed give the same model file. */
export async function trainModel(
  { rows, request: reading }: DataToTrain,
  plan: TrainPlan,
  { run, finish, onBoard }: TrainServices,
): Promise<Trained> {
  const { learner, seconds, seed } = plan;
  const { classes } = labelled(rows.table, rows.target, rows.splitBy);
  const request = parseTrainRequest({
    ...reading,
    ...wantedOptions(plan, classes),
    ...(learner ? { learner: learner.name, set: settingTexts(learner.settings) } : { budget: seconds }),
    seed,
  });
  const { executor, signal, progress } = run;
  let leaders: readonly LeaderboardRow[] = [];
  return trainRows(
    rows,
    await planTraining(request),
    {},
    {
      ...{ executor, signal, finish, onProgress: progress },
      onLeaderboard: (standing) => {
        leaders = standing;
        onBoard({ leaders });
      },
      onChoice: (choice) => onBoard(finalBoard(choice, leaders)),
    },
  );
}

/** Lists the candidates after a race: its last standing, plus the ensemble if it won. */
function finalBoard(
  { candidates: [winner, ...others] }: Choice,
  standing: readonly LeaderboardRow[],
): RaceBoard {
  const { name, learner, validation, rows } = winner;
  const fates = new Map(others.map((one) => [one.name, one.fate]));
  const first = {
    name,
    learner: learner.name,
    errors: validation.errors,
    metric: validation.metric,
    rows,
    // An ensemble is tested on the rows that tested its members.
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

/** Builds the result that the page shows and stores. */
export async function modelResult(
  { rows, reading }: DataToTrain,
  training: Trained,
  { learner, seconds }: TrainPlan,
  run: Partial<Run>,
): Promise<Omit<ModelResult, "number">> {
  const { classifier, certificates, request } = training;
  const card = cardInAPage(classifier.card);
  const { table, target, splitBy } = rows;
  const command = reproductionCommand({ data: table.name, request, model: MODEL_FILE }, training);
  const options = await changed(card.learner, card.options);
  const program = programText({ data: table.name, request, options }, training);
  const shown = table.without(Object.values(splitBy));
  const facts = await trainingFacts(training, shown, { command, run: runFor(shown, run) });
  return {
    model: new Uint8Array(await serialise(classifier)),
    title: (await learnerNamed(card.learner)).title,
    variant: learner ? settingTexts(learner.settings).join(", ") : `won a race of ${formatDuration(seconds)}`,
    card,
    target,
    quoted: certificates[0],
    fields: facts.fields,
    facts: unshared(adviceInAPage(facts)),
    reading,
    command,
    program,
  };
}

/** Rewords the advice of the facts. */
function adviceInAPage(facts: TrainingFacts): TrainingFacts {
  return { ...facts, card: cardInAPage(facts.card), reading: facts.reading.map(inAPage) };
}

/** Tables with fewer cells are processed faster than threads start. */
const FEW_CELLS = 20_000;

/** Uses no threads for a small table; the facts are the same. */
function runFor({ rows, columns }: Table, { executor, ...alone }: Partial<Run>): Partial<Run> {
  return rows * columns.length <= FEW_CELLS || !executor ? alone : { ...alone, executor };
}

/** Leaves out options at their defaults. */
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
