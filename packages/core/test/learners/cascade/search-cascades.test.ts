import { describe, expect, test } from "vitest";
import { rademacherMeasure, vcLocalMeasure, vcMeasure } from "#core/learners/cascade/kernel-family.js";
import { nearGates } from "#core/learners/cascade/near-gates.js";
import { ALL_CONVERGED, correctOf } from "#core/learners/cascade/node-machine.js";
import { searchCascades } from "#core/learners/cascade/search-cascades.js";
import {
  CascadeCount,
  type CascadeSpace,
  type ComplexityMeasure,
} from "#core/learners/cascade/search-space.js";
import { type NodeTrainer, SubProblems } from "#core/learners/cascade/sub-problems.js";
import { kernelValue } from "#core/learners/kernel/kernel.js";
import { trainPerceptronSync } from "#core/learners/perceptron/batch-perceptron.js";
import { Random } from "#core/runtime/maths/random.js";
import { nextTurn } from "#core/runtime/parallel/event-loop.js";
import { bestListed, listCascades, type SearchProblem, type TrainValues } from "./exhaustive.js";

/**
 * The trainer that the search uses, with the decision values of the oracle. With several threads, it trains nodes in advance, and results
 * come in another order.
 */
function trainerOf({ labels, train, space, strict }: SearchProblem, threads = 1): NodeTrainer {
  const random = new Random(threads);
  return {
    threads,
    milliseconds: () => 1,
    train: async (requests) => {
      for (let turns = random.integer(2 * threads); turns > 1; turns--) await nextTurn();
      return requests.map(({ rows, choice, gated }) => {
        const { values, norm } = train([...rows], choice);
        const margins = values.map((value, i) => value * labels[rows[i]]);
        const correct = correctOf(margins);
        const gates = gated
          ? nearGates(margins, rows, {
              fractions: space.fractions,
              edge: strict ? "strict" : "closed",
              tolerance: 0,
            })
          : [];
        const unconverged = ALL_CONVERGED;
        return {
          correct,
          wrong: rows.length - correct,
          norm,
          gates,
          unconverged,
          unconvergedGates: unconverged,
        };
      });
    },
  };
}

/** Decision values that depend on the rows and the choice as noise does; few distinct ones when `coarse`. */
function noisyNodes(seed: number, labels: Int8Array, coarse: boolean): TrainValues {
  return (rows, choice) => {
    const key = rows.reduce((hash, row) => (hash * 31 + row + 1) % 1000003, 7 + choice);
    const random = new Random(seed * 1000003 + key);
    // Some nodes are perfect, so that the search's lower bounds are sometimes attained.
    const skill = random.uniform() < 0.3 ? 1 : 0.4 + 0.15 * choice;
    const values = rows.map((row) => {
      const size = coarse ? random.integer(4) : random.uniform();
      return (random.uniform() < skill ? 1 : -0.6) * labels[row] * size;
    });
    return { values, norm: random.uniform() * 3 };
  };
}

function perceptronNodes(seed: number, labels: Int8Array): TrainValues {
  const random = new Random(seed);
  const points = Array.from(labels, (label) => [random.normal() + 0.4 * label, random.normal()]);
  const matrices = [1, 2, 3].map((degree) => {
    const kernel = { kind: "polynomial", degree, scale: 1 } as const;
    return points.map((x) => Float32Array.from(points, (y) => kernelValue(kernel, x, y)));
  });
  return (rows, choice) => {
    const row = (i: number) => matrices[choice][i];
    const trained = trainPerceptronSync(
      { kernel: { row }, rows: Int32Array.from(rows), labels: Int8Array.from(rows, (i) => labels[i]) },
      { passes: 4, averaged: false },
    );
    return { values: [...trained.decisionValues], norm: Math.sqrt(trained.squaredNorm) };
  };
}

function randomSpace(random: Random): CascadeSpace {
  const choices = 1 + random.integer(3);
  const all = [0.1, 0.25, 0.5, 0.7, 0.9, 1];
  const fractions = all.filter(() => random.uniform() < 0.5);
  const maxDepth = 1 + random.integer(4);
  return {
    choices,
    lastChoices: Array.from({ length: choices }, (_, choice) => choice).filter(
      (choice) => choice === 0 || random.uniform() < 0.8,
    ),
    fractions: fractions.length > 0 ? fractions.slice(0, 3) : [0.5],
    minDepth: 1 + random.integer(Math.min(2, maxDepth)),
    maxDepth,
    nonDecreasing: random.uniform() < 0.3,
    sameFraction: random.uniform() < 0.2,
  };
}

const measures: Record<string, (m: number, choices: number) => ComplexityMeasure> = {
  vc: (m) => vcMeasure([2, 5, 9], m),
  "vc-local": () => vcLocalMeasure([2, 5, 9]),
  rademacher: (m) => rademacherMeasure([m, 2 * m, 4 * m], m),
  "different ones for gate and leaf": (m) => {
    const of = (choice: number, points: number) => ({
      leaf: (3 - choice) / m,
      gate: (choice + 1) / (points + m),
    });
    return {
      of,
      least: (choice, points) => Math.min(of(choice, points).leaf, of(choice, points).gate),
    };
  },
};

/** The same nodes, each trained once. */
function once(train: TrainValues): TrainValues {
  const known = new Map<string, ReturnType<TrainValues>>();
  return (rows, choice) => {
    const key = `${choice}:${rows.join()}`;
    const node = known.get(key) ?? train(rows, choice);
    known.set(key, node);
    return node;
  };
}

/** Problem number `seed`; about half of them have many ties. */
function randomProblem(seed: number): { problem: SearchProblem; measure: string } {
  const random = new Random(seed);
  const m = 5 + random.integer(30);
  const labels = Int8Array.from({ length: m + 3 }, () => (random.uniform() < 0.5 ? 1 : -1));
  // Some rows of the sample do not take part, as in a fold.
  const rows = Array.from({ length: m }, (_, i) => i + (i > m / 2 ? 3 : 0));
  const measure = Object.keys(measures)[seed % 4];
  const space = randomSpace(random);
  const train = once(
    seed % 5 === 0 ? perceptronNodes(seed, labels) : noisyNodes(seed, labels, random.uniform() < 0.5),
  );
  const gamma = [1e-4, 0.01, 0.03, 0.1, 1][random.integer(5)];
  const complexity = measures[measure](m, space.choices);
  const problem = { rows, labels, train, space, gamma, complexity, strict: random.uniform() < 0.4 };
  return { problem, measure };
}

describe("branch and bound", () => {
  test("finds the same cascade as trying all of them, on 400 random problems", async () => {
    let ties = 0;
    let saved = 0;
    let deep = 0;
    for (let seed = 0; seed < 400; seed++) {
      const { problem, measure } = randomProblem(seed);
      const listed = listCascades(problem);
      const rows = Int32Array.from(problem.rows);
      const problems = new SubProblems(rows, trainerOf(problem));
      if (listed.length === 0) {
        await expect(searchCascades(problems, problem)).rejects.toMatchObject({ code: "option/invalid" });
        continue;
      }
      const expected = bestListed(listed);
      const best = await searchCascades(problems, problem);
      const onThreads = new SubProblems(rows, trainerOf(problem, 3));
      expect(await searchCascades(onThreads, problem), `problem ${seed} on threads`).toEqual(best);
      await onThreads.settled();
      const found = {
        bound: best.bound,
        wrong: best.wrong,
        choices: best.levels.map(({ choice }) => choice),
        fractions: best.levels.flatMap(({ gate }) => gate?.fraction ?? []),
      };
      expect(found, `problem ${seed}, ${measure}`).toEqual({
        ...expected,
        bound: expect.closeTo(expected.bound, 12),
      });
      expect(best.progress.covered, `problem ${seed}`).toBe(best.progress.distinct);
      expect(best.progress.gap).toBe(0);
      if (listed.filter(({ bound }) => Math.abs(bound - expected.bound) < 1e-13).length > 1) ties++;
      if (best.progress.trained < listed.length / 4) saved++;
      if (best.levels.length > 1) deep++;
    }
    // The problems are worth something: many have ties at the best bound, many winners have several levels.
    expect(ties).toBeGreaterThan(80);
    expect(deep).toBeGreaterThan(80);
    expect(saved).toBeGreaterThan(50);
  });

  test("nodes are trained once for all gammas", async () => {
    const { problem } = randomProblem(4);
    const space = { ...problem.space, choices: 2, lastChoices: [0, 1], maxDepth: 3, minDepth: 1 };
    const problems = new SubProblems(Int32Array.from(problem.rows), trainerOf(problem));
    await searchCascades(problems, { ...problem, space, gamma: 1e-4 });
    const { trained } = problems;
    await searchCascades(problems, { ...problem, space, gamma: 1e-4 });
    expect(problems.trained).toBe(trained);
  });

  test("progress never covers more than all cascades", async () => {
    const { problem } = randomProblem(1);
    const reports: number[] = [];
    const problems = new SubProblems(Int32Array.from(problem.rows), trainerOf(problem));
    await searchCascades(problems, problem, ({ covered, distinct, gap }) => {
      reports.push(covered);
      expect(covered).toBeLessThanOrEqual(distinct);
      expect(gap).toBeGreaterThanOrEqual(0);
    });
    expect(reports.length).toBeGreaterThan(0);
  });
});

describe("the number of cascades", () => {
  const papers: CascadeSpace = {
    choices: 4,
    lastChoices: [0, 1, 2, 3],
    fractions: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
    minDepth: 1,
    maxDepth: 4,
    nonDecreasing: false,
    sameFraction: false,
  };

  test("matches the paper's grid", () => {
    const count = new CascadeCount(papers);
    // 4 + 40·4 + 40²·4 + 40³·4, and ten times as many with a fraction of the last node.
    expect(count.distinct).toBe(262_564);
    expect(count.listed).toBe(2_625_640);
  });

  test("with non-decreasing degrees is a number of multisets", () => {
    const count = new CascadeCount({
      ...papers,
      fractions: [0.2, 0.4, 0.6, 0.8],
      minDepth: 2,
      nonDecreasing: true,
    });
    // C(4+l−1, l) sequences of degrees: 10, 20, 35 for l = 2, 3, 4, and 4^(l−1) of fractions.
    expect(count.distinct).toBe(10 * 4 + 20 * 16 + 35 * 64);
  });

  test("with one fraction for all gates is |M| times the sequences of choices", () => {
    const count = new CascadeCount({ ...papers, sameFraction: true });
    expect(count.distinct).toBe(4 + 10 * (16 + 64 + 256));
    expect(count.listed).toBe(10 * (4 + 16 + 64 + 256));
  });
});
