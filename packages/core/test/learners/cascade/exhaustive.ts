import type { CascadeSpace, ComplexityMeasure } from "#core/learners/cascade/search-space.js";

/** A node as the oracle knows it: a decision value for each of the rows it was trained on. */
export type TrainValues = (rows: readonly number[], choice: number) => { values: number[]; norm: number };

/** A cascade with everything that orders cascades. */
export interface Listed {
  readonly bound: number;
  readonly wrong: number;
  readonly choices: number[];
  readonly fractions: number[];
}

/** A search problem. */
export interface SearchProblem {
  readonly rows: readonly number[];
  readonly labels: Int8Array;
  readonly train: TrainValues;
  readonly space: CascadeSpace;
  readonly gamma: number;
  readonly complexity: ComplexityMeasure;
  readonly strict: boolean;
}

/**
 * Lists every cascade of the space, by brute force and straight from the equations: sequences of choices and fractions are
 * listed, each cascade is trained from its root, gates are sorted, bound (9) is summed leaf by leaf. Cascades with a
 * gate that passes on all points or none are left out.
 */
export function listCascades(problem: SearchProblem): Listed[] {
  const { space } = problem;
  const found: Listed[] = [];
  for (let depth = space.minDepth; depth <= space.maxDepth; depth++) {
    for (const choices of sequences(depth, space.choices)) {
      if (space.nonDecreasing && choices.some((choice, k) => k > 0 && choice < choices[k - 1])) continue;
      if (!space.lastChoices.includes(choices[depth - 1])) continue;
      for (const fractions of sequences(depth - 1, space.fractions.length)) {
        if (space.sameFraction && new Set(fractions).size > 1) continue;
        const evaluated = evaluate(problem, choices, fractions);
        if (evaluated) found.push({ ...evaluated, choices, fractions });
      }
    }
  }
  return found;
}

/** Returns the first in the order of ranks; bounds that agree to twelve decimals are equal. */
export function bestListed(listed: readonly Listed[]): Listed {
  const [best] = [...listed].sort(
    (a, b) =>
      Math.round(a.bound * 1e12) - Math.round(b.bound * 1e12) ||
      a.wrong - b.wrong ||
      a.choices.length - b.choices.length ||
      lexicographic(a.choices, b.choices) ||
      lexicographic(a.fractions, b.fractions),
  );
  return best;
}

function lexicographic(a: readonly number[], b: readonly number[]): number {
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return a[k] - b[k];
  return 0;
}

function sequences(length: number, size: number): number[][] {
  if (length === 0) return [[]];
  return sequences(length - 1, size).flatMap((head) =>
    Array.from({ length: size }, (_, last) => [...head, last]),
  );
}

function evaluate(
  { rows, labels, train, space, gamma, complexity, strict }: SearchProblem,
  choices: readonly number[],
  fractions: readonly number[],
): { bound: number; wrong: number } | undefined {
  const m = rows.length;
  let reach = [...rows];
  let wrong = 0;
  let counted = 0;
  let penalties = 0;
  const gates: number[] = [];
  for (let k = 0; k < choices.length; k++) {
    const { values, norm } = train(reach, choices[k]);
    const own = complexity.of(choices[k], reach.length, { norm });
    const isLast = k === choices.length - 1;
    const on = isLast ? reach.map(() => false) : passedOn(values, space.fractions[fractions[k]], strict);
    if (!isLast && (on.every(Boolean) || !on.some(Boolean))) return undefined;
    if (!isLast) gates.push(own.gate);
    const stay = reach.map((row, i) => ({ row, i })).filter(({ i }) => !on[i]);
    const right = stay.filter(({ row, i }) => labels[row] * values[i] > 0).length;
    wrong += stay.length - right;
    const penalty = 4 * gamma * (gates.reduce((sum, gate) => sum + gate, 0) + own.leaf);
    if (penalty < right / m) penalties += penalty;
    else counted += right;
    reach = reach.filter((_, i) => on[i]);
  }
  return { bound: (wrong + counted) / m + penalties, wrong };
}

function passedOn(values: readonly number[], fraction: number, strict: boolean): boolean[] {
  const distances = values.map(Math.abs);
  const rank = Math.ceil(Number((fraction * values.length).toFixed(9)));
  const threshold = [...distances].sort((a, b) => a - b)[rank - 1];
  return distances.map((distance) => (strict ? distance < threshold : distance <= threshold));
}
