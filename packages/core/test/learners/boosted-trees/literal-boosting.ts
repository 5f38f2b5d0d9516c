import { type BinnedColumns, MISSING_BIN } from "#core/encode/binned-columns.js";
import type { Sample } from "#core/encode/sample.js";

/** What the literal algorithm is told. */
export interface LiteralOptions {
  readonly rounds: number;
  readonly learningRate: number;
  readonly maxDepth: number;
  readonly lambda: number;
  readonly gamma: number;
  readonly minChildWeight: number;
}

interface Derivatives {
  readonly gradient: number;
  readonly hessian: number;
}

/**
 * Second-order boosting word for word, with every cut, both sides for missing cells and every set of categories tried: the
 * margins of each row, one for two classes and otherwise one for each class.
 */
export function literalBoosting(sample: Sample<BinnedColumns>, options: LiteralOptions): number[][] {
  const outputs = sample.classes.length === 2 ? 1 : sample.classes.length;
  const base = baseOf(sample);
  const margins = Array.from({ length: sample.rows }, () => [...base]);
  for (let round = 0; round < options.rounds; round++) {
    const before = margins.map((own) => [...own]);
    for (let k = 0; k < outputs; k++) {
      const derivatives = before.map((own, i) =>
        derivativesOf(own, sample.labels[i], k, sample.weights?.[i] ?? 1),
      );
      const rows = [...margins.keys()];
      grow(sample.features, rows, derivatives, options, 0, (row, value) => {
        margins[row][k] += options.learningRate * value;
      });
    }
  }
  return margins;
}

/** The margins that give the classes their shares of the weight. */
export function baseOf({ labels, classes, weights }: Sample<BinnedColumns>): number[] {
  const shares = classes.map((_, k) => {
    let sum = 0;
    let all = 0;
    labels.forEach((label, i) => {
      all += weights?.[i] ?? 1;
      if (label === k) sum += weights?.[i] ?? 1;
    });
    return sum / all;
  });
  return classes.length === 2 ? [Math.log(shares[1] / shares[0])] : shares.map(Math.log);
}

function derivativesOf(margins: readonly number[], label: number, k: number, weight: number): Derivatives {
  if (margins.length === 1) {
    const p = 1 / (1 + Math.exp(-margins[0]));
    return { gradient: weight * (p - label), hessian: weight * p * (1 - p) };
  }
  const total = margins.reduce((sum, margin) => sum + Math.exp(margin), 0);
  const p = Math.exp(margins[k]) / total;
  return { gradient: weight * (p - Number(label === k)), hessian: 2 * weight * p * (1 - p) };
}

function sums(rows: readonly number[], derivatives: readonly Derivatives[]): Derivatives {
  return rows.reduce(
    (sum, row) => ({
      gradient: sum.gradient + derivatives[row].gradient,
      hessian: sum.hessian + derivatives[row].hessian,
    }),
    { gradient: 0, hessian: 0 },
  );
}

function grow(
  features: BinnedColumns,
  rows: readonly number[],
  derivatives: readonly Derivatives[],
  options: LiteralOptions,
  depth: number,
  tell: (row: number, value: number) => void,
): void {
  const { lambda, gamma, minChildWeight, maxDepth } = options;
  const own = sums(rows, derivatives);
  const term = ({ gradient, hessian }: Derivatives) => gradient ** 2 / (hessian + lambda);
  let best: { gain: number; left: number[]; right: number[] } | undefined;
  for (let j = 0; depth < maxDepth && j < features.columns; j++) {
    for (const isLeft of questionsAbout(features, j, rows)) {
      const left = rows.filter((row) => isLeft(features.column(j)[row]));
      const right = rows.filter((row) => !isLeft(features.column(j)[row]));
      const [a, b] = [sums(left, derivatives), sums(right, derivatives)];
      if (left.length === 0 || right.length === 0) continue;
      if (a.hessian < minChildWeight || b.hessian < minChildWeight) continue;
      const gain = term(a) + term(b) - term(own);
      if (gain > gamma && gain > 1e-6 && gain > (best?.gain ?? 0)) best = { gain, left, right };
    }
  }
  if (!best) {
    for (const row of rows) tell(row, -own.gradient / (own.hessian + lambda));
    return;
  }
  grow(features, best.left, derivatives, options, depth + 1, tell);
  grow(features, best.right, derivatives, options, depth + 1, tell);
}

/** Whether a bin goes left, for every question that can be asked of rows. */
function questionsAbout(
  features: BinnedColumns,
  j: number,
  rows: readonly number[],
): ((bin: number) => boolean)[] {
  const bins = [...new Set(rows.map((row) => features.column(j)[row]))].sort((a, b) => a - b);
  if (features.features[j].kind === "categorical") {
    return Array.from({ length: 2 ** (bins.length - 1) }, (_, set) => (bin: number) => {
      return ((set >> bins.indexOf(bin)) & 1) === 1;
    });
  }
  return bins
    .filter((bin) => bin !== MISSING_BIN)
    .flatMap((cut) => [
      (bin: number) => bin !== MISSING_BIN && bin <= cut,
      (bin: number) => bin === MISSING_BIN || bin <= cut,
    ]);
}
