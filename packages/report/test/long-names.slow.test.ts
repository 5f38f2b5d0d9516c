import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CHURN_EXAMPLE, drawCustomer } from "@vouch/datasets";
import { renderReport } from "@vouch/report";
import { answerRow } from "@vouch/views/facts";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensemble, Table, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import {
  beyondSides,
  brokenWords,
  hasBrowser,
  startBrowser,
  unfold,
  watch,
} from "../../../scripts/test-browser.js";

/** Names of about 40 letters: with underscores, in camel case, and without any place to break a line. */
const names: Readonly<Record<string, string>> = {
  age: "age_of_the_customer_when_contract_began",
  tenure_months: "numberOfMonthsSinceTheContractWasSigned",
  monthly_charges: "durchschnittlichermonatsrechnungsbetrag",
  support_calls: "number_customer_service_calls",
  contract: "Vertragsverlaengerungsvereinbarung.art",
  churn: "left_the_company_within_the_next_quarter",
};

const random = new Random(CHURN_EXAMPLE.seed);
const records = Array.from({ length: 500 }, () =>
  Object.fromEntries(
    Object.entries(drawCustomer(random)).map(([name, value]) => [
      names[name] ?? name,
      name === "churn"
        ? value === "Yes"
          ? "left_within_the_next_quarter"
          : "staysWithTheCompanyForAnotherYear"
        : value,
    ]),
  ),
);
const notice = 'Column "number_customer_service_calls": 12 cells "unknown" read as missing.';
const doubt = 'Column "region" looks like numbers with decimal commas.';
const table = Table.fromRecords("customers.csv", records).withNotices([
  { message: notice },
  { message: doubt, isDoubtful: true },
]);
/** Learners of all kinds that win most races, as an ensemble of a race has them. */
const members = [
  { learner: "svm", options: {}, weight: 0.3, temperature: 1.2 },
  { learner: "boosted-trees", options: { rounds: 40 }, weight: 0.3, temperature: 1 },
  { learner: "forest", options: { trees: 60 }, weight: 0.2, temperature: 1 },
  { learner: "logistic", options: {}, weight: 0.1, temperature: 1 },
  { learner: "mlp", options: { layers: [16], epochs: 20 }, weight: 0.1, temperature: 1 },
];
const learner = ensemble({ members, combine: "average" });
const training = await trainClassifier(table, learner, { target: names.churn, holdout: 0.3 });
const report = await renderReport(training, table);

describe.skipIf(!hasBrowser)("the report of an ensemble on columns with long names", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-names-"));
  const address = pathToFileURL(join(folder, "report.html")).href;
  let browser: Browser;

  beforeAll(async () => {
    writeFileSync(join(folder, "report.html"), report);
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it.each([1280, 390])("breaks no word, and has nothing beyond its sides: %d pixels", async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 844 } });
    const { complaints } = watch(page);
    await page.goto(address);
    await page.locator(".answer .predicted").waitFor();
    expect(await brokenWords(page)).toEqual([]);
    await unfold(page);
    expect(await brokenWords(page)).toEqual([]);
    expect(await beyondSides(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("puts the inputs of a row of fields on one line, whatever the length of their labels", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 844 } });
    await page.goto(address);
    await page.locator(".answer .predicted").waitFor();
    const bottoms: number[] = await page.evaluate(
      "[...document.querySelectorAll('.what-if .fields')[0].querySelectorAll('input, select')].map((e) => Math.round(e.getBoundingClientRect().bottom))",
    );
    expect(new Set(bottoms).size).toBe(Math.ceil(bottoms.length / 2));
    await page.close();
  });

  it("answers as the ensemble does", async () => {
    const page = await browser.newPage();
    await page.goto(address);
    const first = page.locator(".answer .bars b").first();
    const before = await first.textContent();
    await page.getByLabel(names.support_calls, { exact: true }).fill("7");
    const typed: Record<string, string> = {};
    for (const { name } of training.classifier.encoder.schema.columns) {
      typed[name] = await page.getByLabel(name, { exact: true }).inputValue();
    }
    const { class: predicted, probabilities } = await answerRow(training.classifier, typed);
    const share = `${(100 * probabilities[0].probability).toFixed(1)}%`;
    await expect.poll(() => first.textContent()).toBe(share);
    expect(share).not.toBe(before);
    expect(await page.locator(".answer .predicted").textContent()).toBe(predicted);
    await page.close();
  });

  it("says beside the verdict how the data were read, and what is doubtful about it", async () => {
    const page = await browser.newPage();
    await page.goto(address);
    expect(await page.locator(".verdict .reading").textContent()).toContain(notice);
    expect(await page.locator(".verdict .warnings").textContent()).toContain(doubt);
    expect(await page.locator("#what-else-should-you-know").getByText(notice).count()).toBe(0);
    await page.close();
  });
});
