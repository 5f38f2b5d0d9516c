/**
 * Takes screenshots of every view of the built studio, at desktop and phone width, light and dark:
 *
 *   node packages/studio/screenshots.mjs [FOLDER] [--only TEXT,…] [--quick] [--docs]
 *
 * The folder is `build/screenshots` by default. `--only` takes the views whose names contain one of the texts, `--quick` only light
 * pictures. `--docs` renews the pictures of the documentation and takes no others. Needs `npm run build` and Chromium.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { browserFlags, findBrowser } from "../../scripts/browser.mjs";
import { webp } from "../../scripts/webp.mjs";
import { serveStudio } from "../vouch/dist/process/studio-server.js";
import { studioHeaders, studioSite } from "./dist/index.js";
import { exampleHash, playgroundExamples } from "./dist/playground/playground-examples.js";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
    docs: { type: "boolean", default: false },
  },
});
const folder = positionals[0] ?? fileURLToPath(new URL("../../build/screenshots", import.meta.url));
const docs = fileURLToPath(new URL("../../docs/images", import.meta.url));

const WIDTHS = [1280, 390];
const SCHEMES = flags.quick ? ["light"] : ["light", "dark"];

/**
 * Generates customers: numbers, categories, an identifier, a date, missing cells, and optionally a column that leaks
 * the class.
 */
function customers(rows, leaks = false) {
  const names = "customer_id,age,plan,region,monthly_fee,calls,joined";
  const lines = [leaks ? `${names},cancelled_on,churned` : `${names},churned`];
  for (let i = 0; i < rows; i++) {
    const at = (factor, values) => Math.floor((Math.abs(Math.sin(factor * (i + 1))) * 1e4) % values);
    const age = 18 + at(1.7, 60);
    const calls = at(2.3, 9);
    const plan = ["basic", "plus", "pro"][at(3.1, 3)];
    const leaves = calls + (plan === "basic" ? 2 : 0) + (age < 30 ? 2 : 0) + at(5.9, 4) > 8;
    const joined = `202${at(4.1, 5)}-0${1 + at(6.7, 9)}-1${at(7.3, 9)}`;
    const fee = at(9.1, 20) === 0 ? "" : (9.9 + at(8.3, 300) / 10).toFixed(2);
    const left = leaks ? [leaves ? "gone" : "here"] : [];
    const region = ["north", "east", "south", "west"][at(3.7, 4)];
    const known = [`C${1000 + i}`, age, plan, region, fee, calls, joined];
    lines.push([...known, ...left, leaves ? "yes" : "no"].join());
  }
  return `${lines.join("\n")}\n`;
}

/** Customers as a German Excel exports them: a title line, semicolons, decimal commas, Windows-1252, and a word for what is unknown. */
function germanCustomers(rows) {
  const lines = ["Kundenliste 2025", "", "Größe;Umsatz;Region;Kündigung"];
  for (let i = 0; i < rows; i++) {
    const spent = 20 + ((i * 37) % 101) / 4;
    const size = i % 17 === 0 ? "unbekannt" : `${150 + ((i * 7) % 40)},5`;
    const region = ["Süd", "Nord", "Köln"][i % 3];
    lines.push(`${size};${spent.toFixed(2).replace(".", ",")};${region};${spent > 33 ? "ja" : "nein"}`);
  }
  return Buffer.from(lines.join("\r\n"), "latin1");
}

/** A table of 60 numeric columns with long names. */
function wide(rows) {
  const names = Array.from({ length: 60 }, (_, j) => `measurement_of_sensor_${j + 1}`);
  const lines = [[...names, "quality"].join()];
  for (let i = 0; i < rows; i++) {
    const cells = names.map((_, j) => Math.sin((i + 1) * (j + 3)).toFixed(3));
    lines.push([...cells, Number(cells[4]) + Number(cells[9]) > 0 ? "good" : "poor"].join());
  }
  return `${lines.join("\n")}\n`;
}

async function give(page, name, text) {
  const file = { name, mimeType: "text/csv", buffer: Buffer.from(text) };
  await page.locator("input[type=file]").first().setInputFiles(file);
}

const button = (page, name) => page.getByRole("button", { name });

async function read(page, name, text) {
  await give(page, name, text);
  await button(page, "Next: train").waitFor();
}

async function atTraining(page) {
  await give(page, "customers.csv", customers(900));
  await button(page, "Next: train").click();
  await page.locator('option[value="forest"]').waitFor({ state: "attached" });
}

async function trained(page, learner) {
  await atTraining(page);
  await page.getByLabel("Learner").selectOption(learner);
  await button(page, /^Train /).click();
  await atVerdict(page);
}

/** Races for ten seconds on the penguins. */
async function raced(page) {
  await button(page, /^Penguins/).click();
  await button(page, "Next: train").click();
  await page.getByLabel("Time limit").selectOption("10");
  await button(page, "Start the race").click();
}

const atVerdict = async (page) => {
  await page.locator(".verdict").first().waitFor();
  await page.getByText("Loading the views").waitFor({ state: "detached" });
};

/** Waits until the page has trained and shows the last step. */
async function settled(page) {
  await page
    .getByText(/Trained\.|not enough points|Not trained/)
    .first()
    .waitFor();
}

/** The views by name: where each begins, what is done there, and whether the documentation shows it, and all of the page. */
const VIEWS = {
  "data-empty": { docs: true },
  "data-file": {
    drive: (page) => read(page, "customers.csv", customers(900, true)),
    docs: true,
    isWhole: true,
  },
  "data-german": { drive: (page) => read(page, "Kunden.csv", germanCustomers(300)) },
  "data-wide": { drive: (page) => read(page, "sensors.csv", wide(300)) },
  "data-bad": {
    async drive(page) {
      await give(page, "bad.csv", "a,b,label\n1,2,x\n3,4,y\n5,6,7,z\n");
      await page.locator(".fault").first().waitFor();
    },
  },
  "data-one-class": { drive: (page) => read(page, "same.csv", "a,b,label\n1,2,x\n3,4,x\n5,6,x\n") },
  "data-groups": {
    async drive(page) {
      await read(page, "customers.csv", customers(900, true));
      await page.getByLabel("Test on").selectOption("group");
      await page.getByLabel("Groups are in").selectOption("region");
    },
  },
  "train-plan": { drive: atTraining },
  "train-learner": {
    async drive(page) {
      await atTraining(page);
      await page.getByLabel("Learner").selectOption("deep-cascade");
      await page.locator(".options").waitFor();
    },
  },
  "train-race": {
    async drive(page) {
      await atTraining(page);
      await button(page, "Start the race").click();
      await page.locator("table.leaders tbody tr").nth(8).waitFor();
      await page.waitForTimeout(2500);
    },
    docs: true,
  },
  "train-one": {
    async drive(page) {
      await atTraining(page);
      await page.getByLabel("Learner").selectOption("mddf");
      await button(page, /^Train /).click();
      await page.locator("progress").waitFor();
    },
  },
  "train-cancelled": {
    async drive(page) {
      await atTraining(page);
      await button(page, "Start the race").click();
      await page.locator("table.leaders tbody tr").nth(2).waitFor();
      await button(page, "Cancel").click();
      await button(page, "Start the race").waitFor();
    },
  },
  "train-bad-option": {
    async drive(page) {
      await atTraining(page);
      await page.getByLabel("Learner").selectOption("forest");
      await page.getByLabel("trees", { exact: true }).fill("0");
      await page.getByLabel("trees", { exact: true }).blur();
      await page.locator(".field-fault").first().waitFor();
    },
    docs: true,
  },
  "train-finished": {
    async drive(page) {
      await trained(page, "forest");
      await page.getByRole("link", { name: /Train/ }).click();
    },
  },
  "train-raced": {
    async drive(page) {
      await raced(page);
      await atVerdict(page);
      await page.getByRole("link", { name: /Train/ }).click();
    },
  },
  "use-raced": {
    async drive(page) {
      await raced(page);
      await atVerdict(page);
    },
  },
  "use-models": {
    async drive(page) {
      await trained(page, "forest");
      for (const learner of ["logistic", "tree"]) {
        await page.getByRole("link", { name: /Train/ }).click();
        await page.getByLabel("Learner").selectOption(learner);
        await button(page, /^Train /).click();
        await atVerdict(page);
      }
      await page.locator(".model-list").waitFor();
    },
  },
  "use-verdict": { drive: (page) => trained(page, "forest"), docs: true },
  "data-example": {
    async drive(page) {
      await button(page, /^Penguins/).click();
      await button(page, "Next: train").waitFor();
    },
  },
  "use-term": {
    async drive(page) {
      await trained(page, "forest");
      await page.getByText("Can I trust this model?").click();
      await page.locator(".term").first().focus();
    },
  },
  "use-predicted": {
    async drive(page) {
      await trained(page, "forest");
      const rows = customers(40);
      const field = page.locator("input[type=file]").last();
      await field.setInputFiles({ name: "new.csv", mimeType: "text/csv", buffer: Buffer.from(rows) });
      await page.getByText("rows predicted").waitFor();
    },
  },
  "playground-start": { hash: "#playground", drive: settled },
  "playground-options": {
    hash: "#playground?problem=circles&classes=2&learner=mlp&set.epochs=20",
    async drive(page) {
      await settled(page);
      await page.getByText("More options").click();
    },
  },
  "playground-drawn": {
    hash: "#playground?problem=drawn&learner=svm",
    async drive(page) {
      await page.locator("canvas").scrollIntoViewIfNeeded();
      const box = await page.locator("canvas").boundingBox();
      const draw = async (from, to) => {
        await page.mouse.move(box.x + from[0] * box.width, box.y + from[1] * box.height);
        await page.mouse.down();
        await page.mouse.move(box.x + to[0] * box.width, box.y + to[1] * box.height, { steps: 30 });
        await page.mouse.up();
      };
      await draw([0.2, 0.2], [0.8, 0.3]);
      await page.getByRole("radio", { name: "B" }).check();
      await draw([0.2, 0.8], [0.7, 0.7]);
      await page.getByRole("radio", { name: "C" }).check();
      await draw([0.9, 0.5], [0.6, 0.5]);
      await settled(page);
    },
  },
  "playground-network": {
    hash: "#playground?problem=circles&classes=2&learner=mlp",
    drive: settled,
  },
  "playground-training": {
    hash: "#playground?learner=mlp&rows=1000&set.layers=256,128&set.epochs=20000&set.patience=0",
    drive: (page) => page.locator("label[for=step]", { hasText: /^epoch \d+$/ }).waitFor(),
  },
  "playground-node": {
    hash: "#playground?problem=blobs&classes=5&noise=0.25&learner=relaxed-hierarchy",
    async drive(page) {
      await settled(page);
      await page.getByLabel("Show").selectOption({ index: 1 });
    },
  },
  ...Object.fromEntries(
    playgroundExamples.map((example) => [
      `playground-${example.learner}`,
      {
        hash: exampleHash(example),
        drive: settled,
        docs: ["adaboost", "deep-cascade"].includes(example.learner),
      },
    ]),
  ),
};

/** Drives a page to a view in its own browser profile and takes its screenshots. */
async function take(browser, address, name, width) {
  const { hash = "", drive, isWhole = false } = VIEWS[name];
  const height = width < 600 ? 844 : 800;
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
  try {
    // A busy machine needs more time.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    await page.goto(`${address}${hash}`);
    await page.getByRole("heading", { level: 2 }).first().waitFor();
    await drive?.(page);
    // Nothing is under the pointer.
    await page.mouse.move(0, 0);
    await page.waitForTimeout(400);
    if (flags.docs) {
      await page.emulateMedia({ colorScheme: "light" });
      await page.waitForTimeout(150);
      writeFileSync(
        join(docs, `${name}.webp`),
        await webp(await context.newPage(), await page.screenshot({ fullPage: isWhole })),
      );
      return;
    }
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(150);
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  } finally {
    await context.close();
  }
}

mkdirSync(folder, { recursive: true });
mkdirSync(docs, { recursive: true });
const server = await serveStudio({
  site: fileURLToPath(studioSite),
  headers: studioHeaders,
  host: "127.0.0.1",
});
const executablePath = findBrowser();
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserFlags });
try {
  const parts = flags.only.split(",");
  const names = Object.keys(VIEWS).filter((name) => parts.some((part) => name.includes(part)));
  for (const name of names.filter((each) => !flags.docs || VIEWS[each].docs)) {
    for (const width of flags.docs ? WIDTHS.slice(0, 1) : WIDTHS)
      await take(browser, server.address, name, width);
    console.log(name);
  }
} finally {
  await browser.close();
  server.close();
}
