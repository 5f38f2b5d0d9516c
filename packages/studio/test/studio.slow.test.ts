import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../../../scripts/test-browser.js";
import type { StudioServer } from "../../vouch/dist/process/studio-server.js";
import { Desk } from "../../vouch/test/vouch.js";
import {
  chooseLearner,
  download,
  giveFile,
  openStudio,
  PATIENTLY,
  serveSite,
  trainOne,
} from "./studio-page.js";

const desk = new Desk();
const iris = readFileSync(new URL("../../datasets/data/iris.csv", import.meta.url));
desk.file("iris.csv", iris);

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

describe.skipIf(!hasBrowser)("the studio in a browser", () => {
  let browser: Browser;
  let server: StudioServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), serveSite()]);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("flags identifiers and leaks, and changes kinds, target and split", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "customers.csv", customers(400));
    const row = (name: string) =>
      page
        .locator(".column-choices")
        .getByRole("row")
        .filter({ hasText: new RegExp(`^${name}`) });
    await row("customer_id").waitFor();
    expect(await row("customer_id").textContent()).toContain("identifier");
    expect(await row("cancelled_on").textContent()).toContain("almost alone");
    expect(await page.locator(".leak-note").textContent()).toContain("“cancelled_on”");
    await page.getByLabel("Kind of cancelled_on").selectOption("ignored");
    await expect.poll(() => row("cancelled_on").textContent(), PATIENTLY).toContain("not read");
    expect(await page.locator(".leak-note").count()).toBe(0);
    await page.getByLabel("Test on").selectOption("group");
    await page.getByLabel("Groups are in").selectOption("region");
    await expect.poll(() => row("region").textContent(), PATIENTLY).toContain("group");
    await page.getByLabel(/^Predict/).selectOption("plan");
    await expect.poll(() => row("plan").textContent(), PATIENTLY).toContain("target");
    await page.getByLabel(/^Predict/).selectOption("age");
    await context.close();
  });

  it("explains a value that is not allowed below its field, where it covers nothing", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "iris.csv", iris);
    await page.getByRole("button", { name: "Next: train" }).click();
    await chooseLearner(page, "forest");
    const field = page.getByLabel("trees", { exact: true });
    const border = () => field.evaluate((input) => getComputedStyle(input).borderColor);
    const usual = await border();
    await field.fill("0");
    await field.blur();
    await page.locator(".field-fault").waitFor();
    expect(await border()).not.toBe(usual);
    const parts = await page.locator(".option", { has: field }).evaluate((option) =>
      Array.from(option.children, (part) => {
        const { top, bottom } = part.getBoundingClientRect();
        return { top, bottom };
      }),
    );
    expect(parts.length).toBe(5);
    for (const [i, { top }] of parts.slice(1).entries()) expect(top).toBeGreaterThanOrEqual(parts[i].bottom);
    await context.close();
  });

  it("opens a model, and predicts rows as the command does", async () => {
    await desk.print(["train", "iris.csv", "--learner", "tree", "--out", "tree.safetensors"]);
    await desk.print([
      "predict",
      "tree.safetensors",
      "iris.csv",
      "--probabilities",
      "--out",
      "predicted.csv",
    ]);
    const own = await serveSite({ file: join(desk.path, "tree.safetensors") });
    const { page, context } = await openStudio(browser, own.address);
    await page.locator(".verdict").first().waitFor();
    await giveFile(page, "iris.csv", iris);
    await page.getByText("150 rows predicted").waitFor();
    expect((await download(page, "Download the predictions")).toString()).toBe(desk.read("predicted.csv"));
    await context.close();
    own.close();
  });

  it("works without cross-origin isolation, with the same model", async () => {
    const plain = await serveSite({ isolated: false });
    const { page, context } = await openStudio(browser, plain.address);
    expect(await page.evaluate("crossOriginIsolated")).toBe(false);
    await giveFile(page, "iris.csv", iris);
    await trainOne(page, "boosted-trees");
    const model = await download(page, "Download the model");
    await desk.print(["train", "iris.csv", "--learner", "boosted-trees", "--out", "boosted.safetensors"]);
    expect(model.equals(desk.bytes("boosted.safetensors"))).toBe(true);
    await context.close();
    plain.close();
  });
});
