import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  accessFaults,
  beyondSides,
  hasBrowser,
  startBrowser,
  unfold,
} from "../../../scripts/test-browser.js";
import type { StudioServer } from "../../vouch/dist/process/studio-server.js";
import { chooseLearner, churnCsv, contentOf, giveFile, openStudio, serveSite } from "./studio-page.js";

/** A control that has the focus, as a person sees it. */
interface Focused {
  /** Its label or its text. */
  readonly name: string;
  readonly tag: string;
  readonly type: string;
  /** Whether something shows that it has the focus, and it is in the window. */
  readonly isSeen: boolean;
}

/** Finds out what has the focus. */
function focused(page: Page): Promise<Focused> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return { name: "", tag: "", type: "", isSeen: false };
    const labels =
      element instanceof HTMLInputElement || element instanceof HTMLSelectElement ? element.labels : null;
    const name = labels?.[0]?.innerText ?? element.getAttribute("aria-label") ?? element.innerText;
    const style = getComputedStyle(element);
    const { top, bottom, left, right, height } = element.getBoundingClientRect();
    const isInWindow = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && height > 0;
    const isMarked = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 1;
    const type = element instanceof HTMLInputElement ? element.type : "";
    return { name: name.trim(), tag: element.tagName, type, isSeen: isInWindow && isMarked };
  });
}

/** Presses Tab until a control of this name has the focus; every control on the way must show that it has it. */
async function tabTo(page: Page, name: RegExp): Promise<Focused> {
  const passed: string[] = [];
  for (let pressed = 0; pressed < 80; pressed++) {
    await page.keyboard.press("Tab");
    const found = await focused(page);
    if (found.tag === "BODY") continue;
    expect(found.isSeen, `the focus on ${found.tag} ${found.name}`).toBe(true);
    if (name.test(found.name)) return found;
    passed.push(found.name);
  }
  throw new Error(`No control ${name} was reached, only: ${passed.join(" | ")}`);
}

/** Chooses a file by the keyboard alone: the field opens the list of files. On a busy machine, Chromium may miss the first press. */
async function chooseByKeyboard(page: Page, field: RegExp, name: string, text: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await tabTo(page, field);
    const chooser = page.waitForEvent("filechooser", { timeout: 8000 }).catch((error: unknown) => {
      if (attempt === 3) throw error;
      return undefined;
    });
    await page.keyboard.press("Space");
    const opened = await chooser;
    if (!opened) continue;
    await opened.setFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
    return;
  }
}

describe.skipIf(!hasBrowser)("people without a mouse, without sight, or with a phone", () => {
  let browser: Browser;
  let server: StudioServer;
  const csv = churnCsv(400);

  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), serveSite()]);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("use the keyboard alone, from the file to its predictions, and see where they are", async () => {
    const { page, context, complaints } = await openStudio(browser, server.address);
    await chooseByKeyboard(page, /^Drop a data file here/, "churn.csv", csv);
    await page.getByText("400 rows").waitFor();

    await tabTo(page, /^Predict/);
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => page.getByLabel(/^Predict/).inputValue()).toBe("support_calls");
    await page
      .getByLabel(/^Predict/)
      .and(page.locator(":enabled"))
      .waitFor();
    await tabTo(page, /^Predict/);
    await page.keyboard.type("churn");
    await expect.poll(() => page.getByLabel(/^Predict/).inputValue()).toBe("churn");
    await page.getByRole("button", { name: "Next: train" }).and(page.locator(":enabled")).waitFor();
    await tabTo(page, /^Next: train/);
    await page.keyboard.press("Enter");

    await page.locator('option[value="forest"]').waitFor({ state: "attached" });
    await tabTo(page, /^Learner/);
    await page.keyboard.type("Random f");
    await tabTo(page, /^trees/);
    await page.keyboard.type("10");
    await tabTo(page, /^Train Random forest/);
    await page.keyboard.press("Space");
    await page.locator(".verdict").first().waitFor();

    await tabTo(page, /^Download the model/);
    const downloaded = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    expect((await downloaded).suggestedFilename()).toBe("model.safetensors");
    const wrong = page.locator(".wrong-rows");
    const first = await wrong.textContent();
    await tabTo(page, /^Next/);
    await page.keyboard.press("Space");
    await expect.poll(() => wrong.textContent()).not.toBe(first);
    const counts = page.locator("#which-threshold table").first();
    const before = await counts.textContent();
    await tabTo(page, /^Threshold/);
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft");
    await expect.poll(() => counts.textContent()).not.toBe(before);
    await tabTo(page, /^How can you reproduce/);
    await page.keyboard.press("Enter");
    expect(await page.getByText("vouch train churn.csv").first().isVisible()).toBe(true);

    await chooseByKeyboard(page, /^Drop a file with new rows/, "churn.csv", csv);
    await page.getByText("400 rows predicted").waitFor();
    await tabTo(page, /^Download the predictions/);
    const predicted = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    expect((await contentOf(await predicted)).toString().split("\n")).toHaveLength(402);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("find no serious fault and nothing beyond the sides of a phone in any step", async () => {
    const { page, context } = await openStudio(browser, server.address, { width: 390, height: 800 });
    const look = async (step: string) => {
      expect(await beyondSides(page), step).toEqual([]);
      expect(await accessFaults(page), step).toEqual([]);
    };
    await look("the first screen");
    await giveFile(page, "broken.csv", "a,b,label\n1,2,x\n3,4,5,y\n");
    await page.getByRole("alert").getByText("broken.csv").waitFor();
    await look("a fault");
    await giveFile(page, "churn.csv", csv);
    await page.getByRole("button", { name: "Next: train" }).waitFor();
    await look("data");
    await page.getByRole("button", { name: "Next: train" }).click();
    await chooseLearner(page, "adaboost");
    await look("options");
    await page.getByLabel(/^Learner/).selectOption("");
    await page.getByRole("button", { name: "Start the race" }).click();
    await page.locator("table.leaders tbody tr").nth(2).waitFor();
    await look("a race");
    await page.getByRole("button", { name: "Stop and keep the best" }).click();
    await page.locator(".verdict").first().waitFor();
    await unfold(page);
    await look("use");
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByText("Trained.").waitFor();
    await unfold(page);
    await look("playground");
    await context.close();
  });
});
