import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import {
  logCascadeGrowth,
  logCommitteeGrowth,
  logHalfSpaceGrowth,
  logStumpGrowth,
  logTreeCommitteeGrowth,
  logTreeGrowth,
  logVoteGrowth,
} from "#core/theory/vc/growth-of-families.js";

type Labeller = (x: readonly number[]) => boolean;

/** The number of ways in which some functions label points. */
function labellings(points: readonly (readonly number[])[], labellers: Iterable<Labeller>): number {
  const seen = new Set<number>();
  for (const labels of labellers) {
    seen.add(points.reduce((bits, x, i) => bits + (labels(x) ? 2 ** i : 0), 0));
  }
  return seen.size;
}

/** The class with the most votes; ties go to the class that comes first. */
function winner(votes: ArrayLike<number>): number {
  let best = 0;
  for (let k = 1; k < votes.length; k++) if (votes[k] > votes[best]) best = k;
  return best;
}

describe("growth function of stumps and half-spaces", () => {
  const random = new Random(5);
  const points = Array.from({ length: 6 }, () => [random.normal(), random.normal()]);

  it("of stumps is attained by points with different values", () => {
    const stumps = points.flatMap((point) =>
      point.flatMap((value, feature): Labeller[] => [(x) => x[feature] <= value, (x) => x[feature] > value]),
    );
    expect(Math.log(labellings(points, stumps))).toBeCloseTo(logStumpGrowth(6, 2), 12);
    // Three classes: 6 ordered pairs and 3 constants.
    expect(logStumpGrowth(6, 2, 3)).toBeCloseTo(Math.log(5 * 2 * 6 + 3), 12);
  });

  it("of half-spaces is attained by points in general position (Cover)", () => {
    // For each of many directions, every threshold on the points' projections.
    const halfSpaces = Array.from({ length: 2000 }, (_, k): Labeller[] => {
      const [a, b] = [Math.cos((2 * Math.PI * k) / 2000), Math.sin((2 * Math.PI * k) / 2000)];
      return [[0, 0], ...points].map((point, i) => {
        const threshold = i === 0 ? -100 : a * point[0] + b * point[1];
        return (x) => a * x[0] + b * x[1] > threshold;
      });
    }).flat();
    // 2 (1 + 5 + 10) = 32 for lines in the plane.
    expect(logHalfSpaceGrowth(6, 3)).toBeCloseTo(Math.log(32), 12);
    expect(labellings(points, halfSpaces)).toBe(32);
    expect(logHalfSpaceGrowth(6, 40)).toBeCloseTo(6 * Math.LN2, 12);
  });
});

describe("growth function of votes", () => {
  const random = new Random(5);

  /** The number of labellings of n points by votes of given classifiers, among many random weights and constants. */
  function voteLabellings(answers: readonly (readonly number[])[], points: number, classes: number): number {
    const seen = new Set<number>();
    const votes = new Float64Array(classes);
    for (let draw = 0; draw < 6000; draw++) {
      // Integers now and then, for ties.
      const weigh = () => (draw % 3 === 0 ? random.integer(5) - 2 : random.normal());
      const alphas = answers.map(weigh);
      const constants = Array.from({ length: classes }, weigh);
      let labels = 0;
      for (let i = 0; i < points; i++) {
        votes.set(constants);
        for (let t = 0; t < answers.length; t++) votes[answers[t][i]] += alphas[t];
        labels = labels * classes + winner(votes);
      }
      seen.add(labels);
    }
    return seen.size;
  }

  it("is not exceeded by votes of given classifiers, whatever their weights and constants", () => {
    const points = 6;
    for (const classes of [2, 3, 4]) {
      for (const voters of [1, 2, 3]) {
        const answers = Array.from({ length: voters }, () =>
          Array.from({ length: points }, () => random.integer(classes)),
        );
        const count = voteLabellings(answers, points, classes);
        expect(count).toBeGreaterThan(classes);
        expect(Math.log(count)).toBeLessThanOrEqual(logVoteGrowth(points, voters, classes) + 1e-12);
      }
    }
  });

  it("of one voter for three classes is counted by hand", () => {
    // N = 6 comparisons, T + K − 1 = 3 numbers: 2 (1 + 5 + 10) = 32, but there are only 3² labellings.
    expect(logVoteGrowth(2, 1, 3)).toBeCloseTo(Math.log(9), 12);
    // N = 60: 2 (1 + 59 + 59·58/2).
    expect(logVoteGrowth(20, 1, 3)).toBeCloseTo(Math.log(2 * (1 + 59 + 1711)), 12);
  });

  it("of two stumps for two classes is not exceeded by all such votes on a line", () => {
    const line = Array.from({ length: 5 }, (_, i) => [i]);
    const votes: Labeller[] = [];
    for (let a = 0; a < 4; a++) {
      for (let b = a + 1; b < 4; b++) {
        for (let draw = 0; draw < 300; draw++) {
          const [u, v, w] = [random.normal(), random.normal(), random.normal()];
          votes.push(([x]) => u * (x <= a ? 1 : -1) + v * (x <= b ? 1 : -1) + w >= 0);
        }
      }
    }
    const count = labellings(line, votes);
    expect(count).toBeGreaterThan(Math.exp(logStumpGrowth(5, 1)));
    expect(count).toBeLessThanOrEqual(Math.exp(logCommitteeGrowth(5, 1, 2)) + 1e-9);
  });

  it("of two stumps for three classes is not exceeded by votes on a line", () => {
    const points = 5;
    const seen = new Set<number>();
    // Every pair of stumps, each with many weights and constants.
    for (let pair = 0; pair < 36 ** 2; pair++) {
      const stumps = [pair % 36, Math.floor(pair / 36)].map((stump) => ({
        cut: stump % 4,
        left: Math.floor(stump / 4) % 3,
        right: Math.floor(stump / 12),
      }));
      for (let draw = 0; draw < 15; draw++) {
        const alphas = stumps.map(() => Math.abs(random.normal()));
        const constants = [random.normal(), random.normal(), random.normal()];
        let labels = 0;
        for (let x = 0; x < points; x++) {
          const votes = [...constants];
          stumps.forEach(({ cut, left, right }, t) => {
            votes[x <= cut ? left : right] += alphas[t];
          });
          labels = labels * 3 + winner(votes);
        }
        seen.add(labels);
      }
    }
    expect(seen.size).toBeGreaterThan(3 + 4 * 6);
    expect(Math.log(seen.size)).toBeLessThanOrEqual(logCommitteeGrowth(points, 1, 2, 3));
    expect(logCommitteeGrowth(5000, 3, 2, 3)).toBeLessThan(80);
  });
});

describe("growth function of trees", () => {
  it("is not exceeded by all trees with at most three leaves on a line, with missing numbers", () => {
    const family = { features: 1, leaves: 3, classes: 2 };
    const points = [...Array.from({ length: 14 }, (_, x) => x), undefined, undefined];
    type Split = (x: number | undefined) => boolean;
    const splits: Split[] = [(x) => x === undefined];
    for (let cut = 0; cut < 13; cut++) {
      for (const missing of [true, false]) splits.push((x) => (x === undefined ? missing : x <= cut));
    }
    const seen = new Set<number>();
    for (const first of splits) {
      for (const second of splits) {
        for (let leaves = 0; leaves < 8; leaves++) {
          for (const side of [true, false]) {
            let labels = 0;
            for (const x of points) {
              const leaf = first(x) === side ? leaves & 1 : second(x) ? (leaves >> 1) & 1 : leaves >> 2;
              labels = 2 * labels + leaf;
            }
            seen.add(labels);
          }
        }
      }
    }
    // At most 2 + s·4 + 2s²·8 trees as they are written down, with s = 2·16 − 1 splits; there are 2¹⁶ labellings.
    const most = 2 + 31 * 4 + 2 * 31 ** 2 * 8;
    expect(logTreeGrowth(16, family)).toBeCloseTo(Math.log(most), 10);
    expect(seen.size).toBeGreaterThan(300);
    expect(seen.size).toBeLessThanOrEqual(most);
  });

  it("of committees is that of the trees times that of the votes", () => {
    const family = { features: 4, leaves: 4, classes: 3 };
    expect(logTreeCommitteeGrowth(3000, 5, family)).toBeCloseTo(
      5 * logTreeGrowth(3000, family) + logVoteGrowth(3000, 5, 3),
      8,
    );
    expect(logTreeCommitteeGrowth(10, 50, family)).toBeCloseTo(10 * Math.log(3), 12);
  });
});

describe("growth function of cascades", () => {
  it("of one level is that of half-spaces, of more levels their product by hand", () => {
    expect(logCascadeGrowth(50, [4])).toBe(logHalfSpaceGrowth(50, 4));
    expect(logCascadeGrowth(50, [2, 3])).toBeCloseTo(
      logHalfSpaceGrowth(150, 4) + logHalfSpaceGrowth(50, 3),
      12,
    );
    expect(logCascadeGrowth(5, [40, 40])).toBeCloseTo(5 * Math.LN2, 12);
  });

  it("is not exceeded by cascades of two linear levels on a line", () => {
    const random = new Random(9);
    const line = Array.from({ length: 14 }, (_, i) => [i]);
    const cascades = Array.from({ length: 10_000 }, (): Labeller => {
      const [a, b, c, d] = [random.normal(), 14 * random.normal(), random.normal(), 14 * random.normal()];
      const threshold = 10 * Math.abs(random.normal());
      return ([x]) => {
        const first = a * x + b;
        return Math.abs(first) <= threshold ? c * x + d >= 0 : first >= 0;
      };
    });
    const count = labellings(line, cascades);
    // More than half-lines can do: 2(n − 1) + 2.
    expect(count).toBeGreaterThan(28);
    expect(Math.log(count)).toBeLessThanOrEqual(logCascadeGrowth(14, [2, 2]));
    expect(logCascadeGrowth(200, [2, 2])).toBeLessThan(200 * Math.LN2);
  });
});
