import { describe, expect, it } from "vitest";
import { type Autoencoder, AutoencoderBuffers } from "#core/learners/net/autoencoder-buffers.js";
import { codesOf, decoded, mask } from "#core/learners/net/autoencoders.js";
import { NonzeroRows } from "#core/learners/net/nonzero-rows.js";
import { drawLayer, squaredDistance, type TiedLayer } from "#core/learners/net/pretrain-layer.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";

const ROWS = 6;
const VISIBLE = 5;

function randomMatrix(random: Random, rows: number, columns: number): Matrix {
  return new Matrix(
    rows,
    columns,
    Float64Array.from({ length: rows * columns }, () => random.normal()),
  );
}

function randomLayer(random: Random, hidden: number): TiedLayer {
  return {
    weights: randomMatrix(random, hidden, VISIBLE),
    hiddenBiases: Float64Array.from({ length: hidden }, () => random.normal()),
    visibleBiases: Float64Array.from({ length: VISIBLE }, () => random.normal()),
  };
}

/** Computes the objective from codes and decoded rows alone. */
function objective(autoencoder: Autoencoder, layer: TiedLayer, corrupted: Matrix, clean: Matrix): number {
  const codes = codesOf(autoencoder, layer, corrupted);
  const size = Array.from(codes.values, Math.abs).reduce((a, b) => a + b);
  const distance = squaredDistance(clean, decoded(autoencoder, layer, codes));
  return (distance + autoencoder.sparsity * size) / clean.rows;
}

const kinds = (["sigmoid", "tanh", "relu"] as const).flatMap((code) =>
  (["sigmoid", "tanh", "relu", "linear"] as const).flatMap((decoder) =>
    [0, 0.3].map((sparsity) => ({ code, decoder, sparsity })),
  ),
);

/** A plain step of length 1 against the gradient shows the gradient. */
const PLAIN = { optimiser: "sgd", learningRate: 1, momentum: 0, weightDecay: 0 } as const;

describe("the step of an autoencoder", () => {
  it.each(kinds)("follows finite differences: $code, $decoder, sparsity $sparsity", (autoencoder) => {
    const random = new Random(7);
    for (const [hidden, sparse] of [
      [3, false],
      [9, true],
    ] as const) {
      const layer = randomLayer(random, hidden);
      const clean = randomMatrix(random, ROWS, VISIBLE);
      const corrupted = new Matrix(ROWS, VISIBLE, Float32Array.from(clean.values));
      mask(corrupted.values, 0.3, random);
      // More room than rows: a last batch is smaller.
      const resident = new AutoencoderBuffers(autoencoder, layer, { rows: 9, sparse, settings: PLAIN });
      let row = 0;
      const distance = resident.learn(
        clean,
        Int32Array.from({ length: ROWS }, (_, i) => i),
        (values) => values.set(corrupted.row(row++)),
      );
      const after = resident.layer();
      resident.release();
      const output = decoded(autoencoder, layer, codesOf(autoencoder, layer, corrupted));
      expect(distance / squaredDistance(clean, output)).toBeCloseTo(1, 5);
      const parts = [
        [layer.weights.values, after.weights.values],
        [layer.hiddenBiases, after.hiddenBiases],
        [layer.visibleBiases, after.visibleBiases],
      ];
      const h = 1e-6;
      for (const [values, stepped] of parts) {
        for (let k = 0; k < values.length; k++) {
          const value = values[k];
          values[k] = value + h;
          const above = objective(autoencoder, layer, corrupted, clean);
          values[k] = value - h;
          const below = objective(autoencoder, layer, corrupted, clean);
          values[k] = value;
          const difference = (above - below) / (2 * h);
          const slope = value - stepped[k];
          expect(Math.abs(slope - difference)).toBeLessThan(1e-4 * Math.max(1, Math.abs(difference)));
        }
      }
    }
  });

  it("has the same bits after a larger batch left its rows behind", () => {
    const random = new Random(3);
    const layer = randomLayer(random, 4);
    const [large, small] = [randomMatrix(random, 11, VISIBLE), randomMatrix(random, 5, VISIBLE)];
    const kind = { code: "tanh", decoder: "linear", sparsity: 0.1 } as const;
    const stepOf = (before: readonly Matrix[]) => {
      const resident = new AutoencoderBuffers(kind, layer, { rows: 11, sparse: true, settings: PLAIN });
      for (const rows of [...before, small]) {
        resident.load(layer);
        resident.learn(
          rows,
          Int32Array.from({ length: rows.rows }, (_, i) => i),
        );
      }
      const { weights, hiddenBiases, visibleBiases } = resident.layer();
      resident.release();
      return [weights.values, hiddenBiases, visibleBiases];
    };
    expect(stepOf([large])).toEqual(stepOf([]));
  });

  it("has the same bits from dense rows, lists of each batch and lists of all rows", () => {
    const random = new Random(4);
    // More columns than a block of lists.
    const columns = 300;
    const values = Float32Array.from({ length: 150 * columns }, () =>
      random.uniform() < 0.7 ? 0 : random.uniform(),
    );
    const rows = new Matrix(150, columns, values);
    const layer = drawLayer(rows, 9, "sigmoid", random);
    const kind = { code: "sigmoid", decoder: "sigmoid", sparsity: 0 } as const;
    const lists = NonzeroRows.allocate({ rows: 150, columns, values });
    const learned = [{ sparse: false }, { sparse: true }, { sparse: true, source: lists }].map((shape) => {
      const resident = new AutoencoderBuffers(kind, layer, { rows: 5, settings: PLAIN, ...shape });
      for (const places of [
        // Rows are listed 64 at a time.
        [63, 64, 149, 0, 128],
        [127, 127, 65],
      ])
        resident.learn(rows, Int32Array.from(places));
      const { weights, hiddenBiases, visibleBiases } = resident.layer();
      resident.release();
      return [weights.values, hiddenBiases, visibleBiases];
    });
    lists?.release();
    expect(lists).toBeDefined();
    expect(learned[0][0]).not.toEqual(layer.weights.values);
    expect(learned[1]).toEqual(learned[0]);
    expect(learned[2]).toEqual(learned[0]);
  });
});

describe("masking noise", () => {
  it("sets about the given share to zero and scales up the rest", () => {
    const values = new Float32Array(10_000).fill(3);
    mask(values, 0.25, new Random(3));
    const zeros = values.filter((value) => value === 0).length;
    // A standard deviation of 43.
    expect(Math.abs(zeros - 2500)).toBeLessThan(200);
    // 3 · 4/3: the mean stays.
    expect(values.filter((value) => value === 4).length).toBe(10_000 - zeros);
  });
});
