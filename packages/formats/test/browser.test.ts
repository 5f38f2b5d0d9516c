import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserFlags, findBrowser } from "../../../scripts/browser.mjs";

const executablePath = findBrowser();
if (!executablePath)
  console.warn("No browser: install Chromium or set CHROME_PATH to run the browser tests.");

describe.skipIf(!executablePath)("@vouch/formats/text in a browser", () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'export { readText } from "@vouch/formats/text";', resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      platform: "browser",
      format: "iife",
      globalName: "formats",
      logLevel: "error",
    });
    browser = await chromium.launch({ executablePath, headless: true, args: browserFlags });
    page = await browser.newPage();
    await page.addScriptTag({ content: outputFiles[0].text });
  });
  afterAll(() => browser?.close());

  /** Reads a source, given as a JavaScript expression, and returns its cells or the error. */
  const read = (source: string, options = "{}"): Promise<unknown> =>
    page.evaluate(`formats.readText(${source}, ${options}).then(
      ({ columns }) => columns.map((column) => [
        column.name,
        column.kind === "numeric" ? [...column.values] : [...column.codes].map((code) => column.levels[code]),
      ]),
      ({ code, message }) => ({ code, message }),
    )`);

  it("reads a string, a file, a compressed file and a response", async () => {
    const text = 'size,label\n1.5,"é ""x"""\n-2e3,b\n';
    const cells = [
      ["size", [1.5, -2000]],
      ["label", ['é "x"', "b"]],
    ];
    const packed = `Uint8Array.from([${[...gzipSync(text)]}])`;
    expect(await read(JSON.stringify(text))).toEqual(cells);
    expect(await read(`new File([${JSON.stringify(text)}], "rows.csv")`)).toEqual(cells);
    expect(await read(`new File([${packed}], "rows.csv.gz")`)).toEqual(cells);
    expect(await read(`new Response(${JSON.stringify(text)}).body`)).toEqual(cells);
  });

  it("names file, row and column of an error", async () => {
    expect(await read('new File(["a,b\\n1,x\\n"], "rows.csv")', '{ numeric: ["b"] }')).toEqual({
      code: "data/not-a-number",
      message: 'rows.csv, row 1 (line 2), column "b": "x" is not a number.',
    });
  });
});
