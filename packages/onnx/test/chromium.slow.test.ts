import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { readTable } from "@vouch/formats";
import { exportOnnx } from "@vouch/onnx";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boostedTrees, forest, type Learner, trainClassifier } from "vouch";
import { hasBrowser, startBrowser } from "../../../scripts/test-browser.js";
import { compareWith } from "./engines/compare.mjs";
import type { Engine, OutputTensor } from "./engines/engines.mjs";

const runtime = new URL("engines/node_modules/onnxruntime-web/dist/", import.meta.url);
const data = fileURLToPath(new URL("../../datasets/data/breastcancer.csv", import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** Serves a blank page and the files of onnxruntime-web. */
const server = createServer(({ url = "/" }, response) => {
  if (url === "/") {
    response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>ONNX</title>");
    return;
  }
  const file = new URL(`.${url}`, runtime);
  if (!file.href.startsWith(runtime.href) || !existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "Content-Type": TYPES[extname(url)] ?? "text/plain" });
  createReadStream(file).pipe(response);
});

/** Loads a model in the page: numbers and texts in, the outputs by name out. */
const RUN = `async ({ model, columns }) => {
  const ort = await import("/ort.wasm.min.mjs");
  ort.env.wasm.numThreads = 1;
  const bytes = Uint8Array.from(atob(model), (character) => character.charCodeAt(0));
  const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
  const feeds = Object.fromEntries(columns.map(({ name, type, cells }) => {
    const values = type === "float64" ? Float64Array.from(cells, (cell) => cell ?? NaN) : cells;
    return [name, new ort.Tensor(type, values, [cells.length, 1])];
  }));
  const outputs = await session.run(feeds);
  const names = session.outputNames;
  await session.release();
  return names.map((name) => ({ name, data: Array.from(outputs[name].data), dims: [...outputs[name].dims] }));
}`;

interface PageOutput extends OutputTensor {
  readonly name: string;
}

/** onnxruntime-web in a page. */
const chromiumEngine = (page: Page): Engine => ({
  name: "onnxruntime-web in Chromium",
  open: async (bytes) => ({
    inputs: [],
    outputs: [],
    async run(inputs) {
      const columns = Object.entries(inputs).map(([name, cells]) =>
        cells instanceof Float64Array
          ? { name, type: "float64", cells: Array.from(cells, (cell) => (Number.isNaN(cell) ? null : cell)) }
          : { name, type: "string", cells },
      );
      const given = JSON.stringify({ model: Buffer.from(bytes).toString("base64"), columns });
      const outputs = await page.evaluate<PageOutput[]>(`(${RUN})(${given})`);
      return Object.fromEntries(outputs.map(({ name, ...tensor }) => [name, tensor]));
    },
    async close() {},
  }),
});

describe.skipIf(!hasBrowser || !existsSync(runtime))("onnxruntime-web in a page of Chromium", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    browser = await startBrowser();
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`);
  });
  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  // Cells are missing in one column, and two hold categories whose names are numbers.
  it.each<[string, Learner]>([
    ["forest", forest({ trees: 30 })],
    ["boosted-trees", boostedTrees({ rounds: 30 })],
  ])("answers all rows of breastcancer as a %s does", async (_, learner) => {
    const table = await readTable(data, { target: "label", categorical: ["bare_nuclei", "mitoses"] });
    const { classifier } = await trainClassifier(table, learner, { target: "label", run: { seed: 3 } });
    const { bytes } = exportOnnx(classifier);
    const found = await compareWith(chromiumEngine(page), classifier, table, { bytes });
    expect(found).toMatchObject({ rows: 699, different: 0, tied: 0 });
    expect(found.scores).toBeLessThan(1e-9);
    expect(found.probabilities).toBeLessThan(1e-8);
  });
});
