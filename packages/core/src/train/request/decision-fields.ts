import * as z from "zod";
import { METRIC_NAMES } from "../../metrics/metric-name.js";
import { requestFields } from "./field.js";

const NO_SETS = { refused: "Shards do not support prediction sets." };
const BY_ERROR = { refused: "Shards minimise the error." };
const word = () => z.string().optional();
const whole = (least: number) => z.int().min(least).optional();
const share = () => z.number().gt(0).lt(1);

/** The metric to optimise. */
export const objectiveFields = {
  metric: z
    .enum(METRIC_NAMES)
    .optional()
    .register(requestFields, {
      flags: "--metric <name>",
      help: `metric to optimise: ${METRIC_NAMES.join(", ")} (default: error)`,
      group: "decisions",
      place: 6,
      form: "metric",
      inModel: true,
      shards: BY_ERROR,
    }),
  cost: z
    .union([z.array(z.string()), z.record(z.string(), z.record(z.string(), z.number().min(0)))])
    .optional()
    .register(requestFields, {
      flags: "--cost <true:predicted=cost>",
      help: "minimise the mean cost; other errors cost 1; repeatable",
      group: "decisions",
      place: 7,
      form: "repeated",
      inModel: true,
      shards: BY_ERROR,
    }),
  positive: word().register(requestFields, {
    flags: "--positive <class>",
    help: "positive class for f1, thresholds and curves (default: the rarer of two)",
    group: "decisions",
    inModel: true,
    shards: BY_ERROR,
  }),
  classWeights: z
    .union([z.literal("balanced"), z.record(z.string(), z.number().positive())])
    .optional()
    .register(requestFields, {
      flags: "--class-weights <weights>",
      help: "class weights in training: balanced, or CLASS=WEIGHT; repeatable",
      group: "decisions",
      form: "class weights",
      inModel: true,
      shards: { refused: "Use --set classWeights=balanced." },
    }),
};

/** Answers, and what certificates say about them. */
export const decisionFields = {
  abstain: share()
    .optional()
    .register(requestFields, {
      flags: "--abstain <share>",
      help: "abstain on uncertain rows so that at most this share of answers is wrong, such as 2%",
      group: "decisions",
      form: "percentage",
      inModel: true,
      shards: { refused: "Shards do not support abstention." },
    }),
  sets: share().optional().register(requestFields, {
    flags: "--sets <share>",
    help: "also predict sets that contain the true class with this probability, such as 95%",
    group: "decisions",
    form: "percentage",
    inModel: true,
    shards: NO_SETS,
  }),
  setsBy: z.enum(["all", "class"]).optional().register(requestFields, {
    flags: "--sets-by <what>",
    help: "coverage of --sets on average or for each class",
    group: "decisions",
    form: "choice",
    inModel: true,
    shards: NO_SETS,
  }),
  confidence: share().default(0.95).register(requestFields, {
    flags: "--confidence <level>",
    help: "confidence of the certificates",
    group: "decisions",
    form: "fraction",
    inModel: true,
    shards: "same",
  }),
  calibrate: z.boolean().default(true).register(requestFields, {
    flags: "--no-calibrate",
    help: "skip the calibration of probabilities, which may need more fits",
    group: "decisions",
    inModel: true,
    shards: "any",
  }),
  chosenAmong: whole(1).register(requestFields, {
    flags: "--chosen-among <k>",
    help: "you chose --learner from k candidates on the same rows; adjusts the certificates",
    group: "decisions",
    form: "whole number",
    inModel: true,
    shards: { refused: "Training certificates assume a learner that was not chosen on these rows." },
  }),
};
