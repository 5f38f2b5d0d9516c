import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StudioServer, serveStudio } from "../../cli/dist/studio-server.js";
import { studioHeaders, studioSite } from "../dist/index.js";
import {
  download,
  executablePath,
  giveFile,
  openStudio,
  serveSite,
  startBrowser,
  trainOne,
} from "./studio-page.js";

const iris = readFileSync(new URL("../../datasets/data/iris.csv", import.meta.url), "utf8");

const PATIENTLY = { timeout: 20_000 };

/** Rows of two classes. */
function coins(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, i) => `${i % 7},${(i * 5) % 11},${i % 3 ? "heads" : "tails"}`,
  );
  return `a,b,side\n${lines.join("\n")}\n`;
}

/** Drops a file on the page, outside of any field for files. */
async function dropFile(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(`{
    const files = new DataTransfer();
    files.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: files }));
  }`);
}

const title = (page: Page) => page.getByRole("heading", { level: 2 }).first().textContent();

describe.skipIf(!executablePath)("the state of the studio", () => {
  let browser: Browser;
  let server: StudioServer;
  beforeAll(async () => {
    browser = await startBrowser();
    server = await serveSite();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("ends a race when another file is opened, and forgets its board", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "iris.csv", iris);
    await page.getByRole("button", { name: "Next: train" }).click();
    await page.getByRole("button", { name: "Start the race" }).dblclick();
    await page.locator("table.leaders tbody tr").nth(2).waitFor();
    await page.getByRole("link", { name: "Data" }).click();
    expect(await page.getByLabel(/^Predict/).isDisabled()).toBe(true);
    await dropFile(page, "coins.csv", coins(90));
    await expect.poll(() => title(page), PATIENTLY).toBe("coins.csv");
    await page.getByRole("button", { name: "Next: train" }).click();
    await page.getByRole("button", { name: "Start the race" }).waitFor();
    expect(await page.locator("table.leaders").count()).toBe(0);
    await page.getByLabel("Learner").selectOption("stump");
    await page.getByRole("button", { name: "Train stump" }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("stump for side");
    await context.close();
  });

  it("shows nothing of one model with the next", async () => {
    const { page, context } = await openStudio(browser, server.address);
    const models: Buffer[] = [];
    for (const [name, text] of [
      ["iris.csv", iris],
      ["coins.csv", coins(90)],
    ]) {
      await dropFile(page, name, text);
      await trainOne(page, "tree");
      models.push(await download(page, "Download the model"));
    }
    await giveFile(page, "coins.csv", coins(90));
    await page.getByText("90 rows predicted").waitFor();
    const files = [...models[0]];
    await page.evaluate(`{
      const files = new DataTransfer();
      files.items.add(new File([new Uint8Array(${JSON.stringify(files)})], "iris.safetensors"));
      document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer: files }));
    }`);
    await expect.poll(() => title(page), PATIENTLY).toBe("tree for label");
    expect(await page.getByText("90 rows predicted").count()).toBe(0);
    // Each column of the model has its typical value.
    await expect.poll(() => page.locator(".what-if input").count(), PATIENTLY).toBe(4);
    for (const field of await page.locator(".what-if input").all())
      expect(await field.inputValue()).not.toBe("");
    await context.close();
  });

  it("can start over from a session that cannot be shown", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "iris.csv", iris);
    await trainOne(page, "stump");
    await page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open("vouch-studio");
      opening.onsuccess = () => {
        const store = opening.result.transaction("sessions", "readwrite").objectStore("sessions");
        const reading = store.get("current");
        reading.onsuccess = () => {
          const { result, ...session } = reading.result;
          const damaged = { ...result, facts: { fields: [] } };
          store.put({ ...session, result: damaged }, "current").onsuccess = () => resolve();
        };
        reading.onerror = reject;
      };
    })`);
    await page.reload();
    await page.getByText("This page cannot be shown.").waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("What do you want to learn from?");
    await page.reload();
    await expect.poll(() => title(page), PATIENTLY).toBe("What do you want to learn from?");
    await context.close();
  });
});

describe.skipIf(!executablePath)("the studio of a plain http host", () => {
  it("trains and writes reports without the cryptography of secure pages", async () => {
    const site = fileURLToPath(studioSite);
    const server = await serveStudio({ site, headers: studioHeaders, host: "0.0.0.0" });
    const browser = await startBrowser(["--host-resolver-rules=MAP lan.example 127.0.0.1"]);
    try {
      const { port } = new URL(server.address);
      const { page } = await openStudio(browser, `http://lan.example:${port}/`);
      expect(await page.evaluate("typeof crypto.subtle")).toBe("undefined");
      await giveFile(page, "coins.csv", coins(90));
      await trainOne(page, "stump");
      expect((await download(page, "Download the report")).toString()).toContain("script-src 'sha256-");
    } finally {
      await browser.close();
      server.close();
    }
  });
});
