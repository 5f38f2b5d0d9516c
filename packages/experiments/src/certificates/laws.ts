/** Mixes laws with the given weights, which need not sum to 1. */
export function mixture(laws: readonly Float64Array[], weights: readonly number[]): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return laws[0].map((_, i) => laws.reduce((sum, law, k) => sum + (weights[k] / total) * law[i], 0));
}

/** Returns the law with other class probabilities; a class without probability keeps none. */
export function withClassShares(law: Float64Array, shares: readonly number[]): Float64Array {
  const classes = shares.length;
  const own = shares.map((_, c) => law.reduce((sum, p, i) => (i % classes === c ? sum + p : sum), 0));
  return law.map((p, i) => (p === 0 ? 0 : (p * shares[i % classes]) / own[i % classes]));
}

/** Returns the law of rows whose features differ from all given rows of the support; undefined if there are none. */
export function conditionedOnNew(
  law: Float64Array,
  known: ReadonlySet<number>,
  classes: number,
): Float64Array | undefined {
  const rest = law.map((p, i) => (known.has(Math.floor(i / classes)) ? 0 : p));
  const total = rest.reduce((sum, p) => sum + p, 0);
  return total > 0 ? rest.map((p) => p / total) : undefined;
}
