/** A tree as a function, and how many leaves it has. */
interface Tree {
  readonly says: (row: readonly number[]) => number;
  readonly leaves: number;
}

/** SAMME on trees, word for word: exponentials, and every cut of every feature tried in every node. */
export function boostedTrees(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  classes: number,
  depth: number,
  rounds: number,
) {
  const K = new Set(labels).size;
  let D = rows.map(() => 1 / rows.length);
  const votes = rows.map(() => new Float64Array(classes));
  const found: { alpha: number; error: number; trainingError: number; leaves: number }[] = [];
  for (let t = 0; t < rounds; t++) {
    const total = D.reduce((a, b) => a + b);
    D = D.map((d) => d / total);
    const { says, leaves } = grow(
      rows,
      labels,
      D,
      classes,
      rows.map((_, i) => i),
      depth,
    );
    const error = rows.reduce((sum, row, i) => sum + (says(row) === labels[i] ? 0 : D[i]), 0);
    if (error === 0 || error > 1 - 1 / K - 1e-10) break;
    const alpha = Math.log((1 - error) / error) + Math.log(K - 1);
    D = D.map((d, i) => (says(rows[i]) === labels[i] ? d : d * Math.exp(alpha)));
    rows.forEach((row, i) => {
      votes[i][says(row)] += alpha;
    });
    const wrong = votes.filter((each, i) => each.indexOf(Math.max(...each)) !== labels[i]).length;
    found.push({ alpha, error, trainingError: wrong / rows.length, leaves });
  }
  return found;
}

function grow(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  D: readonly number[],
  classes: number,
  here: readonly number[],
  depth: number,
): Tree {
  const weights = classWeights(labels, D, classes, here);
  const heaviest = weights.indexOf(Math.max(...weights));
  const leaf = { says: () => heaviest, leaves: 1 };
  if (depth === 0 || weights.filter((weight) => weight > 0).length < 2) return leaf;
  let best: { score: number; feature: number; threshold: number } | undefined;
  for (let feature = 0; feature < rows[0].length; feature++) {
    const values = [...new Set(here.map((i) => rows[i][feature]))].sort((a, b) => a - b);
    for (let v = 0; v + 1 < values.length; v++) {
      const threshold = (values[v] + values[v + 1]) / 2;
      const sides = [true, false].map((isLeft) =>
        here.filter((i) => rows[i][feature] <= threshold === isLeft),
      );
      const score = sides.reduce((sum, side) => sum + purity(classWeights(labels, D, classes, side)), 0);
      if (!best || score > best.score + 1e-13) best = { score, feature, threshold };
    }
  }
  if (!best) return leaf;
  const { feature, threshold } = best;
  const isLeft = (row: readonly number[]) => row[feature] <= threshold;
  const left = grow(
    rows,
    labels,
    D,
    classes,
    here.filter((i) => isLeft(rows[i])),
    depth - 1,
  );
  const right = grow(
    rows,
    labels,
    D,
    classes,
    here.filter((i) => !isLeft(rows[i])),
    depth - 1,
  );
  return {
    says: (row) => (isLeft(row) ? left : right).says(row),
    leaves: left.leaves + right.leaves,
  };
}

function classWeights(
  labels: readonly number[],
  D: readonly number[],
  classes: number,
  here: readonly number[],
): number[] {
  const weights = Array<number>(classes).fill(0);
  for (const i of here) weights[labels[i]] += D[i];
  return weights;
}

/** Σ w_k² / Σ w_k: the weight minus weight times Gini index. */
function purity(weights: readonly number[]): number {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.reduce((total, weight) => total + (weight * weight) / sum, 0);
}
