import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forest } from "#core/learners/forest/forest.js";
import { gram } from "#core/runtime/maths/gram.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { type Cell, numberAt } from "#core/table/column.js";
import type { Table } from "#core/table/table.js";
import { serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import { browserFlags, findBrowser } from "../../../../scripts/browser.mjs";
import { sumOfNoise } from "../runtime/parallel/fixture-tasks.mjs";
import { blobs } from "../train/blobs.js";
import { noiseMatrix } from "./noise-matrix.mjs";
import { bundlePredictPage } from "./predict-page.js";
import { type PageServer, serveFiles, serveLibrary } from "./server.js";

const executablePath = findBrowser();
if (!executablePath) console.warn("Browser tests are skipped: install Chromium, or set CHROME_PATH.");

describe.skipIf(!executablePath)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, headless: true, args: browserFlags });
  });
  afterAll(() => browser?.close());

  for (const isolated of [true, false]) {
    describe(isolated ? "with cross-origin isolation" : "without cross-origin isolation", () => {
      let server: PageServer;
      let page: Page;
      const complaints: string[] = [];

      /** Calls a function of page.mjs. */
      const check = (name: string, ...args: unknown[]): Promise<unknown> =>
        page.evaluate(`checks.${name}(${args.map((arg) => JSON.stringify(arg)).join()})`);

      beforeAll(async () => {
        server = await serveLibrary({ isolated });
        page = await browser.newPage();
        page.on("console", (message) => {
          if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
        });
        page.on("pageerror", (error) => complaints.push(error.message));
        await page.goto(server.address, { waitUntil: "load" });
      });
      afterAll(async () => {
        await page?.close();
        server?.close();
      });

      it("loads without errors or warnings", async () => {
        // Hundreds of modules: once is enough.
        if (isolated) expect(await check("library")).toContain("trainRows");
        expect(complaints).toEqual([]);
        expect(await check("isolated")).toBe(isolated);
        expect(await check("hardwareThreads")).toBeGreaterThan(0);
      });

      it("computes the same bits as Node", async () => {
        const inputs = Array.from({ length: 20 }, (_, index) => ({ seed: 42, index, count: 1000 }));
        expect(await check("noise", inputs)).toEqual(await inlineExecutor().map(sumOfNoise, inputs));
        expect(await check("gram")).toEqual([...gram(noiseMatrix()).matrix.values]);
        expect(complaints).toEqual([]);
      });

      for (const loop of ["cooperativeLoop", "deafLoop"]) {
        it(`stops a ${loop} promptly and continues with other work`, { retry: 5 }, async () => {
          const { milliseconds, ...rest } = Object(await check("stop", loop));
          expect(rest).toEqual({ code: "run/interrupted", after: [2, 1, 0] });
          expect(milliseconds).toBeLessThan(300);
        });
      }

      it("reports progress", async () => {
        const seen = await check("progress");
        expect(seen).toSatisfy((all: number[]) => all.every((done, i) => i === 0 || done >= all[i - 1]));
        expect(seen).toSatisfy((all: number[]) => all.at(-1) === 3 && all[0] < 1);
      });

      it("reports errors of threads", async () => {
        expect(await check("failure", "vouch")).toEqual({
          name: "VouchError",
          code: "data/one-class",
          message: "All rows are alike.",
          hint: "Get other rows.",
        });
        expect(await check("failure", "error")).toMatchObject({
          code: "task/failed",
          message: 'Task "test/fail" failed on input 2 of 2: the fault of the task',
        });
        expect(await check("failure", "function")).toMatchObject({
          code: "task/failed",
          hint: expect.stringContaining("typed arrays"),
        });
        expect(await check("failure", "close")).toMatchObject({
          code: "task/failed",
          message: expect.stringContaining("must not close"),
        });
        expect(await check("failure", "uncaught")).toMatchObject({
          code: "task/worker-died",
          message: expect.stringContaining("thrown outside of the task"),
        });
      });

      it("shares memory with threads if the browser allows it, and copies it otherwise", async () => {
        expect(await check("marks", "own")).toEqual([0, 0, 0, 0]);
        if (isolated) expect(await check("marks", "shared")).toEqual([1, 2, 3, 4]);
        else await expect(check("marks", "shared")).rejects.toThrow("SharedArrayBuffer is not defined");
        expect(await check("close")).toBe(0);
      });
    });
  }

  it("loads a forest model through vouch/predict, without further files, and predicts as Node does", async () => {
    const { classifier } = await trainClassifier(blobs(60, 5, ["a", "b", "c"]), forest({ trees: 5 }), {
      holdout: 0.2,
    });
    const bundle = await bundlePredictPage();
    const server = await serveFiles(
      bundle.entry,
      new Map([...bundle.files, ["model", await serialise(classifier)]]),
    );
    const page = await browser.newPage();
    try {
      await page.goto(server.address, { waitUntil: "load" });
      const rows = blobs(20, 6, ["a", "b", "c"]);
      const records = Array.from({ length: rows.rows }, (_, i) => recordOf(rows, i));
      const predicted = await page.evaluate(`predict("/model", ${JSON.stringify(records)})`);
      expect(predicted).toEqual(classifier.predict(rows));
      expect([...server.requested].sort()).toEqual(
        [...bundle.loaded, "model"].map((name) => `/${name}`).sort(),
      );
    } finally {
      await page.close();
      server.close();
    }
  });
});

/** One row of a table as an object. */
function recordOf({ columns }: Table, row: number): Record<string, Cell> {
  return Object.fromEntries(
    columns.map((column) => [
      column.name,
      column.kind === "numeric" ? numberAt(column.values, row) : column.levels[column.codes[row]],
    ]),
  );
}
