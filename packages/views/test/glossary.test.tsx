import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Certificate } from "vouch";
import { GuideAddress } from "#views/page/guide-link.js";
import { VerdictPanel } from "#views/panels/verdict/verdict-panel.js";
import { Explained } from "#views/text/explained.js";
import { type GlossaryTerm, glossary, termPatterns } from "#views/text/glossary.js";
import { Term } from "#views/text/term.js";
import { accessFaults, beyondSides, hasBrowser } from "../../../scripts/test-browser.js";
import { bareCard, certificate, verdict } from "./example-card.js";
import { openPanels } from "./live-page.js";
import { rendered, textOf, texts } from "./rendered.js";

const HEADLINE =
  "Better than always answering “no”: 4.0% errors on held-out rows instead of 20% (p < 0.001).";

describe("the glossary", () => {
  it("explains each term in at most two plain sentences", () => {
    for (const [term, meaning] of Object.entries(glossary)) {
      const sentences = meaning.split(/(?<=[.:]) /);
      expect(meaning, term).toMatch(/^[A-Z].*\.$/);
      expect(meaning.match(/\. [A-Z]/g)?.length ?? 0, term).toBeLessThanOrEqual(3);
      for (const sentence of sentences) expect(sentence.split(" ").length, sentence).toBeLessThanOrEqual(25);
    }
  });

  it("marks each term where a sentence names it first, and leaves the sentence as it is", () => {
    const explained = (
      <Explained text={`${HEADLINE} On held-out rows.`} terms={["p-value", "held-out rows", "AUC"]} />
    );
    expect(textOf(explained)).toBe(`${HEADLINE} On held-out rows.`);
    expect(texts(rendered(explained), ".term")).toEqual(["held-out rows", "p < 0.001"]);
    const titles = [...rendered(explained).querySelectorAll(".term")].map((term) =>
      term.getAttribute("title"),
    );
    expect(titles).toEqual([glossary["held-out rows"], glossary["p-value"]]);
  });

  it("finds the words that stand for a term", () => {
    const found: [GlossaryTerm, string, string][] = [
      ["confidence", "With 95% confidence at most 6.7%", "95% confidence"],
      ["p-value", "errors (p\u00a0=\u00a00.021): with", "p\u00a0=\u00a00.021"],
      ["calibration", "Calibrated by beta calibration on", "Calibrated"],
      ["cross-validation", "4.0% errors in cross-validation instead", "cross-validation"],
    ];
    for (const [term, text, words] of found) expect(termPatterns[term]?.exec(text)?.[0]).toBe(words);
  });
});

describe.skipIf(!hasBrowser)("terms in a page", () => {
  let browser: Browser;
  let page: Page;
  let complaints: readonly string[];

  beforeAll(async () => {
    const panels = (
      <main>
        <h1>Terms</h1>
        <p>
          A <Term of="seed" /> and, at the right side, a{" "}
          <span style="float:right">
            <Term of="certificate" />
          </span>
        </p>
        <p>
          <Explained text={HEADLINE} terms={["held-out rows", "p-value"]} />
        </p>
        <p style="margin-top:120vh">
          Far below, a <Term of="leak" />
        </p>
      </main>
    );
    const script = 'import { explainTerms } from "@vouch/views"; explainTerms(document);';
    ({ browser, page, complaints } = await openPanels(panels, script, { width: 390, height: 800 }));
  });
  afterAll(() => browser?.close());

  const meaning = () => page.getByRole("tooltip");
  const term = (name: string) => page.getByRole("button", { name, exact: true });

  it("show their meaning under the pointer, and nothing moves", async () => {
    const before = await page.locator("main").boundingBox();
    await term("certificate").hover();
    expect(await meaning().innerText()).toBe(glossary.certificate);
    expect(await page.locator("main").boundingBox()).toEqual(before);
    expect(await beyondSides(page)).toEqual([]);
    await page.mouse.move(5, 500);
    await meaning().waitFor({ state: "hidden" });
  });

  it("show it to the keyboard until Escape, and read it to people who listen", async () => {
    await page.keyboard.press("Tab");
    expect(await meaning().innerText()).toBe(glossary.seed);
    const described = await page.evaluate(
      'document.getElementById(document.activeElement.getAttribute("aria-describedby")).textContent',
    );
    expect(described).toBe(glossary.seed);
    await page.keyboard.press("Escape");
    await meaning().waitFor({ state: "hidden" });
  });

  it("show it in the window when the focus scrolls the page", async () => {
    for (let i = 0; i < 4; i++) await page.keyboard.press("Tab");
    expect(await meaning().innerText()).toBe(glossary.leak);
    const { top, bottom } = await meaning().evaluate((box) => box.getBoundingClientRect());
    expect(top).toBeGreaterThanOrEqual(0);
    expect(bottom).toBeLessThanOrEqual(800);
  });

  it("show it after a tap until the next one", async () => {
    await page.evaluate("scrollTo(0, 0)");
    await term("held-out rows").click();
    expect(await meaning().innerText()).toBe(glossary["held-out rows"]);
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole("heading").click();
    await meaning().waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
  });
});

describe("the question below the verdict", () => {
  it("is answered for each verdict without a script", () => {
    const panel = (better: "yes" | "no", quoted?: Certificate) => (
      <VerdictPanel card={{ ...bareCard, verdict: verdict({ better }) }} quoted={quoted} />
    );
    const page = rendered(panel("no"));
    expect(texts(page, ".trust summary")).toEqual(["Can I trust this model?"]);
    expect(texts(page, ".trust dd")[0]).toMatch(/^No: the same answer for every row/);
    expect(texts(page, ".trust dd")[1]).toContain("no certificate limits it");
    expect(textOf(panel("yes", certificate()))).toMatch(
      /Yes: it makes clearly fewer errors.*Plan with the certificate/,
    );
    expect(textOf(<VerdictPanel card={bareCard} />)).toContain("Not known: no rows were held out.");
  });

  it("leads to the long answer where the page knows the guide, and names it elsewhere", () => {
    const panel = <VerdictPanel card={bareCard} />;
    const beside = rendered(
      <GuideAddress.Provider value="https://example.org/vouch/guide.html">{panel}</GuideAddress.Provider>,
    );
    const link = beside.querySelector(".trust a");
    expect(link?.getAttribute("href")).toBe("https://example.org/vouch/trust.html");
    expect(rendered(panel).querySelector(".trust a")).toBeNull();
    expect(textOf(panel)).toContain("The page docs/trust.md of the documentation");
  });
});
