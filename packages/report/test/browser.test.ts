import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { trainingReport } from "@vouch/report";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserFlags, findBrowser } from "../../../scripts/browser.mjs";
import { fullReport } from "./example-report.js";

const executablePath = findBrowser();

describe.skipIf(executablePath === undefined)("the report in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-report-"));
  let browser: Browser;

  beforeAll(async () => {
    const hostile = "<script>window.broken=1</script><img src=x onerror='window.broken=1'>";
    const report = { ...fullReport, dataName: hostile, notices: [hostile] };
    writeFileSync(join(folder, "report.html"), trainingReport(report));
    browser = await chromium.launch({ executablePath, args: browserFlags });
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["desktop, light", 1100, "light", "wide"],
    ["phone, dark", 360, "dark", "narrow"],
  ] as const)(
    "opens without an error, a request or sideways scrolling (%s)",
    async (_, width, colorScheme, shown) => {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      const address = pathToFileURL(join(folder, "report.html")).href;
      await page.goto(address);
      expect(complaints).toEqual([]);
      expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([address]);
      expect(await page.evaluate("window.broken")).toBeUndefined();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      expect(await page.locator("figure svg[role=img]:visible").count()).toBe(8);
      expect(await page.locator(`.${shown} svg:visible`).count()).toBe(4);
      await page.close();
    },
  );
});
