/**
 * Drives the page at random, as somebody would who tries everything: clicks, selections, typed values, files, routes and reloads, in any
 * order and without waiting. Whatever happens, no part of the page may fail. A minute here, 20 minutes with VOUCH_NIGHTLY, which also fails without
 * a browser; VOUCH_FUZZ_SEED sets the seed, which is printed.
 */
import type { Browser, ElementHandle, Page } from "playwright-core";
import { expect, it } from "vitest";
import { createLearner, readTable, serialise, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import { hasBrowser, startBrowser } from "../../../scripts/test-browser.js";
import { rowsXml, workbook } from "../../formats/test/handmade-xlsx.js";
import { churnCsv, dropFile, openStudio, serveSite } from "./studio-page.js";

const SEED = Number(process.env.VOUCH_FUZZ_SEED ?? 20261118);
const isNightly = process.env.VOUCH_NIGHTLY !== undefined;
const SECONDS = isNightly ? 1200 : 60;

/** Actions that are listed when something fails. */
const LISTED = 25;

const rows = <Row>(count: number, line: (i: number) => Row) =>
  Array.from({ length: count }, (_, i) => line(i));

interface GivenFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

const CHURN = { name: "churn.csv", content: churnCsv(120) };

/** Trains a model as somebody has saved it earlier. */
async function savedModel(): Promise<GivenFile> {
  const table = await readTable(new File([CHURN.content], CHURN.name));
  const { classifier } = await trainClassifier(table, await createLearner("tree"), { holdout: 0.25 });
  return { name: "churn.safetensors", content: await serialise(classifier) };
}

/** Small files: good, odd and bad ones. */
const FILES: readonly GivenFile[] = [
  CHURN,
  {
    name: "customers.xlsx",
    content: workbook({
      Customers: rowsXml([
        ["Customers of 2025"],
        [],
        ["age", "plan", "stays"],
        ...rows(50, (i) => [20 + (i % 31), ["basic", "pro"][i % 2], i % 3 ? "yes" : "no"]),
      ]),
      Notes: rowsXml([["Made by hand"]]),
    }),
  },
  {
    name: "two.csv",
    content: `a,b,label\n${rows(40, (i) => `${i % 7},${i % 3},${i % 2 ? "x" : "y"}`).join("\n")}\n`,
  },
  {
    name: "three.csv",
    content: `a,b,c\n${rows(60, (i) => `${i % 5},${(i * 3) % 11},${"uvw"[i % 3]}`).join("\n")}\n`,
  },
  {
    name: "german.csv",
    content: `Größe;Süd\n${rows(30, (i) => `${i % 9},5;${i % 2 ? "ja" : "nein"}`).join("\n")}\n`,
  },
  { name: "few.csv", content: "a,label\n1,x\n2,y\n3,x\n" },
  { name: "one.csv", content: "a,label\n1,x\n2,x\n" },
  { name: "quantity.csv", content: `a,b\n${rows(90, (i) => `${i % 4},${i * 17}`).join("\n")}\n` },
  { name: "ragged.csv", content: "a,b\n1,2\n1,2,3\n" },
  { name: "empty.csv", content: "" },
  {
    name: "rows.json",
    content: JSON.stringify(rows(30, (i) => `${i % 2}`).map((y, i) => ({ x: i % 6, y: `c${y}` }))),
  },
  { name: "no-model.safetensors", content: "not a vouch model" },
];

const TYPED = ["", "0", "1", "7", "-3", "0.5", "1e9", "x", "unknown, -", "3,5", "NaN"];
const ROUTES = [
  "#data",
  "#train",
  "#use",
  "#playground",
  "#nowhere",
  "#playground?problem=spirals",
  "#playground?x=%E0%A4%A",
];
const KEYS = ["Tab", "Shift+Tab", "Enter", "Escape", "Space", "ArrowDown", "ArrowRight", "Home", "PageDown"];

const CONTROLS = "button, a[href^='#'], select, input, summary, canvas, .term";

/** Does something at random, and says what. */
async function act(page: Page, files: readonly GivenFile[], random: Random): Promise<string> {
  const pick = <Item>(items: readonly Item[]): Item => items[random.integer(items.length)];
  const chance = random.uniform();
  if (chance < 0.1) return giveFile(page, pick(files), random);
  if (chance < 0.16) return visit(page, pick(ROUTES));
  if (chance < 0.18) {
    await page.reload();
    return "reload";
  }
  if (chance < 0.2) {
    await page.goBack({ timeout: 2000 }).catch(() => undefined);
    // Before the first page of the studio is an empty one, which has nothing to click.
    if (page.url().startsWith("about:")) await page.goForward();
    return "back";
  }
  if (chance < 0.25) {
    const key = pick(KEYS);
    await page.keyboard.press(key);
    return `press ${key}`;
  }
  const controls = await visibleControls(page);
  if (controls.length === 0) return "nothing to do";
  return use(pick(controls), pick);
}

async function giveFile(page: Page, { name, content }: GivenFile, random: Random): Promise<string> {
  const fields = await page.locator("input[type=file]").all();
  const field = fields[random.integer(Math.max(1, fields.length))];
  if (field && random.uniform() < 0.6) {
    const file = { name, mimeType: "text/csv", buffer: Buffer.from(content) };
    await field.setInputFiles(file, { timeout: 1000 }).catch(() => undefined);
    return `choose ${name}`;
  }
  await dropFile(page, { name, content, place: "body" });
  return `drop ${name}`;
}

async function visit(page: Page, hash: string): Promise<string> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
  return `go to ${hash}`;
}

async function visibleControls(page: Page): Promise<ElementHandle<SVGElement | HTMLElement>[]> {
  const all = await page.$$(CONTROLS);
  const isShown = await page.$$eval(CONTROLS, (elements) =>
    elements.map((element) => {
      const isFile = element instanceof HTMLInputElement && element.type === "file";
      return !isFile && !element.matches(":disabled") && element.checkVisibility();
    }),
  );
  return all.filter((_, i) => isShown[i]);
}

/** Uses a control as a person would. It may be gone by now: then nothing happens. */
async function use(
  control: ElementHandle<SVGElement | HTMLElement>,
  pick: <Item>(items: readonly Item[]) => Item,
): Promise<string> {
  const brief = { timeout: 1000 };
  const { tag, type, name, values } = await control
    .evaluate((element) => ({
      tag: element.localName,
      type: element.getAttribute("type") ?? "",
      name: (
        element.getAttribute("aria-label") ??
        element.closest("label")?.innerText ??
        element.textContent ??
        ""
      ).slice(0, 40),
      values: element instanceof HTMLSelectElement ? [...element.options].map(({ value }) => value) : [],
    }))
    .catch(() => ({ tag: "", type: "", name: "gone", values: [] }));
  if (tag === "select") {
    const value = pick(values);
    await control.selectOption(value, brief).catch(() => undefined);
    return `select ${name}: ${value}`;
  }
  if (tag === "input" && type === "range") {
    const value = pick(["0", "10", "50", "100"]);
    await control.fill(value, brief).catch(() => undefined);
    return `slide ${name}: ${value}`;
  }
  if (tag === "input" && !["checkbox", "radio"].includes(type)) {
    const value = pick(TYPED);
    await control.fill(value, brief).catch(() => undefined);
    await control.dispatchEvent("change").catch(() => undefined);
    return `type ${name}: ${value}`;
  }
  await control.click(brief).catch(() => undefined);
  return `click ${tag} ${name}`;
}

/** The walk types this, and a message about it quotes it. */
const TYPED_NAN = '"NaN"';

/** What a page shows of an error that nobody has foreseen. */
const UNFORESEEN = /Something went wrong|cannot be shown|\bundefined\b|\[object |\bNaN\b/;

async function walk(browser: Browser, address: string, random: Random, until: number): Promise<number> {
  const { page, context } = await openStudio(browser, address);
  context.setDefaultTimeout(20_000);
  const errors: string[] = [];
  page.on("pageerror", ({ stack, message }) => errors.push(stack ?? message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  // Leaving a running training is asked about.
  page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
  const files = [...FILES, await savedModel()];
  const actions: string[] = [];
  while (performance.now() < until) {
    actions.push(await act(page, files, random));
    await page.waitForTimeout(Math.round(300 * random.uniform() ** 3));
    const shown = await page.locator(".fault, .field-fault, h2, .verdict").allInnerTexts();
    const unforeseen = shown.filter((text) => UNFORESEEN.test(text.replaceAll(TYPED_NAN, "")));
    const story = `Seed ${SEED}, after ${actions.length} actions:\n${actions.slice(-LISTED).join("\n")}`;
    expect([...errors, ...unforeseen], story).toEqual([]);
  }
  await context.close();
  return actions.length;
}

it.skipIf(!hasBrowser && !isNightly)(
  "survives whatever is clicked, typed, dropped and visited",
  async () => {
    console.log(`Random walk with seed ${SEED} for ${SECONDS} s.`);
    const [browser, server] = await Promise.all([startBrowser(), serveSite()]);
    try {
      const actions = await walk(
        browser,
        server.address,
        new Random(SEED),
        performance.now() + 1000 * SECONDS,
      );
      console.log(`${actions} actions.`);
      expect(actions).toBeGreaterThan(SECONDS / 6);
    } finally {
      await browser.close();
      server.close();
    }
  },
  1000 * (SECONDS + 120),
);
