import { changedOptions } from "vouch/select";
import type { TrainedRun } from "./commands/train.js";
import { quoted, readingArguments } from "./shell-words.js";

/** The command that gives the same model again, with the options of its learner that are not at their defaults. */
export function briefCommandOf(run: TrainedRun): string {
  const { learner, options } = run.training.classifier.card;
  return trainCommand(run, changedOptions({ name: learner, options }));
}

function trainCommand({ argument, flags, training }: TrainedRun, settings: [string, string][]): string {
  const { learner } = training.classifier.card;
  // A name such as -x.csv would be taken for a flag, unless it comes after all flags and a double dash.
  const dashed = argument.startsWith("-") && argument !== "-";
  const parts = ["vouch train", ...(dashed ? [] : [quoted(argument)]), `--learner ${learner}`];
  for (const [name, value] of settings) parts.push(`--set ${quoted(`${name}=${value}`)}`);
  const rows = training.choice?.rows ?? flags.rows;
  if (rows !== undefined) parts.push(`--rows ${rows}`);
  if (flags.target !== undefined) parts.push(`--target ${quoted(flags.target)}`);
  if (flags.unlabelled !== undefined) parts.push(`--unlabelled ${quoted(flags.unlabelled)}`);
  if (flags.test !== undefined) parts.push(`--test ${quoted(flags.test)}`);
  if (flags.holdout !== undefined) parts.push(`--holdout ${flags.holdout}`);
  if (flags.folds !== undefined) parts.push(`--folds ${flags.folds}`);
  parts.push(...readingArguments(flags));
  parts.push(`--seed ${flags.seed}`);
  if (dashed) parts.push("--", quoted(argument));
  return parts.join(" ");
}
