import { afterAll, describe, expect, test } from "vitest";
import {
  type Executor,
  learnerNamed,
  learnerNames,
  serialise,
  Table,
  threadExecutor,
  trainClassifier,
} from "vouch";
import { Random } from "vouch/extend";
import { sendingAll, shortOptions } from "./short-fits.mjs";

/** `npm run nightly` tries more: every pool has to start its threads. */
const THREADS = process.env.VOUCH_NIGHTLY ? [1, 2, 3, 7, 16] : [1, 3, 7];

const pools = THREADS.map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

const ROWS = 420;

/** Clouds of points, a category that depends on the class, missing values, and some wrong labels. */
function cloudsTable(classes: number): Table {
  const random = new Random(classes);
  const records = Array.from({ length: ROWS }, (_, i) => {
    const k = i % classes;
    const centre = (2 * Math.PI * k) / classes;
    const own = random.uniform() < 0.7 ? k : random.integer(classes);
    return {
      x: random.normal() + 2 * Math.cos(centre),
      y: random.normal() + 2 * Math.sin(centre),
      z: random.uniform() < 0.1 ? null : random.normal() + Math.cos(2 * centre),
      whole: random.integer(5) + k,
      kind: `kind ${own}`,
      class: `class ${random.uniform() < 0.1 ? random.integer(classes) : k}`,
    };
  });
  return Table.fromRecords("clouds", records);
}

describe.each(learnerNames().map((name) => ({ name })))("$name", ({ name }) => {
  test(`gives the same model file with ${THREADS.join(", ")} threads`, async () => {
    const kind = await learnerNamed(name);
    const table = cloudsTable(kind.multiclass ? 4 : 2);
    const learner = kind.create(shortOptions(name));
    const train = async (executor?: Executor) => {
      const run = { seed: 3, ...(executor && { executor }) };
      const { classifier } = await trainClassifier(table, learner, {
        target: "class",
        holdout: 0.2,
        calibrate: false,
        run,
      });
      return serialise(classifier);
    };
    const expected = await train();
    for (const pool of pools) {
      const file = await train(sendingAll(pool));
      expect(Buffer.compare(file, expected), `${pool.threads} threads`).toBe(0);
    }
  });
});

test("threads of all pools have had work", () => {
  for (const { running, threads } of pools) expect(running).toBeGreaterThanOrEqual(Math.min(2, threads));
});
