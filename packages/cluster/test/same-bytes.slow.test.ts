import { createHash } from "node:crypto";
import { clusterExecutor } from "@vouch/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  byRacing,
  byReplaying,
  createLearner,
  type Executor,
  findChoice,
  findCriterion,
  inlineExecutor,
  type LearnerChoice,
  labelled,
  type RaceRecord,
  select,
  serialise,
  threadExecutor,
  trainClassifier,
} from "vouch";
import { drawnTable } from "./drawn-table.js";
import { hasRedis, RedisServer } from "./redis-server.js";
import { startWorkers } from "./worker-process.js";

const table = drawnTable(1000);
const classes = drawnTable(300, 3);
const seed = 3;

async function learned(name: string, options: object, executor: Executor, rows = table): Promise<string> {
  return trained(await createLearner(name, { ...options }), executor, rows);
}

async function trained(learner: Parameters<typeof trainClassifier>[1], executor: Executor, rows = table) {
  const { classifier } = await trainClassifier(rows, learner, { target: "y", run: { seed, executor } });
  return hash(await serialise(classifier));
}

function hash(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Fits that a race once made: what the clock decided. */
async function recordedRace(): Promise<RaceRecord> {
  const candidates = await Promise.all(
    ["stump", "logistic", "boosted-trees"].map((name) => createLearner(name)),
  );
  let record: RaceRecord | undefined;
  const racing = byRacing(candidates, { seconds: 3, folds: 3 });
  const choice: LearnerChoice = async (...given) => {
    const made = await racing(...given);
    record = made.record;
    return made;
  };
  await trainClassifier(classes, choice, { target: "y", run: { seed, executor: inlineExecutor() } });
  if (!record) throw new Error("The race has no record.");
  return record;
}

/** Work that has the same result everywhere. */
interface Subject {
  /** A task that workers run for it; absent if this machine does all of it. */
  readonly task?: string;
  /** Returns a hash of the bytes of its result. */
  run(executor: Executor): Promise<string>;
}

const subjects: Readonly<Record<string, Subject>> = {
  forest: { task: "forest/grow-range", run: (executor) => learned("forest", { trees: 90 }, executor) },
  "boosted-trees": { run: (executor) => learned("boosted-trees", { rounds: 10 }, executor) },
  mddf: {
    task: "forest/grow-range",
    run: (executor) =>
      learned(
        "mddf",
        { trees: 30, folds: 2, layers: 2, randomForests: 1, completelyRandomForests: 1 },
        executor,
      ),
  },
  select: {
    task: "validation/trial",
    async run(executor) {
      const learners = await Promise.all(
        [5, 10, 15].map((maxDepth) => createLearner("boosted-trees", { rounds: 6, maxDepth })),
      );
      const rows = labelled(classes, "y");
      const { rankings } = await select(learners, rows, [findCriterion("cv")], {
        folds: 4,
        run: { seed, executor },
      });
      const chosen = await trained(learners[findChoice(rankings[0])], executor, classes);
      return hash(JSON.stringify(rankings.map(({ scores }) => scores)) + chosen);
    },
  },
};

/** Further tasks: workers make the same as this process. */
const further: Readonly<Record<string, Subject>> = {
  "one-vs-one": {
    task: "multiclass/fit-machine",
    run: (executor) => learned("one-vs-one", { base: "adaboost" }, executor, classes),
  },
  cascade: {
    task: "cascade/validate",
    run: (executor) =>
      learned("deep-cascade", { folds: 3, gammas: [0.1, 1], maxDepth: 2 }, executor, drawnTable(90)),
  },
  // One split, whose γ are divided among the workers.
  "cascade without folds": {
    task: "cascade/validate",
    run: (executor) =>
      learned("deep-cascade", { gammas: [0.01, 0.1, 0.3, 1, 3], maxDepth: 3 }, executor, drawnTable(120)),
  },
};

describe.skipIf(!hasRedis)("the same bytes from one process, threads and workers", () => {
  let redis: RedisServer;
  let record: RaceRecord;
  const expected = new Map<string, string>();
  const all = (): [string, Subject][] => [
    ...Object.entries(subjects),
    [
      "race",
      { task: "validation/trial", run: (executor) => trained(byReplaying(record), executor, classes) },
    ],
  ];
  const lock = { lock: 1500 };

  beforeAll(async () => {
    redis = await RedisServer.start();
    record = await recordedRace();
    for (const [name, { run }] of [...all(), ...Object.entries(further)])
      expected.set(name, await run(inlineExecutor()));
  });
  afterAll(async () => {
    await redis?.stop();
  });

  it("are made by four threads", async () => {
    const executor = threadExecutor({ threads: 4 });
    for (const [name, { run }] of all())
      expect([name, await run(executor)]).toEqual([name, expected.get(name)]);
    await executor.close();
  });

  it("are made by three workers, and nothing is left in Redis", async () => {
    const workers = await startWorkers(3, redis.url, { threads: 2 });
    const executor = await clusterExecutor({ url: redis.url, local: inlineExecutor() });
    for (const [name, { run, task }] of [...all(), ...Object.entries(further)]) {
      const before = executor.report().tasks;
      expect([name, await run(executor)]).toEqual([name, expected.get(name)]);
      // A fit of boosted trees is not divided; whether folds to calibrate it are sent depends on its time.
      if (task !== undefined) expect([name, executor.report().tasks > before]).toEqual([name, true]);
    }
    const { blobs, bytes } = executor.report();
    expect(blobs.sent).toBeGreaterThan(0);
    // Each worker fetches a blob once at most.
    expect(bytes.workersFetched).toBeLessThanOrEqual(3 * bytes.sent);
    await executor.close();
    for (const worker of workers) expect(await worker.stop()).toBe(0);
    expect(await redis.keys()).toEqual([]);
  });

  it("are made by three workers of which one is killed in the middle", async () => {
    let workers = await startWorkers(3, redis.url, lock);
    const executor = await clusterExecutor({ url: redis.url, local: inlineExecutor() });
    for (const [name, { run, task }] of all()) {
      if (task === undefined) continue;
      for (const worker of workers) worker.output = "";
      const started = workers.map((worker) => worker.says(`"started","task":"${task}"`).then(() => worker));
      const killed = Promise.any(started).then(async (victim) => {
        await victim.kill();
        return victim;
      });
      expect([name, await run(executor)]).toEqual([name, expected.get(name)]);
      const victim = await killed;
      const [replacement] = await startWorkers(1, redis.url, lock);
      workers = workers.map((worker) => (worker === victim ? replacement : worker));
    }
    await executor.close();
    for (const worker of workers) await worker.stop();
  }, 120_000);
});
