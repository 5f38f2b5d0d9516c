import type { BinnedFeature } from "../../encode/binned-columns.js";
import { MISSING_BIN } from "../../encode/binned-columns.js";
import { NODE_WORDS, SET_WORDS } from "../../runtime/wasm/wasm-exports.js";
import { CATEGORICAL, FEATURE_SHIFT, isInSet, isMissingLeft, lastLeftBin, type TreeSet } from "./tree-set.js";

/** The meaning of the bins of a column that a tree splits on. */
export interface SplitColumn {
  readonly feature: number;
  /** Whether cells of the training rows are missing. */
  readonly missing: boolean;
  /** The level of each bin; absent for numbers. */
  readonly levels?: readonly string[] | undefined;
}

/** A split in words: a row goes to the branch `yes` if the condition holds. */
export interface SplitWords {
  readonly condition: string;
  readonly yes: "left" | "right";
  /** The branch of rows whose cell is missing, if there were any in training and the condition does not mention them. */
  readonly missing?: "yes" | "no";
}

/** Lists the columns that a set of one tree splits on, ascending. */
export function splitColumns(
  { arrays: { nodes } }: TreeSet,
  features: readonly BinnedFeature[],
  column: (j: number) => Uint8Array,
): SplitColumn[] {
  const used = new Set<number>();
  for (let at = 1; at < nodes.length; at += NODE_WORDS) {
    if (nodes[at] >= 0) used.add(nodes[at] >> FEATURE_SHIFT);
  }
  return [...used]
    .sort((a, b) => a - b)
    .map((feature) => {
      const meaning = features[feature];
      return {
        feature,
        missing: column(feature).includes(MISSING_BIN),
        ...(meaning.kind === "categorical" && { levels: meaning.levels }),
      };
    });
}

/** Returns the threshold of each split of a number in a set of one tree; 0 for other nodes. */
export function splitThresholds(
  { arrays: { nodes } }: TreeSet,
  features: readonly BinnedFeature[],
): Float64Array {
  return Float64Array.from({ length: nodes.length / NODE_WORDS }, (_, node) => {
    const split = nodes[node * NODE_WORDS + 1];
    if (split < 0 || split & CATEGORICAL) return 0;
    const meaning = features[split >> FEATURE_SHIFT];
    return (meaning.kind === "numeric" ? meaning.cuts[lastLeftBin(split)] : undefined) ?? 0;
  });
}

/** Says in words which rows go to which side of a split. */
export function splitInWords(
  { arrays: { nodes, sets } }: TreeSet,
  node: number,
  name: string,
  { levels, missing }: Omit<SplitColumn, "feature">,
  threshold: number,
): SplitWords {
  const split = nodes[node * NODE_WORDS + 1];
  if (split & CATEGORICAL) return setInWords(name, levels ?? [], sets, nodes[node * NODE_WORDS] * SET_WORDS);
  if (lastLeftBin(split) === MISSING_BIN - 1) return { condition: `${name} is missing`, yes: "right" };
  return {
    condition: `${name} ≤ ${thresholdText(threshold)}`,
    yes: "left",
    ...(missing && { missing: isMissingLeft(split) ? "yes" : "no" }),
  };
}

/** Category names that a condition lists. */
const MOST_NAMES = 8;

/**
 * Names the categories of one side. Those that the node has not seen are all on the other side, together with the bins that no
 * category has.
 */
function setInWords(name: string, levels: readonly string[], sets: Int32Array, at: number): SplitWords {
  const isUnseenLeft = levels.length < MISSING_BIN && isInSet(sets, at, levels.length);
  const isNamed = (bin: number) => isInSet(sets, at, bin) !== isUnseenLeft;
  const named = [...levels.filter((_, bin) => isNamed(bin)), ...(isNamed(MISSING_BIN) ? ["missing"] : [])];
  return { condition: `${name} is ${alternatives(named)}`, yes: isUnseenLeft ? "right" : "left" };
}

/** Joins names: a, b or c. */
function alternatives(names: readonly string[]): string {
  const shown = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES - 1) : names;
  const hidden = names.length - shown.length;
  if (hidden > 0) return `${shown.join(", ")} or one of ${hidden} more`;
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} or ${shown[shown.length - 1]}` : shown.join("");
}

/** Thresholds lie halfway between values: half of a whole number is written in full, other numbers with six digits. */
function thresholdText(threshold: number): string {
  const isHalf = Number.isInteger(2 * threshold) && Math.abs(threshold) < 1e12;
  const digits = isHalf ? threshold : Number(threshold.toPrecision(6));
  return String(digits).replace("-", "−");
}
