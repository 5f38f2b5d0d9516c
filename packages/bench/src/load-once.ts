/**
 * Loads a CSV file once, prints seconds and peak memory, and exits: `load-once.js vouch FILE` into an encoded sample,
 * `load-once.js duckdb FILE` into the columns of DuckDB.
 */

import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { Sample } from "@vouch/core/internal/encode/sample";
import { labelled } from "@vouch/core/internal/table/target";
import { readTable } from "@vouch/formats";

const [, , contestant, file] = process.argv;
const began = performance.now();
const bytes = contestant === "vouch" ? await intoSample(file) : await intoColumns(file);
const seconds = (performance.now() - began) / 1000;
const peak = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ seconds, facts: { "peak MB": peak, "result MB": bytes / 1e6 } }));

/** Reads, encodes and labels the rows, as a learner needs them. */
async function intoSample(path: string): Promise<number> {
  const table = await readTable(path, { target: "label" });
  const { features, ...target } = labelled(table, "label");
  const encoder = fitEncoder(features, target, { kind: "numeric", standardise: true });
  const sample = new Sample({
    features: encoder.encode(features),
    labels: target.labels,
    classes: target.classes,
  });
  return sample.features.values.byteLength;
}

/** Fetches and keeps the columns of every chunk of SELECT *. */
async function intoColumns(path: string): Promise<number> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const result = await connection.stream(`SELECT * FROM read_csv('${path.replaceAll("'", "''")}')`);
  const kept: unknown[] = [];
  let cells = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return cells * 8;
    for (let j = 0; j < chunk.columnCount; j++) kept.push(chunk.getColumnVector(j));
    cells += chunk.rowCount * chunk.columnCount;
  }
}
