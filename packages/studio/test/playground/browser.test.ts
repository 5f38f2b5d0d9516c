import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stateFrom } from "#studio/playground/playground-state.js";
import { accessFaults, beyondSides, hasBrowser, startBrowser } from "../../../../scripts/test-browser.js";

/** A page with nothing but the playground and the style sheet of the views. */
const pageScript = `
  import { h, render } from "preact";
  import { Playground } from "./dist/playground/playground.js";
  import { styleSheet } from "../views/src/style-sheet.ts";
  const style = document.createElement("style");
  style.textContent = styleSheet;
  document.head.append(style);
  render(h(Playground), document.getElementById("playground"));
`;

const pageMarkup = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Playground</title><link rel="icon" href="data:,">
<body style="display:block"><main id="playground" style="max-width:none"></main><script type="module" src="page.js"></script>`;

/** A busy machine takes its time. */
const patient = { timeout: 20_000 };

describe.skipIf(!hasBrowser)("the playground in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-playground-"));
  const requested: string[] = [];
  let server: Server;
  let browser: Browser;
  let address = "";

  beforeAll(async () => {
    const studio = join(import.meta.dirname, "..", "..");
    writeFileSync(join(folder, "index.html"), pageMarkup);
    await build({
      stdin: { contents: pageScript, resolveDir: studio, sourcefile: "page.js" },
      outfile: join(folder, "page.js"),
      bundle: true,
      format: "esm",
    });
    await build({
      entryPoints: [join(studio, "dist", "playground", "playground-worker.js")],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: "esm",
      conditions: ["browser"],
    });
    server = createServer(({ url = "/" }, response) => {
      requested.push(url);
      const type = url.endsWith(".js") ? "text/javascript" : "text/html";
      response.writeHead(200, { "Content-Type": type });
      response.end(readFileSync(join(folder, url === "/" ? "index.html" : url)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const place = server.address();
    address = typeof place === "object" && place ? `http://127.0.0.1:${place.port}/` : "";
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(hash: string, width = 1280): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, reducedMotion: "reduce" });
    await page.goto(`${address}#playground${hash}`);
    return page;
  }

  const trained = (page: Page) => page.getByText("Trained.").waitFor();

  it("trains what the link says, and writes what is chosen into the address", async () => {
    const page = await opened("?problem=circles&classes=2&noise=0.1&set.rounds=12");
    await trained(page);
    expect(await page.getByLabel("Points").inputValue()).toBe("circles");
    await page.getByText("round 12 of 12").waitFor();
    const rows = page.locator("table.errors").getByRole("row");
    expect(await rows.filter({ hasText: /^Bound from the test rows/ }).innerText()).toMatch(/≤ \d/);
    const picture = page.getByRole("img", { name: /Decision regions after round 12/ });
    expect(await picture.getAttribute("aria-label")).toMatch(
      /Predicted A on .* of the picture, \d+ of \d+ test/,
    );

    await page.getByLabel("Learner", { exact: true }).selectOption("svm");
    await page.getByLabel("C", { exact: true }).fill("10");
    await page.getByLabel("C", { exact: true }).press("Enter");
    await page.getByRole("button", { name: "Default: 1" }).waitFor();
    // The degree is of another kernel.
    expect(await page.getByLabel("degree").count()).toBe(0);
    await trained(page);
    await expect
      .poll(() => stateFrom(new URL(page.url()).hash), patient)
      .toMatchObject({ state: { problem: "circles", learner: "svm", settings: { C: "10" } }, faults: [] });
    await page.close();
  });

  it("shows an earlier step", async () => {
    const page = await opened("?set.rounds=12");
    await trained(page);
    const shown = () => page.getByRole("img", { name: /Decision regions/ }).getAttribute("aria-label");
    const last = await shown();
    await page.getByRole("slider", { name: /round/ }).press("Home");
    await page.getByText("round 1 of 12").waitFor();
    expect(await shown()).not.toBe(last);
    await page.close();
  });

  it("lets a problem be drawn by keyboard and by pointer", async () => {
    const page = await opened("?problem=drawn");
    await page.getByText("not enough points").waitFor();
    const cursor = page.getByRole("slider", { name: "Cursor in the picture" });
    await cursor.focus();
    for (const [key, move] of [
      ["1", "Shift+ArrowLeft"],
      ["2", "Shift+ArrowRight"],
    ]) {
      await page.keyboard.press(key);
      for (let i = 0; i < 4; i++) {
        await page.keyboard.press(move);
        await page.keyboard.press("Enter");
        await page.keyboard.press("ArrowUp");
      }
      for (let i = 0; i < 4; i++) await page.keyboard.press(move);
    }
    await trained(page);
    const drawn = () => stateFrom(new URL(page.url()).hash).state.points;
    // The address follows the page, which draws first.
    await expect.poll(() => drawn().map((point) => point.class), patient).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    await page.keyboard.press("Delete");
    await expect.poll(() => drawn().length, patient).toBe(7);
    expect(await cursor.getAttribute("aria-valuetext")).toMatch(/^x .*, y .*/);

    const canvas = page.locator("canvas");
    const box = await canvas.boundingBox();
    if (!box) throw new Error("There is no picture.");
    await page.mouse.move(box.x + 40, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 40, { steps: 20 });
    await page.mouse.up();
    await expect.poll(() => drawn().length, patient).toBeGreaterThan(10);
    const added = drawn().slice(7);
    expect(added[0].y).toBeGreaterThan(0.9);
    expect(added.every((point) => point.class === 1)).toBe(true);
    await page.close();
  });

  it("trains the newest state only, and cancels", async () => {
    const page = await opened("?learner=mlp&rows=1000&set.epochs=20000&set.patience=0");
    await page.getByText(/epoch \d+ of/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled.").waitFor();
    await page.getByLabel("Learner", { exact: true }).selectOption("stump");
    await trained(page);
    await page.getByRole("img", { name: /regions after fit 1/ }).waitFor();
    await page.close();
  });

  it("names an option that is not allowed", async () => {
    const page = await opened("?set.rounds=0&rows=5");
    await page.getByText("Option rounds of adaboost is 0.").waitFor();
    expect(await page.getByText("The link sets rows").count()).toBe(1);
    await page.close();
  });

  it("has no fault that axe finds in light and dark, and fits a phone", async () => {
    const page = await opened("?problem=blobs&classes=4&learner=relaxed-hierarchy", 390);
    await trained(page);
    await page.getByText("More options").click();
    expect(await beyondSides(page)).toEqual([]);
    expect(await accessFaults(page)).toEqual([]);
    await page.getByLabel("Show").selectOption({ index: 1 });
    await page.close();
  });

  it("asks for nothing but its own files", () => {
    expect(requested.length).toBeGreaterThan(2);
    expect(requested.every((url) => url === "/" || /^\/[\w-]+\.js$/.test(url))).toBe(true);
  });
});
