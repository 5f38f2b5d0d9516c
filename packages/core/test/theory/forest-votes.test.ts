import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { forestFirstOrder, forestTandem, voteDivergence } from "#core/theory/forests/forest-votes.js";
import { pacBayesLoss } from "#core/theory/pac-bayes/pac-bayes.js";

const evidence = { rows: 600, confidence: 0.95, divergence: 0 };

describe("bounds for forests from out-of-bag rows", () => {
  it("are twice the bound on the loss of a tree, and four times the bound on the tandem loss", () => {
    const first = forestFirstOrder({ ...evidence, gibbsLoss: 0.1, outOfBagRows: 200 });
    expect(first.value).toBe(2 * pacBayesLoss({ loss: 0.1, divergence: 0, rows: 200 }, 0.05));
    const tandem = forestTandem({ ...evidence, divergence: 0.4, tandemLoss: 0.03, outOfBagRows: 70 });
    expect(tandem.value).toBe(4 * pacBayesLoss({ loss: 0.03, divergence: 0.8, rows: 70 }, 0.05));
    expect(tandem.holds).toBe(true);
  });

  it("are informative at m = 600, the tandem bound more so if trees err on different rows", () => {
    const first = forestFirstOrder({ ...evidence, gibbsLoss: 0.08, outOfBagRows: 200 });
    expect(first.value).toBeLessThan(0.4);
    const independent = forestTandem({ ...evidence, tandemLoss: 0.2 ** 2, outOfBagRows: 400 });
    expect(independent.value).toBeLessThan(
      forestFirstOrder({ ...evidence, gibbsLoss: 0.2, outOfBagRows: 400 }).value,
    );
  });

  it("are vacuous, and say why, for trees that share no out-of-bag row", () => {
    const certificate = forestTandem({ ...evidence, tandemLoss: 0, outOfBagRows: 0 });
    expect(certificate.value).toBe(4);
    expect(certificate.reason).toContain("vacuous");
  });

  it("take the divergence of the weights from equal ones", () => {
    expect(voteDivergence([0.25, 0.25, 0.25, 0.25])).toBe(0);
    expect(voteDivergence([1, 0])).toBeCloseTo(Math.LN2, 14);
    expect(voteDivergence([0.75, 0.25])).toBeCloseTo(0.75 * Math.log(1.5) + 0.25 * Math.log(0.5), 14);
  });
});

describe("coverage of the bounds for a vote of known error", () => {
  /**
   * Points are uniform on a line, the class is 1 above ½, one label in ten is wrong. Trees are thresholds from the class means of a
   * bag of rows, so the vote has the median threshold and a known error.
   */
  const NOISE = 0.1;
  const TREES = 9;
  const ROWS = 100;
  /** If a bound missed in 5% of the samples, no miss in 120 would have probability 0.95¹²⁰ = 0.002. */
  const SAMPLES = 120;

  function vote(random: Random) {
    const x = Float64Array.from({ length: ROWS }, () => random.uniform());
    const labels = x.map((value) => Number(value > 0.5 !== random.uniform() < NOISE));
    const trees = Array.from({ length: TREES }, () => {
      const seen = new Uint8Array(ROWS);
      const sums = [0, 0];
      const counts = [0, 0];
      for (let i = 0; i < ROWS; i++) {
        const row = random.integer(ROWS);
        seen[row] = 1;
        sums[labels[row]] += x[row];
        counts[labels[row]]++;
      }
      const threshold = (sums[0] / counts[0] + sums[1] / counts[1]) / 2;
      return { seen, threshold, wrong: x.map((value, i) => Number(Number(value > threshold) !== labels[i])) };
    });
    const middle = trees.map(({ threshold }) => threshold).sort((a, b) => a - b)[(TREES - 1) / 2];
    return { trees, error: NOISE + (1 - 2 * NOISE) * Math.abs(middle - 0.5) };
  }

  /** The mean loss of pairs of trees, or of single ones, on the rows that none of them saw, and the mean number of these. */
  function outOfBag(trees: ReturnType<typeof vote>["trees"], pairs: boolean) {
    let [losses, sets, inverseRows] = [0, 0, 0];
    trees.forEach((a, i) => {
      for (const b of pairs ? trees : [trees[i]]) {
        let [rows, wrong] = [0, 0];
        for (let row = 0; row < ROWS; row++) {
          if (a.seen[row] || b.seen[row]) continue;
          rows++;
          wrong += a.wrong[row] * b.wrong[row];
        }
        losses += wrong / rows;
        sets++;
        inverseRows += 1 / rows;
      }
    });
    return { loss: losses / sets, outOfBagRows: sets / inverseRows };
  }

  it("is at least 95%, and the first-order bound is mostly informative", () => {
    const random = new Random(21);
    const misses = { first: 0, tandem: 0 };
    let useful = 0;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const { trees, error } = vote(random);
      const [single, pair] = [outOfBag(trees, false), outOfBag(trees, true)];
      const facts = { rows: ROWS, confidence: 0.95, divergence: 0 };
      const first = forestFirstOrder({ ...facts, ...single, gibbsLoss: single.loss });
      const tandem = forestTandem({ ...facts, ...pair, tandemLoss: pair.loss });
      misses.first += Number(first.value < error);
      misses.tandem += Number(tandem.value < error);
      useful += Number(first.value < 1);
    }
    expect(misses).toEqual({ first: 0, tandem: 0 });
    expect(useful).toBeGreaterThan(SAMPLES / 2);
  });
});
