type Hypothesis = (row: readonly number[]) => number;

/** All stumps of eq. 3.3 on the rows: constants, then both signs at each threshold of each feature. */
function allStumps(rows: readonly (readonly number[])[]): Hypothesis[] {
  const stumps: Hypothesis[] = [() => -1, () => 1];
  for (let j = 0; j < rows[0].length; j++) {
    const values = [...new Set(rows.map((row) => row[j]))].sort((a, b) => a - b);
    for (let v = 0; v + 1 < values.length; v++) {
      const threshold = (values[v] + values[v + 1]) / 2;
      for (const sign of [-1, 1]) stumps.push((row) => (row[j] <= threshold ? sign : -sign));
    }
  }
  return stumps;
}

/** Algorithm 1 word for word: exp, Z_t, try every stump. Ends where ε_t is 0 or ½. */
export function algorithm1(
  rows: readonly (readonly number[])[],
  y: readonly number[],
  weights: readonly number[],
  T: number,
) {
  const stumps = allStumps(rows);
  const total = weights.reduce((a, b) => a + b);
  let D = weights.map((weight) => weight / total);
  const alphas: number[] = [];
  const errors: number[] = [];
  const f = rows.map(() => 0);
  const errorOf = (h: Hypothesis) => rows.reduce((sum, row, i) => sum + (h(row) === y[i] ? 0 : D[i]), 0);
  for (let t = 0; t < T; t++) {
    let best = stumps[0];
    let error = errorOf(best);
    for (const h of stumps) {
      const other = errorOf(h);
      if (other < error - 1e-12) [best, error] = [h, other];
    }
    if (error === 0 || error > 0.5 - 1e-10) break;
    const alpha = 0.5 * Math.log((1 - error) / error);
    const unnormalised = D.map((d, i) => d * Math.exp(-alpha * y[i] * best(rows[i])));
    const Z = unnormalised.reduce((a, b) => a + b);
    D = unnormalised.map((d) => d / Z);
    rows.forEach((row, i) => {
      f[i] += alpha * best(row);
    });
    alphas.push(alpha);
    errors.push(error);
  }
  return { alphas, errors, f };
}

/** SAMME as Zhu et al. print it, with every stump tried; ends where a stump is perfect or no better than chance. */
export function samme(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  weights: readonly number[],
  classes: number,
  T: number,
) {
  const K = new Set(labels).size;
  const names = Array.from({ length: classes }, (_, k) => k);
  const questions = allStumps(rows).filter((_, s) => s === 0 || s % 2 === 1);
  const stumps = questions.flatMap((asks) =>
    names.flatMap((a) =>
      names.map(
        (b): Hypothesis =>
          (row) =>
            asks(row) < 0 ? a : b,
      ),
    ),
  );
  let D = weights.map((weight) => weight);
  const found: { alpha: number; error: number }[] = [];
  for (let t = 0; t < T; t++) {
    const total = D.reduce((a, b) => a + b);
    const errorOf = (h: Hypothesis) =>
      rows.reduce((sum, row, i) => sum + (h(row) === labels[i] ? 0 : D[i] / total), 0);
    let best = stumps[0];
    let error = errorOf(best);
    for (const h of stumps) {
      const other = errorOf(h);
      if (other < error - 1e-12) [best, error] = [h, other];
    }
    if (error === 0 || error > 1 - 1 / K - 1e-10) break;
    const alpha = Math.log((1 - error) / error) + Math.log(K - 1);
    D = D.map((d, i) => (best(rows[i]) === labels[i] ? d : d * Math.exp(alpha)));
    found.push({ alpha, error });
  }
  return found;
}
