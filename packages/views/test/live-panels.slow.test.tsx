import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Predictions } from "vouch";
import { Matrix, Random } from "vouch/extend";
import { thresholdFacts } from "#views/facts/evaluation/threshold-facts.js";
import { cheapestPoint, usedPoint } from "#views/facts/evaluation/threshold-measures.js";
import { ThresholdPanel } from "#views/panels/evaluation/threshold-panel.js";
import { RowExplorer } from "#views/panels/rows/row-explorer.js";
import { ANY_IMPACT, accessFaults, beyondSides, hasBrowser } from "../../../scripts/test-browser.js";
import { openPanels } from "./live-page.js";

/** Rows of two classes; the probabilities are right. */
function predictedRows(rows: number): Predictions {
  const random = new Random(5);
  const p = Array.from({ length: rows }, () => random.uniform());
  return {
    classes: ["stays", "leaves"],
    labels: Int32Array.from(p, (value) => Number(random.uniform() < value)),
    predictions: Int32Array.from(p, (value) => Number(value >= 0.5)),
    scores: Matrix.from(p.map((value) => [1 - value, value])),
    scoring: "probability",
  };
}

const rule = { kind: "threshold", class: 1, at: 0.5 } as const;
const facts = thresholdFacts({ rule, objective: undefined }, predictedRows(400));
if (!facts) throw new Error("There are no thresholds.");

const explored = {
  confusion: {
    classes: ["stays", "leaves"],
    matrix: [
      [30, 4],
      [2, 6],
    ],
  },
  fields: [{ name: "age", kind: "numeric", typical: "30" }] as const,
  wrong: {
    total: 6,
    scoring: "probability" as const,
    rows: [1, 0, 0, 1, 0, 0].map((label, i) => ({
      row: i + 1,
      actual: ["stays", "leaves"][label],
      predicted: ["leaves", "stays"][label],
      score: 0.9 - i / 20,
      cells: { age: String(20 + i) },
    })),
  },
};

/** Makes the panels of a page alive, as a report or the studio does. */
const script = `
import { h, hydrate } from "preact";
import { RowExplorer, ThresholdPanel } from "@vouch/views";
window.panels = ({ facts, explored }) => {
  hydrate(h(ThresholdPanel, { facts }), document.querySelector("#threshold"));
  // Age 77 is a slow question: the answer waits until the test gives it.
  const ask = async ({ age }) => {
    if (age === "77") await new Promise((resolve) => { window.giveAnswer = resolve; });
    return { class: age === "" || age === "77" ? "stays" : "leaves", probabilities: [] };
  };
  hydrate(h(RowExplorer, { ...explored, ask }), document.querySelector("#rows"));
};`;

describe.skipIf(!hasBrowser)("panels in a page", () => {
  let browser: Browser;
  let page: Page;
  let bundle: string;
  let complaints: readonly string[];

  beforeAll(async () => {
    const panels = (
      <main>
        <h1>Panels</h1>
        <h2>Which threshold?</h2>
        <div id="threshold">
          <ThresholdPanel facts={facts} />
        </div>
        <div id="rows">
          <RowExplorer {...explored} />
        </div>
      </main>
    );
    ({ browser, page, bundle, complaints } = await openPanels(panels, script, { width: 390, height: 800 }));
    await page.evaluate(`panels(${JSON.stringify({ facts, explored })})`);
    await slider().waitFor();
  });

  afterAll(() => browser?.close());

  const slider = () => page.getByRole("slider", { name: "Threshold", exact: true });
  const counts = () => page.locator("#threshold .confusion td").allTextContents();
  const tile = (name: string) =>
    page.locator("#threshold .tiles div", { hasText: name }).locator("dd").textContent();

  /** The counts that a point gives, as the table shows them. */
  const countsOf = ({ found, alarms }: { readonly found: number; readonly alarms: number }) =>
    [found, facts.positives - found, alarms, facts.negatives - alarms].map(String);

  it("move the threshold by keyboard", async () => {
    expect(await counts()).toEqual(countsOf(facts.used));
    const start = usedPoint(facts);
    await slider().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await counts()).toEqual(countsOf(facts.points[start + 2]));
    await page.keyboard.press("Home");
    expect(await counts()).toEqual(countsOf({ found: facts.positives, alarms: facts.negatives }));
    expect(await tile("Recall")).toBe("100%");
    expect(await slider().getAttribute("aria-valuetext")).toContain(
      `finds ${facts.positives} of ${facts.positives}`,
    );
    await page.getByRole("button", { name: "As the model" }).click();
    expect(await counts()).toEqual(countsOf(facts.used));
  });

  it("mark an answer as old while a newer one is computed", async () => {
    const answer = page.locator("output.answer");
    await answer.getByText("leaves").waitFor();
    expect(await answer.getAttribute("aria-busy")).toBe("false");
    await page.getByLabel("age", { exact: true }).fill("77");
    await page.waitForFunction(() => "giveAnswer" in window);
    expect(await answer.getAttribute("aria-busy")).toBe("true");
    expect(await answer.innerText()).toContain("leaves");
    await page.evaluate("giveAnswer()");
    await answer.getByText("stays").waitFor();
    expect(await answer.getAttribute("aria-busy")).toBe("false");
    await page.getByLabel("age", { exact: true }).fill("30");
    await answer.getByText("leaves").waitFor();
  });

  it("take a threshold as a number, to the next one that changes a prediction", async () => {
    const typed = page.getByLabel("Threshold as a number");
    await typed.fill("0.8");
    await typed.press("Enter");
    const expected = facts.points.find(({ at }) => at >= 0.8);
    expect(expected && countsOf(expected)).toEqual(await counts());
    // A number that gives the same threshold leaves the one that is counted in the field.
    const shown = await typed.inputValue();
    await typed.fill(String((expected?.at ?? 0) - 1e-7));
    await typed.press("Enter");
    expect(await typed.inputValue()).toBe(shown);
    await typed.fill("");
    await typed.press("Enter");
    expect(await counts()).toEqual(countsOf(facts.used));
  });

  it("find the cheapest threshold for costs", async () => {
    expect(await page.locator("#threshold .tiles dt").allTextContents()).not.toContain("Cost per row");
    await page.getByLabel("“leaves” missed").fill("9");
    const costs = { missed: 9, alarm: 1, found: 0, rejected: 0 };
    const cheapest = facts.points[cheapestPoint(facts, costs)];
    await page.getByRole("button", { name: "Cheapest" }).click();
    expect(await counts()).toEqual(countsOf(cheapest));
    const cost = (9 * (facts.positives - cheapest.found) + cheapest.alarms) / 400;
    expect(Number(await tile("Cost per row"))).toBeCloseTo(cost, 2);
    // The probabilities are right, so a row is worth an alarm from about 1 in 10 on.
    expect(cheapest.at).toBeGreaterThan(0.03);
    expect(cheapest.at).toBeLessThan(0.2);
  });

  it("move the dots of the curves along", async () => {
    const dot = page.locator("#threshold figure").first().locator("circle");
    const before = await dot.getAttribute("cy");
    await slider().focus();
    await page.keyboard.press("End");
    expect(Number(await dot.getAttribute("cy"))).toBeGreaterThan(Number(before));
  });

  it("say that they take what is not a number as missing", async () => {
    const age = page.getByLabel("age", { exact: true });
    await age.fill("");
    await age.focus();
    await page.keyboard.type("1e");
    await page.getByText("Not a number: taken as missing.").waitFor();
    await age.fill("12");
    await page.locator(".predicted", { hasText: "leaves" }).waitFor();
    expect(await page.getByText("Not a number").count()).toBe(0);
  });

  it("list the misclassified rows of a cell of the confusion matrix", async () => {
    const ages = () => page.locator('.wrong-rows td[data-label="age"]').allTextContents();
    expect(await ages()).toEqual(["20", "21", "22", "23", "24"]);
    const cell = page.getByRole("button", { name: "2 of “leaves” predicted as “stays”" });
    await cell.press("Enter");
    expect(await ages()).toEqual(["20", "23"]);
    expect(await cell.getAttribute("aria-pressed")).toBe("true");
    expect(await page.evaluate("document.activeElement.id")).toBe("which-rows-does-it-get-wrong");
    await page.getByRole("button", { name: "All errors" }).click();
    expect(await ages()).toHaveLength(5);
  });

  it("are accessible in light and dark, and not wider than a phone", async () => {
    expect(await accessFaults(page, ANY_IMPACT)).toEqual([]);
    expect(await beyondSides(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("bring no document of their own", () => {
    expect(bundle).not.toContain("parseHTML");
  });
});
