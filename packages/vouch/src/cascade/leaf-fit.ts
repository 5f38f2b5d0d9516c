import type { KernelRows } from "../kernel/index.js";
import type { Classifier } from "./classifier.js";
import { correctOf } from "./gate.js";
import { type Machine, type MachineSettings, trainMachine, type Workplace } from "./machine.js";
import { columnsUpTo, type MonomialTable } from "./monomial-table.js";
import { bestConstant, bestThreshold, LabelledRows } from "./thresholds.js";

/** The families of hypotheses that a leaf's classifier may come from. */
export type LeafKind =
  | { readonly kind: "constant" }
  /** Thresholds on monomials up to a degree, the constants among them. */
  | { readonly kind: "threshold"; readonly degree: number }
  /** Machines with one of the kernels, by index. */
  | { readonly kind: "kernel"; readonly kernel: number };

/** What leaves are fitted from. */
export interface LeafMaterial {
  /** The signs of all rows of the sample. */
  readonly labels: Int8Array;
  readonly table: MonomialTable;
  readonly kernels: readonly KernelRows[];
  /** Where there are kernels. */
  readonly machine?: MachineSettings;
}

/** A classifier from a family, fitted to the rows of a leaf. */
export interface FittedLeaf {
  /** How many of the rows it gets right. */
  readonly correct: number;
  /** ‖w‖ of kernel classifiers, 0 for others. */
  readonly norm: number;
  /** What is left of the largest violation of the conditions where a solver gave up. */
  readonly openGap?: number;
  /** The classifier, as it is or as a machine on the rows. */
  readonly fitted:
    | Exclude<Classifier, { kind: "kernel" }>
    | { readonly kind: "machine"; readonly machine: Machine };
}

/** The best classifier of a family for some rows: of least error, or for kernels of least surrogate. */
export async function fitLeaf(
  leaf: LeafKind,
  rows: Int32Array,
  material: LeafMaterial,
  workplace: Workplace,
): Promise<FittedLeaf> {
  const { labels } = material;
  if (leaf.kind === "kernel") return fitMachine(leaf.kernel, rows, material, workplace);
  const points = new LabelledRows(rows, labels);
  const { classifier, errors } =
    leaf.kind === "constant"
      ? bestConstant(points)
      : bestThreshold(points, columnsUpTo(material.table, leaf.degree));
  return { correct: rows.length - errors, norm: 0, fitted: classifier };
}

async function fitMachine(
  kernel: number,
  rows: Int32Array,
  { labels, kernels, machine: settings }: LeafMaterial,
  workplace: Workplace,
): Promise<FittedLeaf> {
  if (!settings) throw new Error("Kernels were not prepared.");
  const machine = await trainMachine(kernels[kernel], rows, labels, kernel, settings, workplace);
  const { norm, openGap, values } = machine;
  return {
    correct: correctOf(values, rows, labels),
    norm,
    ...(openGap !== undefined && { openGap }),
    fitted: { kind: "machine", machine },
  };
}
