import { lossesOf } from "../learners/ensemble/choose-pool.js";
import { metricFacts } from "../metrics/objective-metric.js";
import { type Contender, meanLoss } from "./contender.js";
import { pairedDifference, type StageStanding } from "./race-rounds.js";
import { type TestSettings, testedProbabilities } from "./tested-probabilities.js";

/** With more tested rows the number of mistakes alone decides, unless a class is rare or the leader is a constant. */
const MOST_ROWS = 5000;

/** Calibrations take time: only this many contenders are compared with calibrated probabilities. */
const MOST_CALIBRATED = 6;

/** Contenders, best first, and the rounds that they are compared by. */
interface ComparedContenders {
  readonly order: readonly Contender[];
  readonly stage: number;
  readonly rounds: number;
}

/**
 * Applies the one-standard-error rule to contenders, best first: of those whose loss is within one standard error of the smallest,
 * the one with the smallest log-loss comes first. The mistakes on few rows differ by chance, and the smallest number of them among
 * many contenders is mostly luck; the probabilities tell more about each row. The same holds for many rows if a class is rare: a
 * model that never predicts it makes as few mistakes as one that ranks its rows well. Only for metrics that judge predictions.
 */
export function byOneStandardError(
  { order, stage, rounds }: StageStanding,
  settings: TestSettings,
): readonly Contender[] {
  if (stage === undefined || !judgesPredictions(settings)) return order;
  const [leader] = order;
  const tested = leader.lossesOf(stage, rounds).reduce((sum, { losses }) => sum + losses.length, 0);
  const calibrates = settings.hasRareClass || leader.isConstant;
  if (tested > MOST_ROWS && !calibrates) return order;
  const compared = { order, stage, rounds };
  const close = closeToBest(compared, settings);
  const [likeliest] = calibrates
    ? byCalibratedLogLoss({ ...compared, order: close })
    : byTestedLogLoss({ ...compared, order: close }, settings);
  return likeliest ? [likeliest, ...order.filter((one) => one !== likeliest)] : order;
}

/** Sorts the close contenders of a race with a rare class by log-loss; in other races the order stays. */
export function closeByLogLoss(standing: StageStanding, settings: TestSettings): StageStanding {
  const { order, stage, rounds } = standing;
  if (stage === undefined || !settings.hasRareClass || !judgesPredictions(settings)) return standing;
  const close = byRoughLogLoss({ order: closeToBest({ order, stage, rounds }, settings), stage, rounds });
  return { stage, rounds, order: [...close, ...order.filter((one) => !close.includes(one))] };
}

/**
 * Checks whether a contender is preferred to a constant one: in its last stage its loss is not clearly larger, and its log-loss is
 * smaller, so that its scores rank rows.
 */
export function outranks(one: Contender, constant: Contender, settings: TestSettings): boolean {
  const stage = one.lastStage;
  const rounds = Math.min(one.resultsOf(stage).length, constant.resultsOf(stage).length);
  if (one.isConstant || rounds === 0 || !judgesPredictions(settings)) return false;
  const close = closeToBest({ order: [constant, one], stage, rounds }, settings);
  return close.includes(one) && byCalibratedLogLoss({ order: [constant, one], stage, rounds })[0] === one;
}

function judgesPredictions({ objective }: TestSettings): boolean {
  return metricFacts(objective.metric).judges === "predictions";
}

/** Returns the contenders whose loss is within one standard error of that of the first. */
function closeToBest(
  { order, stage, rounds }: ComparedContenders,
  { groups }: TestSettings,
): readonly Contender[] {
  const leading = order[0].lossesOf(stage, rounds);
  return order.filter((one) => {
    const { difference, standardError } = pairedDifference(one.lossesOf(stage, rounds), leading, groups);
    return difference <= standardError;
  });
}

function byTestedLogLoss(
  { order, stage, rounds }: ComparedContenders,
  settings: TestSettings,
): readonly Contender[] {
  return sortedBy(order, (one) => {
    const tests = testedProbabilities([one], stage, rounds, settings);
    return tests ? lossesOf(tests.probabilities[0], tests).logLoss : Number.NaN;
  });
}

/** Sorts by log-loss without a calibration. */
function byRoughLogLoss({ order, stage, rounds }: ComparedContenders): readonly Contender[] {
  return sortedBy(order, (one) => meanLoss(one.logLossesOf(stage, rounds)));
}

/** Sorts the best contenders by log-loss with calibrated probabilities, as the chosen one will have them. */
function byCalibratedLogLoss(compared: ComparedContenders): readonly Contender[] {
  const { stage, rounds } = compared;
  const best = byRoughLogLoss(compared);
  const constants = best.filter(({ isConstant }) => isConstant).slice(0, 1);
  const others = best.filter(({ isConstant }) => !isConstant).slice(0, MOST_CALIBRATED);
  return sortedBy([...constants, ...others], (one) => one.calibratedLogLoss(stage, rounds));
}

/** Sorts by a loss, equal ones by place; leaves out contenders whose loss is not known. */
function sortedBy(
  contenders: readonly Contender[],
  lossOf: (one: Contender) => number,
): readonly Contender[] {
  return contenders
    .map((one) => ({ one, loss: lossOf(one) }))
    .filter(({ loss }) => Number.isFinite(loss))
    .sort((a, b) => a.loss - b.loss || a.one.place - b.one.place)
    .map(({ one }) => one);
}
