import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { type ReadOptions, readTable, type TableSource } from "@vouch/formats";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { threadExecutor } from "vouch";
import { FixtureFolder } from "./fixture-folder.js";
import { parquetBytes } from "./parquet-bytes.js";

const folder = new FixtureFolder();
const systemFolder = process.env.TMPDIR;

// Temporary files go to a separate folder, where they can be counted.
beforeEach(() => {
  process.env.TMPDIR = folder.path;
});
afterEach(() => {
  if (systemFolder === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = systemFolder;
});

function temporaryFolders(): string[] {
  return readdirSync(folder.path).filter((name) => name.startsWith(".vouch-"));
}

/** Measures the milliseconds from the abort to the error, which must say that the run was interrupted. */
async function delay(source: TableSource, options: ReadOptions, after: number): Promise<number> {
  const controller = new AbortController();
  let aborted = 0;
  setTimeout(() => {
    aborted = performance.now();
    controller.abort();
  }, after);
  await expect(readTable(source, { ...options, signal: controller.signal })).rejects.toMatchObject({
    code: "run/interrupted",
  });
  return performance.now() - aborted;
}

/** Milliseconds that an interruption takes at most: a tenth of a second, and five times that on a busy machine. */
const PROMPTLY = 500;

const named = spawnSync("mkfifo", [join(folder.path, "pipe")]).status === 0;

describe.skipIf(!named)("a named pipe", () => {
  const path = join(folder.path, "pipe");

  test("without a writer can be interrupted", async () => {
    expect(await delay(path, { format: "csv" }, 60)).toBeLessThan(PROMPTLY);
    expect(temporaryFolders()).toEqual([]);
  });

  test("is read once somebody writes to it", async () => {
    const reading = readTable(path, { format: "csv" });
    await new Promise((resolve) => setTimeout(resolve, 100));
    writeFileSync(path, "a,b\n1,x\n2,y\n");
    expect((await reading).rows).toBe(2);
  });
});

describe("a file that is replaced while it is read", () => {
  const rows = (value: number) => `a,b\n${`${value},2.5\n`.repeat(800_000)}`;

  test.each([1, 2])("is an error on %i threads, not a mix of both files", async (threads) => {
    const path = folder.file("changing.csv", rows(1));
    const other = folder.file("other.csv", rows(3));
    const executor = threadExecutor({ threads });
    const onProgress = () => {
      if (existsSync(other)) renameSync(other, path);
    };
    await expect(readTable(path, { executor, onProgress })).rejects.toThrow(
      "changing.csv has changed while it was read.",
    );
    await executor.close();
  });
});

describe("interruption", { retry: 3 }, () => {
  const csv = Buffer.from(`a,b,c\n${"0.123456789,2.5,word\n".repeat(2_000_000)}`);

  test("while a CSV file is read, plain and gzip", async () => {
    const path = folder.file("long.csv", csv);
    expect(await delay(path, {}, 60)).toBeLessThan(PROMPTLY);
    expect(await delay(csv, { format: "csv" }, 60)).toBeLessThan(PROMPTLY);
    expect(await delay(gzipSync(csv, { level: 1 }), { format: "csv" }, 30)).toBeLessThan(PROMPTLY);
  });

  test("while a Parquet file is read; its unpacked copy is removed", async () => {
    const bytes = await parquetBytes("SELECT random() a, 'text ' || (i % 1000) b FROM range(1500000) t(i)");
    await readTable(await parquetBytes("SELECT 1 AS a"));
    expect(await delay(bytes, { format: "parquet" }, 100)).toBeLessThan(PROMPTLY);
    expect(temporaryFolders()).toEqual([]);
  });

  test("while standard input is silent", async () => {
    const silent = new Readable({ read() {} });
    silent.push("a,b\n");
    expect(await delay(silent, { format: "csv" }, 30)).toBeLessThan(PROMPTLY);
    expect(temporaryFolders()).toEqual([]);
  });

  test("before reading starts", async () => {
    await expect(readTable(csv, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "run/interrupted",
    });
  });
});

describe("temporary files", () => {
  test("exist while a stream is read, and are removed afterwards, even after an error", async () => {
    let during: string[] = [];
    const onProgress = () => {
      during = temporaryFolders();
    };
    await readTable(Readable.from(["a,b\n1,2\n"]), { format: "csv", onProgress });
    expect(during.length).toBe(1);
    expect(temporaryFolders()).toEqual([]);
    await expect(readTable(Readable.from(["a,a\n1,2\n"]), { format: "csv" })).rejects.toMatchObject({
      code: "data/duplicate-column",
    });
    expect(temporaryFolders()).toEqual([]);
  });

  test("of a process that was killed are removed by the next one that spools", async () => {
    const program = `
      import { Readable } from "node:stream";
      import { readTable } from ${JSON.stringify(import.meta.resolve("@vouch/formats"))};
      const onProgress = () => process.kill(process.pid, "SIGKILL");
      await readTable(Readable.from(["a,b\\n1,2\\n"]), { format: "csv", onProgress });`;
    const path = folder.file("killed.mjs", Buffer.from(program));
    const kill = spawnSync(process.execPath, [path], { env: { ...process.env, TMPDIR: folder.path } });
    expect(kill.signal).toBe("SIGKILL");
    expect(temporaryFolders().length).toBe(1);
    const next = program.replace(/const onProgress.*/, "const onProgress = undefined;");
    const ended = spawnSync(process.execPath, [folder.file("next.mjs", Buffer.from(next))], {
      env: { ...process.env, TMPDIR: folder.path },
    });
    expect(ended.status).toBe(0);
    expect(temporaryFolders()).toEqual([]);
  });
});
