import { writeFile } from "node:fs/promises";
import { gram, gramOnThreads } from "@vouch/core/internal/runtime/maths/gram";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import { executorWith, local, onThreads, pythonPeer } from "./contestants.js";
import { withTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, race } from "./race.js";

const ROWS = 1000;
const COLUMNS = 784;
const REPEATS = 21;

/** Benchmarks the Gram matrix of 1,000 rows of 784 numbers, in both precisions. */
export async function* gramBenchmark(
  threadCounts: readonly number[] = [1, 2],
): AsyncGenerator<BenchmarkResult> {
  const random = new Random(1);
  const values = Float64Array.from({ length: ROWS * COLUMNS }, () => random.normal());
  for (const threads of threadCounts) {
    const executor = executorWith(threads);
    try {
      // The larger work comes first, because the smaller one alone would not start the threads.
      for (const precision of ["f64", "f32"] as const) {
        yield await withTemporaryFolder(async (folder) => {
          const file = `${folder}/matrix`;
          await writeFile(file, values);
          return raceGram(values, file, precision, executor);
        });
      }
    } finally {
      await executor.close();
    }
  }
}

async function raceGram(
  values: Float64Array,
  file: string,
  precision: "f32" | "f64",
  executor: Executor,
): Promise<BenchmarkResult> {
  const { threads } = executor;
  const matrix = new Matrix(ROWS, COLUMNS, precision === "f32" ? Float32Array.from(values) : values);
  return race(
    `gram: X Xᵀ of ${ROWS} × ${COLUMNS} in ${precision}, ${onThreads(threads)}`,
    [
      local("vouch", async () => {
        const result = threads === 1 ? gram(matrix) : await gramOnThreads(matrix, { executor });
        result.release();
        return undefined;
      }),
      pythonPeer({
        name: "numpy (its BLAS)",
        script: "gram.py",
        modules: ["numpy"],
        args: [file, String(ROWS), String(COLUMNS), precision === "f32" ? "float32" : "float64"],
        threads,
      }),
    ],
    REPEATS,
  );
}
