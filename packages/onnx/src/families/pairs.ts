import type { OneVsOne } from "@vouch/core/internal/learners/svm/pair-machines";
import type { Graph, Value } from "../graph.js";
import { ROWS } from "../raw-columns.js";
import { kernelValues } from "./kernels.js";

/** The sum of a class's decision values counts less than this fraction of a vote. */
const CONFIDENCE_SHARE = 1 / 3;

/** The smallest positive double. */
const LEAST_POSITIVE = Number.MIN_VALUE;

/** Two classes and the machine that decides between them. */
interface Pair {
  readonly first: number;
  readonly second: number;
}

/** Lists all pairs of classes in LIBSVM's order. */
export function classPairs(classes: number): Pair[] {
  return Array.from({ length: classes }, (_, first) =>
    Array.from({ length: classes - first - 1 }, (_, k) => ({ first, second: first + k + 1 })),
  ).flat();
}

/**
 * Adds f(x) of the machines of all pairs, [rows, pairs]. Support vectors of a class share their kernel values and have
 * one coefficient for each other class.
 */
export function pairValues(
  graph: Graph,
  { kernel, supportVectors, counts, coefficients, biases, pairs }: OneVsOne,
  features: Value,
): Value {
  const others = counts.length - 1;
  const kernels = kernelValues(graph, kernel, features, supportVectors);
  let begin = 0;
  const sums = Array.from(counts, (count) => {
    const own = coefficients.values.subarray(begin * others, (begin + count) * others);
    const rows = counts.length === 1 ? kernels : slice(graph, kernels, begin, begin + count);
    begin += count;
    return graph.product(rows, graph.doubles(own, [count, others]));
  });
  const all = graph.concat(sums);
  const column = (own: number, opponent: number) => own * others + (opponent < own ? opponent : opponent - 1);
  const ofFirst = graph.columns(
    all,
    pairs.map(({ first, second }) => column(first, second)),
  );
  const ofSecond = graph.columns(
    all,
    pairs.map(({ first, second }) => column(second, first)),
  );
  return graph.add(graph.add(ofFirst, ofSecond), graph.doubles(biases, [1, biases.length]));
}

/** Selects the columns from `begin` to `end` − 1. */
function slice(graph: Graph, values: Value, begin: number, end: number): Value {
  return graph.op("Slice", [values, graph.integers([begin]), graph.integers([end]), graph.integers([1])]);
}

/**
 * Computes scores as votes plus a share for the sum of decision values; "first" breaks ties in favour of the first
 * class.
 */
export function voteScores(graph: Graph, values: Value, classes: number, ties: "first" | "sum"): Value {
  const pairs = classPairs(classes);
  /**
   * +1 for the first class of a pair, −1 for the second; for decision values, and for votes that go to the second by
   * default.
   */
  const sides = new Float64Array(pairs.length * classes);
  const defaults = new Float64Array(classes);
  for (const [p, { first, second }] of pairs.entries()) {
    sides[p * classes + first] = 1;
    sides[p * classes + second] = -1;
    defaults[second] += 1;
  }
  const isFirst = graph.cast(graph.op("Greater", [values, graph.double(0)]), "double");
  const signs = graph.doubles(sides, [pairs.length, classes]);
  const votes = graph.add(graph.product(isFirst, signs), graph.doubles(defaults, [1, classes]));
  const sums = graph.product(values, signs);
  const scores = graph.add(votes, shareOfVote(graph, sums));
  if (ties === "sum") return scores;
  const ofWinner = graph.elements(scores, graph.reshape(graph.argMax(votes), [-1, 1]));
  return graph.min(scores, ofWinner);
}

/** Maps a decision value to a fraction of a vote. */
export function shareOfVote(graph: Graph, value: Value): Value {
  const size = graph.add(graph.op("Abs", [value]), graph.double(1));
  return graph.div(graph.mul(value, graph.double(CONFIDENCE_SHARE)), size);
}

/** Stacks the scores f and −f; if f is 0, the second class wins. */
export function scoresOfPair(graph: Graph, values: Value): Value {
  const isPositive = graph.op("Greater", [values, graph.double(0)]);
  const first = graph.where(isPositive, values, graph.min(values, graph.double(-LEAST_POSITIVE)));
  return graph.concat([first, graph.op("Neg", [first])]);
}

/** Computes Platt's probabilities of the first class of each pair. */
export function sigmoidProbabilities(
  graph: Graph,
  sigmoids: readonly { readonly A: number; readonly B: number }[],
  values: Value,
): Value {
  const row = (of: (each: (typeof sigmoids)[number]) => number) =>
    graph.doubles(sigmoids.map(of), [1, sigmoids.length]);
  const z = graph.add(
    graph.mul(
      values,
      row(({ A }) => A),
    ),
    row(({ B }) => B),
  );
  const e = graph.op("Exp", [graph.op("Neg", [graph.op("Abs", [z])])]);
  const isPositive = graph.op("GreaterOrEqual", [z, graph.double(0)]);
  const p = graph.div(graph.where(isPositive, e, graph.double(1)), graph.add(e, graph.double(1)));
  return clipped(graph, p);
}

/** Probabilities of a pair are kept this far from 0 and 1. */
const LEAST_PROBABILITY = 1e-7;

/** Keeps probabilities of pairs away from 0 and 1. */
export function clipped(graph: Graph, probabilities: Value): Value {
  const least = graph.double(LEAST_PROBABILITY);
  return graph.min(graph.max(probabilities, least), graph.double(1 - LEAST_PROBABILITY));
}

/**
 * Couples the probabilities of pairs into class probabilities like the library, in a loop; rows that have converged
 * stay as they are.
 */
export function coupled(graph: Graph, pairs: Value, classes: number): Value {
  if (classes === 2) return graph.concat([pairs, graph.sub(graph.double(1), pairs)]);
  const { Q, diagonal } = couplingMatrix(graph, pairs, classes);
  const start = graph.add(
    graph.mul(graph.columns(diagonal, [0]), graph.doubles(new Float64Array(classes), [1, classes])),
    graph.double(1 / classes),
  );
  const inner = graph.inner();
  inner.input(`${start}.step`, "int64", []);
  inner.input(`${start}.goesOn`, "bool", []);
  const p = inner.input(`${start}.p`, "double", [ROWS, classes]);
  const Qp = inner.reshape(inner.sum(inner.mul(Q, inner.reshape(p, [-1, 1, classes])), 2), [-1, classes]);
  const pQp = inner.sum(inner.mul(p, Qp));
  const distance = inner.largest(inner.op("Abs", [inner.sub(Qp, pQp)]));
  const isOpen = inner.op("GreaterOrEqual", [distance, inner.double(0.005 / classes)]);
  const next = inner.where(isOpen, improved(inner, { Q, diagonal, p, Qp, pQp }, classes), p);
  const count = inner.op("ReduceSum", [inner.cast(isOpen, "int64")], { keepdims: { kind: "int", value: 0 } });
  inner.output(`${start}.goesOnNext`, inner.op("Greater", [count, inner.integer(0)]), "bool", []);
  inner.output(`${start}.pNext`, next, "double", [ROWS, classes]);
  const always = graph.constant({ shape: [], values: Uint8Array.of(1) });
  return graph.op("Loop", [graph.integer(Math.max(100, classes)), always, start], {
    body: { kind: "graph", value: inner.finished("coupling") },
  });
}

/** Computes Q_tt = Σ r_jt² and Q_tj = −r_jt r_tj of each row, [rows, classes, classes], and the diagonal of Q. */
function couplingMatrix(graph: Graph, pairs: Value, classes: number) {
  const list = classPairs(classes);
  const rest = graph.sub(graph.double(1), pairs);
  const all = graph.concat([pairs, rest]);
  const index = (of: number, against: number) => {
    const pair = list.findIndex(
      ({ first, second }) => first === Math.min(of, against) && second === Math.max(of, against),
    );
    return of < against ? pair : list.length + pair;
  };
  const cells = Array.from({ length: classes * classes }, (_, cell) => {
    const [t, j] = [Math.floor(cell / classes), cell % classes];
    return { t, j };
  });
  // Diagonal indices are placeholders; their values are replaced.
  const ofOthers = cells.map(({ t, j }) => (t === j ? 0 : index(j, t)));
  const ofOwn = cells.map(({ t, j }) => (t === j ? 0 : index(t, j)));
  const other = graph.columns(all, ofOthers);
  const isDiagonal = graph.constant({
    shape: [1, classes * classes],
    values: Uint8Array.from(cells, ({ t, j }) => Number(t === j)),
  });
  const squares = graph.where(isDiagonal, graph.double(0), graph.mul(other, other));
  const diagonal = graph.reshape(graph.sum(graph.reshape(squares, [-1, classes, classes]), 2), [-1, classes]);
  const products = graph.op("Neg", [graph.mul(other, graph.columns(all, ofOwn))]);
  const repeated = graph.columns(
    diagonal,
    cells.map(({ t }) => t),
  );
  const Q = graph.reshape(graph.where(isDiagonal, repeated, products), [-1, classes, classes]);
  return { Q, diagonal };
}

interface Coupling {
  readonly Q: Value;
  readonly diagonal: Value;
  readonly p: Value;
  readonly Qp: Value;
  readonly pQp: Value;
}

/** Optimises each p_t in turn, and normalises p again. */
function improved(graph: Graph, { Q, diagonal, ...start }: Coupling, classes: number): Value {
  let { p, Qp, pQp } = start;
  for (let t = 0; t < classes; t++) {
    const own = graph.columns(diagonal, [t]);
    const ofClass = graph.columns(Qp, [t]);
    const step = graph.div(graph.sub(pQp, ofClass), own);
    const scale = graph.add(step, graph.double(1));
    const growth = graph.mul(step, graph.add(graph.mul(step, own), graph.mul(ofClass, graph.double(2))));
    pQp = graph.div(graph.div(graph.add(pQp, growth), scale), scale);
    const row = graph.reshape(graph.columns(Q, [t]), [-1, classes]);
    Qp = graph.div(graph.add(Qp, graph.mul(row, step)), scale);
    const isOwn = graph.doubles(
      Array.from({ length: classes }, (_, k) => Number(k === t)),
      [1, classes],
    );
    p = graph.div(graph.add(p, graph.mul(isOwn, step)), scale);
  }
  return p;
}
