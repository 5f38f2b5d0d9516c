import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectGreedily } from "#core/learners/ensemble/greedy-selection.js";
import { drawnMembers } from "./out-of-fold-draws.js";

type Drawn = ReturnType<typeof drawnMembers>;

function mean(weights: ArrayLike<number>, { probabilities }: Drawn): Float64Array {
  return probabilities[0].map((_, i) => probabilities.reduce((sum, own, m) => sum + weights[m] * own[i], 0));
}

function logLoss(given: Float64Array, { labels, classes }: Drawn): number {
  return labels.reduce((sum, label, i) => sum - Math.log(given[i * classes + label]), 0) / labels.length;
}

function error(given: Float64Array, { labels, classes }: Drawn): number {
  const wrong = labels.filter((label, i) => {
    const row = given.subarray(i * classes, (i + 1) * classes);
    return row.indexOf(Math.max(...row)) !== label;
  });
  return wrong.length / labels.length;
}

/** Caruana's procedure from its definition: every mean is computed from scratch. */
function byDefinition(drawn: Drawn, losses: readonly ((given: Float64Array) => number)[], rounds: number) {
  const compare = (a: readonly number[], b: readonly number[]) => {
    const k = a.findIndex((loss, i) => Math.abs(loss - b[i]) > 1e-12 * Math.abs(b[i]));
    return k < 0 ? 0 : a[k] - b[k];
  };
  let bag: number[] = [];
  let best: { losses: number[]; bag: number[] } | undefined;
  for (let round = 1; round <= rounds; round++) {
    const options = drawn.probabilities.map((_, m) => {
      const next = [...bag, m];
      const weights = drawn.probabilities.map((_, k) => next.filter((j) => j === k).length / round);
      const given = mean(weights, drawn);
      return { losses: losses.map((loss) => loss(given)), bag: next };
    });
    const chosen = options.reduce((a, b) => (compare(b.losses, a.losses) < 0 ? b : a));
    bag = chosen.bag;
    if (!best || compare(chosen.losses, best.losses) < 0) best = chosen;
  }
  const kept = best?.bag ?? [];
  return drawn.probabilities.map((_, k) => kept.filter((j) => j === k).length / kept.length);
}

const small = fc
  .record({
    members: fc.integer({ min: 1, max: 4 }),
    rows: fc.integer({ min: 1, max: 12 }),
    classes: fc.integer({ min: 2, max: 4 }),
    seed: fc.nat(),
  })
  .map(({ members, rows, classes, seed }) => drawnMembers(members, rows, classes, seed));

describe("greedy selection", () => {
  it("is forward selection with replacement, with running sums for error and log-loss", () => {
    fc.assert(
      fc.property(small, (drawn) => {
        const { probabilities, labels, classes } = drawn;
        const ofLog = (given: Float64Array) => logLoss(given, drawn);
        const ofError = (given: Float64Array) => error(given, drawn);
        const rounds = 8;
        const byError = selectGreedily(probabilities, { kind: "error", labels, classes }, { rounds });
        expect([...byError]).toEqual(byDefinition(drawn, [ofError, ofLog], rounds));
        const byLog = selectGreedily(probabilities, { kind: "log-loss", labels, classes }, { rounds });
        expect([...byLog]).toEqual(byDefinition(drawn, [ofLog], rounds));
        expect([...selectGreedily(probabilities, ofError, { rounds, tieLoss: ofLog })]).toEqual([...byError]);
      }),
      { numRuns: 60 },
    );
  });

  it("finds the best average of two candidates on a grid as fine as its rounds", () => {
    for (let seed = 0; seed < 10; seed++) {
      const drawn = drawnMembers(2, 40, 3, seed);
      const { labels, classes, probabilities } = drawn;
      const rounds = 100;
      const [share] = selectGreedily(probabilities, { kind: "log-loss", labels, classes }, { rounds });
      const found = logLoss(mean([share, 1 - share], drawn), drawn);
      const grid = Array.from({ length: rounds + 1 }, (_, k) =>
        logLoss(mean([k / rounds, 1 - k / rounds], drawn), drawn),
      );
      expect(found).toBeLessThan(Math.min(...grid) + 1e-3);
    }
  });

  it("is never worse than the best candidate, and its weights sum to one", () => {
    fc.assert(
      fc.property(small, fc.integer({ min: 1, max: 3 }), (drawn, start) => {
        const { probabilities, labels, classes } = drawn;
        const options = start === 1 ? {} : { start: Math.min(start, probabilities.length) };
        const weights = selectGreedily(probabilities, { kind: "log-loss", labels, classes }, options);
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
        const alone = Math.min(...probabilities.map((own) => logLoss(own, drawn)));
        expect(logLoss(mean(weights, drawn), drawn)).toBeLessThanOrEqual(alone + 1e-12);
      }),
      { numRuns: 40 },
    );
  });

  it("starts with the best candidates on their own", () => {
    const drawn = drawnMembers(4, 200, 3, 5);
    const { probabilities, labels, classes } = drawn;
    const two = selectGreedily(probabilities, { kind: "log-loss", labels, classes }, { rounds: 2, start: 2 });
    const order = [...probabilities.keys()].sort(
      (a, b) => logLoss(probabilities[a], drawn) - logLoss(probabilities[b], drawn),
    );
    expect([...two]).toEqual(probabilities.map((_, m) => (order.slice(0, 2).includes(m) ? 0.5 : 0)));
  });

  it("weighs rows: a row of weight 2 counts as two rows", () => {
    const { probabilities, labels, classes } = drawnMembers(3, 30, 3, 9);
    const weights = Float64Array.from(labels, (_, i) => 1 + (i % 2));
    const rows = Array.from(labels.keys()).flatMap((i) => (i % 2 === 0 ? [i] : [i, i]));
    const repeated = probabilities.map((own) =>
      Float64Array.from(rows.flatMap((i) => [...own.subarray(i * classes, (i + 1) * classes)])),
    );
    const twice = Int32Array.from(rows, (i) => labels[i]);
    for (const kind of ["error", "log-loss"] as const) {
      expect([...selectGreedily(probabilities, { kind, labels, classes, weights })]).toEqual([
        ...selectGreedily(repeated, { kind, labels: twice, classes }),
      ]);
    }
  });
});
