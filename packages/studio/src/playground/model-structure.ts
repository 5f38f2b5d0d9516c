import {
  adaboost,
  type CascadeModel,
  deepCascade,
  deepCascadePerceptron,
  deepCascadeSvm,
  type Features,
  type Model,
  type RelaxedHierarchyModel,
  relaxedHierarchy,
} from "vouch";
import { hierarchyPaths, leafOf, Matrix, type RowPaths } from "vouch/learning";

/** A part of a model that decides a region of the plane. Plain data. */
export interface ModelPart {
  readonly name: string;
  /** For each cell: 0 if its points do not come here, 1 if they have the first outcome, 2 if they have the second. */
  readonly cells: Uint8Array;
  /** The same for each row. */
  readonly rows: Uint8Array;
  /** The outcomes in words; one if the part classifies, two if it divides. */
  readonly outcomes: readonly string[];
}

/** The regions that parts of a model decide: leaves behind the gates of a cascade, nodes of a hierarchy. */
export interface ModelStructure {
  readonly kind: "gates" | "nodes";
  readonly parts: readonly ModelPart[];
}

/** A line that divides the plane: where a coordinate has this value. */
export interface PlaneCut {
  readonly coordinate: "x" | "y";
  readonly at: number;
}

/** Finds the regions that the parts of a model decide, and the rows in them; undefined if it has no such parts. */
export function modelStructure(model: Model, cells: Features, rows: Features): ModelStructure | undefined {
  if (!(cells instanceof Matrix && rows instanceof Matrix)) return undefined;
  if (isCascade(model)) return { kind: "gates", parts: cascadeLeaves(model, cells, rows) };
  if (relaxedHierarchy.made(model)) return { kind: "nodes", parts: hierarchyNodes(model, cells, rows) };
  return undefined;
}

function isCascade(model: Model): model is CascadeModel {
  return [deepCascade, deepCascadePerceptron, deepCascadeSvm].some((kind) => kind.made(model));
}

/** Lists the leaves: each decides the points that the gates before it leave to it. */
function cascadeLeaves(model: CascadeModel, cells: Matrix, rows: Matrix): ModelPart[] {
  const leavesOfCells = leafOf(model, cells);
  const leavesOfRows = leafOf(model, rows);
  return model.levels.flatMap(({ classifier, stay }, level) => {
    if (stay !== undefined || !classifier) return [];
    const here = (leaves: Int32Array) => Uint8Array.from(leaves, (leaf) => (leaf === level ? 1 : 0));
    return {
      name: `leaf ${level + 1}`,
      cells: here(leavesOfCells),
      rows: here(leavesOfRows),
      outcomes: [classifierWords[classifier.kind]],
    };
  });
}

const classifierWords = {
  kernel: "kernel machine",
  "one-vs-rest": "kernel machines",
  constant: "one class",
  threshold: "threshold",
  model: "model of the base learner",
} as const;

/** Lists the nodes: each divides the points that come to it by the sign of its machine. */
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

/** Returns the side of a node on which each point is: 1 left, 2 right, 0 if it does not come to the node. */
function sidesAt(node: number, { arrived, visits }: RowPaths): Uint8Array {
  const sides = new Uint8Array(arrived.length);
  for (const { rows, values } of visits.filter((visit) => visit.node === node)) {
    rows.forEach((row, i) => {
      sides[row] = values[i] < 0 ? 1 : 2;
    });
  }
  return sides;
}

/** Returns the line of the last stump of AdaBoost; undefined for other models and constant stumps. */
export function lastCut(model: Model): PlaneCut | undefined {
  if (!adaboost.made(model) || model.voters.kind !== "stumps") return undefined;
  const split = model.voters.stumps.at(-1)?.split;
  return split && { coordinate: model.featureNames[split.feature] === "x" ? "x" : "y", at: split.threshold };
}
