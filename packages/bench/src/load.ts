import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { findPython, freshProcess, peerScript } from "./contestants.js";
import { withTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, race } from "./race.js";

const ROWS = 1_000_000;
const FEATURES = 19;
const REPEATS = 5;

const loadOnce = fileURLToPath(new URL("load-once.js", import.meta.url));

/**
 * Benchmarks reading a CSV file of 1,000,000 rows and 20 columns into a sample, into DuckDB's columns, and into a data
 * frame.
 */
export async function* loadBenchmark(): AsyncGenerator<BenchmarkResult> {
  yield await withTemporaryFolder(async (folder) => {
    const file = `${folder}/million.csv`;
    await writeNumbers(file);
    const python = findPython(["pandas"]);
    const node = (contestant: string) => [process.execPath, loadOnce, contestant, file];
    return race(
      "load: a CSV file of 1,000,000 × 20 (vouch: into an encoded sample)",
      [
        freshProcess({ name: "vouch", command: node("vouch"), absence: "" }),
        freshProcess({ name: "DuckDB SELECT * (2 threads)", command: node("duckdb"), absence: "" }),
        freshProcess({
          name: "pandas read_csv",
          command: python === undefined ? undefined : [python, peerScript("read_csv.py"), file],
          absence: "no Python with pandas",
        }),
      ],
      REPEATS,
    );
  });
}

/** Writes uniform numbers with all digits of a double, and a label that depends on the first one. */
async function writeNumbers(file: string): Promise<void> {
  const random = new Random(1);
  const handle = await open(file, "w");
  try {
    const names = Array.from({ length: FEATURES }, (_, j) => `x${j + 1}`);
    await handle.write(`${names.join(",")},label\n`);
    let block = "";
    for (let i = 0; i < ROWS; i++) {
      const cells = names.map(() => random.uniform() * 100);
      block += `${cells.join(",")},${cells[0] > 50 ? "yes" : "no"}\n`;
      if (block.length > 1 << 22 || i === ROWS - 1) {
        await handle.write(block);
        block = "";
      }
    }
  } finally {
    await handle.close();
  }
}
