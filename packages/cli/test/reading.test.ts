import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Executor, inlineExecutor } from "vouch";
import { readNewData, readTrainingData } from "#cli/reading.js";
import { threadTasks } from "#cli/thread-tasks.js";

const folder = mkdtempSync(join(tmpdir(), "reading-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a CSV file of at least so many bytes. */
function fileOf(name: string, bytes: number): string {
  const path = join(folder, name);
  writeFileSync(path, `size,label\n${"1.5,a\n2.5,b\n".repeat(Math.ceil(bytes / 12))}`);
  return path;
}

/** Reads a file with sixteen threads that note what they are to prepare. */
async function preparedTasks(path: string, threads: number, tasks?: readonly string[]): Promise<unknown[]> {
  const prepared: unknown[] = [];
  const executor: Executor = { ...inlineExecutor(), threads, prepare: (given) => prepared.push(given) };
  await readTrainingData(path, {
    flags: { header: true },
    target: "label",
    signal: new AbortController().signal,
    progress: () => {},
    executor,
    ...(tasks && { tasks }),
  });
  return prepared;
}

describe("threads", () => {
  it("start with the tasks of the command while a large file is read", async () => {
    expect(await preparedTasks(fileOf("large.csv", 2 ** 20), 16, ["forest/grow"])).toEqual([["forest/grow"]]);
  });

  it("do not start for a small file, a single thread, or a command that may not need them", async () => {
    expect(await preparedTasks(fileOf("small.csv", 2 ** 19), 16, ["forest/grow"])).toEqual([]);
    const large = fileOf("large.csv", 2 ** 20);
    expect(await preparedTasks(large, 1, ["forest/grow"])).toEqual([]);
    expect(await preparedTasks(large, 16)).toEqual([]);
  });

  it("prepare the fit of one learner, or trials of several", async () => {
    expect(await threadTasks([{ name: "forest" }])).toContain("forest/grow");
    expect(await threadTasks([{ name: "majority" }])).toEqual([]);
    expect(await threadTasks([])).toEqual(["evaluate/trial"]);
    expect(await threadTasks([{ name: "forest" }, { name: "svm" }])).toEqual(["evaluate/trial"]);
  });
});

it("a file is read in bytes of its size", async () => {
  const reports: unknown[] = [];
  const path = fileOf("rows.csv", 1200);
  await readNewData(path, {
    flags: { header: true },
    target: "label",
    signal: new AbortController().signal,
    progress: (progress) => reports.push(progress),
  });
  expect(reports.at(-1)).toEqual({ stage: `Reading ${path}`, done: 1211, total: 1211, unit: "bytes" });
});
