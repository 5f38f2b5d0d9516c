/**
 * The structure of a model, as reports and the terminal show it: facts, then sections of a few kinds. Names are plain words in
 * lower case ("support vectors").
 */
export interface Description {
  readonly facts: readonly Fact[];
  readonly sections: readonly DescriptionSection[];
}

/** A section of a description; the kind says how it is drawn. */
export type DescriptionSection =
  | TableSection
  | TreeSection
  | CurveSection
  | ImportanceSection
  | LayerSection
  | HierarchySection
  | ImageSection;

/** A named value. A `share` is a fraction that is shown as a percentage. */
export interface Fact {
  readonly name: string;
  readonly value: string | number | boolean | readonly number[] | readonly string[];
  readonly unit?: "share";
}

/** A table, such as one with a row for each machine of a one-vs-one model. */
export interface TableSection {
  readonly kind: "table";
  readonly title: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A column of a table; a `share` is shown as a percentage. */
export interface TableColumn {
  readonly name: string;
  readonly unit?: "share";
  /** Whether pictures draw its numbers as bars from 0, such as the weights of an ensemble. */
  readonly bars?: true;
}

/** A tree of splits or gates. */
export interface TreeSection {
  readonly kind: "tree";
  readonly title: string;
  readonly root: TreeNode;
  /** Set if its inner nodes are the gates of a cascade. */
  readonly gates?: true;
  /** What its leaves mean to the model, if the tree is not all of it. */
  readonly note?: string;
}

/** A node of a tree. */
export type TreeNode = TreeLeaf | TreeSplit;

/** An inner node: a condition and a branch for each outcome. */
export interface TreeSplit {
  readonly kind: "split";
  /** The condition, such as "petal length ≤ 2.45". */
  readonly condition: string;
  /** Number of training rows that reach it. */
  readonly rows?: number;
  /** The class that the node would predict as a leaf. */
  readonly label?: string;
  readonly facts: readonly Fact[];
  readonly branches: readonly { readonly outcome: string; readonly node: TreeNode }[];
  /** Only at the splits with the most rows. */
  readonly distribution?: SplitDistribution;
}

/** The training rows of a split by class, along the feature that it splits on; rows whose cell is missing are left out. */
export interface SplitDistribution {
  readonly feature: string;
  /** Intervals of a number, or sets of categories. */
  readonly cells: SplitCells;
  /** Number of cells, from the first, whose rows go to the first branch. */
  readonly first: number;
  /** Rows of each class in each cell; rare classes are counted together. */
  readonly classes: readonly { readonly class: string; readonly counts: readonly number[] }[];
}

/**
 * The cells of a feature: intervals between ascending edges, one more than cells, or names of categories. Few rows that are far
 * off are counted in the first or last interval; `beyond` says which.
 */
export type SplitCells =
  | { readonly edges: readonly number[]; readonly beyond?: "below" | "above" | "both" }
  | { readonly names: readonly string[] };

/** A leaf: a class, or a classifier. */
export interface TreeLeaf {
  readonly kind: "leaf";
  readonly label: string;
  readonly rows?: number;
  /** Number of splits below it that a large tree leaves out; then the label is the class that most of its rows have. */
  readonly hiddenSplits?: number;
  readonly facts: readonly Fact[];
  /** Number of its training rows that it misclassifies, if the leaf is a classifier. */
  readonly wrong?: number;
  /** Share of each class among the training rows of the leaf, if the leaf is a class distribution. */
  readonly shares?: readonly { readonly class: string; readonly share: number }[];
}

/** Values over the steps of training. */
export interface CurveSection {
  readonly kind: "curve";
  readonly title: string;
  /** The name of a step: "round" or "epoch". */
  readonly step: string;
  readonly quantity: "error" | "loss" | "reconstruction error" | "free energy";
  readonly series: readonly CurveSeries[];
}

/** One line of a curve; `bound` is a theoretical upper bound. */
export interface CurveSeries {
  readonly role: "train" | "validation" | "test" | "bound" | "layer";
  readonly name: string;
  readonly values: readonly number[];
}

/** Importance of the features as measured in training, largest first, as shares of the total. */
export interface ImportanceSection {
  readonly kind: "importance";
  readonly title: string;
  readonly features: readonly { readonly name: string; readonly share: number }[];
}

/** Layers of a deep forest and the out-of-fold margin distribution after each. */
export interface LayerSection {
  readonly kind: "layers";
  readonly title: string;
  readonly layers: readonly DescribedLayer[];
}

/** A layer of a deep forest. */
export interface DescribedLayer {
  readonly name: string;
  /** The forests of the layer, such as "random forest". */
  readonly members: readonly string[];
  /** α_t: the weight of the layer in the sum; 0 if it only makes features. */
  readonly alpha: number;
  readonly outOfFoldAccuracy: number;
  readonly margins: {
    readonly mean: number;
    readonly variance: number;
    /** Margin ratio λ, standard deviation over mean; infinite for a mean of 0. */
    readonly ratio: number;
    readonly quantiles: readonly number[];
  };
}

/** A hierarchy of classes: nodes in the order of their numbers, from 1. */
export interface HierarchySection {
  readonly kind: "hierarchy";
  readonly title: string;
  readonly nodes: readonly DescribedNode[];
}

/** A node of a hierarchy of classes. */
export interface DescribedNode {
  /** Classes on either side, and those that the node ignores and passes on to both. */
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly ignored: readonly string[];
  readonly margin: number;
  readonly rows: number;
  readonly errors: number;
  /** Absent with the linear kernel. */
  readonly supportVectors?: number;
  readonly leftChild: DescribedChild;
  readonly rightChild: DescribedChild;
}

/** The child on one side of a node: another node, by its number, or a class. */
export type DescribedChild = { readonly node: number } | { readonly class: string };

/** Images of what a model has learned about pixels, such as the filters of the first layer of a network. */
export interface ImageSection {
  readonly kind: "images";
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** Number of all images, of which the first are listed. */
  readonly total: number;
  readonly images: readonly DescribedImage[];
}

/** An image: whole numbers from −100 to 100, row of pixels by row; the largest magnitude is 100. */
export interface DescribedImage {
  readonly name: string;
  readonly values: readonly number[];
}

/** Averages sections by weight. Features of the same name are one. */
export function mergeImportances(
  weighted: readonly { readonly section: ImportanceSection; readonly weight: number }[],
): ImportanceSection {
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  const shares = new Map<string, number>();
  for (const { section, weight } of weighted) {
    for (const { name, share } of section.features) {
      shares.set(name, (shares.get(name) ?? 0) + (weight / total) * share);
    }
  }
  return importanceSection([...shares.keys()], Float64Array.from(shares.values()));
}

/** Sorts features by importance, ties by their order. */
export function importanceSection(names: readonly string[], shares: Float64Array): ImportanceSection {
  const order = [...shares.keys()].sort((a, b) => shares[b] - shares[a] || a - b);
  const features = order.map((j) => ({ name: names[j], share: shares[j] }));
  return { kind: "importance", title: "feature importance", features };
}
