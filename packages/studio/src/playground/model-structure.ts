import type { Features } from "@vouch/core/internal/encode/sample";
import { adaboost } from "@vouch/core/internal/learners/adaboost/adaboost";
import type { CascadeModel } from "@vouch/core/internal/learners/cascade/cascade-model";
import { leafOf } from "@vouch/core/internal/learners/cascade/cascade-model";
import { deepCascade } from "@vouch/core/internal/learners/cascade/deep-cascade";
import { deepCascadePerceptron, deepCascadeSvm } from "@vouch/core/internal/learners/cascade/kernel-cascades";
import type { RowPaths } from "@vouch/core/internal/learners/hierarchy/hierarchy-graph";
import {
  hierarchyPaths,
  type RelaxedHierarchyModel,
  relaxedHierarchy,
} from "@vouch/core/internal/learners/hierarchy/relaxed-hierarchy";
import type { Model } from "@vouch/core/internal/learners/model";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";

/** A part of a model that decides a region of the plane. Plain data. */
export interface ModelPart {
  readonly name: string;
  /** For each cell: 0 if its points do not get here, 1 or 2 for the first or second outcome. */
  readonly cells: Uint8Array;
  /** The same for each row. */
  readonly rows: Uint8Array;
  /** Outcomes in words: one if the part classifies, two if it divides. */
  readonly outcomes: readonly string[];
}

/** Regions that parts of a model decide: gates and leaves of a cascade, or nodes of a hierarchy. */
export interface ModelStructure {
  readonly kind: "cascade" | "hierarchy";
  /** Parts that classify the points that reach them. */
  readonly leaves: readonly ModelPart[];
  /** Parts that divide the points that reach them. */
  readonly nodes: readonly ModelPart[];
}

/** A stump of AdaBoost: a line that divides the plane, and the vote of each side. */
export interface PlaneStump {
  readonly coordinate: "x" | "y";
  readonly at: number;
  /** Classes where the coordinate is at most this value, and where it is larger. */
  readonly low: number;
  readonly high: number;
  /** Its share of the votes of all rounds so far. */
  readonly weight: number;
}

/** Finds the regions that parts of a model decide, and the rows in them; undefined if there are none. */
export function modelStructure(model: Model, cells: Features, rows: Features): ModelStructure | undefined {
  if (!(cells instanceof Matrix && rows instanceof Matrix)) return undefined;
  if (isCascade(model)) return { kind: "cascade", ...cascadeParts(model, cells, rows) };
  if (relaxedHierarchy.made(model)) {
    return { kind: "hierarchy", leaves: [], nodes: hierarchyNodes(model, cells, rows) };
  }
  return undefined;
}

function isCascade(model: Model): model is CascadeModel {
  return [deepCascade, deepCascadePerceptron, deepCascadeSvm].some((kind) => kind.made(model));
}

/** Lists the gates and the leaves; each decides the points that earlier gates pass on. */
function cascadeParts(
  model: CascadeModel,
  cells: Matrix,
  rows: Matrix,
): Pick<ModelStructure, "leaves" | "nodes"> {
  const { levels } = model;
  const leavesOfCells = leafOf(model, cells);
  const leavesOfRows = leafOf(model, rows);
  const part = (name: string, outcomes: readonly string[], outcomeOf: (leaf: number) => number) => ({
    name,
    outcomes,
    cells: Uint8Array.from(leavesOfCells, outcomeOf),
    rows: Uint8Array.from(leavesOfRows, outcomeOf),
  });
  const leaves = levels.flatMap(({ classifier, stay }, level) =>
    stay !== undefined || !classifier
      ? []
      : part(`leaf ${level + 1}`, [classifierWords[classifier.kind]], (leaf) => (leaf === level ? 1 : 0)),
  );
  const nodes = levels.flatMap(({ gate, stay }, level) => {
    if (!gate) return [];
    const end = subtreeEnd(levels, level);
    const passedEnd = stay ?? end;
    return part(`gate ${level + 1}`, ["kept", "passed on"], (leaf) =>
      leaf < level || leaf >= end ? 0 : leaf > level && leaf < passedEnd ? 2 : 1,
    );
  });
  return { leaves, nodes };
}

/** Returns the end of the subtree that points of a level may enter; levels are listed depth first. */
function subtreeEnd(levels: CascadeModel["levels"], level: number): number {
  const { gate, stay } = levels[level];
  return gate ? subtreeEnd(levels, stay ?? level + 1) : level + 1;
}

const classifierWords = {
  kernel: "kernel machine",
  "one-vs-rest": "kernel machines",
  constant: "one class",
  threshold: "threshold",
  model: "model of the base learner",
} as const;

/** Lists the nodes; each divides its points by the sign of its machine. */
function hierarchyNodes(model: RelaxedHierarchyModel, cells: Matrix, rows: Matrix): ModelPart[] {
  const ofCells = hierarchyPaths(model, cells);
  const ofRows = hierarchyPaths(model, rows);
  return model.nodes.map(({ classes, colours }, node) => {
    const named = (colour: number) =>
      Array.from(classes)
        .filter((_, place) => colours[place] === colour)
        .map((k) => model.classes[k]);
    const ignored = named(0);
    const side = (colour: -1 | 1) => [...named(colour), ...ignored.map((name) => `(${name})`)].join(", ");
    return {
      name: `node ${node + 1}`,
      cells: sidesAt(node, ofCells),
      rows: sidesAt(node, ofRows),
      outcomes: [side(-1), side(1)],
    };
  });
}

/** Returns the side of a node for each point: 1 left, 2 right, 0 if the point does not reach it. */
function sidesAt(node: number, { arrived, visits }: RowPaths): Uint8Array {
  const sides = new Uint8Array(arrived.length);
  for (const { rows, values } of visits.filter((visit) => visit.node === node)) {
    rows.forEach((row, i) => {
      sides[row] = values[i] < 0 ? 1 : 2;
    });
  }
  return sides;
}

/** Lists the stumps of AdaBoost by round, without constant ones; empty for other models. */
export function readStumps(model: Model): PlaneStump[] {
  if (!adaboost.made(model) || model.voters.kind !== "stumps") return [];
  const total = model.rounds.reduce((sum, { alpha }) => sum + alpha, 0);
  return model.voters.stumps.flatMap(({ split, left, right }, round) =>
    split
      ? {
          coordinate: model.featureNames[split.feature] === "x" ? "x" : "y",
          at: split.threshold,
          low: left,
          high: right,
          weight: model.rounds[round].alpha / total,
        }
      : [],
  );
}
