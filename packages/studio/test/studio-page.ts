import { fileURLToPath } from "node:url";
import { CHURN_EXAMPLE, drawCustomer } from "@vouch/datasets";
import { csvLine } from "@vouch/formats";
import type { Browser, BrowserContext, Download, Page } from "playwright-core";
import { Random } from "vouch/extend";
import { type WatchedPage, watch } from "../../../scripts/test-browser.js";
import { type StudioServer, serveStudio } from "../../vouch/dist/process/studio-server.js";
import { studioHeaders, studioSite } from "../dist/index.js";

interface ServeOptions {
  /** A file that the page opens. */
  readonly file?: string;
  /** False for a host that sends no headers. */
  readonly isolated?: boolean;
}

/** How long to wait for what a step shows: it may have to load its scripts first, on a busy machine. */
export const PATIENTLY = { timeout: 30_000 };

/** Serves the built studio as `vouch studio` does. */
export function serveSite({ file, isolated = true }: ServeOptions = {}): Promise<StudioServer> {
  return serveStudio({
    site: fileURLToPath(studioSite),
    headers: isolated ? studioHeaders : {},
    host: "127.0.0.1",
    file,
  });
}

/** A page of the studio in a browser profile of its own. */
export interface StudioPage extends WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** Opens the studio in a browser profile of its own. */
export async function openStudio(
  browser: Browser,
  address: string,
  { width = 1280, height = 900 }: { readonly width?: number; readonly height?: number } = {},
): Promise<StudioPage> {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENTLY.timeout);
  const page = await context.newPage();
  const watched = watch(page);
  await page.goto(address);
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  return { page, context, ...watched };
}

/** Chooses a file of the page's first file field. */
export async function giveFile(page: Page, name: string, content: string | Uint8Array): Promise<void> {
  const file = { name, mimeType: "text/csv", buffer: Buffer.from(content) };
  await page.locator("input[type=file]").first().setInputFiles(file);
}

/** Drops a file onto a place of the page, as from a folder. */
export async function dropFile(
  page: Page,
  { name, content, place = "main" }: { name: string; content: string | Uint8Array; place?: string },
): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    (file) => {
      const dropped = new DataTransfer();
      const bytes = Uint8Array.from(atob(file.base64), (character) => character.charCodeAt(0));
      dropped.items.add(new File([bytes], file.name));
      return dropped;
    },
    { name, base64: Buffer.from(content).toString("base64") },
  );
  await page.locator(place).first().dispatchEvent("drop", { dataTransfer });
}

/** The heading of the step: the file, or the learner and its target. */
export async function title(page: Page): Promise<string> {
  return (await page.getByRole("heading", { level: 2 }).first().textContent()) ?? "";
}

/** Chooses a learner in the train step. */
export async function chooseLearner(page: Page, learner: string): Promise<void> {
  await page.locator(`option[value="${learner}"]`).first().waitFor({ state: "attached" });
  await page.getByLabel(/^Learner/).selectOption(learner);
}

/** Trains one learner from the data step, and waits for the verdict. */
export async function trainOne(page: Page, learner: string): Promise<void> {
  await page.getByRole("button", { name: "Next: train" }).click();
  await chooseLearner(page, learner);
  await page.getByRole("button", { name: /^Train / }).click();
  await page.locator(".verdict").first().waitFor();
}

/** Downloads what a button offers. */
export async function download(page: Page, button: string): Promise<Buffer> {
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  return contentOf(await waiting);
}

/** Reads a downloaded file. */
export async function contentOf(downloaded: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await downloaded.createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The command that the page shows for its model. */
export async function shownCommand(page: Page): Promise<string> {
  return (await page.locator("#how-can-you-reproduce-the-model pre").textContent()) ?? "";
}

/** The customers of the churn example as a CSV file: numbers, categories and missing cells, and a class in the last column. */
export function churnCsv(rows = CHURN_EXAMPLE.rows): string {
  const random = new Random(CHURN_EXAMPLE.seed);
  const customers = Array.from({ length: rows }, () => drawCustomer(random));
  const lines = customers.map((customer) => csvLine(Object.values(customer).map((value) => value ?? "")));
  return csvLine(Object.keys(customers[0])) + lines.join("");
}
