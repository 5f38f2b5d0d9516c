import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../../../scripts/test-browser.js";
import { type StudioServer, serveStudio } from "../../vouch/dist/process/studio-server.js";
import { studioHeaders, studioSite } from "../dist/index.js";
import {
  chooseLearner,
  download,
  dropFile,
  giveFile,
  openStudio,
  PATIENTLY,
  serveSite,
  title,
  trainOne,
} from "./studio-page.js";

const iris = readFileSync(new URL("../../datasets/data/iris.csv", import.meta.url), "utf8");

/** Rows of two classes. */
function coins(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, i) => `${i % 7},${(i * 5) % 11},${i % 3 ? "heads" : "tails"}`,
  );
  return `a,b,side\n${lines.join("\n")}\n`;
}

/** Serves a copy of the site, whose files a test can remove. */
async function serveCopy(): Promise<{ readonly server: StudioServer; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "vouch-studio-"));
  cpSync(studioSite, folder, { recursive: true });
  return { server: await serveStudio({ site: folder, headers: studioHeaders, host: "127.0.0.1" }), folder };
}

/** Finds the folder of scripts of a copy, which has the digest of the build in its name. */
function scriptsIn(folder: string): string {
  const name = readdirSync(folder).find((each) => each.startsWith("scripts-"));
  if (name === undefined) throw new Error("The copy has no scripts.");
  return join(folder, name);
}

describe.skipIf(!hasBrowser)("the state of the studio", () => {
  let browser: Browser;
  let server: StudioServer;
  let page: Page;
  let context: BrowserContext;
  beforeAll(async () => {
    const flags = ["--host-resolver-rules=MAP lan.example 127.0.0.1"];
    [browser, server] = await Promise.all([startBrowser(flags), serveSite()]);
    ({ page, context } = await openStudio(browser, server.address));
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("ends a race when another file is opened, and forgets its board", async () => {
    await giveFile(page, "iris.csv", iris);
    await page.getByRole("button", { name: "Next: train" }).click();
    await page.getByRole("button", { name: "Start the race" }).dblclick();
    await page.locator("table.leaders tbody tr").nth(2).waitFor();
    await page.getByRole("link", { name: "Data" }).click();
    expect(await page.getByLabel(/^Predict/).isDisabled()).toBe(true);
    await dropFile(page, { name: "coins.csv", content: coins(90) });
    await expect.poll(() => title(page), PATIENTLY).toBe("coins.csv");
    await page.getByRole("button", { name: "Next: train" }).click();
    await page.getByRole("button", { name: "Start the race" }).waitFor();
    expect(await page.locator("table.leaders").count()).toBe(0);
    await chooseLearner(page, "stump");
    await page.getByRole("button", { name: /^Train / }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("Decision stump predicts side");
  });

  it("shows nothing of one model with the next", async () => {
    const models: Buffer[] = [];
    for (const [name, content] of [
      ["iris.csv", iris],
      ["coins.csv", coins(90)],
    ]) {
      await dropFile(page, { name, content });
      await trainOne(page, "tree");
      models.push(await download(page, "Download the model"));
    }
    await giveFile(page, "coins.csv", coins(90));
    await page.getByText("90 rows predicted").waitFor();
    await dropFile(page, { name: "iris.safetensors", content: models[0] });
    await expect.poll(() => title(page), PATIENTLY).toBe("Decision tree predicts label");
    expect(await page.getByText("90 rows predicted").count()).toBe(0);
    // Each column of the model has its typical value.
    await expect.poll(() => page.locator(".what-if input").count(), PATIENTLY).toBe(4);
    for (const field of await page.locator(".what-if input").all())
      expect(await field.inputValue()).not.toBe("");
  });

  it("keeps models side by side, also after a reload, and shows the one that is chosen", async () => {
    await dropFile(page, { name: "iris.csv", content: iris });
    await trainOne(page, "tree");
    await page.getByRole("button", { name: "Train another model" }).click();
    await chooseLearner(page, "majority");
    await page.getByRole("button", { name: /^Train / }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("Most frequent class predicts label");
    const list = page.locator(".model-list tbody tr");
    const rows = async () => (await list.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "));
    const names = async () => (await rows()).map((row) => row.split(" ").slice(0, 2).join(" "));
    await expect.poll(names, PATIENTLY).toEqual(["Decision tree", "Most frequent"]);
    expect((await rows())[0]).toMatch(/ yes \S+ kB .*Show/);
    expect((await rows())[1]).toMatch(/ no .* shown below/);
    await page.reload();
    await page.getByRole("button", { name: "Show Decision tree" }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("Decision tree predicts label");
    await page.getByLabel("petal_length").first().waitFor();
    await page.getByRole("button", { name: "Remove Most frequent class" }).click();
    expect(await page.locator(".model-list").count()).toBe(0);
  });

  it("asks before a reload that would lose a running training", async () => {
    await page.getByRole("link", { name: "Train" }).click();
    await page.getByLabel(/^Learner/).selectOption("");
    await page.getByRole("button", { name: "Start the race" }).click();
    await page.getByRole("button", { name: "Stop and keep the best" }).waitFor();
    const asked = page.waitForEvent("dialog");
    await page.evaluate("setTimeout(() => location.reload())");
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Start the race" }).waitFor();
  });

  it("can start over from a session that cannot be shown", async () => {
    await dropFile(page, { name: "iris.csv", content: iris });
    await trainOne(page, "stump");
    await page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open("vouch-studio");
      opening.onsuccess = () => {
        const store = opening.result.transaction("sessions", "readwrite").objectStore("sessions");
        const reading = store.get("current-2");
        reading.onsuccess = () => {
          const { models, ...session } = reading.result;
          const damaged = models.map((model) => ({ ...model, facts: { fields: [] } }));
          store.put({ ...session, models: damaged }, "current-2").onsuccess = () => resolve();
        };
        reading.onerror = reject;
      };
    })`);
    await page.reload();
    await page.getByText("This page cannot be shown").waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("Train a classifier on your own data");
    await page.reload();
    await expect.poll(() => title(page), PATIENTLY).toBe("Train a classifier on your own data");
    await context.close();
  });

  it("keeps the files of its build, which the host does not have any more", async () => {
    const { server, folder } = await serveCopy();
    const { page, context } = await openStudio(browser, server.address);
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    await page.reload();
    await page.getByText("Or start with an example").waitFor();
    rmSync(scriptsIn(folder), { recursive: true });
    await page.getByRole("link", { name: "Playground", exact: true }).click();
    // Its worker is of the same build.
    await page.getByText("Trained.").waitFor();
    await context.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it("says so if it cannot load a part of itself", async () => {
    const { server, folder } = await serveCopy();
    rmSync(join(folder, "service-worker.js"));
    const { page, context } = await openStudio(browser, server.address);
    rmSync(scriptsIn(folder), { recursive: true });
    await page.getByRole("link", { name: "Playground", exact: true }).click();
    await page.getByText("This page cannot be shown").waitFor();
    await context.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it("trains and writes reports on a plain http host, without the cryptography of secure pages", async () => {
    const site = fileURLToPath(studioSite);
    const plain = await serveStudio({ site, headers: studioHeaders, host: "0.0.0.0" });
    const opened = await openStudio(browser, `http://lan.example:${new URL(plain.address).port}/`);
    expect(await opened.page.evaluate("typeof crypto.subtle")).toBe("undefined");
    await giveFile(opened.page, "coins.csv", coins(90));
    await trainOne(opened.page, "stump");
    expect((await download(opened.page, "Download the report")).toString()).toContain("script-src 'sha256-");
    await opened.context.close();
    plain.close();
  });
});
