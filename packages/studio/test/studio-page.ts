import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { browserFlags, findBrowser } from "../../../scripts/browser.mjs";
import { type StudioServer, serveStudio } from "../../cli/dist/studio-server.js";
import { studioHeaders, studioSite } from "../dist/index.js";

/** The path of a browser for tests; undefined if there is none. */
export const executablePath = findBrowser();
if (!executablePath) console.warn("Browser tests are skipped: install Chromium, or set CHROME_PATH.");

/** Starts a browser without a window. */
export function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    ...(executablePath && { executablePath }),
    headless: true,
    args: [...browserFlags, ...flags],
  });
}

interface ServeOptions {
  /** A file that the page opens. */
  readonly file?: string;
  /** False for a host that sends no headers. */
  readonly isolated?: boolean;
}

/** Serves the built studio as `vouch studio` does. */
export function serveSite({ file, isolated = true }: ServeOptions = {}): Promise<StudioServer> {
  return serveStudio({
    site: fileURLToPath(studioSite),
    headers: isolated ? studioHeaders : {},
    host: "127.0.0.1",
    file,
  });
}

/** A page of the studio, what it complains about, and the addresses that it requests. */
export interface StudioPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: string[];
  readonly requested: string[];
}

/** Opens the studio in a browser profile of its own. */
export async function openStudio(
  browser: Browser,
  address: string,
  size: { readonly width: number; readonly height: number } = { width: 1280, height: 900 },
): Promise<StudioPage> {
  const context = await browser.newContext({ viewport: size, acceptDownloads: true });
  context.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const requested: string[] = [];
  context.on("request", (request) => requested.push(request.url()));
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  await page.getByRole("heading", { level: 2 }).first().waitFor();
  return { page, context, complaints, requested };
}

/** Chooses a file of the page's first file field. */
export async function giveFile(page: Page, name: string, text: string | Buffer): Promise<void> {
  const buffer = typeof text === "string" ? Buffer.from(text) : text;
  await page.locator("input[type=file]").first().setInputFiles({ name, mimeType: "text/csv", buffer });
}

/** Trains one learner from the data step, and waits for the verdict. */
export async function trainOne(page: Page, learner: string): Promise<void> {
  await page.getByRole("button", { name: "Next: train" }).click();
  await page.getByLabel("Learner").selectOption(learner);
  await page.getByRole("button", { name: `Train ${learner}` }).click();
  await page.locator(".verdict").first().waitFor();
}

/** Downloads what a button offers. */
export async function download(page: Page, button: string): Promise<Buffer> {
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await waiting).createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
