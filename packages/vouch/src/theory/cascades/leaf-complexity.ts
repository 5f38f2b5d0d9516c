import { VouchError } from "../../runtime/vouch-error.js";

/**
 * Lemma 1 of DeSalvo, Mohri and Syed (2015): for G = {g₁g₂}, g₁ with values in {0, 1} and g₂ in {−1, +1},
 *
 *     R̂_S(G) ≤ R̂_S(G₁) + R̂_S(G₂),
 *
 * as g₁g₂ = |g₁ + g₂| − 1 and |·| is 1-Lipschitz. Joins the selector of a leaf to its classifier.
 */
export function lemma1Product(selector: number, classifier: number): number {
  return selector + classifier;
}

/**
 * Lemma 2 of DeSalvo, Mohri and Syed (2015): for H = {h₁h₂} of functions with values in {0, 1},
 *
 *     R̂_S(H) ≤ R̂_S(H₁) + R̂_S(H₂),
 *
 * as h₁h₂ = (h₁ + h₂ − 1)₊ and (·)₊ is 1-Lipschitz. Joins node questions to the selector of a leaf. The empty product
 * is the constant 1, whose complexity is 0.
 */
export function lemma2Product(questions: readonly number[]): number {
  return questions.reduce((sum, question) => sum + question, 0);
}

/**
 * Lemma 3 of DeSalvo, Mohri and Syed (2015) for H = {h₁h₂} of functions with values in [0, 1]:
 *
 *     R̂_S(H) ≤ 3/2 (R̂_S(H₁) + R̂_S(H₂)),
 *
 * as h₁h₂ = ¼(h₁ + h₂)² − ¼(h₁ − h₂)², where ¼x² is 1-Lipschitz on [0, 2] and ½-Lipschitz on [−1, 1]; the complexity
 * of −H₂ is that of H₂.
 */
export function lemma3UnitProduct(first: number, second: number): number {
  return 1.5 * (first + second);
}

/**
 * Lemma 3 of DeSalvo, Mohri and Syed (2015) for F = {f₁f₂} of functions with values in [−1, 1]:
 *
 *     R̂_S(F) ≤ 2 (R̂_S(F₁) + R̂_S(F₂)),
 *
 * by the same identity, where ¼x² is 1-Lipschitz on [−2, 2].
 */
export function lemma3SignedProduct(first: number, second: number): number {
  return 2 * (first + second);
}

/** What a leaf does with the training rows that reach it. */
export interface LeafCounts {
  /** m_k⁺: how many it classifies rightly. */
  readonly correct: number;
  /** m_k⁻: how many it classifies wrongly; a score of exactly 0 is wrong. */
  readonly wrong: number;
}

/** A leaf of a deep cascade, with the complexity of its own family and of the gates before it. */
export interface CascadeLeaf extends LeafCounts {
  /** k, from 1. */
  readonly level: number;
  /** d_k: how many gates a point passes on its way, the one that sends it to the leaf among them. */
  readonly depth: number;
  /** Degree of the polynomial kernel at this level. */
  readonly degree: number;
  /** How many training rows reach it: correct + wrong. */
  readonly points: number;
  /** c(H_k): complexity of the family that its classifier is from. */
  readonly complexity: number;
  /** c(Q_j) for each of the `depth` gates. */
  readonly gateComplexities: readonly number[];
  /** ρ_k: the smallest y·h_k(x) of its rightly classified rows, h_k with values in [−1, 1]. */
  readonly smallestMargin?: number;
}

/** A leaf with the complexity of its whole family ℋ_k = {s·h : s a selector of the leaf, h ∈ H_k}. */
export interface ProductLeaf extends LeafCounts {
  /** r_k: R̂_S(ℋ_k), or an upper bound of it, on all m rows. */
  readonly complexity: number;
  readonly smallestMargin?: number;
}

/** r_k ≤ Σ_j R̂_S(Q_j) + R̂_S(H_k) for leaf classifiers with values ±1, by Lemmas 2 and 1. */
export function productLeaf(leaf: CascadeLeaf): ProductLeaf {
  const { complexity, gateComplexities } = leaf;
  return { ...leaf, complexity: lemma1Product(lemma2Product(gateComplexities), complexity) };
}

/** r_k ≤ 2Σ_j R̂_S(Q_j) + 2R̂_S(H_k) for leaf classifiers with values in [−1, 1], by Lemmas 2 and 3. */
export function realValuedProductLeaf(leaf: CascadeLeaf): ProductLeaf {
  const { complexity, gateComplexities } = leaf;
  return { ...leaf, complexity: lemma3SignedProduct(lemma2Product(gateComplexities), complexity) };
}

/** Fails unless the leaves share all rows out among them and their complexities are numbers ≥ 0. */
export function checkLeaves(leaves: readonly ProductLeaf[], rows: number): void {
  let reached = 0;
  leaves.forEach(({ correct, wrong, complexity, smallestMargin = 1 }, index) => {
    const counts = [correct, wrong].every((count) => Number.isSafeInteger(count) && count >= 0);
    if (!counts || !(complexity >= 0) || !(smallestMargin >= 0)) {
      throw new VouchError(
        "option/invalid",
        `Leaf ${index + 1} has ${correct} right and ${wrong} wrong rows, complexity ${complexity} and smallest margin ${smallestMargin}: counts must be whole, and nothing may be negative.`,
      );
    }
    reached += correct + wrong;
  });
  if (rows > 0 && reached === rows) return;
  throw new VouchError(
    "option/invalid",
    `${reached} rows reach the ${leaves.length} leaves of a cascade of ${rows} rows, but each row reaches exactly one leaf.`,
  );
}

/** What one leaf brings to the sum of minima in a bound for cascades. */
export interface LeafShare {
  /** m_k⁻/m. */
  readonly wrong: number;
  /** m_k⁺/m. */
  readonly fraction: number;
  /** The complexity that competes with it. */
  readonly penalty: number;
  /** Which of the two the leaf pays. */
  readonly active: "fraction" | "complexity";
}

/**
 * The terms of all leaves by name, in the order of the leaves, `symbol` being the penalty as the formula writes it:
 * `leaf 2: m⁻/m`, `leaf 2: m⁺/m`, `leaf 2: 4r` and what it pays, `leaf 2: pays m⁺/m (fraction)` or
 * `leaf 2: pays 4r (complexity)`.
 */
export function leafTerms(shares: readonly LeafShare[], symbol: string): [string, number][] {
  return shares.flatMap(({ wrong, fraction, penalty, active }, index): [string, number][] => {
    const leaf = `leaf ${index + 1}`;
    return [
      [`${leaf}: m⁻/m`, wrong],
      [`${leaf}: m⁺/m`, fraction],
      [`${leaf}: ${symbol}`, penalty],
      active === "fraction"
        ? [`${leaf}: pays m⁺/m (fraction)`, fraction]
        : [`${leaf}: pays ${symbol} (complexity)`, penalty],
    ];
  });
}

/** min(penalty, m_k⁺/m) of each leaf; the fraction where they are equal, as 𝓚 is {k : m_k⁺/m > 4r_k}. */
export function leafShares<L extends { readonly correct: number; readonly wrong: number }>(
  leaves: readonly L[],
  rows: number,
  penaltyOf: (leaf: L) => number,
): LeafShare[] {
  return leaves.map((leaf) => {
    const fraction = leaf.correct / rows;
    const penalty = penaltyOf(leaf);
    const active = penalty < fraction ? "complexity" : "fraction";
    return { wrong: leaf.wrong / rows, fraction, penalty, active };
  });
}

/** Σ_k of what the leaves pay. */
export function sumPaid(shares: readonly LeafShare[]): number {
  return shares.reduce(
    (sum, { fraction, penalty, active }) => sum + (active === "fraction" ? fraction : penalty),
    0,
  );
}

/**
 * The complexity of a family of VC dimension d on m rows as DeSalvo, Mohri and Syed (2015) print it in bound (9):
 *
 *     c(d) = √(d ln(em/d) / m),   with min(d, m) for d.
 *
 * It rises to 1 at d = m; past that the formula would fall again and then not be a number. For functions with values ±1 the
 * factor 2 of Massart's lemma is missing under the root: use `leafVcComplexity` where the number has to bound something.
 */
export function vcComplexity(dimension: number, rows: number): number {
  const d = Math.min(checkDimension(dimension), checkRows(rows));
  return d === 0 ? 0 : Math.sqrt((d * (1 + Math.log(rows / d))) / rows);
}

/**
 * `vc-local`, what Vani and Venkatesh (2015) computed, on the m_k points that reach node k:
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
 * An upper bound of R̂_S(H) for functions with values ±1 and VC dimension d (Massart's and Sauer's lemmas; Mohri,
 * Rostamizadeh and Talwalkar 2012, Corollaries 3.1 and 3.3): √(2d ln(em/d) / m), and never above 1.
 */
export function leafVcComplexity(dimension: number, rows: number): number {
  return Math.min(1, Math.SQRT2 * vcComplexity(dimension, rows));
}

/**
 * An upper bound of R̂_S(Q) for the gates 1[|h(x)| ≤ c] and their complements, h from a family of real functions whose
 * signs h(x) − c have VC dimension d. A gate is the product of two such signs, so Q labels the rows in at most
 * 2(em/d)^{2d} ways, where the 2 counts the complements; functions with values 0 and 1 have half the complexity of
 * those with ±1. With Massart's lemma
 *
 *     R̂_S(Q) ≤ ½ √(2 (2d ln(em/d) + ln 2) / m),   and never above ½.
 *
 * The paper takes VCdim(Q) ≤ d for this. That is not so in general: the strips |w·x + b| ≤ c in the plane, where d = 3,
 * cut out every subset of the four corners of a square.
 */
export function gateVcComplexity(dimension: number, rows: number): number {
  const d = Math.min(checkDimension(dimension), checkRows(rows));
  const labellings = d === 0 ? 0 : 2 * d * (1 + Math.log(rows / d));
  return Math.min(0.5, 0.5 * Math.sqrt((2 * (labellings + Math.LN2)) / rows));
}

function checkDimension(dimension: number): number {
  if (dimension >= 0) return dimension;
  throw new VouchError("option/invalid", `The VC dimension is ${dimension}, but must be at least 0.`);
}

function checkRows(rows: number): number {
  if (rows > 0 && rows < Number.POSITIVE_INFINITY) return rows;
  throw new VouchError(
    "option/invalid",
    `The complexity of a family on ${rows} rows is not defined: there must be some.`,
  );
}
