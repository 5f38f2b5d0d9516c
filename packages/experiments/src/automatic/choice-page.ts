import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import { formatBytes, formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { markdownTable, percentCell } from "../markdown-table.js";
import type { ChoiceData, ChoiceOnSet } from "./choice-data.js";
import type { ExpertTrial } from "./expert-results.js";
import { compareOnDivisions, type PairedDifference } from "./paired-difference.js";

/** Differences with a smaller p-value are marked as significant. */
const SIGNIFICANCE = 0.05;

/** Largest deficit to the expert that still counts as close: half a point. */
const TOLERANCE = 0.005;

/** A data set with everything that the table shows about it. */
interface ComparedSet extends ChoiceOnSet {
  /** Errors of the choice on each split. */
  readonly errors: readonly number[];
  /** The expert on the same splits; absent if it was not measured on all of them. */
  readonly expert?: {
    readonly trials: readonly ExpertTrial[];
    /** The choice's error minus the expert's. */
    readonly against: PairedDifference;
  };
  /** The model with the smallest mean test error, which is optimistic because the test rows choose it. */
  readonly bestInSight: Model;
  /** The choice's error minus the error of the best single model of the race; undefined if no ensemble was chosen. */
  readonly ensemble: PairedDifference | undefined;
}

/** A model or learner and its errors on the splits. */
interface Model {
  readonly name: string;
  readonly errors: readonly number[];
}

/** Renders the comparison: a row for each data set, and a summary. */
export function choicePage({ sets, expert }: ChoiceData): string {
  const compared = sets.map((set) => compare(set, expert));
  return [table(compared), LEGEND, summary(compared)].join("\n\n");
}

function compare(set: ChoiceOnSet, experts: readonly ExpertTrial[]): ComparedSet {
  const { dataset, trials } = set;
  const { trainingRows } = trials[0];
  const recorded = trials.flatMap((_, division) => expertOn(experts, dataset, division));
  const singles = trials.map(({ single, ...chosen }) => ({ ...chosen, ...single }));
  const isComplete = recorded.length === trials.length;
  return {
    ...set,
    errors: trials.map(({ error }) => error),
    ...(isComplete && {
      expert: { trials: recorded, against: compareOnDivisions(trials, recorded, trainingRows) },
    }),
    bestInSight: bestInSight(set, isComplete ? recorded : []),
    ensemble: trials.some(({ single }) => single)
      ? compareOnDivisions(trials, singles, trainingRows)
      : undefined,
  };
}

function expertOn(experts: readonly ExpertTrial[], dataset: string, division: number): ExpertTrial[] {
  return experts.filter((one) => one.dataset === dataset && one.division === division);
}

/** Finds the best of the single models of the race, vouch's single learners and the expert's candidates by the test rows. */
function bestInSight({ trials, singles = [] }: ChoiceOnSet, expert: readonly ExpertTrial[]): Model {
  const ofRace: Model = {
    name: "the race's best single model",
    errors: trials.map(({ error, single }) => single?.error ?? error),
  };
  const ofSingles = inAll(singles.map((one) => one.map(({ learner: name, error }) => ({ name, error }))));
  const ofExpert = inAll(expert.map(({ candidates }) => candidates));
  return [...ofSingles, ...ofExpert].reduce(
    (best, one) => (mean(one.errors) < mean(best.errors) ? one : best),
    ofRace,
  );
}

/** Returns the models with an error on every split. */
function inAll(divisions: readonly (readonly { name: string; error?: number | undefined }[])[]): Model[] {
  const names = divisions[0]?.map(({ name }) => name) ?? [];
  return names
    .map((name) => ({
      name,
      errors: divisions.flatMap((models) => models.find((one) => one.name === name)?.error ?? []),
    }))
    .filter(({ errors }) => errors.length === divisions.length);
}

const TITLES = [
  "data set",
  "test rows",
  "chosen",
  "error",
  "expert's choice",
  "error",
  "difference",
  "best single model in sight",
  "error",
  "ensemble's gain",
  "time per row",
  "size",
];

function table(sets: readonly ComparedSet[]): string {
  const rows = sets.map((set) => {
    const { dataset, trials, errors, expert, bestInSight: best, ensemble } = set;
    return [
      dataset,
      trials.length > 1 ? `${trials.length} × ${trials[0].testRows}` : String(trials[0].testRows),
      counted(trials.map(({ name }) => name)),
      percentCell(errors),
      expert ? counted(expert.trials.map(({ chosen }) => chosen)) : "–",
      expert ? percentCell(expert.trials.map(({ error }) => error)) : "–",
      expert ? differenceWithError(expert.against) : "–",
      best.name,
      percentCell(best.errors),
      ensemble ? differenceWithError({ ...ensemble, difference: -ensemble.difference }) : "–",
      priceCell(set, ({ secondsPerRow }) => secondsPerRow, microseconds),
      priceCell(set, ({ bytes }) => bytes, formatBytes),
    ];
  });
  return markdownTable(TITLES, rows);
}

const LEGEND = `Errors and differences are in %; with several random splits, the mean ± its standard error. A difference is negative where the choice is better than the expert, and has the standard error of paired test rows, or the corrected one of overlapping splits; * marks p < ${SIGNIFICANCE}. The best single model in sight is picked on the test rows, among the race's best single model, vouch's learners at their defaults and the expert's candidates. Where an ensemble was chosen, its gain is over the best single model of the race, whose time per row (on one thread) and size are in brackets.`;

/** Names the model of a single split with its options; for several splits, counts the kinds of models. */
function counted(names: readonly string[]): string {
  if (names.length === 1) return names[0];
  const kinds = names.map((name) => name.replace(/ (?:[a-zA-Z]+=|of \d).*/, ""));
  const counts = [...new Set(kinds)].map((kind) => ({
    kind,
    times: kinds.filter((one) => one === kind).length,
  }));
  counts.sort((a, b) => b.times - a.times);
  return counts.map(({ kind, times }) => (times > 1 ? `${times} × ${kind}` : kind)).join(", ");
}

function differenceWithError({ difference, standardError, p }: PairedDifference): string {
  const sign = difference > 0 ? "+" : "";
  const mark = p < SIGNIFICANCE ? " *" : "";
  return `${sign}${(100 * difference).toFixed(2)} ± ${(100 * standardError).toFixed(2)}${mark}`;
}

type Trial = ChoiceOnSet["trials"][number];

/** Shows the mean cost of the choice, and in brackets the cost of the single models if an ensemble was chosen. */
function priceCell(
  { trials, ensemble }: ComparedSet,
  price: (model: Pick<Trial, "secondsPerRow" | "bytes">) => number,
  format: (price: number) => string,
): string {
  const chosen = format(mean(trials.map(price)));
  if (!ensemble) return chosen;
  return `${chosen} (${format(mean(trials.map((trial) => price(trial.single ?? trial))))})`;
}

function microseconds(seconds: number): string {
  const value = 1e6 * seconds;
  return `${value < 100 ? Number(value.toPrecision(2)) : Math.round(value)} µs`;
}

function summary(sets: readonly ComparedSet[]): string {
  const sum = (errors: (set: ComparedSet) => readonly number[]) =>
    (100 * sets.reduce((total, set) => total + mean(errors(set)), 0)).toFixed(2);
  const gains = sets.filter(
    ({ ensemble }) => ensemble && ensemble.difference < 0 && ensemble.p < SIGNIFICANCE,
  );
  const overrun = Math.max(
    ...sets.flatMap(({ trials }) => trials.map(({ seconds, budget }) => seconds / budget)),
  );
  return [
    ...againstExpert(sets),
    `- Sum of the errors over the sets: ${sum(({ errors }) => errors)}; of the best single models in sight of the test rows: ${sum(({ bestInSight }) => bestInSight.errors)}.`,
    ...againstOneLearner(sets),
    `- The gain of an ensemble is significant on ${gains.length} of ${formatCount(sets.length, "set")}.`,
    `- Choosing and training took at most ${(100 * overrun).toFixed(0)}% of the budget.`,
  ].join("\n");
}

/**
 * Compares with one candidate of the expert for all sets: the best by the sum of its test errors relative to the
 * choice's errors on the same sets, because not every candidate was measured on all sets. Skips candidates measured on
 * half of the sets or fewer.
 */
function againstOneLearner(sets: readonly ComparedSet[]): string[] {
  const measured = sets.flatMap(({ errors, expert }) =>
    expert ? [{ own: mean(errors), models: inAll(expert.trials.map(({ candidates }) => candidates)) }] : [],
  );
  const names = new Set(measured.flatMap(({ models }) => models.map(({ name }) => name)));
  const all = [...names].map((name) => {
    const on = measured.flatMap(({ own, models }) => {
      const model = models.find((one) => one.name === name);
      return model ? [{ own, theirs: mean(model.errors) }] : [];
    });
    const sum = (which: "own" | "theirs") => on.reduce((total, one) => total + one[which], 0);
    return { name, sets: on.length, own: sum("own"), theirs: sum("theirs") };
  });
  const candidates = all.filter((one) => one.sets > measured.length / 2);
  if (candidates.length === 0) return [];
  const best = candidates.reduce((a, b) => (b.theirs * a.own < a.theirs * b.own ? b : a));
  const percent = (share: number) => (100 * share).toFixed(2);
  return [
    `- One learner for all sets: picked on the test rows, the expert's best candidate is ${best.name}. Its errors on the ${formatCount(best.sets, "set")} that it was measured on add up to ${percent(best.theirs)}, the errors of the choice on these sets to ${percent(best.own)}.`,
  ];
}

function againstExpert(sets: readonly ComparedSet[]): string[] {
  const compared = sets.flatMap(({ dataset, expert }) =>
    expert ? [{ dataset, difference: expert.against.difference }] : [],
  );
  if (compared.length === 0) return [];
  const lower = compared.filter(({ difference }) => difference < 0).length;
  const equal = compared.filter(({ difference }) => difference === 0).length;
  const worst = compared.reduce((most, one) => (one.difference > most.difference ? one : most));
  const near = compared.filter(({ difference }) => difference <= TOLERANCE).length;
  const deficit =
    worst.difference > 0
      ? `The largest deficit is ${(100 * worst.difference).toFixed(2)} points, on ${worst.dataset}`
      : "It is never behind";
  return [
    `- The mean error is lower than the expert's on ${lower} of ${formatCount(compared.length, "set")} and equal on ${equal}. ${deficit}; it is at most half a point behind on ${near}.`,
  ];
}
