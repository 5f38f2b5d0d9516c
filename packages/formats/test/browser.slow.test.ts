import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserFlags, findBrowser } from "../../../scripts/browser.mjs";
import { type PageServer, serveFiles } from "../../core/test/browser/server.js";
import { parquetBytes } from "./parquet-bytes.js";

const executablePath = findBrowser();
if (!executablePath)
  console.warn("No browser: install Chromium or set CHROME_PATH to run the browser tests.");

/** A page that reads sources itself, or has a worker read them. */
const PAGE = `
  import { readTable } from "@vouch/formats";
  const cellsOf = ({ columns }) => columns.map((column) => [
    column.name,
    column.kind === "numeric" ? [...column.values] : [...column.codes].map((code) => column.levels[code] ?? null),
  ]);
  globalThis.read = (source, options) => readTable(source, options).then(cellsOf, ({ code, message }) => ({ code, message }));
  globalThis.readInWorker = (file) => new Promise((resolve, reject) => {
    const worker = new Worker("worker.js", { type: "module" });
    worker.onerror = reject;
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(file);
  });
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
  globalThis.ready = true;
`;

/** Reads a file; answers with its size, and the sum of each numeric column. */
const WORKER = `
  import { readTable } from "@vouch/formats";
  self.onmessage = async ({ data }) => {
    const { rows, columns } = await readTable(data);
    const sums = columns.map(({ values }) => values?.reduce((sum, value) => sum + value, 0));
    self.postMessage({ rows, sums });
  };
`;

describe.skipIf(!executablePath)("@vouch/formats in a browser", () => {
  let browser: Browser;
  let server: PageServer;
  let page: Page;

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: ["page", "worker"],
      plugins: [
        {
          name: "sources",
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^(?:page|worker)$/ }, ({ path }) => ({ path, namespace: "source" }));
            onLoad({ filter: /./, namespace: "source" }, ({ path }) => ({
              contents: path === "page" ? PAGE : WORKER,
              resolveDir: import.meta.dirname,
            }));
          },
        },
      ],
      bundle: true,
      splitting: true,
      write: false,
      platform: "browser",
      format: "esm",
      outdir: "/",
      logLevel: "error",
    });
    const files = new Map(outputFiles.map(({ path, contents }) => [path.replace(/^.*\//, ""), contents]));
    server = await serveFiles("page.js", files);
    browser = await chromium.launch({ executablePath, headless: true, args: browserFlags });
    page = await browser.newPage();
    await page.goto(server.address);
    await page.waitForFunction("globalThis.ready");
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** Reads a source, given as a JavaScript expression, and returns its cells or the error. */
  const read = (source: string, options = "{}"): Promise<unknown> =>
    page.evaluate(`read(${source}, ${options})`);
  const bytesOf = (bytes: Uint8Array) => `Uint8Array.from([${[...bytes]}])`;

  it("reads an address, a blob, a file, a compressed file and a response", async () => {
    const text = 'size,label\n1.5,"é ""x"""\n-2e3,b\n';
    const cells = [
      ["size", [1.5, -2000]],
      ["label", ['é "x"', "b"]],
    ];
    const address = `data:text/csv,${encodeURIComponent(text)}`;
    expect(await read(JSON.stringify(address), '{ format: "csv" }')).toEqual(cells);
    expect(await read(`new Blob([${JSON.stringify(text)}])`)).toEqual(cells);
    expect(await read(JSON.stringify(text))).toMatchObject({
      code: "file/read",
      message: expect.stringContaining("is not an address"),
    });
    expect(await read(`new File([${JSON.stringify(text)}], "rows.csv")`)).toEqual(cells);
    expect(await read(`new File([${bytesOf(gzipSync(text))}], "rows.csv.gz")`)).toEqual(cells);
    expect(await read(`new Response(${JSON.stringify(text)}).body`)).toEqual(cells);
  });

  it("reads a file that was compressed in parts", async () => {
    const rows = (part: number) => Array.from({ length: 3000 }, (_, i) => `${part},${(i * 7919) % 1000}\n`);
    // A first part that looks in one place as if it ended there: its file name has the signature of gzip.
    const named = gzipSync(["part,k\n", ...rows(0)].join(""));
    const first = Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 0x1f, 0x8b, 8, 1, 0]),
      named.subarray(10),
    ]);
    const parts = [first, ...[1, 2, 3].map((part) => gzipSync(rows(part).join("")))];
    const file = (pieces: Uint8Array[]) => `new File([${bytesOf(Buffer.concat(pieces))}], "rows.csv.gz")`;
    expect(await read(file(parts))).toEqual([
      ["part", Array.from({ length: 12_000 }, (_, i) => Math.floor(i / 3000))],
      ["k", Array.from({ length: 12_000 }, (_, i) => ((i % 3000) * 7919) % 1000)],
    ]);
    const damaged = {
      code: "data/malformed",
      message: "rows.csv.gz: the gzip data is corrupt or ends too early.",
    };
    expect(await read(file([...parts, Buffer.from("garbage")]))).toEqual(damaged);
    expect(await read(file([first, parts[1].subarray(0, -20), parts[2]]))).toEqual(damaged);
  });

  it("reads Parquet, whatever its compression", async () => {
    for (const codec of ["snappy", "zstd", "gzip", "lz4_raw"]) {
      const bytes = await parquetBytes(
        "SELECT 1.5::DECIMAL(4, 1) AS size, DATE '2020-02-29' AS day UNION ALL SELECT NULL, NULL",
        `COMPRESSION ${codec}`,
      );
      const cells = await read(`new File([${bytesOf(bytes)}], "rows.parquet")`);
      expect(cells, codec).toEqual([
        ["size", [1.5, Number.NaN]],
        ["day", ["2020-02-29", null]],
      ]);
    }
  });

  it("names file, row, line and column of an error", async () => {
    expect(await read('new File(["a,b\\n1,x\\n"], "rows.csv")', '{ numeric: ["b"] }')).toEqual({
      code: "data/not-a-number",
      message: 'rows.csv, row 1 (line 2), column "b": "x" is not a number.',
    });
    expect(await read('new File(["a,b\\n1\\n"], "rows.csv")')).toEqual({
      code: "data/ragged",
      message: "rows.csv, row 1 (line 2): 1 cell, but there are 2 columns.",
    });
    expect(await read('new File(["PAR1 and more"], "rows.parquet")')).toEqual({
      code: "data/malformed",
      message: "rows.parquet is not a valid Parquet file: it does not end with PAR1.",
    });
  });

  it("reads a file of 100,000 rows in a worker while the page stays free", async () => {
    const result = await page.evaluate(`(async () => {
      const line = Array.from({ length: 20 }, (_, j) => j / 4).join() + "\\n";
      const header = Array.from({ length: 20 }, (_, j) => "c" + j).join() + "\\n";
      const file = new File([header, ...Array.from({ length: 100 }, () => line.repeat(1000))], "rows.csv");
      await new Promise((resolve) => setTimeout(resolve, 200));
      longTasks.length = 0;
      const read = await readInWorker(file);
      return { ...read, longTasks };
    })()`);
    expect(result).toEqual({
      rows: 100_000,
      sums: Array.from({ length: 20 }, (_, j) => (j / 4) * 100_000),
      longTasks: [],
    });
  });
});
