import type { ReportPart } from "@vouch/report";
import { VouchError } from "vouch/errors";
import type { LearningFlags, ShardFlags } from "./flags.js";
import type { ObjectiveFlags } from "./objective-flags.js";
import type { LearnerFlags } from "./training-learner.js";

/** Flags of `vouch train`. */
export interface TrainFlags extends LearningFlags, ObjectiveFlags, LearnerFlags, ShardFlags {
  readonly test?: string;
  readonly holdout?: number;
  readonly stratify?: boolean;
  readonly folds?: number;
  readonly rows?: number;
  readonly chosenAmong?: number;
  readonly abstain?: number;
  readonly sets?: number;
  readonly setsBy?: "all" | "class";
  /** False for `--no-calibrate`. */
  readonly calibrate?: boolean;
  readonly out: string;
  readonly report?: string;
  /** Parts that the report should not have. */
  readonly reportWithout?: readonly ReportPart[];
}

/** Checks that the flags fit together: inputs, the ways to measure the error, and the report. */
export function checkTrainFlags(argument: string, flags: TrainFlags): void {
  const ofShards = (["runName", "connect", "host"] as const).find((name) => flags[name] !== undefined);
  if (ofShards && !flags.shard) {
    throw new VouchError(
      "option/invalid",
      `--${ofShards === "runName" ? "run-name" : ofShards} needs --shard.`,
      {
        hint: "It says how the shards of a run find each other.",
      },
    );
  }
  if (flags.reportWithout && flags.report === undefined) {
    throw new VouchError("option/invalid", "--report-without needs --report.", {
      hint: "It says what to leave out of the report.",
    });
  }
  const { test, unlabelled, holdout, folds } = flags;
  if (flags.stratify) checkStratify(flags);
  const inputs = { DATA: argument, "--test": test, "--unlabelled": unlabelled };
  const piped = Object.entries(inputs).flatMap(([name, input]) => (input === "-" ? [name] : []));
  if (piped.length > 1) {
    throw new VouchError("option/invalid", `${piped[0]} and ${piped[1]} cannot both be standard input.`, {
      hint: "Give one of them as a file.",
    });
  }
  if ([test, holdout, folds].filter((flag) => flag !== undefined).length <= 1) return;
  throw new VouchError("option/invalid", "Use only one of --test, --holdout and --folds.", {
    hint: "They are three ways to measure the error.",
  });
}

/** Checks that --stratify has rows to draw. */
function checkStratify({ test, folds, group, time }: TrainFlags): void {
  const [other] = Object.entries({ test, folds, group, time }).filter(([, value]) => value !== undefined);
  if (!other) return;
  throw new VouchError("option/invalid", `--stratify cannot be combined with --${other[0]}.`, {
    hint: "It says how a random share of the rows is held out.",
  });
}
