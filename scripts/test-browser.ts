/** What all tests in a browser need: the browser itself, what a page complains about, and what is wrong with how it looks. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { browserFlags, findBrowser } from "./browser.mjs";

const executablePath = findBrowser();

/** Whether this machine has a browser; tests are skipped otherwise. */
export const hasBrowser = executablePath !== undefined;
if (!hasBrowser) console.warn("Browser tests are skipped: install Chromium, or set CHROME_PATH.");

/** Starts a browser without a window. */
export function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  const args = [...browserFlags, ...flags];
  return chromium.launch({ ...(executablePath && { executablePath }), headless: true, args });
}

/** What a page has complained about and the addresses that it has asked for, so far. */
export interface WatchedPage {
  readonly complaints: string[];
  readonly requests: string[];
}

/** Watches a page from now on. */
export function watch(page: Page): WatchedPage {
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("request", (request) => requests.push(request.url()));
  return { complaints, requests };
}

/** Opens everything that is folded. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const SERIOUS = ["serious", "critical"];
export const ANY_IMPACT = ["minor", "moderate", ...SERIOUS];

/**
 * Lists the faults of a page that axe finds, those it calls serious or critical unless told otherwise, in light and in dark. Only
 * colours differ between the two, so the second look is at the contrast alone.
 */
export async function accessFaults(page: Page, impacts: readonly string[] = SERIOUS): Promise<string[]> {
  await page.evaluate(axe);
  const faults: string[] = [];
  for (const [colorScheme, options] of [
    ["light", {}],
    ["dark", { runOnly: ["color-contrast"] }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const found: string[] = await page.evaluate(
      `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations
        .filter(({ impact }) => ${JSON.stringify(impacts)}.includes(impact))
        .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`,
    );
    faults.push(...found.map((fault) => `${colorScheme}: ${fault}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return faults;
}

/**
 * Lists what reaches beyond the sides of the window, and so cannot be seen without scrolling the page sideways. Not what is inside
 * of an element that scrolls by itself, nor what only a screen reader shows.
 */
export function beyondSides(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.body.querySelectorAll("*")].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    const isBeyond = width > 1 && (right > innerWidth + 1 || left < -1);
    return isBeyond && !element.closest(".scroll, .unseen, .skip, title, desc");
  }).map((element) => element.outerHTML.slice(0, 120))
    .concat(document.documentElement.scrollWidth > innerWidth ? ["The page scrolls sideways."] : [])`);
}

/** Lists the words that a line break divides; only spaces, hyphens and `<wbr>` may end a line. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const broken = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement.closest("script, style, svg, pre, .unseen")) continue;
      for (const word of text.data.matchAll(/[\\p{L}\\p{N}_]+/gu)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4)));
        if (lines.size > 1) broken.push(word[0] + " in " + text.parentElement.parentElement.outerHTML.slice(0, 120));
      }
    }
    return broken;
  })()`);
}
