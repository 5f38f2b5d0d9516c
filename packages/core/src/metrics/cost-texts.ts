import { classHint } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";

/** Default cost of an error. */
const USUAL_COST = 1;

/**
 * Builds the cost matrix from `--cost TRUE:PREDICTED=COST` flags: rows are true classes, columns predicted ones. By
 * default, correct predictions cost 0 and errors 1.
 */
export function costMatrix(flags: readonly string[], classes: readonly string[]): number[][] {
  const costs = classes.map((_, t) => classes.map((_, p): number => (t === p ? 0 : USUAL_COST)));
  for (const flag of flags) {
    const { actual, predicted, cost } = parseCost(flag, classes);
    costs[actual][predicted] = cost;
  }
  return costs;
}

function parseCost(
  flag: string,
  classes: readonly string[],
): { readonly actual: number; readonly predicted: number; readonly cost: number } {
  const equals = flag.lastIndexOf("=");
  const text = flag.slice(equals + 1).trim();
  const cost = Number(text);
  if (equals < 0 || text === "" || !(cost >= 0 && Number.isFinite(cost))) {
    throw new VouchError(
      "option/invalid",
      `--cost must be TRUE:PREDICTED=COST with a cost ≥ 0, not "${flag}".`,
      {
        hint: "For example Yes:No=5: missing a Yes costs 5.",
      },
    );
  }
  // Classes may contain colons, so every possible split is tried.
  const pair = flag.slice(0, equals);
  for (const [actual, name] of classes.entries()) {
    if (!pair.startsWith(`${name}:`)) continue;
    const predicted = classes.indexOf(pair.slice(name.length + 1));
    if (predicted >= 0) return { actual, predicted, cost };
  }
  const unknown = pair.split(":").find((name) => !classes.includes(name)) ?? pair;
  throw new VouchError(
    "option/invalid",
    `--cost is "${flag}", but "${unknown}" is not a class of the model.`,
    {
      hint: classHint(unknown, classes),
    },
  );
}
