import { z } from "zod";
import { Matrix } from "../../runtime/matrix.js";
import { type State, StateReader, type Tensor } from "../../runtime/state.js";
import { type Kernel, kernelSchema } from "../kernel/kernel.js";
import { type ColouredClasses, graphOf } from "./graph.js";
import type { HierarchyParts, NodeFacts } from "./hierarchy-model.js";
import { type HierarchyMachines, KernelMachines, LinearMachines } from "./machines.js";

const count = z.int().min(0);

const structure = z
  .strictObject({
    classes: z.array(z.string()).min(2),
    featureNames: z.array(z.string()),
    kernel: kernelSchema,
    nodes: z.int().min(1),
    /** Rows that the machines consist of; none where they keep their weights. */
    supportVectors: count,
    squaredRadius: z.number().min(0),
    rows: z.int().min(2),
    tolerance: z.number().positive(),
    beyondLimit: count,
    training: z.strictObject({ kept: count, errors: count, otherErrors: count }).optional(),
  })
  .refine(
    ({ rows, training }) =>
      !training ||
      (training.otherErrors <= training.errors &&
        training.errors <= rows &&
        training.kept + training.otherErrors <= rows),
    "more errors than rows",
  );

/** What a model consists of, ready to be written to a file. */
export function hierarchyState(model: HierarchyParts): State {
  const { classes, featureNames, nodes, machines, squaredRadius, rows, tolerance, beyondLimit, training } =
    model;
  const numbers = (of: (node: NodeFacts) => number) => vector(Float64Array.from(nodes, of));
  const sizes = Int32Array.from(nodes, (node) => node.classes.length);
  return {
    json: {
      classes,
      featureNames,
      kernel: { ...machines.kernel },
      nodes: nodes.length,
      supportVectors: machines instanceof KernelMachines ? machines.supportVectors.rows : 0,
      squaredRadius,
      rows,
      tolerance,
      beyondLimit,
      ...(training && { training: { ...training } }),
    },
    tensors: {
      sizes: vector(sizes),
      members: vector(joined(nodes.map((node) => node.classes))),
      colours: vector(joined(nodes.map((node) => node.colours))),
      nodeRows: vector(Int32Array.from(nodes, (node) => node.rows)),
      nodeErrors: vector(Int32Array.from(nodes, (node) => node.errors)),
      squaredNorms: numbers((node) => node.squaredNorm),
      smallestValues: numbers((node) => node.smallestValue),
      gaps: numbers((node) => node.gap),
      biases: vector(machines.biases),
      ...machineTensors(machines),
    },
  };
}

function machineTensors(machines: HierarchyMachines): Record<string, Tensor> {
  if (machines instanceof KernelMachines) {
    const { supportVectors, starts, support, coefficients } = machines;
    return {
      supportVectors: matrix(supportVectors),
      starts: vector(starts),
      support: vector(support),
      coefficients: vector(coefficients),
    };
  }
  if (machines instanceof LinearMachines) return { weights: matrix(machines.weights) };
  return {};
}

/** What a model consists of, from a state that `hierarchyState` gave; throws `model/corrupt` for anything else. */
export function hierarchyParts(state: State): HierarchyParts {
  const reader = new StateReader("relaxed-hierarchy model", state);
  const { kernel, nodes: size, supportVectors, training, ...facts } = reader.json(structure);
  const coloured = colouredClasses(reader, size, facts.classes.length);
  const rows = reader.integers("nodeRows", [size], 2, facts.rows);
  const errors = reader.integers("nodeErrors", [size], 0, facts.rows);
  const squaredNorms = reader.numbers("squaredNorms", [size], 0);
  const smallestValues = reader.numbers("smallestValues", [size]);
  const gaps = reader.numbers("gaps", [size], 0);
  const nodes = coloured.map((node, j): NodeFacts => {
    if (errors[j] > rows[j]) throw reader.corrupt(`node ${j + 1} has ${errors[j]} errors on ${rows[j]} rows`);
    return {
      ...node,
      rows: rows[j],
      errors: errors[j],
      squaredNorm: squaredNorms[j],
      smallestValue: smallestValues[j],
      gap: gaps[j],
    };
  });
  const machines = machinesOf(reader, kernel, [size, supportVectors, facts.featureNames.length]);
  return { ...facts, nodes, machines, ...(training && { training }) };
}

/** The classes and colours of all nodes, which have to make a hierarchy. */
function colouredClasses(reader: StateReader, size: number, classes: number): ColouredClasses[] {
  const sizes = reader.integers("sizes", [size], 2, classes);
  const total = sizes.reduce((sum, length) => sum + length, 0);
  const members = reader.integers("members", [total], 0, classes - 1);
  const colours = reader.integers("colours", [total], -1, 1);
  let end = 0;
  const nodes = Array.from(sizes, (length) => {
    const start = end;
    end += length;
    return {
      classes: members.slice(start, end),
      colours: Int8Array.from(colours.subarray(start, end)),
    };
  });
  nodes.forEach((node, j) => {
    if (!node.classes.every((k, place) => place === 0 || k > node.classes[place - 1])) {
      throw reader.corrupt(`the classes of node ${j + 1} are [${node.classes}]`);
    }
    if (!node.colours.includes(-1) || !node.colours.includes(1)) {
      throw reader.corrupt(`node ${j + 1} has an empty side`);
    }
  });
  if (!graphOf(nodes)) throw reader.corrupt("its nodes do not lead to each other");
  return nodes;
}

function machinesOf(
  reader: StateReader,
  kernel: Kernel,
  [nodes, vectors, columns]: readonly [nodes: number, vectors: number, columns: number],
): HierarchyMachines {
  const all = [
    "sizes",
    "members",
    "colours",
    "nodeRows",
    "nodeErrors",
    "squaredNorms",
    "smallestValues",
    "gaps",
  ];
  const biases = reader.numbers("biases", [nodes]);
  if (kernel.kind === "linear") {
    reader.only(...all, "biases", "weights");
    const weights = new Matrix(nodes, columns, reader.numbers("weights", [nodes, columns]));
    return new LinearMachines({ weights, biases });
  }
  reader.only(...all, "biases", "supportVectors", "starts", "support", "coefficients");
  const used = reader.length("support");
  const starts = reader.integers("starts", [nodes + 1], 0, used);
  if (starts[0] !== 0 || starts[nodes] !== used || !starts.every((s, j) => j === 0 || s >= starts[j - 1])) {
    throw reader.corrupt("its nodes do not share out the support vectors");
  }
  return new KernelMachines({
    kernel,
    supportVectors: new Matrix(vectors, columns, reader.numbers("supportVectors", [vectors, columns])),
    starts,
    support: reader.integers("support", [used], 0, vectors - 1),
    coefficients: reader.numbers("coefficients", [used]),
    biases,
  });
}

function joined(parts: readonly (Int32Array | Int8Array)[]): Int32Array {
  return Int32Array.from(parts.flatMap((part) => Array.from(part)));
}

function matrix({ rows, columns, values }: Matrix): Tensor {
  return { shape: [rows, columns], data: values };
}

function vector(data: Float64Array | Int32Array): Tensor {
  return { shape: [data.length], data };
}
