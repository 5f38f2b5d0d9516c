import {
  type CascadeModel,
  deepCascade,
  deepCascadePerceptron,
  deepCascadeSvm,
  type Features,
  hierarchyPaths,
  leafOf,
  type Model,
  type RelaxedHierarchyModel,
  relaxedHierarchy,
} from "vouch";
import { Matrix } from "vouch/learning";
import { CELLS } from "./decision-regions.js";

/** A part of a model that decides a region of the plane. Plain data. */
export interface ModelPart {
  readonly name: string;
  /** For each cell: 0 if its points do not come here, 1 if they go to the first outcome, 2 for the second. */
  readonly outcome: Uint8Array;
  /** The outcomes in words; one if the part classifies, two if it divides. */
  readonly outcomes: readonly string[];
}

/** The regions that parts of a model decide: leaves behind the gates of a cascade, nodes of a hierarchy. */
export interface ModelStructure {
  readonly kind: "gates" | "nodes";
  readonly parts: readonly ModelPart[];
}

/** Finds the regions that the parts of a model decide; undefined if it has no such parts. */
export function modelStructure(model: Model, cells: Features): ModelStructure | undefined {
  if (!(cells instanceof Matrix)) return undefined;
  if (isCascade(model)) return { kind: "gates", parts: cascadeParts(model, cells) };
  if (relaxedHierarchy.made(model)) return { kind: "nodes", parts: hierarchyParts(model, cells) };
  return undefined;
}

function isCascade(model: Model): model is CascadeModel {
  return [deepCascade, deepCascadePerceptron, deepCascadeSvm].some((kind) => kind.made(model));
}

/** Lists the leaves: each decides the points that the gates before it leave to it. */
function cascadeParts(model: CascadeModel, cells: Matrix): ModelPart[] {
  const leaves = leafOf(model, cells);
  return model.levels.flatMap(({ classifier, correct, wrong, stay }, level) => {
    if (stay !== undefined || !classifier) return [];
    return {
      name: `leaf ${level + 1}`,
      outcome: Uint8Array.from(leaves, (leaf) => (leaf === level ? 1 : 0)),
      outcomes: [`${classifierWords[classifier.kind]}, ${correct + wrong} training rows`],
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
function hierarchyParts(model: RelaxedHierarchyModel, cells: Matrix): ModelPart[] {
  const { visits } = hierarchyPaths(model, cells);
  return model.nodes.map(({ classes, colours }, node) => {
    const outcome = new Uint8Array(CELLS * CELLS);
    for (const visit of visits.filter((one) => one.node === node)) {
      visit.rows.forEach((cell, i) => {
        outcome[cell] = visit.values[i] < 0 ? 1 : 2;
      });
    }
    const named = (colour: number) =>
      Array.from(classes)
        .filter((_, place) => colours[place] === colour)
        .map((k) => model.classes[k]);
    const ignored = named(0);
    const side = (colour: -1 | 1) => [...named(colour), ...ignored.map((name) => `(${name})`)].join(", ");
    return { name: `node ${node + 1}`, outcome, outcomes: [side(-1), side(1)] };
  });
}
