import { shellQuoted } from "@vouch/core/internal/runtime/text/shell";
import { adviseOnRareClass, findRareClass } from "@vouch/core/internal/train/rare-class";
import { requestArguments } from "@vouch/core/internal/train/request/request-text";
import { isGrave } from "@vouch/core/internal/train/warnings";
import type { FinishedTraining } from "./finished-training.js";

/** A command to run after a training, and its purpose. */
interface NextCommand {
  readonly command: string;
  readonly purpose: string;
}

/** Time limit of a longer search, in seconds. */
const LONG_SEARCH = 300;

/** Finds the one command that makes most sense after a training, by its verdict. */
export function nextCommand(run: FinishedTraining): NextCommand {
  const { training, flags } = run;
  const { verdict, choice } = training;
  const model = shellQuoted(flags.out);
  if (!verdict)
    return { command: `vouch certify ${model} fresh.csv`, purpose: "measure the error on new rows" };
  const look = { command: `vouch studio ${model}`, purpose: "look at the model and its warnings" };
  if (verdict.better === "yes") {
    if (verdict.warnings.some(isGrave)) return look;
    return { command: `vouch predict ${model} new.csv`, purpose: "predict the class of new rows" };
  }
  const rare = findRareClass(verdict);
  if (rare) {
    const { metric } = adviseOnRareClass(rare, verdict);
    return { command: trainAgain(run, { metric }), purpose: "train for the rare class" };
  }
  if (!choice) {
    return {
      command: trainAgain(run, { learner: undefined, set: undefined }),
      purpose: "search for a better learner",
    };
  }
  if ((flags.budget ?? 0) >= LONG_SEARCH) return look;
  return { command: `${trainAgain(run, {})} --budget 5m`, purpose: "search longer for a better learner" };
}

/** Writes the command of a training with some other options. */
function trainAgain({ data, request }: FinishedTraining, changes: Readonly<Record<string, unknown>>): string {
  const { seed: _seed, ...others } = request;
  return ["vouch train", shellQuoted(data), ...requestArguments({ ...others, ...changes })].join(" ");
}
