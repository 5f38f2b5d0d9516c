import type { Decision } from "@vouch/core/internal/metrics/decision";
import { calibrate } from "./calibrate.js";
import type { ModelScores } from "./exporter.js";
import type { Graph, Value } from "./graph.js";
import { ROWS } from "./raw-columns.js";

/** Adds the outputs: probabilities and scores, predicted classes, abstention and sets. */
export function addDecision(
  graph: Graph,
  { calibrator, rule, abstention, sets }: Decision,
  { scores, predictions: own }: ModelScores,
  { classes, scoring }: { readonly classes: readonly string[]; readonly scoring: "probability" | "decision" },
): void {
  const count = classes.length;
  const decided = calibrator ? calibrate(graph, calibrator, scores) : scores;
  const predictions = predicted(graph, rule, decided, count, () => own ?? graph.argMax(scores));
  const names = graph.lookUp(graph.texts(classes), predictions);
  if (abstention) {
    const confidences = graph.elements(decided, graph.reshape(predictions, [-1, 1]));
    const least = abstention.threshold ?? Number.NEGATIVE_INFINITY;
    const answered = graph.reshape(isReached(graph, confidences, graph.double(reachedFrom(least))), [-1]);
    graph.output("label", graph.where(answered, names, graph.texts([""], [])), "string", [ROWS]);
    graph.output("answered", answered, "bool", [ROWS]);
  } else graph.output("label", names, "string", [ROWS]);
  if (calibrator || scoring === "probability") {
    graph.output("probabilities", decided, "double", [ROWS, count]);
  }
  if (sets) graph.output("set", setsOf(graph, sets, decided, count), "bool", [ROWS, count]);
  graph.output("scores", scores, "double", [ROWS, count]);
}

/** Thresholds are probabilities of rows, and a row with the same probability must reach them in spite of rounding. */
const ROUNDING = 1e-12;

function reachedFrom(limit: number): number {
  return limit - ROUNDING;
}

function isReached(graph: Graph, probabilities: Value, limits: Value): Value {
  return graph.op("GreaterOrEqual", [probabilities, limits]);
}

function predicted(
  graph: Graph,
  rule: Decision["rule"],
  probabilities: Value,
  classes: number,
  ownAnswers: () => Value,
): Value {
  switch (rule.kind) {
    case "model":
      return ownAnswers();
    case "threshold": {
      const own = graph.columns(probabilities, [rule.class]);
      const isAnswer = isReached(graph, own, graph.double(reachedFrom(rule.at)));
      const isClass = graph.constant({
        shape: [1, classes],
        values: Uint8Array.from({ length: classes }, (_, k) => Number(k === rule.class)),
      });
      const others = graph.argMax(graph.where(isClass, graph.double(-1), probabilities));
      return graph.where(graph.reshape(isAnswer, [-1]), graph.integer(rule.class), others);
    }
    case "weights":
      return graph.argMax(graph.mul(probabilities, graph.doubles(rule.weights, [1, classes])));
    case "costs": {
      const costs = graph.doubles(rule.costs.flat(), [classes, classes]);
      return graph.argMax(graph.op("Neg", [graph.product(probabilities, costs)]));
    }
  }
}

/** Computes which classes are in the set of each row; the most probable one if no class qualifies. */
function setsOf(
  graph: Graph,
  { limits, perClass }: NonNullable<Decision["sets"]>,
  probabilities: Value,
  classes: number,
): Value {
  const least = Array.from({ length: classes }, (_, c) => reachedFrom(limits[perClass ? c : 0].probability));
  const isMember = isReached(graph, probabilities, graph.doubles(least, [1, classes]));
  const size = graph.sum(graph.cast(isMember, "int64"));
  const isEmpty = graph.op("Equal", [size, graph.integer(0)]);
  const isBest = graph.oneHot(graph.argMax(probabilities), classes);
  return graph.op("Or", [isMember, graph.op("And", [isEmpty, isBest])]);
}
