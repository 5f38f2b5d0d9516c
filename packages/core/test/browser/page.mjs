// Runs in the browser. The test calls these functions by name and compares what they answer with Node.
import { gramOnThreads } from "#core/runtime/maths/gram.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { hardwareThreads } from "#core/runtime/platform.js";
import {
  cooperativeLoop,
  deafLoop,
  fail,
  mark,
  steps,
  sumOfNoise,
  wait,
} from "../runtime/parallel/fixture-tasks.mjs";
import { noiseMatrix } from "./noise-matrix.mjs";

const pool = threadExecutor({ threads: 2 });
const loops = { cooperativeLoop, deafLoop };

globalThis.checks = {
  isolated: () => globalThis.crossOriginIsolated,

  library: async () => Object.keys(await import("#core/train/train-table.js")),

  hardwareThreads,

  noise: (inputs) => pool.map(sumOfNoise, inputs),

  /** A task of the library, on threads although it is small. */
  async gram() {
    const executor = { threads: 2, map: (task, inputs) => pool.map(task, inputs) };
    const gram = await gramOnThreads(noiseMatrix(), { executor });
    return [...gram.matrix.values];
  },

  /** Milliseconds from the abort of a loop to the end of its map, the error, and what the pool does then. */
  async stop(loop) {
    const controller = new AbortController();
    let begin = 0;
    const onProgress = () => {
      begin ||= performance.now();
      controller.abort();
    };
    const options = { signal: controller.signal, onProgress };
    const { code } = await pool.map(loops[loop], [{}, {}, {}], options).catch((error) => error);
    const milliseconds = performance.now() - begin;
    const after = await pool.map(
      wait,
      [2, 1, 0].map((value) => ({ milliseconds: value, value })),
    );
    return { code, milliseconds, after };
  },

  /** What four threads wrote into one array, as this thread sees it. */
  async marks(buffer) {
    const shared = new Int32Array(buffer === "shared" ? new SharedArrayBuffer(16) : new ArrayBuffer(16));
    await pool.map(
      mark,
      [0, 1, 2, 3].map((index) => ({ shared, index })),
    );
    return [...shared];
  },

  async failure(input) {
    const { name, code, message, hint } = await pool.map(fail, ["fine", input]).catch((error) => error);
    return { name, code, message, hint };
  },

  async progress() {
    const seen = [];
    await pool.map(steps, [3, 4, 5], { onProgress: (done) => seen.push(done) });
    return seen;
  },

  async close() {
    await pool.close();
    return pool.running;
  },
};
