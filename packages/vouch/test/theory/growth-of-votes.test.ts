import { describe, expect, it } from "vitest";
import { Random } from "#vouch/runtime/random.js";
import {
  logCommitteeGrowth,
  logTreeCommitteeGrowth,
  logTreeGrowth,
  logVoteGrowth,
} from "#vouch/theory/vc/growth-of-families.js";
import { treeVcDimension } from "#vouch/theory/vc/vc-dimension.js";

const random = new Random(5);

/** The class with most votes; ties go to the class that comes first. */
function winner(votes: readonly number[]): number {
  return votes.indexOf(Math.max(...votes));
}

/** How many labellings of n points votes of given classifiers make, of very many tried. */
function labellings(answers: readonly (readonly number[])[], points: number, classes: number): number {
  const seen = new Set<string>();
  for (let draw = 0; draw < 40_000; draw++) {
    // Whole numbers now and then, for ties.
    const weigh = () => (draw % 3 === 0 ? random.integer(5) - 2 : random.normal());
    const alphas = answers.map(weigh);
    const constants = Array.from({ length: classes }, weigh);
    const labels = Array.from({ length: points }, (_, i) => {
      const votes = [...constants];
      for (const [t, says] of answers.entries()) votes[says[i]] += alphas[t];
      return winner(votes);
    });
    seen.add(labels.join());
  }
  return seen.size;
}

describe("growth of votes", () => {
  it("is not passed by votes of given classifiers, whatever their weights and constants", () => {
    for (const classes of [2, 3, 4]) {
      for (const voters of [1, 2, 3]) {
        const points = 6;
        const answers = Array.from({ length: voters }, () =>
          Array.from({ length: points }, () => random.integer(classes)),
        );
        const count = labellings(answers, points, classes);
        expect(count).toBeGreaterThan(classes);
        expect(Math.log(count)).toBeLessThanOrEqual(logVoteGrowth(points, voters, classes) + 1e-12);
      }
    }
  });

  it("of one voter for three classes and two points is counted by hand", () => {
    // N = 6 comparisons, T + K − 1 = 3 numbers: 2 (1 + 5 + 10) = 32, but there are only 3² labellings.
    expect(logVoteGrowth(2, 1, 3)).toBeCloseTo(Math.log(9), 12);
    // N = 60: 2 (1 + 59 + 59·58/2).
    expect(logVoteGrowth(20, 1, 3)).toBeCloseTo(Math.log(2 * (1 + 59 + 1711)), 12);
  });

  it("of stumps for three classes is not passed by all votes of two stumps on a line", () => {
    const points = 5;
    const seen = new Set<string>();
    for (let draw = 0; draw < 200_000; draw++) {
      const stumps = [0, 1].map(() => ({
        cut: random.integer(points - 1),
        left: random.integer(3),
        right: random.integer(3),
        alpha: Math.abs(random.normal()),
      }));
      const constants = [0, 1, 2].map(() => random.normal());
      const labels = Array.from({ length: points }, (_, x) => {
        const votes = [...constants];
        for (const { cut, left, right, alpha } of stumps) votes[x <= cut ? left : right] += alpha;
        return winner(votes);
      });
      seen.add(labels.join());
    }
    expect(Math.log(seen.size)).toBeLessThanOrEqual(logCommitteeGrowth(points, 1, 2, 3));
    expect(logCommitteeGrowth(5000, 3, 2, 3)).toBeLessThan(80);
  });
});

describe("growth of trees", () => {
  it("is not passed by all trees with at most three leaves on a line, missing numbers among them", () => {
    const family = { features: 1, leaves: 3, classes: 2 };
    const points = [...Array.from({ length: 14 }, (_, x) => x), undefined, undefined];
    type Question = (x: number | undefined) => boolean;
    const questions: Question[] = [(x) => x === undefined];
    for (let cut = 0; cut < 13; cut++) {
      for (const missing of [true, false]) questions.push((x) => (x === undefined ? missing : x <= cut));
    }
    const seen = new Set<string>();
    for (const first of questions) {
      for (const second of questions) {
        for (let leaves = 0; leaves < 8; leaves++) {
          for (const side of [true, false]) {
            const labels = points.map((x) =>
              first(x) === side ? leaves & 1 : second(x) ? (leaves >> 1) & 1 : leaves >> 2,
            );
            seen.add(labels.join());
          }
        }
      }
    }
    // At most 2 + s·4 + 2s²·8 trees as they are written down, s = 2·16 − 1 questions; 2¹⁶ labellings are all.
    const most = 2 + 31 * 4 + 2 * 31 ** 2 * 8;
    expect(logTreeGrowth(16, family)).toBeCloseTo(Math.log(most), 10);
    expect(seen.size).toBeGreaterThan(300);
    expect(seen.size).toBeLessThanOrEqual(most);
  });

  it("of committees is that of the trees and of the votes", () => {
    const family = { features: 4, leaves: 4, classes: 3 };
    expect(logTreeCommitteeGrowth(3000, 5, family)).toBeCloseTo(
      5 * logTreeGrowth(3000, family) + logVoteGrowth(3000, 5, 3),
      8,
    );
    expect(logTreeCommitteeGrowth(10, 50, family)).toBeCloseTo(10 * Math.log(3), 12);
  });

  it("bounds the VC dimension: the largest number of points that can be labelled in all ways", () => {
    for (const [features, leaves] of [
      [1, 1],
      [1, 2],
      [5, 4],
      [30, 8],
    ]) {
      const V = treeVcDimension(features, leaves);
      const count = (points: number) => logTreeGrowth(points, { features, leaves, classes: 2 });
      expect(count(V)).toBeCloseTo(V * Math.LN2, 12);
      expect(count(V + 1)).toBeLessThan((V + 1) * Math.LN2);
    }
    // Trees without questions are constants; L leaves on a line take L intervals apart.
    expect(treeVcDimension(1, 1)).toBe(1);
    expect(treeVcDimension(1, 4)).toBeGreaterThanOrEqual(4);
    expect(treeVcDimension(0, 8)).toBe(1);
  });
});
