import {
  agreementInWords,
  choiceOf,
  chooseTarget,
  criterionNamed,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  type Json,
  labelled,
  type Ranking,
  type Run,
  type Selection,
  select as selectAmong,
  type Training,
  trainClassifier,
} from "vouch";
import { saveModel } from "vouch/node";
import { alignedTable } from "../aligned-table.js";
import { type AskedLearner, candidatesOf } from "../candidates.js";
import { dataLines } from "../data-lines.js";
import { longRun } from "../long-run.js";
import { namingData } from "../naming-data.js";
import { noticePrinter } from "../notices.js";
import { checkOutputs } from "../output-file.js";
import { type LearningFlags, type RowsToLearn, readRowsToLearn } from "../rows-to-learn.js";
import { styled, type Terminal, tableWidth, width, wrap } from "../terminal.js";

/** Flags of `vouch select`. */
export interface SelectFlags extends LearningFlags {
  readonly learner?: readonly AskedLearner[];
  readonly by?: readonly string[];
  readonly folds: number;
  readonly holdout: number;
  readonly out?: string;
}

/** What to do where there are too few rows. */
const ADVICE_ON_FEW_ROWS =
  "Give more rows, use fewer --folds, or select by criteria that keep no rows apart: srm.";

/** A finished selection, as all ways of telling about it need it. */
interface Selected {
  readonly flags: SelectFlags;
  readonly read: RowsToLearn;
  readonly selection: Selection;
  /** Index of the candidate that the first criterion chooses. */
  readonly chosen: number;
  /** Of the chosen candidate, where it was to be saved. */
  readonly training?: Training;
  readonly notices: readonly string[];
  readonly seconds: number;
}

/** `vouch select DATA`: ranks candidates under every criterion, says where they disagree, and may train the choice. */
export async function select(argument: string, flags: SelectFlags, terminal: Terminal): Promise<void> {
  const candidates = candidatesOf(flags.learner ?? []);
  const by = (flags.by ?? ["cv"]).map(criterionNamed);
  checkOutputs({ out: flags.out }, [argument]);
  await longRun(flags, terminal, async ({ executor, stops: { abort: signal }, display }) => {
    const began = performance.now();
    const progress = display.report;
    const read = await readRowsToLearn(argument, flags, signal, progress);
    const rows = labelled(read.table, chooseTarget(read.table, flags.target));
    const { folds, holdout, confidence } = flags;
    const run = { seed: flags.seed, executor, signal, progress };
    const options = { folds, holdout, confidence, run };
    const selection = await selectAmong(candidates, rows, by, options).catch((error) => {
      throw namingData(error, read.table.name, ADVICE_ON_FEW_ROWS);
    });
    const chosen = choiceOf(selection.rankings[0]);
    const training =
      flags.out === undefined ? undefined : await trained(flags, read, candidates[chosen], run);
    if (training && flags.out !== undefined) await saveModel(flags.out, training.classifier);
    display.clear();
    const ofRows = [...read.notices, ...rows.notices];
    const notices = [...ofRows, ...selection.notices, ...(training?.classifier.card.notices ?? [])];
    notices.forEach(noticePrinter(flags, terminal));
    const seconds = (performance.now() - began) / 1000;
    const finished = { flags, read, selection, chosen, ...(training && { training }), notices, seconds };
    if (flags.json) terminal.out.write(`${JSON.stringify(asJson(finished), null, 2)}\n`);
    else print(finished, terminal);
  });
}

/** Trains the choice on all rows that it was chosen by; rows that were kept apart officially test it. */
function trained(
  { target, confidence }: SelectFlags,
  { table, test }: RowsToLearn,
  learner: Parameters<typeof trainClassifier>[1],
  run: Partial<Run>,
): Promise<Training> {
  return trainClassifier(table, learner, { target, confidence, run, ...(test && { test }) });
}

function asJson({ flags, read, selection, chosen, training, notices, seconds }: Selected): Json {
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
    settings: { folds, holdout, confidence },
    candidates: described,
    criteria: rankings.map((ranking) => rankingAsJson(ranking, selection)),
    agreement: agreementInWords(selection),
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

/** Options and errors are plain JSON: what they are not is left out. */
function plain(record: Readonly<Record<string, unknown>>): Json {
  return JSON.parse(JSON.stringify(record));
}

function print({ flags, read, selection, chosen, training, seconds }: Selected, { out }: Terminal): void {
  const { candidates, rankings } = selection;
  out.write(`${dataLines(read.whole, flags.target, width(out), read.leftOut)}\n\n`);
  out.write(`${rankingTable(selection, tableWidth(out))}\n\n`);
  for (const sentence of [...agreementInWords(selection), ...factSentences(rankings)]) {
    out.write(`${wrap(sentence, width(out), "", "  ")}\n`);
  }
  const { name } = candidates[chosen];
  const [{ criterion }] = rankings;
  const among = `${formatCount(candidates.length, "candidate")} in ${formatDuration(seconds)}`;
  const said = wrap(`chosen by ${criterion.name} among ${among}: ${name}`, width(out), "", "  ");
  out.write(`\n${said.replace(name, styled(out, "bold", name))}\n`);
  if (!training) return;
  const { error, data: used } = training.classifier.card;
  const measured = [
    `error on the training rows ${formatPercent(error.train)}`,
    ...(error.test === undefined
      ? []
      : [`on ${formatCount(training.evaluation?.rows ?? 0, "test row")} ${formatPercent(error.test)}`]),
  ];
  out.write(`trained on ${formatCount(used.rows, "row")}: ${measured.join(", ")}\n`);
  out.write(`model saved to ${flags.out}\n`);
}

/** One row for each candidate: its value and, in parentheses, its rank under every criterion. */
function rankingTable({ candidates, rankings }: Selection, columns: number): string {
  const headings = [
    { title: "candidate", whole: true },
    ...rankings.map(({ criterion }) => ({ title: criterion.name, right: true })),
  ];
  const rows = candidates.map(({ name }, c) => [name, ...rankings.map((ranking) => cellOf(ranking, c))]);
  return alignedTable(headings, rows, columns);
}

function cellOf({ criterion, scores }: Ranking, candidate: number): string {
  const score = scores.find((other) => other.candidate === candidate);
  if (!score) return "–";
  const value = criterion.measures === "error" ? formatPercent(score.value) : formatNumber(score.value);
  return `${value} (${score.rank})`;
}

/** What criteria found out on their way, such as the constant of adjusted-srm. */
function factSentences(rankings: readonly Ranking[]): string[] {
  return rankings.flatMap(({ criterion, facts }) =>
    Object.entries(facts).map(([name, value]) => `${criterion.name}: ${name} = ${formatNumber(value)}`),
  );
}
