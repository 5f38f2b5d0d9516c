import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { BinnedColumns } from "#core/encode/binned-columns.js";
import { growForests } from "#core/learners/forest/grow-forest.js";
import { OutOfBagVotes } from "#core/learners/forest/out-of-bag.js";
import { FULL_GROWTH } from "#core/learners/tree/growth-options.js";
import { forestScores } from "#core/learners/tree/score-trees.js";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import type { TreeSet } from "#core/learners/tree/tree-set.js";
import { runNow, runOnThreads } from "#core/runtime/parallel/pausable.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { noiseRows } from "./binned-samples.js";

const executors = [2, 3, 7, 16].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

const ROWS = 60_000;
const sample = noiseRows(ROWS, 5, ([a, b], random) => Number(a > b) + Number(random.uniform() < 0.02));
const target = { labels: sample.labels, classes: 3 };
const columns = TreeColumns.of(sample.features);
afterAll(() => columns.release());
const rows = Int32Array.from({ length: ROWS }, (_, i) => i);
const growth = { ...FULL_GROWTH, featuresPerSplit: 2, minLeafRows: 20 };

/** A hash of the bytes of arrays: comparing their elements one by one takes seconds. */
function digest(...arrays: readonly (ArrayBufferView | undefined)[]): string {
  const hash = createHash("sha256");
  for (const array of arrays) {
    if (!array) throw new Error("There is nothing to compare.");
    hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength).slice());
  }
  return hash.digest("hex");
}

function bitsOf({ arrays }: TreeSet): string {
  const { nodes, nodeStarts, sets, setStarts, leafClasses, leafShares, leafStarts } = arrays;
  return digest(nodes, nodeStarts, sets, setStarts, leafClasses, leafShares, leafStarts);
}

/** Grows forests whose trees are large enough for several threads, and collects all facts. */
async function grown(trees: number, executor?: (typeof executors)[number]) {
  const run = completeRun({ ...(executor && { executor }) });
  using votes = new OutOfBagVotes(columns, 3, trees, true);
  const plan = { growth, trees, bootstrap: true, seed: 4, rows, votes: votes.buffers };
  const [forest] = await growForests(columns, target, [plan], run);
  const facts = await runOnThreads(votes.facts(sample.labels), run);
  return { forest, facts, losses: await runOnThreads(votes.losses(), run) };
}

describe("trees that several threads grow", () => {
  it.each([1, 3])("have the same bits for any number of threads, %i trees", async (trees) => {
    const before = wasmMemory().used;
    const alone = await grown(trees);
    for (const executor of executors) {
      const together = await grown(trees, executor);
      expect(bitsOf(together.forest)).toBe(bitsOf(alone.forest));
      expect(digest(together.facts?.scores.values)).toBe(digest(alone.facts?.scores.values));
      expect(together.facts?.errors).toBe(alone.facts?.errors);
      expect(together.losses).toEqual(alone.losses);
    }
    expect(wasmMemory().used).toBe(before);
  });

  it("hold every row in the leaf that it belongs to", async () => {
    // Without bootstrap and limits, a tree gives each row its own class, unless rows are equal.
    const plan = { growth: FULL_GROWTH, trees: 1, bootstrap: false, seed: 4, rows };
    const run = completeRun({ executor: executors[1] });
    const [forest] = await growForests(columns, target, [plan], run);
    const inNode = new Int32Array(forest.nodes);
    let strangers = 0;
    for (const row of rows) {
      const shares = new Float32Array(3);
      const leaf = forest.leafOf(0, sample.features, row);
      forest.addLeaf(0, leaf, shares, 0);
      if (shares[sample.labels[row]] === 0) strangers++;
      inNode[leaf]++;
    }
    const lefts = forest.leftChildren(0);
    for (let node = lefts.length - 1; node >= 0; node--) {
      if (lefts[node] > 0) inNode[node] = inNode[lefts[node]] + inNode[lefts[node] + 1];
    }
    expect(strangers).toBe(0);
    expect(inNode[0]).toBe(ROWS);
    // Several splits had more than 8,192 rows on both sides, so there were several jobs.
    const jobs = Array.from(lefts).filter(
      (left) => left > 0 && Math.min(inNode[left], inNode[left + 1]) > 8192,
    );
    expect(jobs.length).toBeGreaterThan(2);
    // Every leaf has rows: no job has left out or repeated a part of the tree.
    expect(Array.from(lefts.keys()).every((node) => lefts[node] > 0 || inNode[node] > 0)).toBe(true);
  });
});

describe("columns and trees that threads copy to WebAssembly memory", () => {
  it("are the same as those that one thread copies", async () => {
    // Wide and long enough for several tasks: 60,000 × 40 cells, and 300,000 nodes.
    const wide = new BinnedColumns(
      ROWS,
      Array.from({ length: 40 }, (_, j) => ({ ...sample.features.features[j % 5], name: `x${j}` })),
      Uint8Array.from({ length: 40 * ROWS }, (_, k) => sample.features.bins[k % (5 * ROWS)]),
    );
    using alone = TreeColumns.of(wide);
    const plan = {
      growth: { ...FULL_GROWTH, splits: "random" },
      trees: 12,
      bootstrap: false,
      seed: 1,
      rows,
    } as const;
    const [trees] = await growForests(alone, target, [plan], completeRun());
    expect(trees.nodes).toBeGreaterThan(300_000);
    const expected = runNow(forestScores(trees, wide));
    for (const executor of executors) {
      const run = completeRun({ executor });
      using together = await runOnThreads(TreeColumns.copy(wide), run);
      const rowsOf = ({ memory, cells }: TreeColumns) => memory.u8(cells.pointer, cells.stride * ROWS);
      expect(digest(rowsOf(together))).toBe(digest(rowsOf(alone)));
      const [again] = await growForests(together, target, [{ ...plan, trees: 2 }], completeRun());
      expect(bitsOf(again)).toBe(bitsOf(trees.slice(0, 2)));
      const scores = await runOnThreads(forestScores(trees, together), run);
      expect(digest(scores.values)).toBe(digest(expected.values));
    }
  });
});
