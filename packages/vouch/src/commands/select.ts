import { learnerNamed, withLearners } from "@vouch/core/internal/learners/index";
import type { Learner } from "@vouch/core/internal/learners/learner";
import { parseSettings } from "@vouch/core/internal/learners/settings";
import { formatMetric, metricValue } from "@vouch/core/internal/metrics/metric-name";
import { objectiveFor } from "@vouch/core/internal/metrics/objective";
import type { Json } from "@vouch/core/internal/runtime/codec/state";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import {
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { describeAgreement, findChoice } from "@vouch/core/internal/select/agreement";
import { findCriterion } from "@vouch/core/internal/select/criteria";
import { type Ranking, type Selection, select } from "@vouch/core/internal/select/select";
import { withClassWeights } from "@vouch/core/internal/table/class-weights";
import { labelled } from "@vouch/core/internal/table/target";
import { saveModel } from "@vouch/core/internal/train/file";
import type { ObjectiveRequest } from "@vouch/core/internal/train/request/request";
import { trainClassifier } from "@vouch/core/internal/train/train";
import { objectiveOptions } from "@vouch/core/internal/train/train-table";
import type { Training } from "@vouch/core/internal/train/training";
import { namingData, readTrainingTable, type TrainingData } from "@vouch/core/internal/train/training-data";
import { alignedTable } from "../format/aligned-table.js";
import { dataLines } from "../format/data.js";
import { fileSource } from "../input/file-source.js";
import type { LearnerGrid, LearningFlags } from "../options/flags.js";
import { withCommandContext } from "../process/command-context.js";
import { checkOutputs } from "../process/output-file.js";
import { threadTasks } from "../process/tasks-to-preload.js";
import {
  noticePrinter,
  printable,
  printJson,
  styled,
  type Terminal,
  tableWidth,
  width,
  wrap,
  writeText,
} from "../process/terminal.js";

/** Flags of `vouch select`. */
export interface SelectFlags extends LearningFlags, ObjectiveRequest {
  readonly learner?: readonly LearnerGrid[];
  readonly by?: readonly string[];
  readonly folds: number;
  readonly holdout: number;
  readonly out?: string;
}

const ADVICE_ON_FEW_ROWS =
  "Give more rows, use fewer --folds, or select by a criterion that holds out no rows: srm.";

/** A finished selection. */
interface Selected {
  readonly flags: SelectFlags;
  readonly read: TrainingData;
  readonly selection: Selection;
  /** Index of the candidate chosen by the first criterion. */
  readonly chosen: number;
  /** The training of the chosen candidate; present if it was saved. */
  readonly training?: Training;
  readonly notices: readonly string[];
  readonly seconds: number;
}

/**
 * `vouch select DATA`: ranks candidates by every criterion, says where the criteria disagree, and trains the choice on
 * request.
 */
export async function runSelect(argument: string, flags: SelectFlags, terminal: Terminal): Promise<void> {
  const candidates = await candidatesOf(flags.learner ?? []);
  const tasks = await threadTasks(candidates);
  const by = (flags.by ?? ["cv"]).map(findCriterion);
  checkOutputs({ out: flags.out }, [argument]);
  await withCommandContext(flags, terminal, async ({ executor, stops: { abort: signal }, display }) => {
    const began = performance.now();
    const progress = display.report;
    const source = fileSource(argument, flags, { signal, progress, executor, tasks });
    const read = await readTrainingTable(source, flags);
    const rows = withClassWeights(labelled(read.table, read.target, read.splitBy), flags.classWeights);
    const objective = objectiveFor(objectiveOptions(flags), rows);
    const notify = noticePrinter(flags, terminal);
    display.clear();
    rows.notices.forEach(notify);
    const { folds, holdout, confidence } = flags;
    const run = { seed: flags.seed, executor, signal, progress };
    const options = { folds, holdout, confidence, objective, run };
    const selection = await select(candidates, rows, by, options).catch((error) => {
      throw namingData(error, read.table.name, ADVICE_ON_FEW_ROWS);
    });
    const chosen = findChoice(selection.rankings[0]);
    const training =
      flags.out === undefined ? undefined : await trained(flags, read, candidates, chosen, run);
    if (training && flags.out !== undefined) await saveModel(flags.out, training.classifier);
    display.clear();
    const notices = [...rows.notices, ...selection.notices, ...(training?.classifier.card.notices ?? [])];
    notices.forEach(notify);
    const seconds = (performance.now() - began) / 1000;
    const finished = { flags, read, selection, chosen, training, notices, seconds };
    if (flags.json) printJson(terminal, asJson(finished));
    else print(finished, terminal);
  });
}

/**
 * Trains the choice on all rows that chose it, so that its certificates take the choice into account; official test
 * rows test it.
 */
function trained(
  flags: SelectFlags,
  { table, target, splitBy, test }: TrainingData,
  candidates: readonly Learner[],
  chosen: number,
  run: Partial<Run>,
): Promise<Training> {
  const { confidence } = flags;
  const options = {
    target,
    ...splitBy,
    ...objectiveOptions(flags),
    classWeights: flags.classWeights,
    confidence,
    chosenAmong: Math.max(1, candidates.filter(({ uncertified }) => !uncertified).length),
    run,
  };
  return trainClassifier(table, candidates[chosen], { ...options, ...(test && { test }) });
}

function asJson({ flags, read, selection, chosen, training, notices, seconds }: Selected): {
  [name: string]: Json;
} {
  const { candidates, rankings } = selection;
  const { folds, holdout, confidence, seed } = flags;
  const described = candidates.map(({ name, learner }) => ({
    name,
    learner: learner.name,
    options: plain(learner.options),
  }));
  return {
    data: { name: read.table.name, rows: read.table.rows },
    seed,
    settings: { folds, holdout, confidence, metric: selection.objective.metric, ...read.splitBy },
    candidates: described,
    criteria: rankings.map((ranking) => rankingAsJson(ranking, selection)),
    agreement: describeAgreement(selection),
    chosen: { by: rankings[0].criterion.name, ...described[chosen] },
    notices,
    ...(training && {
      model: flags.out ?? null,
      error: plain(training.classifier.card.error),
    }),
    seconds,
  };
}

function rankingAsJson({ criterion, scores, refused, facts }: Ranking, { candidates }: Selection): Json {
  const { name, summary, measures } = criterion;
  return {
    name,
    summary,
    measures,
    facts,
    choice: candidates[scores[0].candidate].name,
    scores: scores.map(({ candidate, ...score }) => ({ candidate: candidates[candidate].name, ...score })),
    refused: refused.map(({ candidate, reason }) => ({ candidate: candidates[candidate].name, reason })),
  };
}

/** Drops from options and errors what JSON cannot express. */
function plain(record: Readonly<Record<string, unknown>>): Json {
  return JSON.parse(JSON.stringify(record));
}

function print({ flags, read, selection, chosen, training, seconds }: Selected, { out }: Terminal): void {
  const { candidates, rankings } = selection;
  writeText(out, `${dataLines(read, width(out))}\n\n`);
  writeText(out, `${rankingTable(selection, tableWidth(out))}\n\n`);
  for (const sentence of [...describeAgreement(selection), ...factSentences(rankings)]) {
    writeText(out, `${wrap(sentence, width(out), "", "  ")}\n`);
  }
  const { name } = candidates[chosen];
  const [{ criterion }] = rankings;
  const among = `${formatCount(candidates.length, "candidate")} in ${formatDuration(seconds)}`;
  const said = wrap(`chosen by ${criterion.name} among ${among}: ${name}`, width(out), "", "  ");
  writeText(out, `\n${said.replace(name, styled(out, "bold", name))}\n`);
  if (!training) return;
  const { error, data: used } = training.classifier.card;
  const measured = [
    `error on the training rows ${formatPercent(error.train)}`,
    ...(error.test === undefined
      ? []
      : [`on ${formatCount(training.evaluation?.rows ?? 0, "test row")} ${formatPercent(error.test)}`]),
  ];
  writeText(out, `trained on ${formatCount(used.rows, "row")}: ${measured.join(", ")}\n`);
  writeText(out, `model saved to ${printable(String(flags.out))}\n`);
}

/** Lists the candidates with their values and, in parentheses, their ranks by every criterion. */
function rankingTable(selection: Selection, columns: number): string {
  const { candidates, rankings } = selection;
  const headings = [
    { title: "candidate", whole: true },
    ...rankings.map(({ criterion }) => ({ title: criterion.name, right: true })),
  ];
  const rows = candidates.map(({ name }, c) => [
    name,
    ...rankings.map((ranking) => cellOf(ranking, c, selection)),
  ]);
  return alignedTable(headings, rows, columns);
}

function cellOf(
  { criterion, scores }: Ranking,
  candidate: number,
  { objective: { metric } }: Selection,
): string {
  const score = scores.find((other) => other.candidate === candidate);
  if (!score) return "–";
  const value =
    criterion.measures === "error"
      ? formatMetric(metric, metricValue(metric, score.value))
      : formatNumber(score.value);
  return `${value} (${score.rank})`;
}

/** Formats facts from criteria, such as the constant of adjusted-srm. */
function factSentences(rankings: readonly Ranking[]): string[] {
  return rankings.flatMap(({ criterion, facts }) =>
    Object.entries(facts).map(([name, value]) => `${criterion.name}: ${name} = ${formatNumber(value)}`),
  );
}

/** Creates every candidate of every grid; the last setting of a grid changes fastest. */
async function candidatesOf(asked: readonly LearnerGrid[]): Promise<Learner[]> {
  if (asked.length === 0) {
    throw new VouchError("option/invalid", "There are no candidates.", {
      hint: "Name at least one with --learner; 'vouch help' lists them.",
    });
  }
  const candidates = asked.map(async ({ learner, grid }) => {
    const kind = await learnerNamed(learner);
    const settings = grid.map(settingTexts);
    const twice = settings.find(
      ({ option }, i) => settings.findIndex((other) => other.option === option) < i,
    );
    if (twice) {
      throw new VouchError("option/invalid", `The grid of ${kind.name} sets ${twice.option} twice.`, {
        hint: `Give all its values at once: ${twice.option}=1,2,3.`,
      });
    }
    return withLearners(() =>
      combinations(settings).map((chosen) => kind.create(parseSettings(kind, chosen))),
    );
  });
  return (await Promise.all(candidates)).flat();
}

/** An option and the settings to try. */
interface SettingTexts {
  readonly option: string;
  readonly texts: readonly string[];
}

/** Parses `rounds=5,10,20`. Semicolons separate values that are lists: `degrees=1,2;1,2,3`. */
function settingTexts(setting: string): SettingTexts {
  const equals = setting.indexOf("=");
  if (equals < 0) return { option: setting, texts: [setting] };
  const start = setting.slice(0, equals + 1);
  const values = setting.slice(equals + 1).split(setting.includes(";") ? ";" : ",");
  return { option: setting.slice(0, equals).trim(), texts: values.map((value) => start + value) };
}

function combinations(settings: readonly SettingTexts[]): string[][] {
  return settings.reduce<string[][]>(
    (chosen, { texts }) => chosen.flatMap((others) => texts.map((text) => [...others, text])),
    [[]],
  );
}
