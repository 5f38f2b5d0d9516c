import { MISSING_BIN } from "@vouch/core/internal/encode/binned-columns";
import { type TreeSet, type TreeSetNode, treeSetNode } from "@vouch/core/internal/learners/tree/tree-set";
import { type BinnedColumn, type BinnedTensor, binColumns } from "../features.js";
import { type Graph, ML_DOMAIN, type Value } from "../graph.js";

/** The columns that trees see, in single precision, and how splits refer to them. */
export interface TreeInput {
  readonly bins: Value;
  /** Index of a feature among the columns. */
  place(feature: number): number;
  /** Largest value of a numeric column that goes left if bins up to `bin` do. */
  threshold(feature: number, bin: number): number;
  /** Number of levels of a categorical feature. */
  levels(feature: number): number;
}

/** Creates the input of several sets of trees from the bins of all columns. */
export function wholeInput(bins: Value, columns: readonly BinnedColumn[]): TreeInput {
  return {
    bins,
    place: (feature) => feature,
    threshold: (_, bin) => bin,
    levels: (feature) => levelsOf({ columns }, feature),
  };
}

function levelsOf({ columns }: Pick<BinnedTensor, "columns">, feature: number): number {
  const column = columns[feature];
  return column.kind === "categorical" ? column.levels.length : 0;
}

/** Bins only the columns that trees split on, by the cuts of these splits. */
export function narrowInput(graph: Graph, trees: TreeSet, { columns }: BinnedTensor): TreeInput {
  const used = new Map<number, Set<number>>();
  forEachNode(trees, (node) => {
    if (node.kind === "leaf") return;
    const cuts = used.get(node.feature) ?? new Set<number>();
    if (node.kind === "number") cuts.add(node.lastLeft);
    used.set(node.feature, cuts);
  });
  if (used.size === 0) used.set(0, new Set());
  const features = [...used.keys()].sort((a, b) => a - b);
  const ranks = new Map<number, ReadonlyMap<number, number>>();
  const kept = features.map((feature): BinnedColumn => {
    const column = columns[feature];
    if (column.kind !== "numeric") return column;
    const cuts = [...(used.get(feature) ?? [])]
      .filter((cut) => cut >= 0 && cut < column.cuts.length)
      .sort((a, b) => a - b);
    ranks.set(feature, new Map(cuts.map((cut, rank) => [cut, rank])));
    return { ...column, cuts: cuts.map((cut) => column.cuts[cut]) };
  });
  const places = new Map(features.map((feature, place) => [feature, place]));
  return {
    bins: binColumns(graph, kept),
    place: (feature) => places.get(feature) ?? 0,
    threshold: (feature, bin) => {
      const own = ranks.get(feature);
      return own ? (own.get(bin) ?? (bin < 0 ? -1 : MISSING_BIN)) : bin;
    },
    levels: (feature) => levelsOf({ columns }, feature),
  };
}

function forEachNode(trees: TreeSet, visit: (node: TreeSetNode) => void): void {
  for (let tree = 0; tree < trees.trees; tree++) {
    for (let node = 0; node < trees.nodesOf(tree); node++) visit(treeSetNode(trees, tree, node));
  }
}

/** How leaves become outputs: summed by class, or one class per tree. */
type LeafOutputs = "sums" | "classes";

/**
 * Adds an operator that walks rows through trees with single-precision sums, in the order of the trees, as in the
 * library. A categorical split becomes a chain of comparisons, one for each run of levels on the same side, with shared
 * children.
 */
export function walkTrees(
  graph: Graph,
  trees: TreeSet,
  input: TreeInput,
  outputs: LeafOutputs = "sums",
): Value {
  const writer = new TreeWriter(trees, input, outputs);
  for (let tree = 0; tree < trees.trees; tree++) writer.write(tree);
  return graph.op("TreeEnsembleRegressor", [input.bins], writer.attributes(), ML_DOMAIN);
}

/** Writes the nodes of trees as attributes of an operator. */
class TreeWriter {
  readonly #trees: TreeSet;
  readonly #input: TreeInput;
  readonly #outputs: LeafOutputs;
  readonly #treeIds = [] as number[];
  readonly #nodeIds = [] as number[];
  readonly #features = [] as number[];
  readonly #modes = [] as string[];
  readonly #values = [] as number[];
  readonly #yes = [] as number[];
  readonly #no = [] as number[];
  readonly #missing = [] as number[];
  readonly #leafTrees = [] as number[];
  readonly #leafNodes = [] as number[];
  readonly #targets = [] as number[];
  readonly #weights = [] as number[];
  #total = 0;
  #tree = 0;
  #next = 0;

  constructor(trees: TreeSet, input: TreeInput, outputs: LeafOutputs) {
    this.#trees = trees;
    this.#input = input;
    this.#outputs = outputs;
  }

  /** Writes a tree. Nodes wait on a stack, because recursion could exceed the call stack. */
  write(tree: number): void {
    this.#tree = tree;
    this.#next = 0;
    const waiting: { readonly node: number; readonly links: readonly ((id: number) => void)[] }[] = [
      { node: 0, links: [] },
    ];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const node = treeSetNode(this.#trees, tree, next.node);
      const id = this.#next;
      for (const link of next.links) link(id);
      if (node.kind === "leaf") this.#leaf(node);
      else if (node.kind === "number") {
        const at = this.#split(
          node.feature,
          this.#input.threshold(node.feature, node.lastLeft),
          node.missingLeft,
        );
        waiting.push({
          node: node.left,
          links: [
            (child) => {
              this.#yes[at] = child;
            },
          ],
        });
        waiting.push({
          node: node.left + 1,
          links: [
            (child) => {
              this.#no[at] = child;
            },
          ],
        });
      } else waiting.push(...this.#chain(node));
    }
  }

  /**
   * Writes the comparisons of a categorical split; returns the children with their links, in reverse order of writing.
   */
  #chain({ feature, left, isLeft }: Extract<TreeSetNode, { kind: "categories" }>) {
    const bins = [...Array.from({ length: this.#input.levels(feature) }, (_, bin) => bin), MISSING_BIN];
    const ends = bins.filter((bin, k) => k + 1 < bins.length && isLeft(bin) !== isLeft(bins[k + 1]));
    const links: Record<"left" | "right", ((id: number) => void)[]> = { left: [], right: [] };
    for (const [k, end] of ends.entries()) {
      const at = this.#split(feature, end, false);
      links[isLeft(end) ? "left" : "right"].push((id) => {
        this.#yes[at] = id;
      });
      if (k + 1 < ends.length) this.#no[at] = this.#next;
      else
        links[isLeft(MISSING_BIN) ? "left" : "right"].push((id) => {
          this.#no[at] = id;
        });
    }
    if (ends.length === 0) {
      // All levels that occur go to the same side, so the child replaces the split.
      return [{ node: isLeft(MISSING_BIN) ? left : left + 1, links: [] }];
    }
    const children = [
      { node: left, links: links.left },
      { node: left + 1, links: links.right },
    ];
    // The child of the last comparison comes first.
    return isLeft(MISSING_BIN) ? children.reverse() : children;
  }

  #split(feature: number, value: number, missingLeft: boolean): number {
    this.#node("BRANCH_LEQ", this.#input.place(feature), value);
    this.#missing.push(missingLeft ? 1 : 0);
    return this.#total - 1;
  }

  #leaf({ classes, values }: Extract<TreeSetNode, { kind: "leaf" }>): void {
    this.#node("LEAF", 0, 0);
    this.#missing.push(0);
    const write = (target: number, weight: number) => {
      this.#leafTrees.push(this.#tree);
      this.#leafNodes.push(this.#next - 1);
      this.#targets.push(target);
      this.#weights.push(weight);
    };
    if (this.#outputs === "classes") write(this.#tree, classes[0]);
    else
      classes.forEach((target, k) => {
        write(target, values[k]);
      });
  }

  #node(mode: string, feature: number, value: number): void {
    this.#treeIds.push(this.#tree);
    this.#nodeIds.push(this.#next++);
    this.#modes.push(mode);
    this.#features.push(feature);
    this.#values.push(value);
    this.#yes.push(0);
    this.#no.push(0);
    this.#total++;
  }

  attributes() {
    const ints = (value: readonly number[]) => ({ kind: "ints" as const, value });
    const floats = (value: readonly number[]) => ({
      kind: "floats" as const,
      value: Float32Array.from(value),
    });
    const targets = this.#outputs === "classes" ? this.#trees.trees : this.#trees.classes;
    return {
      n_targets: { kind: "int" as const, value: targets },
      nodes_falsenodeids: ints(this.#no),
      nodes_featureids: ints(this.#features),
      nodes_missing_value_tracks_true: ints(this.#missing),
      nodes_modes: { kind: "texts" as const, value: this.#modes },
      nodes_nodeids: ints(this.#nodeIds),
      nodes_treeids: ints(this.#treeIds),
      nodes_truenodeids: ints(this.#yes),
      nodes_values: floats(this.#values),
      target_ids: ints(this.#targets),
      target_nodeids: ints(this.#leafNodes),
      target_treeids: ints(this.#leafTrees),
      target_weights: floats(this.#weights),
    };
  }
}
