import { basename } from "node:path";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { checkRequest } from "@vouch/core/internal/train/plan-training";
import type { TrainCommandRequest } from "@vouch/core/internal/train/request/request";
import { checkShardLearner, checkShardRequest } from "@vouch/core/internal/train/request/shard-request";
import { type ProcessShare, wrongValue } from "./flags.js";

/** Checks that the flags of `vouch train` fit together, before anything is read. */
export function checkTrainFlags(argument: string, flags: TrainCommandRequest): void {
  checkRequest(flags);
  const ofShards = (["runName", "connect", "host"] as const).find((name) => flags[name] !== undefined);
  if (ofShards && !flags.shard) {
    throw new VouchError(
      "option/invalid",
      `--${ofShards === "runName" ? "run-name" : ofShards} needs --shard.`,
      {
        hint: "It sets how the shards of a run find each other.",
      },
    );
  }
  if (flags.reportWithout && flags.report === undefined) {
    throw new VouchError("option/invalid", "--report-without needs --report.", {
      hint: "It sets what to omit from the report.",
    });
  }
  const inputs = { DATA: argument, "--test": flags.test, "--unlabelled": flags.unlabelled };
  const piped = Object.entries(inputs).flatMap(([name, input]) => (input === "-" ? [name] : []));
  if (piped.length > 1) {
    throw new VouchError("option/invalid", `${piped[0]} and ${piped[1]} cannot both be standard input.`, {
      hint: "Give one of them as a file.",
    });
  }
}

/** Common settings of a run's processes, and the index of this one. */
export interface ShardRun {
  readonly url: string;
  readonly name: string;
  readonly share: ProcessShare;
}

/** Checks the flags of `vouch train --shard`. */
export function checkShardFlags(
  argument: string,
  flags: TrainCommandRequest & { readonly shard: ProcessShare },
): ShardRun {
  const { cluster, learner, shard, runName } = flags;
  if (cluster === undefined) {
    throw new VouchError("option/invalid", "--shard needs --cluster.", {
      hint: "Give the address of the Redis server where the shards meet, such as redis://host:6379.",
    });
  }
  checkShardLearner(learner);
  checkShardRequest(flags);
  if (argument === "-") {
    throw new VouchError("option/invalid", "--shard cannot read standard input.", {
      hint: "Give a CSV or Parquet file that all shards can read.",
    });
  }
  const name = runName ?? basename(argument);
  if (name === "" || name.length > 200) {
    throw wrongValue("--run-name", "a name of 1 to 200 characters", name);
  }
  return { url: cluster, name, share: shard };
}
