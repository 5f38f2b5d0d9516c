import { changedOptions } from "vouch/select";
import type { Training } from "vouch/train";
import { quoted, type ReadingFlags } from "./flags.js";
import { type ObjectiveFlags, objectiveArguments } from "./objective-flags.js";

/** Writes the flags that say how DATA is read. */
export function readingArguments(flags: ReadingFlags): string[] {
  const columns = (["categorical", "numeric", "date", "text", "ignore"] as const).flatMap((name) => {
    const named = flags[name];
    return named ? [`--${name} ${quoted(named.join(","))}`] : [];
  });
  return [
    ...columns,
    ...(flags.format === undefined ? [] : [`--format ${flags.format}`]),
    ...(flags.delimiter === undefined ? [] : [`--delimiter ${quoted(flags.delimiter)}`]),
    ...(flags.decimalComma ? ["--decimal-comma"] : []),
    ...(flags.header === false ? ["--no-header"] : []),
  ];
}

/** Writes the flags that say which columns the rows are split by. */
export function splitArguments({
  group,
  time,
}: {
  readonly group?: string;
  readonly time?: string;
}): string[] {
  return [
    ...(group === undefined ? [] : [`--group ${quoted(group)}`]),
    ...(time === undefined ? [] : [`--time ${quoted(time)}`]),
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
interface TrainArguments {
  readonly data: string;
  readonly flags: ReadingFlags &
    ObjectiveFlags & {
      readonly target?: string;
      readonly group?: string;
      readonly time?: string;
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

/** The learner whose options are too long for a command. */
const ENSEMBLE = "ensemble";

/** Writes the command that trains the same model again, with the options of its learner that are not at their defaults. */
export function trainCommand({ data, flags }: TrainArguments, { classifier, choice }: Training): string {
  const { learner, options } = classifier.card;
  // A name such as -x.csv would be taken for a flag, unless it comes after all flags and a double dash.
  const dashed = data.startsWith("-") && data !== "-";
  const parts = ["vouch train", ...(dashed ? [] : [quoted(data)])];
  // The members of an ensemble with all their options would fill a screen; the model file has them.
  const isLong = learner === ENSEMBLE;
  if (isLong) parts.push(`--like ${quoted(flags.out)}`);
  else {
    parts.push(`--learner ${learner}`);
    for (const [name, value] of changedOptions({ name: learner, options })) {
      parts.push(`--set ${quoted(`${name}=${value}`)}`);
    }
  }
  const rows = choice?.rows ?? flags.rows;
  if (rows !== undefined) parts.push(`--rows ${rows}`);
  if (flags.target !== undefined) parts.push(`--target ${quoted(flags.target)}`);
  parts.push(...splitArguments(flags));
  if (flags.unlabelled !== undefined) parts.push(`--unlabelled ${quoted(flags.unlabelled)}`);
  if (flags.test !== undefined) parts.push(`--test ${quoted(flags.test)}`);
  if (flags.holdout !== undefined) parts.push(`--holdout ${flags.holdout}`);
  if (flags.stratify) parts.push("--stratify");
  if (flags.folds !== undefined) parts.push(`--folds ${flags.folds}`);
  parts.push(...objectiveArguments(flags), ...answerArguments(flags));
  const among = classifier.card.choice?.among ?? 1;
  if (among > 1 && !isLong) parts.push(`--chosen-among ${among}`);
  parts.push(...readingArguments(flags), ...(isLong ? [] : [`--seed ${flags.seed}`]));
  if (dashed) parts.push("--", quoted(data));
  return parts.join(" ");
}
