import type { Decision } from "@vouch/core/internal/metrics/decision";
import type { Graph, Value } from "./graph.js";

type Calibrator = NonNullable<Decision["calibrator"]>;
type CalibratorParts = Calibrator["parts"];

/** Decision values are clipped to this multiple of their scale, as in the library. */
const LARGEST_DECISION = 1000;

/** Smallest probability of a class against the rest. */
const LEAST = 1e-300;

/** The smallest normal double: the logarithm of a sum that underflows. */
const SMALLEST_NORMAL = 2 ** -1022;

/** Adds the map from scores to probabilities, [rows, classes]. */
export function calibrate(graph: Graph, { parts }: Calibrator, scores: Value): Value {
  const { slopes, intercepts, curves, method } = parts;
  const classes = slopes.length;
  const floor = method === "none" ? 0 : parts.floor;
  const scaled = graph.mul(logScores(graph, parts, scores), graph.doubles(slopes, [1, classes]));
  const logits = graph.add(scaled, graph.doubles(intercepts, [1, classes]));
  if (!curves) {
    const shares = graph.softmax(logits);
    return floor > 0 ? raised(graph, shares, classes, floor) : shares;
  }
  const odds = logOdds(graph, logits, classes);
  const count = classes === 2 ? 1 : classes;
  const calibrated = Array.from({ length: count }, (_, c) => {
    const own = graph.columns(odds, [classes === 2 ? 1 : c]);
    return curves.kind === "beta"
      ? betaCurve(graph, own, curves.a[c], curves.b[c], curves.c[c])
      : isotonicCurve(graph, own, curves.knots[c]);
  });
  if (classes === 2) {
    const [second] = calibrated;
    return raised(graph, graph.concat([graph.sub(graph.double(1), second), second]), classes, floor);
  }
  const all = graph.max(graph.concat(calibrated), graph.double(LEAST));
  return raised(graph, graph.div(all, graph.sum(all)), classes, floor);
}

function raised(graph: Graph, shares: Value, classes: number, floor: number): Value {
  return graph.add(graph.mul(shares, graph.double(1 - classes * floor)), graph.double(floor));
}

function logScores(graph: Graph, { scoring, floor, scale, slopes }: CalibratorParts, scores: Value): Value {
  const clipped = (value: Value, low: number, high: number) =>
    graph.max(graph.min(value, graph.double(high)), graph.double(low));
  if (scoring === "probability") {
    return graph.op("Log", [raised(graph, clipped(scores, 0, 1), slopes.length, floor)]);
  }
  return clipped(graph.div(scores, graph.double(scale)), -LARGEST_DECISION, LARGEST_DECISION);
}

/** Computes ln(q / (1 − q)) of q = softmax(logits) without loss of precision if a class is almost certain. */
function logOdds(graph: Graph, logits: Value, classes: number): Value {
  const own = graph.sub(logits, graph.largest(logits));
  const isBest = graph.oneHot(graph.argMax(logits), classes);
  const others = graph.where(isBest, graph.double(0), graph.op("Exp", [own]));
  const sum = graph.sum(others);
  const rest = graph.max(graph.sub(sum, others), graph.double(0));
  const ofBest = graph.op("Neg", [graph.op("Log", [graph.max(sum, graph.double(SMALLEST_NORMAL))])]);
  const ofOther = graph.sub(own, graph.op("Log", [graph.add(rest, graph.double(1))]));
  return graph.where(isBest, ofBest, ofOther);
}

/** Computes σ(a·ln p − b·ln(1 − p) + c) from the log-odds of p. */
function betaCurve(graph: Graph, odds: Value, a: number, b: number, c: number): Value {
  const zero = graph.double(0);
  const one = graph.double(1);
  const negated = (value: Value) => graph.op("Neg", [value]);
  const exponential = (value: Value) => graph.op("Exp", [negated(graph.op("Abs", [value]))]);
  const rest = graph.op("Log", [graph.add(exponential(odds), one)]);
  const above = graph.mul(graph.add(graph.max(odds, zero), rest), graph.double(b));
  const below = graph.mul(graph.add(graph.max(negated(odds), zero), rest), graph.double(a));
  const logits = graph.add(graph.sub(above, below), graph.double(c));
  const e = exponential(logits);
  const numerator = graph.where(graph.op("GreaterOrEqual", [logits, zero]), one, e);
  return graph.div(numerator, graph.add(e, one));
}

/** Evaluates a piecewise linear curve that is constant beyond its knots. */
function isotonicCurve(
  graph: Graph,
  odds: Value,
  { at, probabilities }: { readonly at: Float64Array; readonly probabilities: Float64Array },
): Value {
  const last = at.length - 1;
  const isAbove = graph.op("Greater", [odds, graph.doubles(at, [1, at.length])]);
  const right = graph.sum(graph.cast(isAbove, "int64"));
  const index = (value: Value) => graph.max(graph.min(value, graph.integer(last)), graph.integer(0));
  const before = index(graph.sub(right, graph.integer(1)));
  const after = index(right);
  const knots = graph.doubles(at);
  const values = graph.doubles(probabilities);
  const from = graph.lookUp(knots, before);
  const width = graph.sub(graph.lookUp(knots, after), from);
  const low = graph.lookUp(values, before);
  const rise = graph.sub(graph.lookUp(values, after), low);
  // Outside the knots, both ends are the same knot.
  const isInside = graph.op("Greater", [width, graph.double(0)]);
  const share = graph.div(graph.sub(odds, from), graph.where(isInside, width, graph.double(1)));
  return graph.add(low, graph.where(isInside, graph.mul(share, rise), graph.double(0)));
}
