import { changedOptions } from "../learners/changed-options.js";
import { ENSEMBLE } from "../learners/ensemble/ensemble-options.js";
import { listArgument, shellQuoted } from "../runtime/shell-quoted.js";
import type { SplitColumns } from "../table/split-columns.js";
import { sharesAmongCandidates } from "../theory/training-certificate.js";
import type { Training } from "./train.js";

/** Flags of `vouch` that say how to read DATA. */
export interface ReadingArguments {
  readonly format?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly sheet?: string;
  readonly skip?: number;
  readonly headerRow?: number;
  readonly keepTotals?: boolean;
  /** False for `--no-decimal-comma`. */
  readonly decimalComma?: boolean;
  readonly missing?: readonly string[];
  /** False for `--no-header`. */
  readonly header: boolean;
  readonly categorical?: readonly string[];
  readonly numeric?: readonly string[];
  readonly date?: readonly string[];
  readonly text?: readonly string[];
  readonly ignore?: readonly string[];
  readonly mergeClasses?: boolean;
}

/** Flags of `vouch` that say what a good model is. */
interface ObjectiveArguments {
  readonly metric?: string;
  readonly cost?: readonly string[];
  readonly positive?: string;
  readonly classWeights?: readonly string[];
}

/** Writes the flags that say how DATA is read. */
export function readingArguments(flags: ReadingArguments): string[] {
  const columns = (["categorical", "numeric", "date", "text", "ignore"] as const).flatMap((name) => {
    const named = flags[name];
    return named ? [`--${name} ${listArgument(named)}`] : [];
  });
  return [
    ...columns,
    ...(flags.mergeClasses ? ["--merge-classes"] : []),
    ...(flags.format === undefined ? [] : [`--format ${flags.format}`]),
    ...(flags.delimiter === undefined ? [] : [`--delimiter ${shellQuoted(flags.delimiter)}`]),
    ...(flags.decimalComma === undefined ? [] : [`--${flags.decimalComma ? "" : "no-"}decimal-comma`]),
    ...(flags.missing ? [`--missing ${listArgument(flags.missing)}`] : []),
    ...(flags.encoding === undefined ? [] : [`--encoding ${shellQuoted(flags.encoding)}`]),
    ...(flags.sheet === undefined ? [] : [`--sheet ${shellQuoted(flags.sheet)}`]),
    ...(flags.skip === undefined ? [] : [`--skip ${flags.skip}`]),
    ...(flags.headerRow === undefined ? [] : [`--header-row ${flags.headerRow}`]),
    ...(flags.keepTotals ? ["--keep-totals"] : []),
    ...(flags.header === false ? ["--no-header"] : []),
  ];
}

/** Writes the flags that say which columns the rows are split by. */
export function splitArguments({ group, time }: SplitColumns): string[] {
  return [
    ...(group === undefined ? [] : [`--group ${shellQuoted(group)}`]),
    ...(time === undefined ? [] : [`--time ${shellQuoted(time)}`]),
  ];
}

/** Writes the flags of a metric as they are typed. */
export function objectiveArguments({
  metric,
  cost = [],
  positive,
  classWeights = [],
}: ObjectiveArguments): string[] {
  return [
    ...(metric === undefined ? [] : [`--metric ${metric}`]),
    ...cost.map((text) => `--cost ${shellQuoted(text)}`),
    ...(positive === undefined ? [] : [`--positive ${shellQuoted(positive)}`]),
    ...classWeights.map((text) => `--class-weights ${shellQuoted(text)}`),
  ];
}

/** Writes the flags of abstention and sets, whose limits depend on the confidence. */
function answerArguments({
  abstain,
  sets,
  setsBy,
  calibrate,
  confidence,
}: TrainArguments["flags"]): string[] {
  const answers = abstain !== undefined || sets !== undefined;
  return [
    ...(abstain === undefined ? [] : [`--abstain ${abstain}`]),
    ...(sets === undefined ? [] : [`--sets ${sets}`]),
    ...(setsBy === undefined ? [] : [`--sets-by ${setsBy}`]),
    ...(answers ? [`--confidence ${confidence}`] : []),
    ...(calibrate === false ? ["--no-calibrate"] : []),
  ];
}

/** The arguments of `vouch train` that determine its model. */
export interface TrainArguments {
  readonly data: string;
  readonly flags: ReadingArguments &
    ObjectiveArguments &
    SplitColumns & {
      readonly target?: string;
      readonly stratify?: boolean;
      readonly unlabelled?: string;
      readonly test?: string;
      readonly holdout?: number;
      readonly folds?: number;
      readonly rows?: number;
      readonly abstain?: number;
      readonly sets?: number;
      readonly setsBy?: "all" | "class";
      readonly calibrate?: boolean;
      readonly confidence: number;
      readonly seed: number;
      readonly out: string;
    };
}

/** Writes the command that trains the same model again, with the options of its learner that are not at their defaults. */
export function trainCommand({ data, flags }: TrainArguments, { classifier, choice }: Training): string {
  const { learner, options } = classifier.card;
  // A name such as -x.csv would be taken for a flag, unless it comes after all flags and a double dash.
  const dashed = data.startsWith("-") && data !== "-";
  const parts = ["vouch train", ...(dashed ? [] : [shellQuoted(data)])];
  // The members of an ensemble with all their options would fill a screen; the model file has them.
  const isLong = learner === ENSEMBLE;
  if (isLong) parts.push(`--like ${shellQuoted(flags.out)}`);
  else {
    parts.push(`--learner ${learner}`);
    for (const [name, value] of changedOptions({ name: learner, options })) {
      parts.push(`--set ${shellQuoted(`${name}=${value}`)}`);
    }
  }
  const rows = choice?.rows ?? flags.rows;
  if (rows !== undefined) parts.push(`--rows ${rows}`);
  if (flags.target !== undefined) parts.push(`--target ${shellQuoted(flags.target)}`);
  parts.push(...splitArguments(flags));
  if (flags.unlabelled !== undefined) parts.push(`--unlabelled ${shellQuoted(flags.unlabelled)}`);
  if (flags.test !== undefined) parts.push(`--test ${shellQuoted(flags.test)}`);
  if (flags.holdout !== undefined) parts.push(`--holdout ${flags.holdout}`);
  if (flags.stratify) parts.push("--stratify");
  if (flags.folds !== undefined) parts.push(`--folds ${flags.folds}`);
  parts.push(...objectiveArguments(flags), ...answerArguments(flags));
  const shares = sharesAmongCandidates(classifier.card.choice);
  if (shares > 1 && !isLong) parts.push(`--chosen-among ${shares}`);
  parts.push(...readingArguments(flags), ...(isLong ? [] : [`--seed ${flags.seed}`]));
  if (dashed) parts.push("--", shellQuoted(data));
  return parts.join(" ");
}
