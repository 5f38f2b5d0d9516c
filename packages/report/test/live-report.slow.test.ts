import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { CHURN_EXAMPLE, drawCustomer } from "@vouch/datasets";
import { type ReportClient, renderReport, trainingReport } from "@vouch/report";
import { answerRow, trainingFacts } from "@vouch/views/facts";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forest, serialise, Table, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import { unpackModel } from "#report/ask-model.js";
import { clientScript } from "#report/client-script.js";
import {
  accessFaults,
  beyondSides,
  hasBrowser,
  startBrowser,
  unfold,
  watch,
} from "../../../scripts/test-browser.js";
import { parsed } from "./parsed.js";

const random = new Random(CHURN_EXAMPLE.seed);
const customers = Array.from({ length: CHURN_EXAMPLE.rows }, () => ({ ...drawCustomer(random) }));
const table = Table.fromRecords("churn.csv", customers);
const training = await trainClassifier(table, forest({ trees: 30 }), { holdout: 0.3 });
const report = await renderReport(training, table, { command: "vouch train churn.csv --learner forest" });

const facts = await trainingFacts(training, table);

const file = fileURLToPath(new URL("../dist/client.json", import.meta.url));
const client: ReportClient = JSON.parse(readFileSync(file, "utf8"));

/** Words of the report on the same model before there were live ones, counted in the same way. */
const WORDS_BEFORE = 1461;

/** Counts the words that show before a person opens anything; not those in drawings. */
function shownWords(page: string): number {
  const { body } = parsed(page);
  for (const hidden of body.querySelectorAll("script, style, svg, .unseen, .narrow")) hidden.remove();
  for (const folded of body.querySelectorAll("details > :not(summary)")) folded.remove();
  // Neighbouring cells are separate words.
  for (const cell of body.querySelectorAll("td, th, dt, dd, li, p, h1, h2, span, b, summary"))
    cell.append(" ");
  return (body.textContent ?? "").split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Adds a tensor of random bytes, which cannot be packed, to a model file. */
function withNoise(model: Uint8Array, count: number): Uint8Array {
  const headerLength = Number(new DataView(model.buffer, model.byteOffset).getBigUint64(0, true));
  const tensors = model.subarray(8 + headerLength);
  const header = JSON.parse(new TextDecoder().decode(model.subarray(8, 8 + headerLength)));
  header["model.noise"] = {
    dtype: "U8",
    shape: [count],
    data_offsets: [tensors.length, tensors.length + count],
  };
  const text = JSON.stringify(header);
  const written = new TextEncoder().encode(text.padEnd(8 * Math.ceil(text.length / 8)));
  const noise = Uint8Array.from({ length: count }, () => random.integer(256));
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(written.length), true);
  return new Uint8Array(Buffer.concat([length, written, tensors, noise]));
}

describe("a live report", () => {
  it("shows at most a third of the words that it had", () => {
    expect(shownWords(report)).toBeLessThanOrEqual(WORDS_BEFORE / 3);
  });

  it("has a script of at most 250 kB for each learner", () => {
    for (const name of Object.keys(client.learners)) {
      expect(gzipSync(clientScript(client, [name])).length, name).toBeLessThan(250_000);
    }
  });

  it("says why a model is too large for a page, and which command answers instead", async () => {
    const large = withNoise(await serialise(training.classifier), 7_500_000);
    const page = await trainingReport(facts, { client, model: large, modelFile: "my model.safetensors" });
    expect(page).not.toContain('id="model-file"');
    expect(page).toContain(clientScript(client, []));
    const section = parsed(page).body.querySelector("#what-if");
    expect(section?.textContent).toContain("The model is too large for this page (7.");
    expect(section?.querySelector("pre")?.textContent).toBe(
      "vouch predict 'my model.safetensors' rows.csv --reasons 5",
    );
    expect(report).toContain('id="model-file"');
  });

  it("packs the model to less than half of its bytes, without loss", async () => {
    const packed = parsed(report).getElementById("model-file")?.textContent ?? "";
    const model = await serialise(training.classifier);
    expect(packed.length).toBeLessThan(0.5 * model.length);
    expect(Buffer.from(await unpackModel(packed)).equals(model)).toBe(true);
  });

  it("leaves the model out if asked to, and says so; the rows stay", async () => {
    const page = await trainingReport(facts, { client, model: new Uint8Array(1), without: ["model"] });
    expect(page).not.toContain('id="model-file"');
    expect(page).toContain(clientScript(client, []));
    const { body } = parsed(page);
    expect(body.querySelector(".subtitle")?.textContent).toContain("model left out of this page");
    expect(body.querySelector(".wrong-rows")).not.toBeNull();
  });

  it("leaves all rows out if asked to, and says so", async () => {
    const page = await renderReport(training, table, { without: ["rows"] });
    const cells = facts.wrong.rows.map((row) => JSON.stringify(row.cells));
    expect(cells.filter((text) => !report.includes(text))).toEqual([]);
    expect(cells.filter((text) => page.includes(text))).toEqual([]);
    expect(page).not.toContain('id="model-file"');
    const [whole, lean] = [report, page].map((text) => parsed(text).body);
    const headings = (body: HTMLElement) =>
      Array.from(body.querySelectorAll("h2"), (heading) => heading.textContent);
    expect(headings(whole).filter((heading) => !headings(lean).includes(heading))).toEqual([
      "Which rows does it get wrong?",
      "Why does it decide so for single rows?",
    ]);
    expect(whole.querySelector(".subtitle")?.textContent).not.toContain("left out");
    expect(lean.querySelector(".subtitle")?.textContent).toContain("rows and model left out of this page");
  });

  it("holds no learner that its model does not need", () => {
    expect(report).not.toContain(client.modules[client.learners.mlp].code);
    expect(report).toContain(client.modules[client.learners.forest].code);
  });
});

describe.skipIf(!hasBrowser)("a live report opened from a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-live-"));
  const address = pathToFileURL(join(folder, "report.html")).href;
  let browser: Browser;

  beforeAll(async () => {
    writeFileSync(join(folder, "report.html"), report);
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /** The answer that the page shows: the class and its probability. */
  async function answerOf(page: Page): Promise<string> {
    const [name, share] = await Promise.all([
      page.locator(".answer .predicted").textContent(),
      page.locator(".answer .bars b").first().textContent(),
    ]);
    return `${name} ${share}`.replaceAll("\u00a0", " ");
  }

  it.each([
    [1280, "light"],
    [390, "dark"],
  ] as const)("answers typed rows and moves the threshold: %d pixels, %s", async (width, colorScheme) => {
    const page = await browser.newPage({ viewport: { width, height: 844 }, colorScheme });
    const { complaints, requests } = watch(page);
    await page.goto(address);

    const row = customers.find(({ churn }) => churn === "Yes") ?? customers[0];
    const typed = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? "")]));
    for (const details of await page.locator(".what-if details").all()) await details.click();
    for (const { name } of training.classifier.encoder.schema.columns) {
      const field = page.getByLabel(name, { exact: true });
      const isList = (await field.evaluate((element) => element.tagName)) === "SELECT";
      await (isList ? field.selectOption(typed[name]) : field.fill(typed[name]));
    }
    const answer = await answerRow(training.classifier, typed);
    const share = (100 * answer.probabilities[0].probability).toFixed(1);
    await expect.poll(() => answerOf(page)).toBe(`${answer.class} ${share}%`);
    expect(await page.locator(".answer .bars.signed li").count()).toBeGreaterThan(3);

    const counts = page.locator("#which-threshold table").first();
    const before = await counts.textContent();
    await page.locator("#which-threshold input[type=range]").focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft");
    await expect.poll(() => counts.textContent()).not.toBe(before);

    expect(await beyondSides(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([address]);
    await page.close();
  });

  it("browses misclassified rows and opens one in the form", async () => {
    const page = await browser.newPage();
    await page.goto(address);
    const table = page.locator(".wrong-rows");
    const first = await table.textContent();
    await page.getByRole("button", { name: "Next" }).click();
    await expect.poll(() => table.textContent()).not.toBe(first);
    const predicted = await table.locator("tbody th").first().textContent();
    const probability = await table.locator("tbody td").nth(1).textContent();
    await page
      .getByRole("button", { name: /^Try row/ })
      .first()
      .click();
    await expect.poll(() => answerOf(page)).toBe(`${predicted} ${probability}`.replaceAll("\u00a0", " "));
    await page.close();
  });

  it("has no serious fault that axe finds, in light and dark", async () => {
    const page = await browser.newPage();
    await page.goto(address);
    await page.locator(".answer .predicted").waitFor();
    await unfold(page);
    expect(await accessFaults(page)).toEqual([]);
    await page.close();
  });

  it("shows the first screen whole: verdict, certificate and confusion matrix", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(address);
    const box = await page.locator(".confusion").first().boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 800)).toBeLessThan(800);
    await page.close();
  });

  it("shows everything static without JavaScript, and no control that needs it", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(address);
    expect(await page.locator(".wrong-rows tbody tr").count()).toBe(5);
    expect(await page.locator("#which-threshold table").first().isVisible()).toBe(true);
    expect(await page.locator("button, input, select").count()).toBe(0);
    await context.close();
  });
});
