import { describe, expect, it } from "vitest";
import { columnShifts } from "#core/checks/column-shift.js";
import { leakingColumns } from "#core/checks/leaking-columns.js";
import type { Encoder } from "#core/encode/encoder.js";
import { fitEncoder, restoreEncoder } from "#core/encode/fit-encoder.js";
import { type Features, Sample } from "#core/encode/sample.js";
import { Background } from "#core/explain/background.js";
import { partialEffects } from "#core/explain/effects.js";
import { featuresByColumn } from "#core/explain/feature-groups.js";
import { permutationImportance } from "#core/explain/permutation-importance.js";
import { reasonsFor } from "#core/explain/reasons.js";
import { createLearner } from "#core/learners/index.js";
import type { Model } from "#core/learners/model.js";
import { Random } from "#core/runtime/maths/random.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import type { Table } from "#core/table/table.js";
import { twinTables } from "../table/sparse-tables.js";

const ROWS = 120;

/** Rows of which about one cell in twelve is not 0; the class depends on the first columns. */
function problem(columns: number): { dense: Table; sparse: Table; labels: Int32Array } {
  const random = new Random(7);
  const cells = Array.from({ length: columns }, () =>
    Array.from({ length: ROWS }, () => (random.uniform() < 0.08 ? random.uniform() + 0.5 : 0)),
  );
  const labels = Int32Array.from({ length: ROWS }, (_, i) =>
    Number(cells[0][i] + cells[1][i] + cells[2][i] > 0 || random.uniform() < 0.3),
  );
  return { ...twinTables(cells), labels };
}

interface Fitted {
  readonly encoder: Encoder;
  readonly model: Model<Features>;
  readonly sample: Sample<Features>;
}

async function fitted(table: Table, labels: Int32Array, name: string, options: object): Promise<Fitted> {
  const learner = await createLearner(name, { ...options });
  const classes = ["no", "yes"];
  const encoder = fitEncoder(table, { target: "y", classes }, learner.encoding);
  const features = encoder.encode(table);
  const sample = new Sample<Features>({ features, labels, classes, featureNames: encoder.featureNames });
  return { encoder, sample, model: await learner.fit(sample, { seed: 3 }) };
}

/** Learners, some of which take sparse rows and some a matrix. */
const learners: [string, object][] = [
  ["linear-svm", {}],
  ["logistic", {}],
  ["forest", { trees: 5 }],
  ["boosted-trees", { rounds: 5 }],
  ["svm", { kernel: "intersection" }],
  ["svm", { kernel: "rbf" }],
  ["one-vs-rest", { base: "linear-svm" }],
  ["one-vs-one", { base: "svm", baseOptions: { kernel: "intersection" } }],
  ["stump", {}],
];

describe("a table of sparse columns gives the model of the same cells in arrays", () => {
  it.each(learners)("%s %j", async (name, options) => {
    const { dense, sparse, labels } = problem(30);
    const expected = await fitted(dense, labels, name, options);
    const { model, encoder } = await fitted(sparse, labels, name, options);
    expect(encoder.toState()).toEqual(expected.encoder.toState());
    expect(model.toState()).toEqual(expected.model.toState());
    const scores = expected.model.scores(expected.encoder.encode(dense));
    const restored = restoreEncoder(encoder.toState());
    for (const own of [encoder, restored]) {
      expect(model.scores(own.encode(sparse)).values).toEqual(scores.values);
    }
  });

  it("to the last bit with thousands of features, which are summed in parts", async () => {
    const { dense, sparse, labels } = problem(2500);
    const { model, encoder } = await fitted(sparse, labels, "linear-svm", { maxPasses: 3 });
    const features = encoder.encode(sparse);
    expect(features).toBeInstanceOf(SparseRows);
    expect(model.scores(features).values).toEqual(model.scores(encoder.encode(dense)).values);
  });

  it("the same importance, reasons, effects, shifts and leaks", async () => {
    const { dense, sparse, labels } = problem(6);
    const measured = async (table: Table, base: string) => {
      const { model, encoder, sample } = await fitted(table, labels, "one-vs-rest", { base });
      const background = Background.of(table, encoder.schema, 1);
      if (!background) throw new TypeError("There are few columns.");
      const rows = table.select(Int32Array.of(5, 2, 2));
      return {
        importance: await permutationImportance(
          model,
          sample,
          { seed: 1 },
          { repeats: 2, groups: featuresByColumn(encoder) },
        ),
        reasons: await reasonsFor(model, encoder, background.table, rows, { class: "yes", seed: 1 }),
        effects: await partialEffects(model, encoder, table, { seed: 1 }),
        background: background.toState(),
        shifts: columnShifts(
          { features: table, labels },
          { features: rows, labels: labels.subarray(0, 3) },
          "y",
        ),
        leaks: leakingColumns({ features: table, labels }, 2),
      };
    };
    for (const base of ["linear-svm", "stump"]) {
      expect(await measured(sparse, base)).toEqual(await measured(dense, base));
    }
  });
});
