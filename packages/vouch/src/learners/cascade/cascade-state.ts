import { z } from "zod";
import { Matrix } from "../../runtime/matrix.js";
import { type State, StateReader } from "../../runtime/state.js";
import { kernelSchema } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { CascadeLearnerName, CascadeModelParts } from "./cascade-model.js";
import type { GateRule, LeafClassifier } from "./leaf-classifier.js";
import { type CascadeTree, leavesOf } from "./space.js";

/** More nodes than any cascade has; also the deepest tree. */
const MOST_NODES = 1000;

const count = z.int().min(0);
const amount = z.number().min(0);
const sign = z.union([z.literal(1), z.literal(-1)]);
const monomial = z.array(count).min(1).max(100);

const classifier = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("kernel"), machine: count, cost: amount.optional() }),
  z.strictObject({ kind: z.literal("constant"), sign }),
  z.strictObject({ kind: z.literal("threshold"), monomial, cut: z.number(), sign }),
]);

const question = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("near"),
    machine: count,
    threshold: amount,
    gate: z.enum(["closed", "strict"]),
  }),
  z.strictObject({ kind: z.literal("threshold"), monomial, cut: z.number(), above: z.boolean() }),
]);

/** Nodes before their children; children are named by their place in the list. */
const node = z.union([
  z.strictObject({ leaf: classifier }),
  z.strictObject({ question, on: count, stay: count }),
]);

const leafFacts = z.strictObject({
  level: z.int().min(1),
  depth: count,
  degree: count,
  correct: count,
  wrong: count,
  points: count,
  complexity: amount,
  gateComplexities: z.array(amount),
  smallestMargin: z.number().min(0).max(1).optional(),
  fraction: z.number().positive().max(1).optional(),
  guaranteed: z.strictObject({ complexity: amount, gateComplexities: z.array(amount) }),
});

const structure = z.strictObject({
  classes: z.array(z.string()).length(2),
  featureNames: z.array(z.string()),
  nodes: z.array(node).min(1).max(MOST_NODES),
  machines: z.array(z.strictObject({ kernel: kernelSchema, bias: z.number(), norm: amount })).max(MOST_NODES),
  leaves: z.array(leafFacts).min(1),
  origin: z.strictObject({
    gamma: amount,
    complexity: z.enum(["vc", "vc-local", "rademacher"]),
    rows: z.int().min(1),
    families: z.int().min(1),
    mostLeaves: z.int().min(1),
    distinct: amount,
    listed: amount,
    trained: count,
    validation: z.array(
      z.strictObject({ gamma: amount, error: z.number().min(0).max(1), depth: z.number().min(1) }),
    ),
    notices: z.array(z.string()),
  }),
});

type StoredNode = z.output<typeof node>;

/** A cascade as a model file holds it: all machines share one matrix of support vectors. */
export function cascadeState(model: CascadeModelParts): State {
  const { classes, featureNames, leaves, origin } = model;
  const machines = [...new Set(machinesOf(model.tree))];
  const nodes: StoredNode[] = [];
  store(model.tree, machines, nodes);
  const columns = featureNames.length;
  const sizes = Int32Array.from(machines, ({ support }) => support.rows);
  const size = sizes.reduce((sum, own) => sum + own, 0);
  const support = new Float64Array(size * columns);
  const coefficients = new Float64Array(size);
  let next = 0;
  for (const machine of machines) {
    support.set(machine.support.values, next * columns);
    coefficients.set(machine.coefficients, next);
    next += machine.support.rows;
  }
  return {
    json: {
      classes,
      featureNames,
      nodes,
      machines: machines.map(({ kernel, bias, norm }) => ({ kernel: { ...kernel }, bias, norm })),
      leaves: leaves.map((leaf) => ({ ...leaf })),
      origin: { ...origin, validation: origin.validation.map((entry) => ({ ...entry })) },
    },
    tensors: {
      sizes: { shape: [sizes.length], data: sizes },
      support: { shape: [size, columns], data: support },
      coefficients: { shape: [size], data: coefficients },
    },
  };
}

/** The parts behind a state that `cascadeState` gave. */
export function restoreCascade(learner: CascadeLearnerName, state: State): CascadeModelParts {
  const reader = new StateReader(`${learner} model`, state);
  const { nodes, machines, ...json } = reader.json(structure);
  reader.only("sizes", "support", "coefficients");
  const expansions = restoreMachines(reader, machines, json.featureNames.length);
  const tree = rebuild(reader, nodes, expansions, json.featureNames.length);
  const found = leavesOf(tree).length;
  if (found !== json.leaves.length)
    throw reader.corrupt(`it has ${found} leaves and facts of ${json.leaves.length}`);
  return { learner, ...json, tree };
}

function machinesOf(tree: CascadeTree<GateRule, LeafClassifier>): KernelExpansion[] {
  if (tree.kind === "leaf") return tree.leaf.kind === "kernel" ? [tree.leaf.machine] : [];
  const own = tree.question.kind === "near" ? [tree.question.machine] : [];
  return [...own, ...machinesOf(tree.stay), ...machinesOf(tree.on)];
}

/** Appends a tree to the list of nodes and returns its place. */
function store(
  tree: CascadeTree<GateRule, LeafClassifier>,
  machines: readonly KernelExpansion[],
  nodes: StoredNode[],
): number {
  const place = nodes.length;
  if (tree.kind === "leaf") {
    const { leaf } = tree;
    nodes.push({
      leaf:
        leaf.kind === "kernel"
          ? { ...leaf, machine: machines.indexOf(leaf.machine) }
          : storedClassifier(leaf),
    });
    return place;
  }
  const asked: z.output<typeof question> =
    tree.question.kind === "near"
      ? { ...tree.question, machine: machines.indexOf(tree.question.machine) }
      : { ...tree.question, monomial: [...tree.question.monomial] };
  nodes.push({ question: asked, on: 0, stay: 0 });
  const stay = store(tree.stay, machines, nodes);
  const on = store(tree.on, machines, nodes);
  nodes[place] = { question: asked, on, stay };
  return place;
}

function storedClassifier(leaf: Exclude<LeafClassifier, { kind: "kernel" }>): z.output<typeof classifier> {
  const sign = leaf.sign > 0 ? 1 : -1;
  if (leaf.kind === "constant") return { kind: leaf.kind, sign };
  return { kind: leaf.kind, monomial: [...leaf.monomial], cut: leaf.cut, sign };
}

function restoreMachines(
  reader: StateReader,
  machines: z.output<typeof structure>["machines"],
  columns: number,
): KernelExpansion[] {
  const size = reader.length("coefficients");
  const sizes = reader.integers("sizes", [machines.length], 0, size);
  if (sizes.reduce((sum, own) => sum + own, 0) !== size) throw reader.corrupt("sizes do not add up");
  const support = reader.numbers("support", [size, columns]);
  const coefficients = reader.numbers("coefficients", [size]);
  let next = 0;
  return machines.map(({ kernel, bias, norm }, i) => {
    const from = next;
    next += sizes[i];
    return new KernelExpansion({
      kernel,
      bias,
      norm,
      support: new Matrix(sizes[i], columns, support.slice(from * columns, next * columns)),
      coefficients: coefficients.slice(from, next),
    });
  });
}

/** Builds the tree from its last node to its first; every node but the first is the child of exactly one before it. */
function rebuild(
  reader: StateReader,
  nodes: readonly StoredNode[],
  machines: readonly KernelExpansion[],
  features: number,
): CascadeTree<GateRule, LeafClassifier> {
  const machineAt = (index: number) => {
    if (index >= machines.length) throw reader.corrupt(`it asks for machine ${index} of ${machines.length}`);
    return machines[index];
  };
  const checked = <Part extends { monomial: number[] }>(part: Part): Part => {
    const odd = part.monomial.find((feature) => feature >= features);
    if (odd !== undefined) throw reader.corrupt(`it asks for feature ${odd} of ${features}`);
    return part;
  };
  const built: (CascadeTree<GateRule, LeafClassifier> | undefined)[] = [];
  const take = (parent: number, child: number): CascadeTree<GateRule, LeafClassifier> => {
    const tree = child > parent ? built[child] : undefined;
    if (!tree) throw reader.corrupt(`node ${parent} has no child ${child}`);
    built[child] = undefined;
    return tree;
  };
  for (let place = nodes.length - 1; place >= 0; place--) {
    const stored = nodes[place];
    if ("leaf" in stored) {
      const { leaf } = stored;
      const own =
        leaf.kind === "kernel"
          ? { ...leaf, machine: machineAt(leaf.machine) }
          : leaf.kind === "threshold"
            ? checked(leaf)
            : leaf;
      built[place] = { kind: "leaf", leaf: own };
      continue;
    }
    const { question: asked, on, stay } = stored;
    const own = asked.kind === "near" ? { ...asked, machine: machineAt(asked.machine) } : checked(asked);
    built[place] = { kind: "fork", question: own, on: take(place, on), stay: take(place, stay) };
  }
  const [root] = built;
  if (!root || built.some((tree, place) => place > 0 && tree))
    throw reader.corrupt("its nodes are not one tree");
  return root;
}
