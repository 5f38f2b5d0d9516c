import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { nodeValues, supportOf } from "#core/learners/hierarchy/node-machines.js";
import {
  hierarchyPaths,
  type RelaxedHierarchyModel,
  relaxedHierarchy,
} from "#core/learners/hierarchy/relaxed-hierarchy.js";
import { predictionsOf } from "#core/learners/scores.js";
import { svm } from "#core/learners/svm/svm.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import type { Certificate } from "#core/theory/certificate.js";
import { certify } from "#core/train/certify.js";
import { fault } from "../../fault.js";
import { sampleOf, smallSamples } from "../small-samples.js";
import { noisyBlobs } from "../svm/noisy-blobs.js";
import { separableClouds } from "./separable-clouds.js";

function certificateOf(model: RelaxedHierarchyModel, name: string, confidence: number): Certificate {
  const found = model.certificates?.({ confidence }).find((certificate) => certificate.name === name);
  if (!found) throw new Error(`no certificate ${name}`);
  return found;
}

const errorsOf = (predictions: Int32Array, { labels }: Sample) =>
  predictions.filter((prediction, i) => prediction !== labels[i]).length;

describe("small problems with a known answer", () => {
  it("makes a balanced tree of three nodes for four classes at the corners of a square", async () => {
    const sample = separableClouds(4, 10, 5, 1);
    for (const kernel of ["linear", "rbf"] as const) {
      const model = await relaxedHierarchy({ kernel, rho: 2, balance: 0 }).fit(sample);
      expect(model.nodes.map(({ classes }) => classes.length)).toEqual([4, 2, 2]);
      expect(model.nodes[0].colours.filter((colour) => colour !== 0)).toHaveLength(4);
      // Neighbours share a side: no line separates diagonals.
      const [a, b] = Array.from(model.nodes[1].classes);
      expect(a + b).not.toBe(3);
      expect(errorsOf(model.predict(sample.features), sample)).toBe(0);
      expect(model.evaluations?.(sample.features).nodes).toBe(2);
    }
  });

  it("is DAGSVM for a small ρ: two classes per node, K(K − 1)/2 nodes, K − 1 of them on each path", async () => {
    const sample = separableClouds(7, 8, 3, 2);
    const model = await relaxedHierarchy({ rho: 1e-9 }).fit(sample);
    expect(model.nodes).toHaveLength(21);
    for (const { colours } of model.nodes) {
      expect(colours.filter((colour) => colour !== 0)).toHaveLength(2);
    }
    expect(model.evaluations?.(sample.features).nodes).toBe(6);
    expect(errorsOf(model.predict(sample.features), sample)).toBe(0);
  });

  it("sends each row along a path whose sides have the class at which it arrives", async () => {
    const { features } = separableClouds(5, 8, 3, 2);
    const model = await relaxedHierarchy().fit(separableClouds(5, 8, 3, 2));
    const { arrived, visits } = hierarchyPaths(model, features);
    expect(arrived).toEqual(model.predict(features));
    expect(visits[0].rows).toHaveLength(features.rows);
    for (const { node, rows, values } of visits) {
      const { classes, colours } = model.nodes[node];
      const against = Array.from(rows).filter((row, i) => {
        const colour = colours[classes.indexOf(arrived[row])];
        return colour !== 0 && colour !== (values[i] < 0 ? -1 : 1);
      });
      expect(against).toEqual([]);
    }
    expect(() => hierarchyPaths(model, new Matrix(1, 1))).toThrow(/features/);
  });

  it("is a tree of K − 1 nodes at which all classes take part for a large ρ", async () => {
    const sample = separableClouds(16, 6, 4, 3);
    const model = await relaxedHierarchy({ rho: 100, balance: 0 }).fit(sample);
    expect(model.nodes).toHaveLength(15);
    expect(model.nodes.every(({ colours }) => !colours.includes(0))).toBe(true);
    expect(model.evaluations?.(sample.features).nodes).toBe(4);
  });

  it("is a plain support vector machine for two classes", async () => {
    const sample = noisyBlobs(200, 3, 2, 4);
    const plain = await svm({ C: 2 }).fit(sample);
    const model = await relaxedHierarchy({ C: 2 }).fit(sample);
    expect(model.nodes).toHaveLength(1);
    const expected = plain.scores(sample.features).values;
    model.scores(sample.features).values.forEach((score, i) => {
      expect(Math.abs(score - expected[i])).toBeLessThan(0.01);
    });
    const margins = plain.margins(sample);
    model.margins(sample).forEach((margin, i) => {
      expect(Math.abs(margin - margins[i])).toBeLessThan(0.001);
    });
  });

  it("ignores a class that it would confuse at the root, which then goes to both sides", async () => {
    // Class 1 is above and below both others: no line has it on one side, but one separates 0 and 2.
    const places: readonly (readonly number[])[] = [
      [0, -4, 0],
      [1, -4, 3],
      [1, -4, -3],
      [1, 4, 3],
      [1, 4, -3],
      [2, 4, 0],
    ];
    const all = places.flatMap(([label, x, y]) =>
      Array.from({ length: label === 1 ? 4 : 16 }, (_, i) => ({ label, row: [x + 0.02 * i, y - 0.01 * i] })),
    );
    const sample = sampleOf(
      all.map(({ row }) => row),
      all.map(({ label }) => label),
    );
    const model = await relaxedHierarchy({ kernel: "linear", rho: 0.5 }).fit(sample);
    expect(Array.from(model.nodes[0].colours)).toEqual([-1, 0, 1]);
    expect(model.nodes.map(({ classes }) => Array.from(classes))).toEqual([
      [0, 1, 2],
      [0, 1],
      [1, 2],
    ]);
    expect(model.describe()).toMatchObject({
      facts: expect.arrayContaining([{ name: "training error", value: 8 / 48, unit: "share" }]),
      sections: [
        {
          kind: "hierarchy",
          nodes: [
            {
              left: ["ant"],
              right: ["cat"],
              ignored: ["bee"],
              leftChild: { node: 2 },
              rightChild: { node: 3 },
            },
            { left: ["ant"], right: ["bee"], leftChild: { class: "ant" }, rightChild: { class: "bee" } },
            { left: ["bee"], right: ["cat"], ignored: [], rows: 32, errors: 4 },
          ],
        },
      ],
    });
  });
});

describe("every model", () => {
  it("predicts the class with the largest score, and the sign of a margin says whether it is right", async () => {
    const settings = fc.record({
      kernel: fc.constantFrom("linear", "rbf", "intersection" as const),
      rho: fc.constantFrom(0.001, 0.3, 2),
      balance: fc.constantFrom("auto" as const, 0, 1, 50),
      starts: fc.integer({ min: 1, max: 4 }),
      searchRows: fc.constantFrom(1, 2000),
    });
    await fc.assert(
      fc.asyncProperty(smallSamples(4), settings, async ({ rows, labels, weights, classes }, options) => {
        const sample = sampleOf(rows, labels, weights, classes);
        const model = await relaxedHierarchy(options).fit(sample);
        const scores = model.scores(sample.features);
        expect(model.predict(sample.features)).toEqual(predictionsOf(scores));
        expect(scores.values.every(Number.isFinite)).toBe(true);
        const margins = model.margins(sample);
        model.predict(sample.features).forEach((prediction, i) => {
          expect(Math.abs(margins[i])).toBeLessThanOrEqual(1);
          if (prediction === labels[i]) expect(margins[i]).toBeGreaterThanOrEqual(0);
          else expect(margins[i]).toBeLessThanOrEqual(0);
        });
        model.nodes.forEach(({ classes: own, colours, left, right }) => {
          const sum = colours.reduce((total, colour) => total + colour, 0);
          if (options.balance !== "auto") expect(Math.abs(sum)).toBeLessThanOrEqual(options.balance);
          for (const child of [left, right]) {
            const below = child.kind === "node" ? model.nodes[child.node].classes.length : 1;
            expect(below).toBeLessThan(own.length);
          }
        });
        const evaluations = model.evaluations?.(sample.features);
        expect(evaluations?.nodes).toBeGreaterThanOrEqual(1);
        expect(evaluations?.kernel === undefined).toBe(options.kernel === "linear");
      }),
      { numRuns: 40 },
    );
  });

  it("counts the support vectors on the path of each row once", async () => {
    const sample = noisyBlobs(300, 3, 6, 5);
    const model = await relaxedHierarchy({ rho: 0.1, C: 1 }).fit(sample);
    const { machines, nodes: graph } = model;
    let touched = 0;
    let visited = 0;
    for (let i = 0; i < sample.rows; i++) {
      const seen = new Set<number>();
      for (let node: number | undefined = 0; node !== undefined; ) {
        visited++;
        for (const vector of supportOf(machines, node)) seen.add(vector);
        const [value] = nodeValues(machines, node, sample.features, Int32Array.of(i));
        const child: (typeof graph)[number]["left"] = value < 0 ? graph[node].left : graph[node].right;
        node = child.kind === "node" ? child.node : undefined;
      }
      touched += seen.size;
    }
    const evaluations = model.evaluations?.(sample.features);
    expect(evaluations?.kernel).toBeCloseTo(touched / sample.rows, 9);
    expect(evaluations?.nodes).toBeCloseTo(visited / sample.rows, 9);
  });

  it("visits more nodes for a smaller ρ", async () => {
    const sample = noisyBlobs(400, 4, 8, 6);
    const nodes: number[] = [];
    for (const rho of [1e-9, 0.3, 5]) {
      const model = await relaxedHierarchy({ rho }).fit(sample);
      nodes.push(model.evaluations?.(sample.features).nodes ?? 0);
    }
    expect(nodes[0]).toBeGreaterThan(6);
    expect(nodes[1]).toBeLessThan(nodes[0]);
    expect(nodes[2]).toBeLessThanOrEqual(nodes[1]);
  });

  it("lets all classes take part from maxNodes on, and says so", async () => {
    const sample = noisyBlobs(300, 3, 10, 7);
    const model = await relaxedHierarchy({ rho: 0.01, maxNodes: 4 }).fit(sample);
    expect(model.beyondLimit).toBeGreaterThan(0);
    expect(model.notices?.join()).toMatch(/maxNodes/);
    expect(model.nodes.length).toBeLessThan(40);
  });

  it("has the same colours whether kernel values fit into memory or not", async () => {
    const sample = noisyBlobs(700, 3, 4, 8);
    const options = { rho: 0.1, searchRows: 200 };
    const inMemory = await relaxedHierarchy(options).fit(sample);
    const onDemand = await relaxedHierarchy({ ...options, cacheMegabytes: 1 }).fit(sample);
    expect(onDemand.nodes.map(({ colours }) => colours)).toEqual(
      inMemory.nodes.map(({ colours }) => colours),
    );
    const predictions = inMemory.predict(sample.features);
    const others = onDemand.predict(sample.features).filter((prediction, i) => prediction !== predictions[i]);
    expect(others.length).toBeLessThan(10);
  });
});

describe("bad input", () => {
  it("refuses a ρ that would ignore every class, and says which are allowed", () => {
    for (const rho of [0, -1]) {
      const { code, message } = fault(() => relaxedHierarchy({ rho }));
      expect(code).toBe("option/invalid");
      expect(message).toBe(`relaxed-hierarchy: rho must be a number > 0, not ${rho}.`);
    }
  });

  it.each(["linear", "rbf"] as const)(
    "fits classes with one row, more classes than rows and B above K (%s)",
    async (kernel) => {
      const names = Array.from({ length: 9 }, (_, k) => `c${k}`);
      const features = Matrix.from([[0], [1], [2], [3], [4]]);
      const sample = new Sample({ features, labels: Int32Array.of(8, 1, 6, 3, 4), classes: names });
      const model = await relaxedHierarchy({ kernel, balance: 100, C: 1000 }).fit(sample);
      expect(Array.from(model.nodes[0].classes)).toEqual([1, 3, 4, 6, 8]);
      expect(Array.from(model.predict(features))).toEqual([8, 1, 6, 3, 4]);
      // Classes without rows are never predicted, and a row of such a class is wrong.
      const unknown = new Sample({ features, labels: Int32Array.of(0, 0, 2, -1, 5), classes: names });
      expect(model.margins(unknown).every((margin) => margin <= 0)).toBe(true);
    },
  );

  it.each(["linear", "rbf"] as const)("fits equal rows of different classes (%s)", async (kernel) => {
    const rows = Array.from({ length: 12 }, () => [1, 2]);
    const sample = sampleOf(rows, [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]);
    const model = await relaxedHierarchy({ kernel }).fit(sample);
    expect(model.scores(sample.features).values.every(Number.isFinite)).toBe(true);
    expect(new Set(model.predict(sample.features)).size).toBe(1);
    expect(certificateOf(model, "relaxed-hierarchy", 0.95).holds).toBe(false);
  });
});

describe("a damaged model", () => {
  it("is refused if its nodes do not make a hierarchy or its counts contradict each other", async () => {
    const { json, tensors } = (await relaxedHierarchy({ rho: 0.1 }).fit(noisyBlobs(60, 2, 4, 1))).toState();
    const refuses = (name: string, at: number, value: number) => {
      const data = tensors[name].data.slice();
      data[at] = value;
      const state = { json, tensors: { ...tensors, [name]: { ...tensors[name], data } } };
      expect(() => relaxedHierarchy.restore(state), `${name}[${at}] = ${value}`).toThrow(
        expect.objectContaining({ code: "model/corrupt" }),
      );
    };
    refuses("nodes.members", 0, 1);
    const takingPart = tensors["nodes.colours"].data.findIndex((colour) => colour !== 0);
    refuses("nodes.colours", takingPart, 0);
    refuses("nodes.colours", takingPart, 1);
    refuses("nodes.facts.size", 0, 3);
    refuses("nodes.facts.rows", 0, 61);
    refuses("nodes.facts.errors", 0, 60);
    refuses("machines.support", 0, 1000);
    refuses("machines.starts", 0, 1);
    refuses("machines.starts", 1, 100_000);
    const { core, parts } = Object(json);
    const compression = { ...parts.compression, kept: 1 };
    expect(() =>
      relaxedHierarchy.restore({ json: { core, parts: { ...parts, compression } }, tensors }),
    ).toThrow(expect.objectContaining({ code: "model/corrupt" }));
  });
});

describe("Theorems 3.1 and 3.2", () => {
  it("use distances as margins, and for a class only its own nodes", async () => {
    const sample = separableClouds(4, 10, 5, 1);
    const model = await relaxedHierarchy({ kernel: "linear", C: 1000, rho: 2 }).fit(sample);
    const [first] = model.nodes;
    // γ by hand: the smallest |w·x + b| / ‖w‖ of a row at the first node.
    const values = nodeValues(model.machines, 0, sample.features, Int32Array.from(sample.labels.keys()));
    const smallest = Math.min(...values.map(Math.abs)) / Math.sqrt(first.squaredNorm);
    const theorem = certificateOf(model, "relaxed-hierarchy", 0.9);
    expect(theorem.holds).toBe(true);
    expect(theorem.terms["D′"]).toBeGreaterThan(1 / smallest ** 2);
    expect(theorem.terms.N_G).toBe(3);
    const ofClasses = model.classCertificates?.({ confidence: 0.9 }) ?? [];
    expect(ofClasses).toHaveLength(4);
    for (const { terms, value } of ofClasses) {
      expect(terms.N_G).toBe(2);
      expect(value).toBeLessThan(theorem.value);
    }
  });

  it("do not hold if a training row is on the wrong side", async () => {
    const model = await relaxedHierarchy({ C: 0.1 }).fit(noisyBlobs(200, 2, 3, 1));
    const theorem = certificateOf(model, "relaxed-hierarchy", 0.95);
    expect(theorem).toMatchObject({ holds: false, value: Number.POSITIVE_INFINITY });
    expect(theorem.reason).toMatch(/training rows on the wrong side/);
    expect(certificateOf(model, "compression", 0.95).holds).toBe(true);
  });

  it("take no share of the risk from sample compression", async () => {
    const model = await relaxedHierarchy({ C: 10 }).fit(separableClouds(3, 40, 5, 1));
    expect(certificateOf(model, "relaxed-hierarchy", 0.95).role).toBe("comparison");
    const certificates = certify({ card: {}, model });
    expect(certificates.map(({ name }) => name)).toEqual(["compression", "relaxed-hierarchy"]);
    expect(certificates[0]).toEqual(certificateOf(model, "compression", 0.95));
  });
});
