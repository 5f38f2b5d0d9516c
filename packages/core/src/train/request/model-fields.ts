import * as z from "zod";
import { requestFields } from "./field.js";

const NO_SEARCH = { refused: "Shards do not search for a learner." };
const BY_HOLDOUT = { refused: "The error is measured on held-out rows: use --holdout." };
const RANDOM_SAMPLE = { refused: "Held-out rows are a simple random sample." };

const word = () => z.string().optional();
const yes = () => z.boolean().optional();
const whole = (least: number) => z.int().min(least).optional();
const share = () => z.number().gt(0).lt(1);

/** Which learner to train, or how to find it. */
export const learnerFields = {
  learner: word().register(requestFields, {
    flags: "-l, --learner <name>",
    help: "learner (default: the best learner found within the budget)",
    group: "model",
    place: 3,
    inModel: true,
    shards: "same",
  }),
  set: z
    .union([z.array(z.string()), z.record(z.string(), z.unknown())])
    .optional()
    .register(requestFields, {
      flags: "-s, --set <name=value>",
      help: "set an option of the learner; repeatable",
      group: "model",
      place: 4,
      form: "repeated",
      inModel: true,
      shards: "same",
    }),
  budget: z.number().positive().optional().register(requestFields, {
    flags: "--budget <time>",
    help: "time for finding and training the best learner (default: 60s)",
    group: "model",
    place: 5,
    form: "duration",
    shards: NO_SEARCH,
  }),
  single: yes().register(requestFields, {
    flags: "--single",
    help: "choose a single model, not an ensemble",
    group: "model",
    shards: NO_SEARCH,
  }),
  replay: word().register(requestFields, {
    flags: "--replay <file>",
    help: "rerun a search saved with --record, without a time limit",
    group: "model",
    shards: NO_SEARCH,
  }),
  like: word().register(requestFields, {
    flags: "--like <MODEL>",
    help: "train with the learner, options and seed of this model file",
    group: "model",
    inModel: true,
    shards: { refused: "Name the learner and its options." },
  }),
  rows: whole(2).register(requestFields, {
    flags: "--rows <n>",
    help: "train on a stratified subsample of at most this many rows",
    group: "data",
    form: "whole number",
    inModel: true,
    shards: {
      refused:
        "Shards are for data that is too large for one machine; without --shard you can train on a subsample.",
    },
  }),
};

/** Additional rows to learn from, and rows that measure the error. */
export const measuringFields = {
  unlabelled: word().register(requestFields, {
    flags: "--unlabelled <DATA>",
    help: "more rows for pre-training; vouch ignores their classes",
    group: "data",
    inModel: true,
    shards: { refused: "Learners that pre-train do not run on shards." },
  }),
  test: word().register(requestFields, {
    flags: "--test <DATA>",
    help: "measure the error on the rows of this file",
    group: "measuring",
    place: 8,
    inModel: true,
    shards: BY_HOLDOUT,
  }),
  holdout: share().optional().register(requestFields, {
    flags: "--holdout <fraction>",
    help: "hold out this fraction of the rows to measure the error (default: 0.2, or folds below 100 rows)",
    group: "measuring",
    form: "fraction",
    inModel: true,
    shards: "same",
  }),
  stratify: yes().register(requestFields, {
    flags: "--stratify",
    help: "hold out the same share of each class; certificates then assume your class shares",
    group: "measuring",
    inModel: true,
    shards: RANDOM_SAMPLE,
  }),
  folds: whole(2).register(requestFields, {
    flags: "--folds <k>",
    help: "measure the error by k-fold cross-validation",
    group: "measuring",
    form: "whole number",
    inModel: true,
    shards: BY_HOLDOUT,
  }),
};
