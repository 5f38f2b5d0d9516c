/**
 * `forest-once.js FOLDER COLUMNS TREES THREADS`: trains a forest on a matrix from a file, predicts the test part,
 * prints seconds, accuracy and peak memory, and exits.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { Sample } from "@vouch/core/internal/encode/sample";
import { forest } from "@vouch/core/internal/learners/forest/forest";
import { threadExecutor } from "@vouch/core/internal/runtime/parallel/threads";
import type { Table } from "@vouch/core/internal/table/table";
import { accuracyPercent, tableOf } from "./forest-work.js";

const [, , folder] = process.argv;
const [columns, trees, threads] = process.argv.slice(3).map(Number);

const began = performance.now();
const train = readPart("train");
const classes = Array.from({ length: Math.max(...train.labels) + 1 }, (_, c) => String(c));
const learner = forest({ trees, outOfBag: false });
const encoder = fitEncoder(train.table, { target: "class", classes }, { kind: "binned", maxBins: 255 });
const sample = new Sample({ features: encoder.encode(train.table), labels: train.labels, classes });
const executor = threadExecutor({ threads });
const model = await learner.fit(sample, { seed: 1, executor });
const test = readPart("test");
const predictions = model.predict(encoder.encode(test.table));
const seconds = (performance.now() - began) / 1000;
const facts = {
  "accuracy %": accuracyPercent(predictions, test.labels),
  "peak MB": process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify({ seconds, facts }));
await executor.close();

function readPart(part: "train" | "test"): { table: Table; labels: Int32Array } {
  const labels = new Int32Array(statSync(`${folder}/${part}.labels`).size / 4);
  const values = new Float32Array(labels.length * columns);
  fill(labels, `${folder}/${part}.labels`);
  fill(values, `${folder}/${part}.columns`);
  return { table: tableOf(values, { rows: labels.length, columns }), labels };
}

/** Reads a whole file into an array of numbers without a copy. */
function fill(numbers: Int32Array | Float32Array, path: string): void {
  const bytes = new Uint8Array(numbers.buffer);
  const file = openSync(path, "r");
  try {
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(file, bytes, at, bytes.length - at, at);
      if (read === 0) throw new Error(`${path} is too short.`);
      at += read;
    }
  } finally {
    closeSync(file);
  }
}
