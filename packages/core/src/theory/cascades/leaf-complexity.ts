/**
 * The leaves of a deep cascade (DeSalvo, Mohri and Syed 2015): the Rademacher complexities of their families, from complexities of
 * gates and classifiers (Lemmas 1 to 3) and from VC dimensions, and what each leaf costs in a bound.
 */
import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";

/** The training rows that reach a leaf. */
export interface LeafCounts {
  /** m_k⁺: number of these that it classifies correctly. */
  readonly correct: number;
  /** m_k⁻: number of these that it misclassifies; a score of exactly 0 is an error. */
  readonly wrong: number;
}

/** A leaf of a deep cascade, with the complexity of its own family and of the gates before it. */
export interface CascadeLeaf extends LeafCounts {
  /** k, from 1. */
  readonly level: number;
  /** d_k: number of gates that a point passes on its way, including the one that sends it to the leaf. */
  readonly depth: number;
  /** Degree of the polynomial kernel at this level. */
  readonly degree: number;
  /** Number of training rows that reach it: correct + wrong. */
  readonly points: number;
  /** c(H_k): complexity of the family of its classifier. */
  readonly complexity: number;
  /** c(Q_j) of each of the `depth` gates. */
  readonly gateComplexities: readonly number[];
  /** ρ_k: the smallest y·h_k(x) of its correctly classified rows, h_k with values in [−1, 1]. */
  readonly smallestMargin?: number;
}

/** A leaf with the complexity of its whole family ℋ_k = {s·h : s a selector of the leaf, h ∈ H_k}. */
export interface ProductLeaf extends LeafCounts {
  /** r_k: R̂_S(ℋ_k), or an upper bound on it, on all m rows. */
  readonly complexity: number;
  readonly smallestMargin?: number;
}

/** Bounds r_k ≤ Σ_j R̂_S(Q_j) + R̂_S(H_k) for leaf classifiers with values ±1, by Lemmas 2 and 1. */
export function productLeaf(leaf: CascadeLeaf): ProductLeaf {
  const { complexity, gateComplexities } = leaf;
  return { ...leaf, complexity: lemma1Product(lemma2Product(gateComplexities), complexity) };
}

/** Bounds r_k ≤ 2Σ_j R̂_S(Q_j) + 2R̂_S(H_k) for leaf classifiers with values in [−1, 1], by Lemmas 2 and 3. */
export function realValuedProductLeaf(leaf: CascadeLeaf): ProductLeaf {
  const { complexity, gateComplexities } = leaf;
  return { ...leaf, complexity: lemma3SignedProduct(lemma2Product(gateComplexities), complexity) };
}

/**
 * Bounds the complexity of products of a selector and a classifier by Lemma 1: for G = {g₁g₂}, g₁ with values in {0, 1} and g₂
 * in {−1, +1},
 *
 *     R̂_S(G) ≤ R̂_S(G₁) + R̂_S(G₂),
 *
 * as g₁g₂ = |g₁ + g₂| − 1 and |·| is 1-Lipschitz.
 */
export function lemma1Product(selector: number, classifier: number): number {
  return selector + classifier;
}

/**
 * Bounds the complexity of products of gates, the selectors of a leaf, by Lemma 2: for H = {h₁h₂} of functions with values in
 * {0, 1},
 *
 *     R̂_S(H) ≤ R̂_S(H₁) + R̂_S(H₂),
 *
 * as h₁h₂ = (h₁ + h₂ − 1)₊ and (·)₊ is 1-Lipschitz. The empty product is the constant 1, whose complexity is 0.
 */
export function lemma2Product(gates: readonly number[]): number {
  return gates.reduce((sum, gate) => sum + gate, 0);
}

/**
 * Bounds the complexity of products by Lemma 3, for H = {h₁h₂} of functions with values in [0, 1]:
 *
 *     R̂_S(H) ≤ 3/2 (R̂_S(H₁) + R̂_S(H₂)),
 *
 * as h₁h₂ = ¼(h₁ + h₂)² − ¼(h₁ − h₂)², where ¼x² is 1-Lipschitz on [0, 2] and ½-Lipschitz on [−1, 1]; −H₂ has
 * the complexity of H₂.
 */
export function lemma3UnitProduct(first: number, second: number): number {
  return 1.5 * (first + second);
}

/**
 * Bounds the complexity of products by Lemma 3, for F = {f₁f₂} of functions with values in [−1, 1]:
 *
 *     R̂_S(F) ≤ 2 (R̂_S(F₁) + R̂_S(F₂)),
 *
 * by the identity of `lemma3UnitProduct`, where ¼x² is 1-Lipschitz on [−2, 2].
 */
export function lemma3SignedProduct(first: number, second: number): number {
  return 2 * (first + second);
}

/**
 * Computes the complexity of a family of VC dimension d on m rows as printed in bound (9):
 *
 *     c(d) = √(d ln(em/d) / m),   with min(d, m) for d.
 *
 * It rises to 1 at d = m; past that the formula would fall again and then not be a number. For functions with values ±1 it lacks
 * the factor 2 of Massart's lemma under the root: use `leafVcComplexity` if the number has to bound something.
 */
export function vcComplexity(dimension: number, rows: number): number {
  const d = Math.min(checkDimension(dimension), checkRows(rows));
  return d === 0 ? 0 : Math.sqrt((d * (1 + real.log(rows / d))) / rows);
}

/**
 * Computes `vc-local`, the complexity that Vani and Venkatesh (2015) used, on the m_k points that reach node k:
 *
 *     √(2d ln(e m_k/d) / m_k),   or √(2 ln 2) if m_k < d.
 *
 * The second is √(2 ln(2^m_k) / m_k): a family that can label the points in all ways.
 */
export function vcLocalComplexity(dimension: number, points: number): number {
  const d = checkDimension(dimension);
  return checkRows(points) < d ? Math.sqrt(2 * Math.LN2) : Math.SQRT2 * vcComplexity(d, points);
}

/**
 * Bounds R̂_S(H) for functions with values ±1 and VC dimension d (Massart's and Sauer's lemmas; Mohri, Rostamizadeh and Talwalkar
 * 2012, Corollaries 3.1 and 3.3): √(2d ln(em/d) / m), and never above 1.
 *
 * For K classes it bounds R̂_S(B), where B has b(x, y) = +1 if, of K functions from a linear space of dimension d, only the one
 * of class y is the largest, and −1 otherwise. That is so if K − 1 differences with the function of class y are positive: m(K − 1) signs of
 * forms that are linear in the (K − 1)d numbers that determine all differences, so by Sauer's lemma at most (em/d)^{(K−1)d} ways, and
 *
 *     R̂_S(B) ≤ √(2(K − 1)d ln(em/d) / m).
 */
export function leafVcComplexity(dimension: number, rows: number, classes = 2): number {
  return Math.min(1, Math.sqrt(2 * (classes - 1)) * vcComplexity(dimension, rows));
}

/**
 * Bounds R̂_S(Q) for the gates 1[|h(x)| ≤ c] and their complements, h from a family of real functions whose signs h(x) − c have VC
 * dimension d. A gate is the product of two such signs, so Q labels the rows in at most 2(em/d)^{2d} ways, where the 2 counts the
 * complements; functions with values 0 and 1 have half the complexity of those with ±1. With Massart's lemma
 *
 *     R̂_S(Q) ≤ ½ √(2 (2d ln(em/d) + ln 2) / m),   and never above ½.
 *
 * The paper uses VCdim(Q) ≤ d here. That does not hold in general: the strips |w·x + b| ≤ c in the plane, where d = 3, cut out every
 * subset of the four corners of a square.
 *
 * For K > 2 classes a gate compares the difference of the two largest of K functions with a threshold. Which rows it passes on
 * follows from the signs of h_a(x) − h_b(x) − c for all a ≠ b: mK(K − 1) forms that are linear in D = (K − 1)d + 1 numbers, so
 * 2(emK(K − 1)/D)^D ways.
 */
export function gateVcComplexity(dimension: number, rows: number, classes = 2): number {
  const d = Math.min(checkDimension(dimension), checkRows(rows));
  const labellings = d === 0 ? 0 : logGateGrowth(d, rows, classes);
  return Math.min(0.5, 0.5 * Math.sqrt((2 * (labellings + Math.LN2)) / rows));
}

/** Counts, as a logarithm, the ways in which gates divide the rows, without their complements. */
function logGateGrowth(d: number, rows: number, classes: number): number {
  if (classes === 2) return 2 * d * (1 + real.log(rows / d));
  const numbers = (classes - 1) * d + 1;
  return numbers * (1 + real.log(Math.max(1, (rows * classes * (classes - 1)) / numbers)));
}

/**
 * Bounds R̂_S(B) of the K constants, where b(x, y) = +1 if y is the class and −1 otherwise. With T_c = Σ σ_i over the m_c rows of
 * class c, the supremum over c is 2 max_c T_c − Σ_c T_c. Let T̄ be the mean of the T_c: the largest of K numbers that sum to 0 is at
 * most √((K−1)/K) times their norm, and E Σ_c (T_c − T̄)² = m(K − 1)/K, so
 *
 *     R̂_S(B) = (2/m) E max_c (T_c − T̄) ≤ 2(K − 1)/(K √m),   for two classes 1/√m.
 */
export function constantComplexity(rows: number, classes = 2): number {
  return (2 * (classes - 1)) / classes / Math.sqrt(checkRows(rows));
}

function checkDimension(dimension: number): number {
  if (dimension >= 0) return dimension;
  throw new VouchError("option/invalid", `The VC dimension must be at least 0, not ${dimension}.`);
}

function checkRows(rows: number): number {
  if (rows > 0 && rows < Number.POSITIVE_INFINITY) return rows;
  throw new VouchError("option/invalid", `The number of rows must be finite and above 0, not ${rows}.`);
}

/** The cost of one leaf in a bound: its complexity, but at most its share of correctly classified rows. */
export interface LeafCost {
  /** m_k⁻/m. */
  readonly wrong: number;
  /** m_k⁺/m. */
  readonly cap: number;
  /** The complexity term that competes with the cap. */
  readonly complexity: number;
  /** Which of the two is the cost. */
  readonly active: "cap" | "complexity";
}

/** Computes min(complexity term, m_k⁺/m) of each leaf; the cap if they are equal, as 𝓚 is {k : m_k⁺/m > 4r_k}. */
export function leafCosts<L extends LeafCounts>(
  leaves: readonly L[],
  rows: number,
  complexityOf: (leaf: L) => number,
): LeafCost[] {
  return leaves.map((leaf) => {
    const cap = leaf.correct / rows;
    const complexity = complexityOf(leaf);
    const active = complexity < cap ? "complexity" : "cap";
    return { wrong: leaf.wrong / rows, cap, complexity, active };
  });
}

/** Sums the costs of the leaves. */
export function totalCost(costs: readonly LeafCost[]): number {
  return costs.reduce((sum, { cap, complexity, active }) => sum + (active === "cap" ? cap : complexity), 0);
}

/**
 * Names the terms of all leaves in their order; `symbol` is the complexity term as the formula writes it: `leaf 2: m⁻/m`,
 * `leaf 2: m⁺/m`, `leaf 2: 4r` and then the cost, `leaf 2: cost m⁺/m (cap)` or `leaf 2: cost 4r (complexity)`.
 */
export function leafTerms(costs: readonly LeafCost[], symbol: string): [string, number][] {
  return costs.flatMap(({ wrong, cap, complexity, active }, index): [string, number][] => {
    const leaf = `leaf ${index + 1}`;
    return [
      [`${leaf}: m⁻/m`, wrong],
      [`${leaf}: m⁺/m`, cap],
      [`${leaf}: ${symbol}`, complexity],
      active === "cap"
        ? [`${leaf}: cost m⁺/m (cap)`, cap]
        : [`${leaf}: cost ${symbol} (complexity)`, complexity],
    ];
  });
}

/** Throws unless each row reaches exactly one leaf and the complexities are at least 0. */
export function checkLeaves(leaves: readonly ProductLeaf[], rows: number): void {
  let reached = 0;
  leaves.forEach(({ correct, wrong, complexity, smallestMargin = 1 }, index) => {
    const counts = [correct, wrong].every((count) => Number.isSafeInteger(count) && count >= 0);
    if (!counts || !(complexity >= 0) || !(smallestMargin >= 0)) {
      throw new VouchError(
        "option/invalid",
        `Leaf ${index + 1} has ${correct} correct and ${wrong} wrong rows, complexity ${complexity} and smallest margin ${smallestMargin}: the counts must be integers, and nothing may be negative.`,
      );
    }
    reached += correct + wrong;
  });
  if (rows > 0 && reached === rows) return;
  throw new VouchError(
    "option/invalid",
    `${reached} rows reach the ${leaves.length} leaves of a cascade trained on ${rows} rows, but each row must reach exactly one leaf.`,
  );
}
