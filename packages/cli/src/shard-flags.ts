import { basename } from "node:path";
import { VouchError } from "vouch/errors";
import type { ProcessShare } from "./flags.js";
import type { TrainFlags } from "./train-flags.js";

/** Learners that can be trained on shards. */
const LEARNERS: readonly string[] = ["boosted-trees", "forest", "random-trees"];

/** Flags of `vouch train` that shards do not have, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  budget: "There is no search for a learner on shards.",
  single: "There is no search for a learner on shards.",
  record: "There is no search for a learner on shards.",
  replay: "There is no search for a learner on shards.",
  like: "Name the learner and its options.",
  unlabelled: "Learners that pre-train do not run on shards.",
  test: "The error is measured on held-out rows: use --holdout.",
  folds: "The error is measured on held-out rows: use --holdout.",
  stratify: "Held-out rows are a simple random sample.",
  group: "Held-out rows are a simple random sample.",
  time: "Held-out rows are a simple random sample.",
  rows: "Shards are for data that is too large for one machine; without --shard you can train on a subsample.",
  chosenAmong: "Training certificates are those of a learner that was not chosen on these rows.",
  abstain: "Answers are not held back on shards.",
  sets: "There are no sets of classes on shards.",
  setsBy: "There are no sets of classes on shards.",
  report: "Use 'vouch inspect' on the model.",
  reportWithout: "Use 'vouch inspect' on the model.",
  metric: "Shards minimise the error.",
  cost: "Shards minimise the error.",
  positive: "Shards minimise the error.",
  classWeights: "Use --set classWeights=balanced.",
  date: "Dates are categories on shards.",
  text: "Prose is a category on shards.",
  mergeClasses: "No shard sees all spellings: write classes alike in the data.",
  blobs: "Every shard reads its own part of the data.",
  wait: "No worker takes part.",
};

/** What the processes of a run have in common, and which one this is. */
export interface ShardRun {
  readonly url: string;
  readonly name: string;
  readonly share: ProcessShare;
  readonly learner: string;
}

/** Checks the flags of `vouch train --shard`. */
export function checkShardFlags(
  argument: string,
  flags: TrainFlags & { readonly shard: ProcessShare },
): ShardRun {
  const { cluster, learner, shard, runName } = flags;
  if (cluster === undefined) {
    throw new VouchError("option/invalid", "--shard needs --cluster.", {
      hint: "Give the address of the Redis server where the shards meet, such as redis://host:6379.",
    });
  }
  if (learner === undefined || !LEARNERS.includes(learner)) {
    const given = learner === undefined ? "no --learner is given" : `--learner is ${learner}`;
    throw new VouchError("option/invalid", `--shard trains ${LEARNERS.join(", ")}, but ${given}.`, {
      hint: `Add --learner ${LEARNERS[0]}.`,
    });
  }
  const given: Readonly<Record<string, unknown>> = { ...flags };
  const refused = Object.keys(REFUSED).find((name) => given[name] !== undefined);
  if (refused !== undefined) {
    throw new VouchError("option/invalid", `--${flagOf(refused)} cannot be combined with --shard.`, {
      hint: REFUSED[refused],
    });
  }
  if (argument === "-") {
    throw new VouchError("option/invalid", "--shard cannot read standard input.", {
      hint: "Give a CSV or Parquet file that all shards can read.",
    });
  }
  const name = runName ?? basename(argument);
  if (name === "" || name.length > 200) {
    throw new VouchError("option/invalid", `--run-name is "${name}".`, {
      hint: "It must be a name of up to 200 characters.",
    });
  }
  return { url: cluster, name, share: shard, learner };
}

/** Returns the name of a flag as it is typed. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
