import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dropUnits } from "#core/learners/net/dropout.js";
import { NetworkBuffers } from "#core/learners/net/network-buffers.js";
import {
  activations,
  type NetworkForm,
  type NetworkWeights,
  outputs,
  randomWeights,
} from "#core/learners/net/network-weights.js";
import { NonzeroRows } from "#core/learners/net/nonzero-rows.js";
import type { StepSettings } from "#core/learners/net/step-rule.js";
import { Random } from "#core/runtime/maths/random.js";
import { type ReferenceNetwork, referenceLoss, referenceSums } from "./reference-network.js";

const plainStep: StepSettings = { optimiser: "sgd", learningRate: 1, momentum: 0, weightDecay: 0 };

/** Makes a network with random biases and a labelled, weighted batch for it. */
function problem(sizes: readonly number[], form: NetworkForm, rows: number, seed: number) {
  const random = new Random(seed);
  const initial = randomWeights(sizes, form.activation, random);
  for (const biases of initial.biases) biases.set(Array.from(biases, () => 0.4 * random.normal()));
  const x = Array.from({ length: rows }, () =>
    Array.from({ length: sizes[0] }, () => (random.uniform() < 0.3 ? 0 : random.normal())),
  );
  const classes = form.output === "logistic" ? 2 : sizes[sizes.length - 1];
  const labels = x.map(() => random.integer(classes));
  const weights = x.map(() => Math.fround(random.uniform() / rows));
  return { initial, x, labels, weights };
}

function fill(network: NetworkBuffers, { x, labels, weights }: ReturnType<typeof problem>): void {
  x.forEach((row, r) => {
    network.input.view.set(row, r * network.input.stride);
  });
  network.labels().set(labels);
  network.rowWeights().set(weights);
}

/** Takes a step on one thread; returns the loss before. */
function learn(network: NetworkBuffers, rows: number): number {
  network.differentiate(0, rows);
  network.prepareStep();
  network.layers.forEach(({ depth }, l) => {
    network.update(l, 0, depth, rows);
  });
  return network.loss(rows);
}

function totalLoss(
  network: ReferenceNetwork,
  form: NetworkForm,
  { x, labels, weights }: ReturnType<typeof problem>,
) {
  return x.reduce(
    (sum, row, r) =>
      sum + weights[r] * referenceLoss(referenceSums(network, form, row), labels[r], form.output),
    0,
  );
}

/** Computes the derivative of the loss by one number of a network, by central differences in double precision. */
function slope(
  network: ReferenceNetwork,
  numbers: Float32Array,
  k: number,
  loss: (network: ReferenceNetwork) => number,
): number {
  const shifted = (by: number) => {
    const copy = Float64Array.from(numbers);
    copy[k] += by;
    const replace = (list: readonly ArrayLike<number>[]) => list.map((own) => (own === numbers ? copy : own));
    return loss({ ...network, weights: replace(network.weights), biases: replace(network.biases) });
  };
  const h = 1e-5;
  return (shifted(h) - shifted(-h)) / (2 * h);
}

const shapes = {
  softmax: [
    [5, 3],
    [7, 9, 4],
    [6, 11, 8, 3],
  ],
  logistic: [
    [5, 1],
    [9, 12, 1],
    [3, 8, 17, 1],
  ],
};

describe("a network in WebAssembly memory", () => {
  const cases = activations.flatMap((activation) =>
    outputs.flatMap((output) =>
      shapes[output].flatMap((sizes) =>
        [false, true].map((sparse) => ({ activation, output, sizes, sparse })),
      ),
    ),
  );

  it.each(cases)("follows the gradient: $activation, $output, $sizes, sparse inputs $sparse", (given) => {
    const { sizes, sparse, ...form } = given;
    // The row count is not a multiple of a tile, and stale numbers of a larger batch follow.
    const large = problem(sizes, form, 13, 1);
    const small = problem(sizes, form, 6, 2);
    const { initial } = large;
    const network = NetworkBuffers.allocate(initial, { form, rows: 13, settings: plainStep, sparse });
    try {
      fill(network, large);
      learn(network, 13);
      network.load(initial);
      fill(network, small);
      const loss = learn(network, 6);
      expect(loss).toBeCloseTo(totalLoss(initial, form, small), 5);
      const after = network.weights();
      const lossOf = (weights: ReferenceNetwork) => totalLoss(weights, form, small);
      for (const part of ["weights", "biases"] as const) {
        initial[part].forEach((before, l) => {
          before.forEach((value, k) => {
            expect(Math.abs(value - after[part][l][k] - slope(initial, before, k, lossOf))).toBeLessThan(
              1e-4,
            );
          });
        });
      }
    } finally {
      network.release();
    }
  });

  it("learns the same bits from the rows of a batch and from lists of all rows", () => {
    const form = { activation: "tanh", output: "softmax" } as const;
    // More inputs than a block of lists.
    const sizes = [270, 9, 3];
    const given = problem(sizes, form, 8, 3);
    const values = Float32Array.from(given.x.flat());
    const lists = NonzeroRows.allocate({ rows: 8, columns: sizes[0], values });
    const steps = [
      [5, 0, 7, 2, 2],
      [1, 6, 3],
    ];
    const learned = [undefined, lists].map((source) => {
      const shape = { form, rows: 5, settings: plainStep, sparse: true, source: source?.fields };
      const network = NetworkBuffers.allocate(given.initial, shape);
      const losses = steps.map((places) => {
        const { input } = network;
        places.forEach((place, r) => {
          if (!source) input.view.set(given.x[place], r * input.stride);
          network.labels()[r] = given.labels[place];
          network.rowWeights()[r] = given.weights[place];
        });
        if (source) input.lists?.choose(places, 0, places.length);
        return learn(network, places.length);
      });
      const { weights, biases } = network.weights();
      network.release();
      return { losses, weights, biases };
    });
    lists?.release();
    expect(lists).toBeDefined();
    expect(learned[0].losses[0]).toBeGreaterThan(0);
    expect(learned[1]).toEqual(learned[0]);
  });

  it.each(activations)("follows the gradient of the network without the dropped units: %s", (activation) => {
    const form = { activation, output: "softmax" } as const;
    const sizes = [7, 9, 8, 4];
    const given = problem(sizes, form, 6, 4);
    const { initial, x, labels, weights } = given;
    const settings = { ...plainStep, dropout: 0.5, inputDropout: 0.25 };
    // The factors of the units of each layer, row after row: 0 or 1 / (1 − rate).
    const factors = [0.25, 0.5, 0.5].map((rate, layer) => {
      const units = sizes[layer];
      const view = new Float32Array(units * x.length).fill(1);
      dropUnits({ view, stride: units, units }, 0, x.length, { rate, seed: 77, layer });
      return view;
    });
    const lossOf = (network: ReferenceNetwork) =>
      x.reduce((sum, row, r) => {
        const own = factors.map((all, l) => all.subarray(r * sizes[l], (r + 1) * sizes[l]));
        const sums = referenceSums(network, form, row, own);
        return sum + weights[r] * referenceLoss(sums, labels[r], form.output);
      }, 0);
    const network = NetworkBuffers.allocate(initial, { form, rows: 6, settings });
    try {
      fill(network, given);
      network.prepareRandomness(77);
      expect(learn(network, 6)).toBeCloseTo(lossOf(initial), 5);
      const after = network.weights();
      for (const part of ["weights", "biases"] as const) {
        initial[part].forEach((before, l) => {
          before.forEach((value, k) => {
            expect(Math.abs(value - after[part][l][k] - slope(initial, before, k, lossOf))).toBeLessThan(
              1e-4,
            );
          });
        });
      }
      // A prediction drops nothing.
      network.load(initial);
      fill(network, given);
      network.sums(0, 6);
      expect(network.evaluate(6).loss).toBeCloseTo(totalLoss(initial, form, given), 5);
    } finally {
      network.release();
    }
  });

  it("drops the requested fraction of the units, others in each row, layer and step", () => {
    const [rows, units, rate] = [200, 100, 0.3];
    const dropped = (seed: number, layer: number) => {
      const view = new Float32Array(rows * units).fill(1);
      dropUnits({ view, stride: units, units }, 0, rows, { rate, seed, layer });
      return view;
    };
    const first = dropped(5, 1);
    const zeros = (values: Float32Array) => values.filter((value) => value === 0).length;
    // Five standard deviations of the fraction.
    expect(Math.abs(zeros(first) / first.length - rate)).toBeLessThan(
      5 * Math.sqrt((rate * (1 - rate)) / first.length),
    );
    expect(Math.max(...first)).toBeCloseTo(1 / (1 - rate), 6);
    const both = (other: Float32Array) => first.filter((value, k) => value === 0 && other[k] === 0).length;
    const shifted = new Float32Array([...first.subarray(units), ...first.subarray(0, units)]);
    for (const other of [dropped(6, 1), dropped(5, 2), shifted]) {
      expect(Math.abs(both(other) / first.length - rate ** 2)).toBeLessThan(0.02);
    }
  });

  it("computes the outputs of the definition for any sizes", () => {
    const size = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(...activations),
        fc.nat(1000),
        (sizes, rows, activation, seed) => {
          const form = { activation, output: "softmax" as const };
          const given = problem(sizes, form, rows, seed);
          const network = NetworkBuffers.allocate(given.initial, { form, rows });
          try {
            fill(network, given);
            const { view, stride, units } = network.sums(0, rows);
            given.x.forEach((row, r) => {
              referenceSums(given.initial, form, row).forEach((sum, k) => {
                expect(view[r * stride + k]).toBeCloseTo(sum, 3);
              });
            });
            expect(units).toBe(sizes[sizes.length - 1]);
          } finally {
            network.release();
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("computes wide rows, whose stride is shifted", () => {
    const form = { activation: "tanh", output: "softmax" } as const;
    const given = problem([512, 256, 2], form, 5, 3);
    const network = NetworkBuffers.allocate(given.initial, { form, rows: 5 });
    fill(network, given);
    const { view, stride } = network.sums(0, 5);
    given.x.forEach((row, r) => {
      referenceSums(given.initial, form, row).forEach((sum, k) => {
        expect(view[r * stride + k]).toBeCloseTo(sum, 4);
      });
    });
    network.release();
  });

  it("has finite losses for huge outputs, and does not hide NaN", () => {
    const form = { activation: "relu", output: "softmax" } as const;
    const initial: NetworkWeights = {
      sizes: [1, 2],
      weights: [Float32Array.of(1e4, -1e4)],
      biases: [new Float32Array(2)],
    };
    const network = NetworkBuffers.allocate(initial, { form, rows: 1 });
    network.input.view[0] = 1;
    network.labels()[0] = 1;
    network.rowWeights()[0] = 1;
    network.sums(0, 1);
    expect(network.evaluate(1)).toEqual({ loss: 2e4, error: 1 });
    network.input.view[0] = Number.NaN;
    network.sums(0, 1);
    expect(network.evaluate(1).loss).toBeNaN();
    network.release();
  });
});

describe("optimisers", () => {
  const form = { activation: "tanh", output: "logistic" } as const;
  const sizes = [3, 4, 1];

  /** Checks each of some steps against the rule, given the gradient where the kernel has arrived. */
  function steps(
    settings: StepSettings,
    rule: (w: number, g: number, memory: number[], step: number) => number,
  ) {
    const given = problem(sizes, form, 5, 4);
    const gradients = NetworkBuffers.allocate(given.initial, { form, rows: 5, settings: plainStep });
    const network = NetworkBuffers.allocate(given.initial, { form, rows: 5, settings });
    const memories = given.initial.weights.map((layer) => Array.from(layer, () => [0, 0]));
    for (let step = 1; step <= 4; step++) {
      const before = network.weights();
      gradients.load(before);
      fill(gradients, given);
      fill(network, given);
      learn(gradients, 5);
      learn(network, 5);
      const moved = gradients.weights();
      const after = network.weights();
      before.weights.forEach((layer, l) => {
        layer.forEach((w, k) => {
          const g = w - moved.weights[l][k];
          expect(after.weights[l][k]).toBeCloseTo(rule(w, g, memories[l][k], step), 4);
        });
      });
    }
    gradients.release();
    network.release();
  }

  it("take steps with momentum: v ← μv + g, w ← (1 − ηλ)w − ηv", () => {
    const settings = { optimiser: "sgd", learningRate: 0.1, momentum: 0.8, weightDecay: 0.3 } as const;
    steps(settings, (w, g, memory) => {
      memory[0] = 0.8 * memory[0] + g;
      return (1 - 0.1 * 0.3) * w - 0.1 * memory[0];
    });
  });

  it("take the steps of Adam (Kingma and Ba) with decoupled weight decay", () => {
    const settings = { optimiser: "adam", learningRate: 0.01, momentum: 0.8, weightDecay: 0.5 } as const;
    steps(settings, (w, g, memory, t) => {
      memory[0] = 0.9 * memory[0] + 0.1 * g;
      memory[1] = 0.999 * memory[1] + 0.001 * g * g;
      const m = memory[0] / (1 - 0.9 ** t);
      const v = memory[1] / (1 - 0.999 ** t);
      return (1 - 0.01 * 0.5) * w - (0.01 * m) / (Math.sqrt(v) + 1e-8);
    });
  });
});
