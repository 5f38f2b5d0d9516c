import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { Sample } from "@vouch/core/internal/encode/sample";
import { cascadeBound } from "@vouch/core/internal/learners/cascade/cascade-model";
import { deepCascadeSvm } from "@vouch/core/internal/learners/cascade/kernel-cascades";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { labelled } from "@vouch/core/internal/table/target";
import { listDatasets, loadDataset } from "@vouch/datasets";
import { executorWith, local, onThreads } from "./contestants.js";
import { type BenchmarkResult, race } from "./race.js";

const ROWS = 600;
const GAMMAS = [1e-4, 1e-3, 1e-2, 1e-1, 1];
const REPEATS = 1;

/**
 * Benchmarks the exact search over the paper's full grid of cascades (depth 4, ten fractions, four degrees: 262,564
 * cascades) on 600 rows, one γ at a time. It has no peer, because the authors of the paper sampled cascades.
 */
export async function* cascadeBenchmark(
  threadCounts: readonly number[] = [2],
): AsyncGenerator<BenchmarkResult> {
  for (const threads of threadCounts) yield* searches(threads);
}

async function* searches(threads: number): AsyncGenerator<BenchmarkResult> {
  const executor = executorWith(threads);
  try {
    for (const name of await binarySets()) {
      const sample = await firstRows(name);
      for (const gamma of GAMMAS) {
        const learner = deepCascadeSvm({ gammas: [gamma] });
        const title = `cascade: all 262,564 cascades on ${sample.rows} rows of ${name}, γ = ${gamma}, ${onThreads(threads)}`;
        const fit = local("vouch, choice of C included", async () => {
          const model = await learner.fit(sample, { executor, seed: 1 });
          const { levels, origin } = model;
          return { depth: levels.length, bound: cascadeBound(model), "nodes trained": origin.trained };
        });
        yield await race(title, [fit], REPEATS);
      }
    }
  } finally {
    await executor.close();
  }
}

/** Lists the data sets of the paper that are available locally; two of them are shipped. */
async function binarySets(): Promise<string[]> {
  const wanted = ["german", "breastcancer", "ionosphere"];
  const here = new Set((await listDatasets()).filter(({ place }) => place).map(({ entry }) => entry.name));
  return wanted.filter((name) => here.has(name));
}

async function firstRows(name: string): Promise<Sample> {
  const { train } = await loadDataset(name);
  const rows = new Random(1).shuffle(Int32Array.from({ length: train.rows }, (_, row) => row)).slice(0, ROWS);
  const { features, labels, classes, target } = labelled(train.select(rows), "label");
  const encoder = fitEncoder(features, { target, classes }, { kind: "numeric", standardise: true });
  return new Sample({ features: encoder.encode(features), labels, classes });
}
