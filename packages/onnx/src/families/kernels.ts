import type { Kernel } from "@vouch/core/internal/learners/kernel/kernel";
import type { KernelExpansion } from "@vouch/core/internal/learners/kernel/kernel-expansion";
import { asMatrix, type KernelFeatures } from "@vouch/core/internal/learners/kernel/kernel-features";
import type { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import type { Graph, Value } from "../graph.js";
import { ROWS } from "../raw-columns.js";

/** Support vectors or weights as a transposed constant, one column each. */
export function transposed(graph: Graph, { rows, columns, values }: Matrix): Value {
  const cells = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) cells[j * rows + i] = values[i * columns + j];
  }
  return graph.doubles(cells, [columns, rows]);
}

/** Adds the kernel values of rows with vectors, [rows, vectors]. A graph takes sparse vectors as a matrix. */
export function kernelValues(graph: Graph, kernel: Kernel, features: Value, given: KernelFeatures): Value {
  const vectors = asMatrix(given);
  switch (kernel.kind) {
    case "linear":
      return graph.product(features, transposed(graph, vectors));
    case "polynomial": {
      const products = graph.product(features, transposed(graph, vectors));
      const scaled = graph.mul(products, graph.double(kernel.scale));
      return wholePower(graph, graph.add(scaled, graph.double(kernel.offset ?? 1)), kernel.degree);
    }
    case "rbf":
      return exponential(graph, kernel.gamma, squaredDistances(graph, features, vectors));
    case "chi-square":
      return exponential(graph, kernel.gamma, sumOverFeatures(graph, features, vectors, chiSquare));
    case "intersection":
      return sumOverFeatures(graph, features, vectors, (inner, x, y) => inner.min(x, y));
  }
}

/** Multiplies out integer powers, because power operators differ in the last digit between runtimes. */
function wholePower(graph: Graph, base: Value, degree: number): Value {
  let power: Value | undefined;
  let square = base;
  for (let rest = degree; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = power === undefined ? square : graph.mul(power, square);
    if (rest > 1) square = graph.mul(square, square);
  }
  if (power === undefined) throw new TypeError(`A kernel of degree ${degree}.`);
  return power;
}

function exponential(graph: Graph, gamma: number, distances: Value): Value {
  return graph.op("Exp", [graph.mul(distances, graph.double(-gamma))]);
}

/** Computes ‖x‖² + ‖y‖² − 2 x·y, at least 0. */
function squaredDistances(graph: Graph, features: Value, vectors: Matrix): Value {
  const norms = new Float64Array(vectors.rows);
  for (let s = 0; s < vectors.rows; s++) for (const value of vectors.row(s)) norms[s] += value * value;
  const ofRows = graph.sum(graph.mul(features, features));
  const products = graph.product(features, transposed(graph, vectors));
  const sums = graph.add(ofRows, graph.doubles(norms, [1, norms.length]));
  return graph.max(graph.sub(sums, graph.mul(products, graph.double(2))), graph.double(0));
}

/** Computes (x − y)² / (x + y), where 0/0 counts as 0. */
function chiSquare(graph: Graph, x: Value, y: Value): Value {
  const difference = graph.sub(x, y);
  const total = graph.add(x, y);
  const isPositive = graph.op("Greater", [total, graph.double(0)]);
  const terms = graph.div(graph.mul(difference, difference), graph.where(isPositive, total, graph.double(1)));
  return graph.where(isPositive, terms, graph.double(0));
}

/**
 * Sums a function of two numbers over the features, [rows, vectors], in a loop, because all terms at once would not fit
 * into memory.
 */
function sumOverFeatures(
  graph: Graph,
  features: Value,
  vectors: Matrix,
  term: (inner: Graph, x: Value, y: Value) => Value,
): Value {
  const byFeature = transposed(graph, vectors);
  const start = graph.mul(
    graph.columns(features, [0]),
    graph.doubles(new Float64Array(vectors.rows), [1, vectors.rows]),
  );
  const inner = graph.inner();
  const step = inner.input(`${start}.step`, "int64", []);
  const goesOn = inner.input(`${start}.goesOn`, "bool", []);
  const sum = inner.input(`${start}.sum`, "double", [ROWS, vectors.rows]);
  const index = inner.reshape(step, [1]);
  const x = inner.op("Gather", [features, index], { axis: { kind: "int", value: 1 } });
  const y = inner.op("Gather", [byFeature, index], { axis: { kind: "int", value: 0 } });
  inner.output(`${start}.goesOnNext`, goesOn, "bool", []);
  inner.output(`${start}.sumNext`, inner.add(sum, term(inner, x, y)), "double", [ROWS, vectors.rows]);
  const always = graph.constant({ shape: [], values: Uint8Array.of(1) });
  return graph.op("Loop", [graph.integer(vectors.columns), always, start], {
    body: { kind: "graph", value: inner.finished("sum") },
  });
}

/** Adds f(x) = Σ coefficient · K(support, x) + bias, as a column. */
export function expansionValues(
  graph: Graph,
  {
    kernel,
    support,
    coefficients,
    bias,
  }: Pick<KernelExpansion, "kernel" | "support" | "coefficients" | "bias">,
  features: Value,
): Value {
  if (coefficients.length === 0) return graph.repeat([bias], features);
  const values = kernelValues(graph, kernel, features, support);
  const sums = graph.product(values, graph.doubles(coefficients, [coefficients.length, 1]));
  return graph.add(sums, graph.double(bias));
}

/** Stacks the scores f and −f of two classes. */
export function twoSignedScores(graph: Graph, values: Value): Value {
  return graph.concat([values, graph.op("Neg", [values])]);
}
