import { metricFacts } from "../evaluate/metric.js";
import { lossesOf } from "../learners/ensemble/choose-pool.js";
import type { Contender } from "./contender.js";
import { pairedDifference } from "./race-rounds.js";
import { type TestSettings, testedProbabilities } from "./tested-probabilities.js";

/** With more tested rows the number of mistakes alone decides. */
const MOST_ROWS = 5000;

/**
 * Applies the one-standard-error rule to contenders of few rows, best first: of those whose loss is within one standard error of
 * the smallest, the one with the smallest log-loss comes first. The mistakes on few rows differ by chance, and the smallest number
 * of them among many contenders is mostly luck; the probabilities tell more about each row. Only for metrics that judge predictions.
 */
export function byOneStandardError(
  order: readonly Contender[],
  stage: number,
  rounds: number,
  settings: TestSettings,
): readonly Contender[] {
  if (metricFacts(settings.objective.metric).judges !== "predictions") return order;
  const [leader] = order;
  const leading = leader.lossesOf(stage, rounds);
  if (leading.reduce((sum, { losses }) => sum + losses.length, 0) > MOST_ROWS) return order;
  const close = order.flatMap((one) => {
    const { difference, standardError } = pairedDifference(
      one.lossesOf(stage, rounds),
      leading,
      settings.groups,
    );
    if (difference > standardError) return [];
    const tests = testedProbabilities([one], stage, rounds, settings);
    return tests ? [{ one, logLoss: lossesOf(tests.probabilities[0], tests).logLoss }] : [];
  });
  const [likeliest] = close.sort((a, b) => a.logLoss - b.logLoss || a.one.place - b.one.place);
  if (!likeliest) return order;
  return [likeliest.one, ...order.filter((one) => one !== likeliest.one)];
}
