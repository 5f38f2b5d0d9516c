import { relaxedHierarchy } from "@vouch/core/internal/learners/hierarchy/relaxed-hierarchy";
import type { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { type Exporter, exporterOf, matrixOf } from "../exporter.js";
import type { Graph, Value } from "../graph.js";
import { kernelValues, transposed } from "./kernels.js";

type HierarchyMachines = Parameters<typeof relaxedHierarchy.assemble>[0]["machines"];

/** Exporters of hierarchies. All machines are evaluated; the path of a row selects those that count. */
export const hierarchyExporters: Readonly<Record<string, Exporter>> = {
  "relaxed-hierarchy": exporterOf(relaxedHierarchy, (graph, { nodes, machines, classes }, features) => {
    const values = nodeValues(graph, machines, matrixOf(features).values);
    const isReached: (Value | undefined)[] = [graph.constant({ shape: [1, 1], values: Uint8Array.of(1) })];
    const reach = (node: number, condition: Value) => {
      const known = isReached[node];
      isReached[node] = known === undefined ? condition : graph.op("Or", [known, condition]);
    };
    const infinite = new Float64Array(classes.length).fill(Number.POSITIVE_INFINITY);
    let scores = graph.repeat(infinite, values);
    let arrived = graph.cast(graph.repeat([0], values), "int64");
    for (const [j, { left, right, classes: members, colours }] of nodes.entries()) {
      const value = graph.columns(values, [j]);
      const isLeft = graph.op("Less", [value, graph.double(0)]);
      const here = isReached[j];
      if (here === undefined) throw new TypeError(`Node ${j + 1} has no parent.`);
      const sides = [
        { child: left, goes: graph.op("And", [here, isLeft]) },
        { child: right, goes: graph.op("And", [here, graph.op("Not", [isLeft])]) },
      ];
      for (const { child, goes } of sides) {
        if (child.kind === "node") reach(child.node, goes);
        else arrived = graph.where(goes, graph.integer(child.class), arrived);
      }
      const size = graph.op("Abs", [value]);
      const ruledOut = graph.min(graph.op("Neg", [size]), graph.double(-Number.MIN_VALUE));
      for (const [side, { goes }] of sides.entries()) {
        const winners = classMask(members, colours, classes.length, side === 0 ? -1 : 1);
        const losers = classMask(members, colours, classes.length, side === 0 ? 1 : -1);
        const masked = (mask: Uint8Array) =>
          graph.op("And", [goes, graph.constant({ shape: [1, classes.length], values: mask })]);
        scores = graph.where(masked(winners), graph.min(scores, size), scores);
        scores = graph.where(masked(losers), ruledOut, scores);
      }
    }
    return { scores: lowerUnknown(graph, scores), predictions: graph.reshape(arrived, [-1]) };
  }),
};

function classMask(members: Int32Array, colours: Int8Array, classes: number, colour: number): Uint8Array {
  const mask = new Uint8Array(classes);
  members.forEach((k, place) => {
    if (colours[place] === colour) mask[k] = 1;
  });
  return mask;
}

/** Lowers the score of classes that no node knows to the minimum of the row, at most 0. */
function lowerUnknown(graph: Graph, scores: Value): Value {
  const isUnknown = graph.op("Equal", [scores, graph.double(Number.POSITIVE_INFINITY)]);
  const lowest = graph.min(graph.smallest(scores), graph.double(0));
  return graph.where(isUnknown, lowest, scores);
}

/** Adds f(x) of all nodes' machines, [rows, nodes]. */
function nodeValues(graph: Graph, machines: HierarchyMachines, features: Value): Value {
  const biases = graph.doubles(machines.biases, [1, machines.biases.length]);
  if (machines.kind === "linear") {
    return graph.add(graph.product(features, transposed(graph, machines.weights)), biases);
  }
  const kernels = kernelValues(graph, machines.kernel, features, machines.supportVectors);
  const sums = Array.from(machines.biases, (_, j) => {
    const support = machines.support.subarray(machines.starts[j], machines.starts[j + 1]);
    const coefficients = machines.coefficients.subarray(machines.starts[j], machines.starts[j + 1]);
    return weightedSum(graph, kernels, machines.supportVectors, support, coefficients);
  });
  return graph.add(graph.concat(sums), biases);
}

/** Computes a weighted sum of some columns. */
function weightedSum(
  graph: Graph,
  kernels: Value,
  { rows: vectors }: Matrix,
  support: Int32Array,
  coefficients: Float64Array,
): Value {
  // A dense column is shorter than a list of indices and weights if a machine uses a third of the vectors.
  if (3 * support.length >= vectors) {
    const all = new Float64Array(vectors);
    support.forEach((s, k) => {
      all[s] += coefficients[k];
    });
    return graph.product(kernels, graph.doubles(all, [vectors, 1]));
  }
  if (support.length === 0) return graph.mul(graph.columns(kernels, [0]), graph.double(0));
  const own = graph.columns(kernels, support);
  return graph.product(own, graph.doubles(coefficients, [coefficients.length, 1]));
}
