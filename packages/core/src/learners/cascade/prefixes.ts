import { type CascadeCost, computeObjective } from "../../theory/cascades/objectives.js";
import {
  type CascadeSpace,
  type ComplexityMeasure,
  firstChoice,
  gateRange,
  type Position,
  penaltyOf,
} from "./search-space.js";
import type { Subset } from "./sub-problems.js";

/** The cascades to search, and the bound to minimise. */
export interface SearchGoal {
  readonly space: CascadeSpace;
  readonly gamma: number;
  readonly complexity: ComplexityMeasure;
}

/** A prefix of cascades: some nodes with gates. */
export interface Prefix {
  readonly position: Position;
  /** The choices of its nodes and the fractions of their gates, first node first. */
  readonly choices: readonly number[];
  readonly fractions: readonly number[];
  /** The rows that reach the next node. */
  readonly subset: Subset;
  readonly cost: CascadeCost;
  /** Σ c(Q_j) over the gates. */
  readonly gates: number;
  /** A lower bound on the penalties P_k of all leaves that follow. */
  readonly leastPenalty: number;
}

/**
 * A cascade, or the least rank of all cascades with a prefix and a choice of the next node: complete at once if deep enough, else
 * with the fewest nodes.
 */
export interface Ranked {
  readonly prefix: Prefix;
  readonly choice: number;
  /** Bound (9), or a lower bound on it, to twelve decimals, as a whole number: bounds that differ by rounding only are a tie. */
  readonly bound: number;
  /** Misclassified training points, or those of the prefix. */
  readonly wrong: number;
}

/** Rounds a bound for ranks. Monotone: a smaller bound never has a larger rank. */
export function rankedBound(bound: number): number {
  return Math.round(bound * 1e12);
}

/**
 * Compares by rank; negative if `a` is the better one: smaller bound, then smaller training error, then shorter, then lower
 * choices (degrees of kernels), then smaller fractions, the first node first. Zero only for the same cascade.
 */
export function compareRanks(space: CascadeSpace, a: Ranked, b: Ranked): number {
  if (a.bound !== b.bound) return a.bound - b.bound;
  if (a.wrong !== b.wrong) return a.wrong - b.wrong;
  const nodes = lengthOf(space, a);
  const difference = nodes - lengthOf(space, b);
  if (difference !== 0) return difference;
  for (let k = 0; k < nodes; k++) {
    const difference = choiceAt(space, a, k) - choiceAt(space, b, k);
    if (difference !== 0) return difference;
  }
  for (let k = 0; k + 1 < nodes; k++) {
    const difference = fractionAt(space, a, k) - fractionAt(space, b, k);
    if (difference !== 0) return difference;
  }
  return 0;
}

function lengthOf({ minDepth }: CascadeSpace, { prefix }: Ranked): number {
  return Math.max(minDepth, prefix.position.level + 1);
}

function choiceAt(space: CascadeSpace, { prefix, choice }: Ranked, k: number): number {
  const { level } = prefix.position;
  if (k < level) return prefix.choices[k];
  return k === level || space.nonDecreasing ? choice : 0;
}

function fractionAt(space: CascadeSpace, { prefix }: Ranked, k: number): number {
  return k < prefix.fractions.length ? prefix.fractions[k] : gateRange(space, prefix.position)[0];
}

/** Bounds that differ by more than this are not a tie, however they were rounded. */
const NO_TIE = 1e-9;

/**
 * Returns whether each cascade that continues b ranks behind the one that continues a in the same way; both are prefixes on
 * the same subset of m points. The leaves that follow cost the same but for their penalties, which only differ by the
 * complexities of the gates before.
 */
export function dominates(a: Prefix, b: Prefix, { space, gamma }: SearchGoal, m: number): boolean {
  if (!continuesLike(a, b, space)) return false;
  const leaves = space.maxDepth - b.position.level;
  const dearer = leaves * penaltyOf(gamma, Math.max(0, a.gates - b.gates), 0);
  if (computeObjective(a.cost, m) + dearer + NO_TIE <= computeObjective(b.cost, m)) return true;
  // Otherwise only if both have the same bound to the last bit, and the prefixes decide the tie.
  const isSameCost = a.cost.points === b.cost.points && a.cost.penalty === b.cost.penalty;
  if (!isSameCost || !(a.gates === b.gates || (isAtCaps(a, m) && isAtCaps(b, m)))) return false;
  return compareBeginnings(a, b) < 0;
}

/** Returns whether all that can follow b can follow a. */
function continuesLike(a: Prefix, b: Prefix, space: CascadeSpace): boolean {
  const { level } = a.position;
  if (level > b.position.level || (level < b.position.level && level + 1 < space.minDepth)) return false;
  if (space.sameFraction && a.position.fraction !== b.position.fraction) return false;
  return firstChoice(space, a.position) <= firstChoice(space, b.position);
}

/** Returns whether all points that are left count in full: no penalty is below the cap m_k⁺/m of a leaf. */
function isAtCaps({ leastPenalty, subset }: Prefix, m: number): boolean {
  return leastPenalty >= subset.rows.length / m;
}

/** Compares prefixes as the ranks of cascades with the same bound that continue them in the same way. */
function compareBeginnings(a: Prefix, b: Prefix): number {
  return (
    a.cost.wrong - b.cost.wrong ||
    a.position.level - b.position.level ||
    compareLists(a.choices, b.choices) ||
    compareLists(a.fractions, b.fractions)
  );
}

/** Compares lists of the same length lexicographically. */
function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
}
