import type {
  DescribedNode,
  ImageSection,
  LayerSection,
  TreeLeaf,
  TreeSection,
} from "@vouch/core/internal/learners/description";
import { HierarchyFigure, ImageFigure, LayerFigure, LeaderBoard, TreeFigure } from "@vouch/views";
import type { Leader } from "@vouch/views/facts";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANY_IMPACT, accessFaults, beyondSides, hasBrowser } from "../../../scripts/test-browser.js";
import { openPanels } from "./live-page.js";

const leader = (name: string, error: number): Leader => ({
  name,
  errors: [error],
  rows: 80,
  tested: 40,
  seconds: 0.1,
});
const before = [leader("forest", 0.1), leader("svm", 0.2), leader("mlp", 0.3)];
const after = [leader("mlp", 0.05), leader("forest", 0.1), leader("svm", 0.2)];

const leaf = (name: string): TreeLeaf => ({
  kind: "leaf",
  label: name,
  rows: 50,
  wrong: 3,
  facts: [],
  shares: ["stays", "leaves"].map((one) => ({ class: one, share: Number(one === name) })),
});

const tree: TreeSection = {
  kind: "tree",
  title: "tree",
  root: {
    kind: "split",
    condition: "age ≤ 30",
    rows: 100,
    facts: [],
    distribution: {
      feature: "age",
      cells: { edges: [18, 30, 60] },
      first: 1,
      classes: [
        { class: "stays", counts: [50, 0] },
        { class: "leaves", counts: [0, 50] },
      ],
    },
    branches: [
      { outcome: "yes", node: leaf("stays") },
      { outcome: "no", node: leaf("leaves") },
    ],
  },
};

const nodes: DescribedNode[] = [
  {
    left: ["a"],
    right: ["b"],
    ignored: [],
    margin: 0.2,
    rows: 9,
    errors: 0,
    leftChild: { class: "a" },
    rightChild: { class: "b" },
  },
];

const layers: LayerSection = {
  kind: "layers",
  title: "layers",
  layers: ["layer 1", "layer 2"].map((name) => ({
    name,
    members: ["forest", "random-trees"],
    alpha: 1,
    outOfFoldAccuracy: 0.9,
    margins: { mean: 0.5, variance: 0.1, ratio: 0.6, quantiles: [0, 0.5, 1] },
  })),
};

const images: ImageSection = {
  kind: "images",
  title: "filters",
  width: 2,
  height: 2,
  total: 1,
  images: [{ name: "unit 1", values: [100, 0, 0, -100] }],
};

const script = `
import { h, render } from "preact";
import { LeaderBoard } from "@vouch/views";
window.race = (leaders) => render(h(LeaderBoard, { leaders }), document.querySelector("#race"));`;

describe.skipIf(!hasBrowser)("pictures in a page", () => {
  let browser: Browser;
  let page: Page;
  let complaints: readonly string[];

  beforeAll(async () => {
    const panels = (
      <main>
        <h1>Pictures</h1>
        <div id="race">
          <LeaderBoard leaders={before} />
        </div>
        <TreeFigure section={tree} />
        <TreeFigure section={{ ...tree, gates: true }} />
        <HierarchyFigure nodes={nodes} />
        <LayerFigure section={layers} />
        <ImageFigure section={images} />
      </main>
    );
    ({ browser, page, complaints } = await openPanels(panels, script, { width: 1280, height: 900 }));
  });

  afterAll(() => browser?.close());

  it("let candidates slide to their new places, and tell who leads now", async () => {
    const names = () => page.locator("#race tbody th").allTextContents();
    await page.evaluate(`race(${JSON.stringify(before)})`);
    expect(await names()).toEqual(["forest", "svm", "mlp"]);
    await page.evaluate(`document.querySelector("#race tbody tr").dataset.kept = "yes"`);
    const moving = await page.evaluate(
      `race(${JSON.stringify(after)}), document.getAnimations().filter((one) => one.effect.target.tagName === "TR").length`,
    );
    expect(moving).toBe(3);
    expect(await names()).toEqual(["mlp", "forest", "svm"]);
    // The row of a candidate is moved, not written again.
    expect(await page.locator("#race tr[data-kept]").getAttribute("data-name")).toBe("forest");
    expect(await page.locator("#race [aria-live]").textContent()).toBe("Leading: mlp, error 5.0%.");
    await page.emulateMedia({ reducedMotion: "reduce" });
    const still = await page.evaluate(
      `document.getAnimations().forEach((one) => one.finish()), race(${JSON.stringify(before)}), document.getAnimations().filter((one) => one.effect.target.tagName === "TR").length`,
    );
    expect(still).toBe(0);
  });

  it("give place to outlines on a phone, without a page that scrolls sideways", async () => {
    const picture = page.locator(".tree-picture");
    const outline = page.locator(".outline .tree").first();
    expect(await picture.isVisible()).toBe(true);
    expect(await outline.isVisible()).toBe(false);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await picture.isVisible()).toBe(false);
    expect(await outline.isVisible()).toBe(true);
    expect(await page.locator(".outline .split-picture").first().isVisible()).toBe(true);
    expect(await beyondSides(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("are complete on paper", async () => {
    await page.emulateMedia({ media: "print" });
    for (const part of [
      ".tree-picture .split-value",
      ".cascade .wrong",
      ".hierarchy circle",
      ".images img",
    ]) {
      expect(await page.locator(part).first().isVisible(), part).toBe(true);
    }
    await page.emulateMedia({ media: "screen" });
  });

  it("are accessible in light and dark", async () => {
    expect(await accessFaults(page, ANY_IMPACT)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
