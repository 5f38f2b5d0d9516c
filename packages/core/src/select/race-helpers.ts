import { selectGreedily } from "../learners/ensemble/greedy-selection.js";
import type { Contender } from "./contender.js";
import { bestOfKinds, type StageStanding } from "./race-rounds.js";
import { type TestSettings, testedProbabilities } from "./tested-probabilities.js";

/** The best of a kind may have this many times the loss of the leader and get a weight. */
const MAY_HELP = 3;

/** Contenders with a smaller weight add little to an ensemble. */
const LEAST_WEIGHT = 0.05;

/**
 * Finds the contenders, clearly behind the leader or not, that an ensemble may need: those that get a weight if the best of each
 * kind of learner are combined by their tests. The log-loss selects them, since mistakes on few rows are few.
 */
export function helpersOf(standing: StageStanding, settings: TestSettings): Contender[] {
  const kinds = bestOfKinds(standing, MAY_HELP);
  const { stage, rounds } = standing;
  if (stage === undefined || kinds.length < 2) return kinds;
  const tests = testedProbabilities(kinds, stage, rounds, settings);
  if (!tests) return kinds;
  const { probabilities, labels, classes } = tests;
  const weights = selectGreedily(probabilities, { kind: "log-loss", labels, classes });
  return kinds.filter((_, place) => weights[place] >= LEAST_WEIGHT);
}
