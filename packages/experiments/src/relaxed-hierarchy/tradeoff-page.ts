import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import * as z from "zod";
import { absenceNote } from "../datasets.js";
import { divisionFacts } from "../divisions.js";
import { markdownTable } from "../markdown-table.js";
import { BALANCED, DAG, ONE_VS_ONE } from "./schemes.js";

/** Accuracy and cost of one scheme on one data set. */
export const pointSchema = z.strictObject({
  accuracy: z.number().min(0).max(1),
  /** Mean number of kernel evaluations for a test row; absent with the linear kernel. */
  kernel: z.number().min(0).optional(),
  /** Mean number of machines evaluated for a test row. */
  nodes: z.number().min(0),
  /** Number of machines. */
  machines: z.int().min(1),
  /** Time to predict a test row on one thread, to two digits; differs from run to run. */
  microseconds: z.number().min(0),
});

/** The settings that all machines of a data set share. */
export const settingsSchema = z.strictObject({
  kernel: z.enum(["rbf", "chi-square", "linear"]),
  C: z.number().positive(),
  gamma: z.number().positive().optional(),
});

const schemeSchema = pointSchema.extend({ name: z.string(), rho: z.number().positive().optional() });

/** A scheme as a point in the plane of cost and accuracy. */
export type SchemePoint = z.infer<typeof schemeSchema>;

const setSchema = z.strictObject({
  dataset: z.string(),
  ...divisionFacts,
  settings: settingsSchema,
  schemes: z.array(schemeSchema),
});

/** The results on one data set. */
export type SetPoints = z.infer<typeof setSchema>;

/** The whole result. */
export const tradeoffSchema = z.strictObject({ sets: z.array(setSchema), absent: z.array(z.string()) });

const NOTES = `\
All schemes on a data set use the same kernel, C and γ, chosen for one-vs-one machines (one-vs-rest with the linear kernel)
by cross-validation on the training rows. _Evaluations_: mean number of distinct support vectors evaluated for a test row;
with the linear kernel, mean number of machines evaluated. _Nodes_: mean number of machines evaluated for a test row. _µs_: time to
predict a row on one thread, which varies from run to run. With many rows and many classes, ρ below 0.2 was not tried because it
would take hours.`;

const VERDICTS = `\
_Above the line_: a relaxed hierarchy is more accurate than the point of equal cost on the line from the balanced hierarchy to
DAGSVM, and no classical scheme is both at least as accurate and cheaper. _Near one-vs-one_: within 0.5 points of its accuracy at
a fifth of its cost or less. The table lists every ρ for which this is true. These values were not chosen in advance: if you take the
best of six, you choose on test rows. The two measures of cost disagree: a machine for many classes has many support
vectors, so a few large machines can take more kernel evaluations than many small ones.`;

const MEASURES: readonly CostMeasure[] = ["evaluations", "nodes"];

/** Maximum loss of accuracy that counts as near one-vs-one, and maximum share of its cost. */
const NEAR = 0.005;
const SHARE_OF_COST = 1 / 5;

/** Renders the result. */
export function tradeoffPage({ sets, absent }: z.output<typeof tradeoffSchema>): string {
  return [
    NOTES,
    "### Summary",
    VERDICTS,
    verdictTable(sets),
    ...sets.flatMap((set) => [`### ${set.dataset}`, setLine(set), pointTable(set)]),
    ...absenceNote(absent),
  ].join("\n\n");
}

/** The cost of a prediction: machines evaluated, or kernel evaluations if there is a kernel. */
type CostMeasure = "evaluations" | "nodes";

function measureCost({ kernel, nodes }: SchemePoint, measure: CostMeasure): number {
  return measure === "nodes" ? nodes : (kernel ?? nodes);
}

/** Finds the relaxed hierarchies above the line from the balanced hierarchy to DAGSVM that no classical scheme beats. */
export function aboveTheLine({ schemes }: Pick<SetPoints, "schemes">, measure: CostMeasure): SchemePoint[] {
  const cost = (point: SchemePoint) => measureCost(point, measure);
  const from = named(schemes, BALANCED);
  const to = named(schemes, DAG);
  const classical = schemes.filter(({ rho }) => rho === undefined);
  return schemes.filter((point) => {
    if (point.rho === undefined) return false;
    const beaten = classical.some((other) => other.accuracy >= point.accuracy && cost(other) < cost(point));
    return !beaten && point.accuracy > onLine(from, to, point, cost);
  });
}

/** Finds the relaxed hierarchies that are nearly as accurate as one-vs-one at a fifth of its cost. */
export function nearOneVsOne({ schemes }: Pick<SetPoints, "schemes">, measure: CostMeasure): SchemePoint[] {
  const all = named(schemes, ONE_VS_ONE);
  return schemes.filter(
    (point) =>
      point.rho !== undefined &&
      point.accuracy >= all.accuracy - NEAR &&
      measureCost(point, measure) <= SHARE_OF_COST * measureCost(all, measure),
  );
}

/** Returns the accuracy on the line through two points at the cost of a third; beyond its ends, the accuracy at the nearer end. */
function onLine(
  from: SchemePoint,
  to: SchemePoint,
  point: SchemePoint,
  cost: (point: SchemePoint) => number,
): number {
  const [low, high] = cost(from) <= cost(to) ? [from, to] : [to, from];
  const span = cost(high) - cost(low);
  const share = span > 0 ? Math.min(1, Math.max(0, (cost(point) - cost(low)) / span)) : 0;
  return low.accuracy + share * (high.accuracy - low.accuracy);
}

function named(schemes: readonly SchemePoint[], wanted: string): SchemePoint {
  const found = schemes.find(({ name }) => name === wanted);
  if (!found) throw new Error(`The result has no scheme ${wanted}.`);
  return found;
}

function verdictTable(sets: readonly SetPoints[]): string {
  const rhos = (points: readonly SchemePoint[]) => points.map(({ rho }) => rho).join(", ") || "–";
  const rows = sets.map((set) => [
    set.dataset,
    String(set.classes),
    ...MEASURES.flatMap((measure) => [rhos(aboveTheLine(set, measure)), rhos(nearOneVsOne(set, measure))]),
  ]);
  const titles = MEASURES.flatMap((measure) => [
    `above the line by ${measure}`,
    `near one-vs-one by ${measure}`,
  ]);
  return markdownTable(["data set", "classes", ...titles], rows);
}

function setLine({ training, test, features, classes, split, settings }: SetPoints): string {
  const { kernel, C, gamma } = settings;
  const rows = `${formatNumber(training)} training and ${formatNumber(test)} test rows (${split} split), ${features} features, ${classes} classes`;
  const width = gamma === undefined ? "" : `, γ = ${Number(gamma.toPrecision(3))}`;
  return `${rows}. Kernel ${kernel}, C = ${C}${width}.`;
}

function pointTable({ schemes }: SetPoints): string {
  const cost = (point: SchemePoint) => measureCost(point, "evaluations");
  const dearest = Math.max(...schemes.map(cost));
  const rows = schemes.map((point) => [
    point.name,
    (100 * point.accuracy).toFixed(2),
    point.kernel === undefined ? "–" : point.kernel.toFixed(0),
    point.nodes.toFixed(1),
    formatNumber(point.machines),
    String(point.microseconds),
    "█".repeat(Math.max(1, Math.round((20 * cost(point)) / dearest))),
  ]);
  return markdownTable(["scheme", "accuracy %", "evaluations", "nodes", "machines", "µs", "cost"], rows);
}
