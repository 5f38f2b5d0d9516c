import { type NetworkTrial, networkCriteria } from "#experiments/model-selection/network-trial.js";
import { ARCHITECTURES } from "#experiments/model-selection/oracle-network.js";

/** Makes up the results on a pair of digits: all criteria choose the same architecture; that with index 5 is best, the first worst. */
export function madeUpTrial(truth: number, choice: number): NetworkTrial {
  return {
    digits: [3, 8],
    trainingRows: 12_000,
    testRows: 2000,
    truth,
    realError: 0.02,
    errors: ARCHITECTURES.map((_, k) => (k === 5 ? 0.01 : k === 0 ? 0.05 : 0.02)),
    choices: networkCriteria.map(() => choice),
    adjustment: 2 ** -9,
  };
}
