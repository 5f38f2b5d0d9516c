import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StudioServer } from "../../cli/dist/studio-server.js";
import {
  download,
  executablePath,
  giveFile,
  openStudio,
  serveSite,
  startBrowser,
  trainOne,
} from "./studio-page.js";

const run = promisify(execFile);
const vouch = fileURLToPath(new URL("../../cli/bin/vouch.js", import.meta.url));
const iris = readFileSync(new URL("../../datasets/data/iris.csv", import.meta.url));

/** The training rows of adult, where there is a folder of data sets. */
const ADULT = join(process.env.VOUCH_DATA ?? "", "adult.train.csv.gz");

/** Rows like those of customers: numbers, categories, an identifier, a group, a time, and a column that leaks the class. */
function customers(rows: number): string {
  const lines = ["customer_id,age,plan,region,joined,cancelled_on,churn"];
  for (let i = 0; i < rows; i++) {
    const age = 18 + ((i * 7) % 60);
    const plan = ["basic", "plus", "pro"][(i * 5) % 3];
    const churn = age < 40 !== (i % 9 === 0) ? "yes" : "no";
    const day = String(1 + (i % 28)).padStart(2, "0");
    lines.push(
      `C${1000 + i},${age},${plan},r${i % 12},2024-${1 + (i % 9)}-${day},${churn === "yes" ? "gone" : "here"},${churn}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Every step may have to load its scripts first. */
const PATIENTLY = { timeout: 20_000 };

describe.skipIf(!executablePath)("the studio in a browser", () => {
  let browser: Browser;
  let server: StudioServer;
  let folder: string;
  beforeAll(async () => {
    browser = await startBrowser();
    server = await serveSite();
    folder = mkdtempSync(join(tmpdir(), "vouch-studio-"));
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("trains on a dropped file: the model is the one of the command, byte for byte", async () => {
    const { page, context, complaints, requested } = await openStudio(browser, server.address);
    await giveFile(page, "iris.csv", iris);
    await expect(page.getByLabel(/^Predict/).inputValue()).resolves.toBe("label");
    await trainOne(page, "forest");
    expect(await page.locator(".verdict").first().textContent()).toContain("held-out rows");
    const model = await download(page, "Download the model");
    const file = join(folder, "iris.csv");
    writeFileSync(file, iris);
    const out = join(folder, "model.safetensors");
    await run(
      process.execPath,
      [vouch, "train", "iris.csv", "--learner", "forest", "--out", out, "--quiet"],
      {
        cwd: folder,
      },
    );
    expect(model.equals(readFileSync(out))).toBe(true);
    const { stdout } = await run(process.execPath, [vouch, "certify", out]);
    expect(stdout).toContain("held-out");
    expect(complaints).toEqual([]);
    const { origin } = new URL(server.address);
    const elsewhere = requested.filter((url) => !url.startsWith(origin) && !url.startsWith("blob:"));
    expect(requested.length).toBeGreaterThan(5);
    expect(elsewhere).toEqual([]);
    await context.close();
  });

  it.skipIf(!existsSync(ADULT))(
    "guesses the target of adult, and trains the model of the command",
    async () => {
      const adult = gunzipSync(readFileSync(ADULT));
      writeFileSync(join(folder, "adult.csv"), adult);
      const { page, context } = await openStudio(browser, server.address);
      await page.locator("input[type=file]").first().setInputFiles(join(folder, "adult.csv"));
      await page.getByText("32,561 rows").waitFor();
      expect(await page.getByLabel(/^Predict/).inputValue()).toBe("label");
      await trainOne(page, "logistic");
      const model = await download(page, "Download the model");
      const out = join(folder, "adult.safetensors");
      await run(process.execPath, [vouch, "train", "adult.csv", "-l", "logistic", "--out", out, "-q"], {
        cwd: folder,
      });
      expect(model.equals(readFileSync(out))).toBe(true);
      await context.close();
    },
  );

  it("offers a report and a program that trains the same model", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "iris.csv", iris);
    await trainOne(page, "tree");
    const model = await download(page, "Download the model");
    const report = (await download(page, "Download the report")).toString();
    expect(report).toContain("<!doctype html>");
    expect(report).toContain("tree on iris.csv");
    const program = (await download(page, "Download the program")).toString();
    // Programs find the packages from their own folder.
    const own = mkdtempSync(join(fileURLToPath(new URL("../dist/", import.meta.url)), "program-"));
    try {
      writeFileSync(join(own, "train.mjs"), program);
      writeFileSync(join(own, "iris.csv"), iris);
      const { stdout } = await run(process.execPath, ["train.mjs"], { cwd: own });
      expect(stdout).toContain("held-out rows");
      expect(model.equals(readFileSync(join(own, "model.safetensors")))).toBe(true);
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
    await context.close();
  });

  it("flags identifiers and leaks, and changes kinds, target and split", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "customers.csv", customers(400));
    const row = (name: string) => page.getByRole("row").filter({ hasText: new RegExp(`^${name}`) });
    await row("customer_id").waitFor();
    expect(await row("customer_id").textContent()).toContain("identifier");
    expect(await row("cancelled_on").textContent()).toContain("almost alone");
    await page.getByLabel("Kind of cancelled_on").selectOption("ignored");
    await expect.poll(() => row("cancelled_on").textContent(), PATIENTLY).toContain("not read");
    await page.getByLabel("Test on").selectOption("group");
    await page.getByLabel("Groups are in").selectOption("region");
    await expect.poll(() => row("region").textContent(), PATIENTLY).toContain("group");
    await page.getByLabel(/^Predict/).selectOption("plan");
    await expect.poll(() => row("plan").textContent(), PATIENTLY).toContain("target");
    await page.getByLabel(/^Predict/).selectOption("age");
    await context.close();
  });

  it("names the line of a bad file", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "bad.csv", "a,b,label\n1,2,x\n3,4,y\n5,6,7,z\n");
    const fault = page.getByRole("alert").first();
    await expect.poll(() => fault.textContent(), PATIENTLY).toContain("line 4");
    expect(await fault.textContent()).toContain("bad.csv");
    await context.close();
  });

  it("races with a live board, and stopping keeps the best", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "iris.csv", iris);
    await page.getByRole("button", { name: "Next: train" }).click();
    await page.getByRole("button", { name: "Start the race" }).click();
    await page.locator("table.leaders tbody tr").nth(2).waitFor();
    await page.getByRole("button", { name: "Stop and keep the best" }).click();
    await page.locator(".verdict").first().waitFor();
    expect(await page.getByRole("heading", { level: 2 }).first().textContent()).toMatch(/ predicts label$/);
    await context.close();
  });

  it("brings the session back after a reload, also offline", async () => {
    const own = await serveSite();
    const { page, context } = await openStudio(browser, own.address);
    await giveFile(page, "iris.csv", iris);
    await trainOne(page, "stump");
    const verdict = await page.locator(".verdict").first().textContent();
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    await page.reload();
    await expect.poll(() => page.locator(".verdict").first().textContent(), PATIENTLY).toBe(verdict);
    // The server is gone: everything comes from the cache.
    own.close();
    await context.setOffline(true);
    await page.reload();
    await expect.poll(() => page.locator(".verdict").first().textContent(), PATIENTLY).toBe(verdict);
    await page.getByRole("link", { name: "Train" }).click();
    await page.getByLabel("Learner").selectOption("majority");
    await page.getByRole("button", { name: "Train majority" }).click();
    await expect
      .poll(() => page.getByRole("heading", { level: 2 }).first().textContent(), PATIENTLY)
      .toContain("majority");
    await context.close();
  });

  it("opens a model and predicts rows as the command does", async () => {
    writeFileSync(join(folder, "iris.csv"), iris);
    const out = join(folder, "opened.safetensors");
    const predictions = join(folder, "predictions.csv");
    await run(process.execPath, [vouch, "train", "iris.csv", "--learner", "tree", "--out", out, "--quiet"], {
      cwd: folder,
    });
    await run(
      process.execPath,
      [vouch, "predict", out, "iris.csv", "--probabilities", "--out", predictions, "--quiet"],
      {
        cwd: folder,
      },
    );
    const own = await serveSite({ file: out });
    const { page, context } = await openStudio(browser, own.address);
    await page.locator(".verdict").first().waitFor();
    await giveFile(page, "iris.csv", iris);
    await page.getByText("150 rows predicted").waitFor();
    expect((await download(page, "Download the predictions")).toString()).toBe(
      readFileSync(predictions, "utf8"),
    );
    await context.close();
    own.close();
  });

  it("works without cross-origin isolation, with the same model", async () => {
    const plain = await serveSite({ isolated: false });
    const models: Buffer[] = [];
    for (const { address } of [server, plain]) {
      const { page, context } = await openStudio(browser, address);
      await giveFile(page, "iris.csv", iris);
      await trainOne(page, "boosted-trees");
      models.push(await download(page, "Download the model"));
      await context.close();
    }
    plain.close();
    expect(models[0].equals(models[1])).toBe(true);
  });

  it("has no serious fault for axe, on a phone, in every step", async () => {
    const { page, context } = await openStudio(browser, server.address, { width: 390, height: 800 });
    expect(await faultsOf(page)).toEqual([]);
    await giveFile(page, "customers.csv", customers(300));
    await page.getByRole("button", { name: "Next: train" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Next: train" }).click();
    await page.getByLabel("Learner").selectOption("forest");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Train forest" }).click();
    await page.locator(".verdict").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await context.close();
  });

  it("can be used with the keyboard alone", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await pressUntil(page, "Tab", /^Iris/);
    await page.keyboard.press("Enter");
    await page.getByText("150 rows").waitFor();
    await pressUntil(page, "Tab", /^Next: train/);
    await page.keyboard.press("Enter");
    await page.locator("option", { hasText: /^stump$/ }).waitFor({ state: "attached" });
    await pressUntil(page, "Tab", /^Race: find the best one/);
    await page.keyboard.type("stump");
    await pressUntil(page, "Tab", /^Train stump/);
    await page.keyboard.press("Enter");
    await page.locator(".verdict").first().waitFor();
    await pressUntil(page, "Tab", /^Download the model/);
    const waiting = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    expect((await waiting).suggestedFilename()).toBe("model.safetensors");
    await context.close();
  });
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Lists the serious faults that axe finds. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`,
  );
  return Array.isArray(found) ? found.map(String) : [];
}

/** Presses a key until the focused element has this text. */
async function pressUntil(page: Page, key: string, text: RegExp): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press(key);
    const focused = String(await page.evaluate("document.activeElement?.textContent ?? ''"));
    if (text.test(focused)) return;
  }
  throw new Error(`No element with the text ${text} was reached.`);
}
