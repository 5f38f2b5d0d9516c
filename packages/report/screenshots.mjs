/**
 * Renders reports on many kinds of models and takes screenshots for review: wide and on a phone, light and dark. They
 * show the first screen, the verdict with the first panel, each panel, and the printed page. Needs a build, Chromium,
 * and the data sets that it names.
 *
 *     node packages/report/screenshots.mjs FOLDER [REPORT…] [--fresh] [--quick] [--docs]
 *
 * `--fresh` trains again instead of using the reports in FOLDER; `--quick` takes half of the pictures: wide ones light, narrow ones
 * dark. `--docs` renews the pictures of the documentation, and takes no others.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { loadDataset } from "@vouch/datasets";
import { readTable } from "@vouch/formats";
import { renderReport } from "@vouch/report";
import { chromium } from "playwright-core";
import { byRacing, createLearner, defaultCandidates, threadExecutor, trainClassifier } from "vouch";
import { browserFlags, findBrowser } from "../../scripts/browser.mjs";
import { webp } from "../../scripts/webp.mjs";

const home = dirname(fileURLToPath(import.meta.url));

/**
 * The reports: data, learner, learner options and training options. A name that ends in `.csv` is a file of the churn
 * example.
 */
const reports = {
  penguins: { data: "penguins", learner: "linear-svm", options: { C: 0.1 }, training: { holdout: 0.2 } },
  churn: { data: "churn.csv", learner: "logistic" },
  "churn-repeated": { data: "churn-repeated.csv", learner: "forest" },
  "churn-leak": { data: "churn-leak.csv", learner: "boosted-trees", options: { rounds: 50 } },
  tree: { data: "iris", learner: "tree" },
  credit: { data: "german-categorical", learner: "tree" },
  forest: { data: "german-categorical", learner: "forest" },
  "boosted-trees": { data: "breastcancer", learner: "boosted-trees", options: { rounds: 50 } },
  adaboost: { data: "ionosphere", learner: "adaboost", options: { rounds: 40 } },
  "linear-svm": { data: "digits", learner: "linear-svm" },
  logistic: { data: "digits", learner: "logistic" },
  mlp: { data: "digits", learner: "mlp", options: { epochs: 20 } },
  dbn: { data: "digits", learner: "dbn" },
  sae: { data: "digits", learner: "sae" },
  cascade: { data: "german", learner: "deep-cascade" },
  "cascade-svm": { data: "ionosphere", learner: "deep-cascade-svm" },
  "cascade-perceptron": { data: "breastcancer", learner: "deep-cascade-perceptron" },
  hierarchy: { data: "digits", learner: "relaxed-hierarchy" },
  "dag-svm": { data: "vowel", learner: "dag-svm" },
  mddf: { data: "digits", learner: "mddf", options: { trees: 20 } },
  gcforest: { data: "digits", learner: "gcforest", options: { trees: 20 } },
  ensemble: { data: "breastcancer", learner: "ensemble" },
  race: { data: "breastcancer", seconds: 8 },
  answers: { data: "german-categorical", learner: "logistic", training: { abstain: 0.15, sets: 0.9 } },
};

/** Widths of a desktop and a phone, and their heights. */
const screens = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];

/** Pixels around the picture of a panel. */
const MARGIN = 14;

async function tableNamed(name, folder) {
  if (!name.endsWith(".csv")) return (await loadDataset(name)).train;
  const path = join(folder, "data", name);
  if (!existsSync(path))
    execFileSync(process.execPath, [join(home, "../../examples/churn.mjs"), dirname(path)]);
  return readTable(path, { name });
}

/** Trains the model of a report and writes the page. */
async function writeReport(name, path, folder) {
  const { data, learner, options = {}, training = {}, seconds } = reports[name];
  const table = await tableNamed(data, folder);
  const executor = threadExecutor({ threads: 2 });
  try {
    const chosen = learner
      ? await createLearner(learner, options)
      : byRacing(defaultCandidates, { seconds, folds: 5, search: true, ensemble: true });
    const trained = await trainClassifier(table, chosen, {
      holdout: 0.25,
      ...training,
      run: { seed: 1, executor },
    });
    const how = learner ? `--learner ${learner}` : `--time ${seconds}`;
    const command = `vouch train ${data} ${how} --holdout 0.25`;
    writeFileSync(path, await renderReport(trained, table, { command, run: { executor } }));
  } finally {
    await executor.close();
  }
}

/** Pictures in the documentation: the report, width and colour scheme, and part. */
const ofDocs = {
  "report-verdict": ["penguins", "1280-light", "verdict"],
  "report-first-screen": ["churn-leak", "1280-light", "first"],
  "report-phone": ["churn-leak", "390-dark", "first"],
  "report-threshold": ["boosted-trees", "1280-light", "which-threshold"],
  "report-forest": ["forest", "1280-light", "how-does-it-decide"],
  "report-cascade": ["cascade-svm", "1280-light", "how-does-it-decide"],
  "report-hierarchy": ["hierarchy", "1280-light", "how-does-it-decide"],
  "report-pixels": ["logistic", "1280-light", "which-pixels-does-it-use"],
};

/** Copies the pictures of a report that the documentation uses. */
async function renewDocs(browser, name, folder) {
  const page = await browser.newPage();
  for (const [title, [report, screen, part]] of Object.entries(ofDocs)) {
    if (report !== name) continue;
    const taken = readdirSync(folder).find(
      (file) => file.startsWith(`${name}-${screen}-`) && file.endsWith(`${part}.png`),
    );
    if (!taken) throw new Error(`There is no picture ${name} ${screen} ${part}.`);
    const picture = await webp(page, readFileSync(join(folder, taken)));
    writeFileSync(join(home, "../../docs/images", `${title}.webp`), picture);
  }
  await page.close();
}

/** Takes a screenshot of the printed page. */
async function photographPrint(browser, name, path, folder) {
  const page = await browser.newPage({ viewport: { width: 740, height: 1040 } });
  await page.goto(pathToFileURL(path).href);
  await page.emulateMedia({ media: "print" });
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${name}-print.png`), fullPage: true });
  await page.close();
}

/** Takes screenshots of the first screen and of each panel, unfolded. */
async function photograph(browser, name, path, folder) {
  for (const viewport of screens) {
    const schemes = isQuick || isForDocs ? [viewport.width > 600 ? "light" : "dark"] : ["light", "dark"];
    for (const colorScheme of schemes) {
      const page = await browser.newPage({ viewport, colorScheme });
      await page.goto(pathToFileURL(path).href);
      const to = (part) => join(folder, `${name}-${viewport.width}-${colorScheme}-${part}.png`);
      await page.waitForTimeout(800);
      await page.screenshot({ path: to("first") });
      const first = await page.locator(".part").first().boundingBox();
      const clip = { x: first.x - 20, y: 16, width: first.width + 40, height: first.y + first.height };
      await page.screenshot({ path: to("verdict"), clip });
      await page.evaluate("document.querySelectorAll('.fold').forEach((fold) => { fold.open = true; })");
      const panels = await page.locator(".part, .fold").all();
      for (const [i, panel] of panels.entries()) {
        const id = (await panel.getAttribute("id")) ?? "panel";
        const { x, y, width, height } = await panel.boundingBox();
        const around = {
          x: x - MARGIN,
          y: y - MARGIN,
          width: width + 2 * MARGIN,
          height: height + 2 * MARGIN,
        };
        const path = to(`${String(i + 1).padStart(2, "0")}-${id}`);
        await page.screenshot({ path, fullPage: true, clip: around });
      }
      await page.close();
    }
  }
}

const [folder, ...names] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isFresh = process.argv.includes("--fresh");
const isForDocs = process.argv.includes("--docs");
const isQuick = process.argv.includes("--quick");
if (folder === undefined || names.some((name) => !(name in reports))) {
  console.error(
    `usage: node packages/report/screenshots.mjs FOLDER [REPORT…] [--fresh] [--quick] [--docs]\nreports: ${Object.keys(reports).join(", ")}`,
  );
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const all = isForDocs ? new Set(Object.values(ofDocs).map(([name]) => name)) : Object.keys(reports);
const browser = await chromium.launch({ executablePath: findBrowser(), args: browserFlags });
for (const name of names.length > 0 ? names : all) {
  const path = join(folder, `${name}.html`);
  if (isFresh || !existsSync(path)) await writeReport(name, path, folder);
  await photograph(browser, name, path, folder);
  if (isForDocs) await renewDocs(browser, name, folder);
  else await photographPrint(browser, name, path, folder);
  console.log(name);
}
await browser.close();
