import { mean, standardDeviation } from "vouch/select";
import { standardError } from "../markdown-table.js";
import { type ChoiceTrial, type Method, relativeError } from "./choice-figure.js";

const CROSS_VALIDATION = "10-fold CV";
const ADJUSTED = "adjusted SRM, C = 2⁻⁹";
/** Adjusted SRM whose constant is found as §5.2 describes, but on each problem anew. */
const CALIBRATED = "adjusted SRM, C by holdout";
/** The criteria of Figure 5.1 in the order of the thesis, the best first (§5.5.1). */
const THESIS_ORDER = [CROSS_VALIDATION, ADJUSTED, "margins"];

/** Compares the order of the criteria of Figure 5.1 with that of the thesis, which has a figure but no numbers. */
export function orderOfCriteria(methods: readonly Method[], trials: readonly ChoiceTrial[]): string {
  const errorsBy = (name: string) => relativeErrors(methods, name, trials);
  const order = THESIS_ORDER.toSorted((a, b) => mean(errorsBy(a)) - mean(errorsBy(b)));
  const found = order.map((name) => `${name} (${spread(errorsBy(name))})`);
  const aheadBy = (name: string) =>
    errorsBy(CROSS_VALIDATION).map((error, trial) => error - errorsBy(name)[trial]);
  return [
    `**The order of the criteria.** The thesis, best first: ${THESIS_ORDER.join("; ")}. It says that adjusted SRM "has larger mean and variance than cross validation", "which turned out to be the best selection method", and that margins perform "in a extremely poor way" (§5.5.1).`,
    `Here, best first, with mean and standard deviation: ${found.join("; ")}.`,
    verdict(order, aheadBy(ADJUSTED)),
    `The thesis calibrates C once, on a holdout, and takes 2⁻⁹, "one of the smallest values" that did well (§5.2). If C is calibrated in each problem, adjusted SRM is ${placement(aheadBy(CALIBRATED))}.`,
  ].join(" ");
}

function relativeErrors(
  methods: readonly Method[],
  name: string,
  trials: readonly ChoiceTrial[],
): readonly number[] {
  const method = methods.find((each) => each.name === name);
  return method ? trials.map((trial) => relativeError(trial.errors, method.choiceIn(trial))) : [];
}

function spread(errors: readonly number[]): string {
  return `${mean(errors).toFixed(1)}, ${standardDeviation(errors).toFixed(1)}`;
}

function verdict(order: readonly string[], ahead: readonly number[]): string {
  if (order.join() === THESIS_ORDER.join()) return "That is the order of the thesis.";
  const reversed = order.indexOf(ADJUSTED) < order.indexOf(CROSS_VALIDATION);
  const sentence = reversed
    ? "Cross-validation and adjusted SRM are in the reverse order of the thesis"
    : "That is not the order of the thesis";
  return `${sentence}: adjusted SRM is ${placement(ahead)}.`;
}

/** Writes "2.1 ± 0.8 points ahead of cross-validation": mean and standard error of the difference in each problem. */
function placement(ahead: readonly number[]): string {
  const points = mean(ahead);
  const difference = `${Math.abs(points).toFixed(1)} ± ${standardError(ahead).toFixed(1)} points`;
  return `${difference} ${points < 0 ? "behind" : "ahead of"} cross-validation on average`;
}
