import { VouchError } from "../error.js";

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
