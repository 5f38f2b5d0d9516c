import { afterAll, describe, expect, test } from "vitest";
import type { Sample } from "#core/encode/sample.js";
import {
  type CascadeModel,
  cascadeBound,
  cascadeLeaves,
  leafOf,
} from "#core/learners/cascade/cascade-model.js";
import { gapOf, machineMargins } from "#core/learners/cascade/class-machines.js";
import { deepCascade } from "#core/learners/cascade/deep-cascade.js";
import { deepCascadePerceptron, deepCascadeSvm } from "#core/learners/cascade/kernel-cascades.js";
import { forest } from "#core/learners/forest/forest.js";
import { logistic } from "#core/learners/logistic/logistic.js";
import { Random } from "#core/runtime/maths/random.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { sampleOf } from "../small-samples.js";

/** Left of 0 one class; right of it, the class depends on the signs of two features. */
function regimes(rows: number, seed: number, classes = 4, noise = 0): Sample {
  const random = new Random(seed);
  const points = Array.from({ length: rows }, () => [random.normal(), random.normal(), random.normal()]);
  const labels = points.map(([x, y, z]) => {
    if (random.uniform() < noise) return random.integer(classes);
    return x < 0 ? 0 : y * z > 0 ? 1 : y > 0 ? 2 % classes : classes - 1;
  });
  return sampleOf(points, labels, undefined, classes);
}

function errorsOf(model: CascadeModel, { features, labels }: Sample): number {
  return model.predict(features).filter((k, i) => k !== labels[i]).length;
}

const short = { fractions: [0.3, 0.5, 0.7], gammas: [1e-3, 1e-2] };
const quick = { ...short, cGrid: [1], cFolds: 2 };

const executors = [2, 3].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

describe("margins of machines", () => {
  test("are y·f for two classes, and half the gap of the best two scores otherwise", () => {
    const f = Float64Array.of(2, -3, 0);
    expect([...machineMargins([f], [0, 1], Int32Array.of(0, 0, 1))]).toEqual([2, -3, -0]);
    const both = machineMargins([f, f.map((value) => -value)], [0, 1], Int32Array.of(0, 0, 1));
    // The same as for one machine; a tie is 0.
    expect([...both].map((margin) => margin + 0)).toEqual([2, -3, 0]);
    expect(gapOf([1, 4, 2.5])).toBe(0.75);
    const three = [Float64Array.of(1, 1), Float64Array.of(4, 4), Float64Array.of(2.5, 2.5)];
    expect([...machineMargins(three, [0, 2, 3], Int32Array.of(2, 0))]).toEqual([0.75, -0.75]);
  });
});

describe("deep cascades for several classes", () => {
  const sample = regimes(110, 1, 4, 0.05);
  const learners = {
    generic: deepCascade({
      ...quick,
      maxDepth: 3,
      leaves: ["constant", "threshold-1", "threshold-2", "kernel-1"],
    }),
    svm: deepCascadeSvm({ ...quick, minDepth: 2, maxDepth: 2, degrees: [1, 2] }),
    perceptron: deepCascadePerceptron({ ...short, minDepth: 2, maxDepth: 3, degrees: [1, 2] }),
    tree: deepCascade({
      ...quick,
      topology: "tree",
      maxLeaves: 5,
      leaves: ["constant", "threshold-1", "kernel-1"],
    }),
    "svm tree": deepCascadeSvm({ ...quick, topology: "search", maxDepth: 3, maxLeaves: 5, degrees: [1, 2] }),
    base: deepCascade({
      ...quick,
      topology: "tree",
      maxLeaves: 3,
      leaves: ["constant", "base"],
      base: logistic(),
    }),
    forest: deepCascade({
      ...quick,
      maxDepth: 2,
      fractions: [0.5],
      leaves: ["threshold-1", "base"],
      base: forest({ trees: 5 }),
    }),
  };

  test.each(Object.entries(learners))("%s: counts, bound, file and threads", async (_, learner) => {
    const model = await learner.fit(sample, { seed: 3 });
    const { levels, origin } = model;
    // The counts of the leaves are those of its own predictions.
    const leaves = cascadeLeaves(levels);
    const reached = leafOf(model, sample.features);
    for (const { level, points } of leaves) {
      expect(reached.filter((k) => k === level - 1)).toHaveLength(points);
      expect(points).toBeGreaterThan(0);
    }
    const wrong = levels.reduce((sum, level) => sum + level.wrong, 0);
    expect(errorsOf(model, sample)).toBeLessThanOrEqual(wrong);
    expect(model.margins(sample).filter((margin) => !(margin > 0))).toHaveLength(wrong);
    const bound = leaves.reduce((sum, leaf) => {
      const gates = leaf.gateComplexities.reduce((total, c) => total + c, 0);
      const penalty = 4 * origin.gamma * (gates + leaf.complexity);
      return sum + leaf.wrong / origin.rows + Math.min(penalty, leaf.correct / origin.rows);
    }, 0);
    expect(cascadeBound(model)).toBeCloseTo(bound, 12);
    // It survives its file, and does not depend on threads.
    const kind =
      learner.name === "deep-cascade"
        ? deepCascade
        : learner.name === "deep-cascade-svm"
          ? deepCascadeSvm
          : deepCascadePerceptron;
    const state = model.toState();
    const restored = kind.restore(state);
    expect(restored.scores(sample.features)).toEqual(model.scores(sample.features));
    for (const executor of executors) {
      expect((await learner.fit(sample, { seed: 3, executor })).toState()).toEqual(state);
    }
    // Certificates hold only with complexities that are bounds, and say so.
    const certificates = model.certificates?.({ confidence: 0.95 }) ?? [];
    const direct = certificates.find(({ name }) => name === "deep-cascade-direct");
    expect(direct?.holds).toBe(true);
    expect(direct?.value).toBeGreaterThan(wrong / origin.rows);
    expect(certificates.map(({ name }) => name)).not.toContain("growth-function-exact");
    expect(model.describe().sections[0]).toMatchObject({ kind: "tree", title: "cascade" });
  });

  test("finds the regimes better than one of its leaves alone", async () => {
    const [train, fresh] = [regimes(300, 2), regimes(500, 3)];
    const leaves = ["constant", "threshold-1", "threshold-2"] as const;
    const shared = { fractions: [0.3, 0.5, 0.7], gammas: [1e-3], leaves: [...leaves] };
    const errors: number[] = [];
    for (const options of [{ maxDepth: 1 }, { maxDepth: 3 }, { topology: "tree" as const, maxDepth: 4 }]) {
      const model = await deepCascade({ ...shared, ...options }).fit(train);
      errors.push(errorsOf(model, fresh) / 500);
    }
    expect(errors[0]).toBeGreaterThan(0.25);
    expect(errors[1]).toBeLessThan(0.15);
    expect(errors[2]).toBeLessThan(0.15);
  });

  test("classes without rows, nodes of one class, constant columns and few rows", async () => {
    // Class 2 of 4 has no row; the second column is constant; the first ten rows are of one class.
    const rows = Array.from({ length: 30 }, (_, i) => [i, 7, (i * 7) % 5]);
    const labels = rows.map((_, i) => (i < 10 ? 0 : i < 20 ? 1 : 3));
    const odd = sampleOf(rows, labels, undefined, 4);
    const few = sampleOf(
      rows.filter((_, i) => i % 5 === 0),
      [0, 0, 1, 1, 3, 3],
      undefined,
      4,
    );
    for (const learner of Object.values(learners)) {
      for (const given of [odd, few]) {
        try {
          const model = await learner.fit(given);
          const predictions = model.predict(given.features);
          expect(predictions).not.toContain(2);
          expect([...model.scores(given.features).values].every(Number.isFinite)).toBe(true);
        } catch (error) {
          // Six rows may have no cascade of two levels.
          expect(error).toMatchObject({
            code: "option/invalid",
            message: expect.stringContaining("No cascade"),
          });
        }
      }
    }
  });
});

describe("leaves of another learner", () => {
  test("cost the rows that they get right, in a bound that holds", async () => {
    const model = await deepCascade({ leaves: ["base"], base: logistic(), maxDepth: 1, gammas: [1e-3] }).fit(
      regimes(200, 4, 2),
    );
    const [direct] = (model.certificates?.({ confidence: 0.95 }) ?? []).filter(
      ({ name }) => name === "deep-cascade-direct",
    );
    expect(direct.terms["leaf 1: 2r"]).toBe(2);
    expect(direct.value).toBeGreaterThanOrEqual(1);
    expect(direct.role).toBe("comparison");
  });

  test("the base has options, and fits the leaves", async () => {
    const named = await deepCascade({ leaves: ["base"], base: "logistic", baseOptions: { C: 0.1 } });
    expect(named.options).toMatchObject({ base: "logistic", baseOptions: { C: 0.1 } });
    expect(deepCascade().options).toMatchObject({ base: "svm", baseOptions: {} });
    for (const options of [
      { leaves: ["base" as const], base: logistic(), baseOptions: { C: 1 } },
      { leaves: ["base" as const], base: "logistic", complexity: "vc" as const },
      { topology: "tree" as const, minDepth: 2 },
    ]) {
      expect(() => deepCascade(options)).toThrow(expect.objectContaining({ code: "option/invalid" }));
    }
  });
});
