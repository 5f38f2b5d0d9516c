import { writeFile } from "node:fs/promises";
import { labelledSample } from "@vouch/core/internal/encode/encoder";
import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { createLearner } from "@vouch/core/internal/learners/index";
import { countErrors } from "@vouch/core/internal/learners/training-summary";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { stratifiedHoldout } from "@vouch/core/internal/table/splits";
import { Table } from "@vouch/core/internal/table/table";
import { type LabelledRows, labelled, selectRows } from "@vouch/core/internal/table/target";
import { loadDataset } from "@vouch/datasets";
import { localThen, pythonPeer } from "./contestants.js";
import { withTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, race } from "./race.js";

const ROWS = 300;
const TEST_ROWS = 2000;

/** Held-out fraction of iris. */
const IRIS_TEST = 0.4;

/** Splits per problem, and the seed of the first split; both were fixed before the first run. */
const SPLITS = 40;
const FIRST_SEED = 5000;

/** Rows to train on and rows to test on. */
export interface SmallSplit {
  readonly classes: readonly string[];
  readonly train: LabelledRows;
  readonly test: LabelledRows;
}

interface PlaneProblem {
  /** Standard deviation of the normal noise on both coordinates. */
  readonly noise: number;
  readonly place: (label: number, random: Random) => readonly [number, number];
}

const planeProblems: Readonly<Record<string, PlaneProblem>> = {
  circles: { noise: 0.1, place: (label, random) => onCircle(label === 0 ? 0.5 : 1, random.uniform()) },
  moons: {
    noise: 0.2,
    place(label, random) {
      const [x, y] = onCircle(1, random.uniform() / 2);
      return label === 0 ? [x, y] : [1 - x, 0.5 - y];
    },
  },
  xor: {
    noise: 0.05,
    place(label, random) {
      const side = random.uniform() < 0.5 ? 1 : -1;
      return [side * random.uniform(), (label === 0 ? side : -side) * random.uniform()];
    },
  },
  spirals: {
    noise: 0.05,
    place(label, random) {
      const radius = 0.1 + 0.9 * random.uniform();
      return onCircle(radius, label / 2 + radius);
    },
  },
};

/** Names of small problems that no line separates, and iris. */
const smallProblems = [...Object.keys(planeProblems), "iris"];

/** Creates the splits of a small problem: 300 rows and 2,000 test rows in the plane, or 90 and 60 rows of iris. */
export async function smallSplits(name: string, count = SPLITS): Promise<SmallSplit[]> {
  const seeds = Array.from({ length: count }, (_, i) => FIRST_SEED + i);
  if (name !== "iris") {
    return seeds.map((seed) => {
      const random = new Random(seed);
      const train = labelled(planeTable(planeProblems[name], ROWS, random), "class");
      const test = labelled(planeTable(planeProblems[name], TEST_ROWS, random), "class");
      return { classes: train.classes, train, test };
    });
  }
  const { train: table, entry } = await loadDataset(name);
  const data = labelled(table, entry.target);
  return seeds.map((seed) => {
    const { train, test } = stratifiedHoldout(data.labels, IRIS_TEST, seed);
    return { classes: data.classes, train: selectRows(data, train), test: selectRows(data, test) };
  });
}

/** Trains `mlp` with its defaults on each split; returns the mean test error. */
export async function networkError(splits: readonly SmallSplit[]): Promise<number> {
  const learner = await createLearner("mlp");
  let sum = 0;
  for (const [seed, { classes, train, test }] of splits.entries()) {
    const encoder = fitEncoder(train.features, { target: "class", classes }, learner.encoding);
    const model = await learner.fit(labelledSample(encoder, train), { seed });
    const predictions = model.predict(encoder.encode(test.features));
    sum += countErrors(predictions, test.labels) / test.labels.length;
  }
  return sum / splits.length;
}

/** Compares the errors of `mlp` and of scikit-learn's MLPClassifier on small problems, both with their defaults. */
export async function* smallNetworksBenchmark(): AsyncGenerator<BenchmarkResult> {
  for (const name of smallProblems) {
    const splits = await smallSplits(name);
    yield await withTemporaryFolder(async (folder) => {
      await writeFile(`${folder}/splits.json`, JSON.stringify(splits.map(plainSplit)));
      const script = { script: "small_networks.py", modules: ["numpy", "sklearn"], threads: 1 };
      return race(
        `small networks: ${name}, ${splits[0].train.labels.length} rows, mean of ${splits.length} splits`,
        [
          localThen(
            "vouch",
            () => networkError(splits),
            (error) => ({ "error %": 100 * error }),
          ),
          pythonPeer({ ...script, name: "scikit-learn", args: [folder] }),
          pythonPeer({ ...script, name: "scikit-learn, standardised", args: [folder, "standardised"] }),
        ],
        1,
        0,
      );
    });
  }
}

function plainSplit({ train, test }: SmallSplit) {
  const part = ({ features, labels }: LabelledRows) => ({
    features: features.columns.map((column) => (column.kind === "numeric" ? [...column.values] : [])),
    labels: [...labels],
  });
  return { train: part(train), test: part(test) };
}

function planeTable({ noise, place }: PlaneProblem, rows: number, random: Random): Table {
  const records = Array.from({ length: rows }, (_, i) => {
    const [x, y] = place(i % 2, random);
    return { x: x + noise * random.normal(), y: y + noise * random.normal(), class: i % 2 === 0 ? "a" : "b" };
  });
  return Table.fromRecords("plane", records);
}

function onCircle(radius: number, turns: number): readonly [number, number] {
  return [radius * Math.cos(2 * Math.PI * turns), radius * Math.sin(2 * Math.PI * turns)];
}
