import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Executor, inlineExecutor } from "vouch";
import { readAside, readNewData, readTrainingData } from "#vouch/input/reading.js";
import { threadTasks } from "#vouch/process/tasks-to-preload.js";

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
    expect(await threadTasks([])).toEqual(["validation/trial"]);
    expect(await threadTasks([{ name: "forest" }, { name: "svm" }])).toEqual(["validation/trial"]);
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

describe("ignored columns", () => {
  const signal = new AbortController().signal;
  const reading = { target: "label", signal, progress: () => {} };

  /** Reads a file without some columns, then these. */
  async function asideOf(name: string, text: string, ignore: string[]) {
    const path = join(folder, name);
    writeFileSync(path, text);
    const flags = { header: true, ignore, numeric: ["size"] };
    const { rows } = await readTrainingData(path, { ...reading, flags });
    return { rows, aside: await readAside(path, rows, { flags, signal }) };
  }

  it("are read for checks, whatever they hold", async () => {
    const lines = ["p1,1,1.5,a", "p2,,2.5,b", "p1,junk,3.5,a"];
    const { rows, aside } = await asideOf("aside.csv", ["id,n,size,label", ...lines].join("\n"), ["id", "n"]);
    expect(rows.columns.map(({ name }) => name)).toEqual(["size", "label"]);
    const [id, n] = aside?.columns ?? [];
    expect(id).toMatchObject({ name: "id", codes: Int32Array.of(0, 1, 0), levels: ["p1", "p2"] });
    expect(n).toMatchObject({ name: "n", codes: Int32Array.of(0, -1, 1), levels: ["1", "junk"] });
  });

  it("are read of the first rows only, and missing in the others", async () => {
    const lines = Array.from({ length: 21_000 }, (_, i) => `${i < 20_900 ? i % 9 : "x"},1.5,${i % 2}`);
    const { aside } = await asideOf("long.csv", ["id,size,label", ...lines].join("\n"), ["id"]);
    expect(aside?.rows).toBe(21_000);
    const [id] = aside?.columns ?? [];
    if (id?.kind !== "numeric") return expect.fail("The first rows hold numbers.");
    const values = Array.from(id.values);
    expect(values.slice(0, 16_384)).toEqual(Array.from({ length: 16_384 }, (_, i) => i % 9));
    expect(values.slice(16_384).every(Number.isNaN)).toBe(true);
  });

  it("do no harm if they cannot be read", async () => {
    const json = '[{"id":{"deep":1},"size":1,"label":"a"},{"id":2,"size":2,"label":"b"}]';
    expect((await asideOf("nested.json", json, ["id"])).aside).toBeUndefined();
    expect((await asideOf("none.csv", "id,size,label\n1,1,a\n2,2,b\n", [])).aside).toBeUndefined();
  });
});
