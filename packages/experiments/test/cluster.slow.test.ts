import { fileURLToPath } from "node:url";
import { clusterExecutor } from "@vouch/cluster";
import { experimentNamed } from "@vouch/experiments";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Executor, inlineExecutor } from "vouch";
import { hasRedis, RedisServer } from "../../cluster/test/redis-server.js";
import { Desk } from "../../vouch/test/vouch.js";

const desk = new Desk();
const program = [process.execPath, fileURLToPath(new URL("../run.mjs", import.meta.url))];
let redis: RedisServer;

beforeAll(async () => {
  if (hasRedis) redis = await RedisServer.start();
});

afterAll(() => redis?.stop());

const result = (executor: Executor) =>
  experimentNamed("deep-cascades-perceptron/table-4-1").run({
    scale: "quick",
    seed: 3,
    executor,
    progress: () => {},
  });

describe.skipIf(!hasRedis)("npm run experiment -- worker", () => {
  it("computes the parts of an experiment, with the result of one process", async () => {
    const args = ["worker", "--cluster", redis.url, "--threads", "2"];
    const worker = desk.start(args, { program, timeout: 120_000 });
    await worker.said("has joined");
    const executor = await clusterExecutor({ url: redis.url, local: inlineExecutor() });
    expect(await result(executor)).toEqual(await result(inlineExecutor()));
    expect(executor.report().tasks).toBeGreaterThan(0);
    await worker.said("done     experiments/report-split");
    await executor.close();
    worker.child.kill("SIGINT");
    expect(await worker.outcome).toMatchObject({ code: 0 });
    expect(await redis.keys()).toEqual([]);
  }, 120_000);
});
