/**
 * The dual of a support vector machine solved by trying which rows end up at 0, at C or between: for tiny problems, with
 * nothing in common with SMO. For each choice the rows between solve K_FF β_F + b = y_F − K_FB β_B, Σβ = 0.
 */
export function exhaustiveObjective(
  K: number[][],
  labels: ArrayLike<number>,
  bounds: ArrayLike<number>,
): number {
  let best = Infinity;
  const n = labels.length;
  for (let choice = 0; choice < 3 ** n; choice++) {
    const beta = Array.from({ length: n }, () => 0);
    const between: number[] = [];
    for (let i = 0, rest = choice; i < n; i++, rest = Math.floor(rest / 3)) {
      if (rest % 3 === 1) beta[i] = labels[i] * bounds[i];
      if (rest % 3 === 2) between.push(i);
    }
    if (!solveBetween(K, labels, beta, between)) continue;
    const feasible = beta.every((b, i) => labels[i] * b >= -1e-9 && labels[i] * b <= bounds[i] + 1e-9);
    if (feasible && Math.abs(beta.reduce((sum, b) => sum + b, 0)) < 1e-9)
      best = Math.min(best, objective(K, labels, beta));
  }
  return best;
}

/** ½βᵀKβ − Σ yβ */
export function objective(
  K: ArrayLike<number>[],
  labels: ArrayLike<number>,
  beta: ArrayLike<number>,
): number {
  let sum = 0;
  for (let i = 0; i < beta.length; i++) {
    sum -= labels[i] * beta[i];
    for (let j = 0; j < beta.length; j++) sum += (beta[i] * K[i][j] * beta[j]) / 2;
  }
  return sum;
}

/** Fills in the rows between; false if their system is singular. */
function solveBetween(K: number[][], labels: ArrayLike<number>, beta: number[], between: number[]): boolean {
  if (between.length === 0) return true;
  const fixed = beta.slice();
  const system = between.map((i) => [
    ...between.map((j) => K[i][j]),
    1,
    labels[i] - fixed.reduce((sum, b, j) => sum + K[i][j] * b, 0),
  ]);
  system.push([...between.map(() => 1), 0, -fixed.reduce((sum, b) => sum + b, 0)]);
  const solution = gauss(system);
  if (!solution) return false;
  between.forEach((i, a) => {
    beta[i] = solution[a];
  });
  return true;
}

/** Gaussian elimination with pivots; rows are equations with the right side last. */
function gauss(rows: number[][]): number[] | undefined {
  const n = rows.length;
  for (let c = 0; c < n; c++) {
    const pivot = rows.findIndex(
      (_, r) => r >= c && rows.every((row, s) => s < c || Math.abs(row[c]) <= Math.abs(rows[r][c])),
    );
    if (Math.abs(rows[pivot][c]) < 1e-10) return undefined;
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = 0; r < n; r++) {
      if (r === c) continue;
      const factor = rows[r][c] / rows[c][c];
      for (let k = c; k <= n; k++) rows[r][k] -= factor * rows[c][k];
    }
  }
  return rows.map((row, r) => row[n] / row[r]);
}
