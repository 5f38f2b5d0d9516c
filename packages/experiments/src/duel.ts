/** Two classifiers on the same rows: how many rows only the one, and only the other, gets right. */
export interface Duel {
  readonly won: number;
  readonly lost: number;
}

/** The duel of two lists of predictions. */
export function duelOf(own: Int32Array, others: Int32Array, labels: Int32Array): Duel {
  let won = 0;
  let lost = 0;
  for (let i = 0; i < labels.length; i++) {
    if (own[i] === others[i]) continue;
    if (own[i] === labels[i]) won++;
    if (others[i] === labels[i]) lost++;
  }
  return { won, lost };
}

/**
 * The sign test: the probability that a fair coin falls at least `won` times on our side in won + lost throws. Small
 * where we are better for a reason.
 */
export function signTest({ won, lost }: Duel): number {
  const throws = won + lost;
  // C(n, k) / 2ⁿ from k = n down, by logarithms so that 2ⁿ does not overflow.
  let logTerm = -throws * Math.LN2;
  let sum = 0;
  for (let k = throws; k >= won; k--) {
    sum += Math.exp(logTerm);
    if (k > 0) logTerm += Math.log(k) - Math.log(throws - k + 1);
  }
  return Math.min(1, sum);
}
