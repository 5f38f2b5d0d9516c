import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allLearners } from "vouch";
import { stateFrom } from "#studio/playground/playground-state.js";
import { accessFaults, beyondSides, hasBrowser, startBrowser } from "../../../../scripts/test-browser.js";
import type { StudioServer } from "../../../vouch/dist/process/studio-server.js";
import { openStudio, PATIENTLY, type StudioPage, serveSite } from "../studio-page.js";

describe.skipIf(!hasBrowser)("the playground of the built studio", () => {
  let browser: Browser;
  let server: StudioServer;
  /** One page for all tests: each begins with an address of its own. */
  let studio: StudioPage;

  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), serveSite()]);
    studio = await openStudio(browser, server.address);
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  async function opened(hash: string): Promise<Page> {
    const { page } = studio;
    await page.goto("about:blank");
    await page.goto(`${server.address}#playground${hash}`);
    return page;
  }

  const trained = (page: Page) => page.getByText("Trained.").waitFor();

  it("trains what the link says, and writes what is chosen into the address", async () => {
    const page = await opened("?problem=circles&classes=2&noise=0.1&set.rounds=12");
    await trained(page);
    expect(await page.getByLabel("Points").inputValue()).toBe("circles");
    await page.getByText("round 12 of 12").waitFor();
    const rows = page.locator("table.errors").getByRole("row");
    expect(await rows.filter({ hasText: /^Bound from the test rows/ }).innerText()).toMatch(/≤ \d/);
    const picture = page.getByRole("img", { name: /Decision regions after round 12/ });
    expect(await picture.getAttribute("aria-label")).toMatch(
      /Predicted A on .* of the picture, \d+ of \d+ test/,
    );

    const learner = page.getByLabel("Learner", { exact: true });
    await learner.selectOption("svm");
    expect(await learner.locator("option:checked").innerText()).toBe("Support vector machine");
    await page.getByLabel("C", { exact: true }).fill("10");
    await page.getByLabel("C", { exact: true }).press("Enter");
    await page.getByRole("button", { name: "Default: 1" }).waitFor();
    // The degree is of another kernel.
    expect(await page.getByLabel("degree").count()).toBe(0);
    await trained(page);
    await expect
      .poll(() => stateFrom(new URL(page.url()).hash), PATIENTLY)
      .toMatchObject({ state: { problem: "circles", learner: "svm", settings: { C: "10" } }, faults: [] });
  });

  it("says once why a bound says nothing, and shows the picture before the options on a phone", async () => {
    const page = await opened("?problem=spirals&classes=3&learner=adaboost");
    await trained(page);
    await page.getByText("What each bound says").click();
    const said = await page.locator(".bounds dd", { hasText: "vacuous" }).first().innerText();
    expect(said.match(/vacuous/g)).toHaveLength(1);
    await page.setViewportSize({ width: 390, height: 844 });
    const tops = await page.evaluate(`[".problem", ".picture", ".findings", ".playground .options"].map(
      (place) => document.querySelector(place).getBoundingClientRect().top)`);
    expect(tops).toEqual([...(tops as number[])].sort((a, b) => a - b));
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("lists every learner by its title", async () => {
    const { page } = studio;
    const listed = await page
      .locator("#learner option")
      .evaluateAll((options) => options.map((one) => [one.getAttribute("value"), one.textContent]));
    const learners = (await allLearners()).map(({ name, title }) => [name, title]);
    expect(listed.sort()).toEqual(learners.sort());
  });

  it("shows an earlier step", async () => {
    const page = await opened("?set.rounds=12");
    await trained(page);
    const shown = () => page.getByRole("img", { name: /Decision regions/ }).getAttribute("aria-label");
    const last = await shown();
    await page.getByRole("slider", { name: /round/ }).press("Home");
    await page.getByText("round 1 of 12").waitFor();
    expect(await shown()).not.toBe(last);
  });

  it("learns circles and spirals with a network of default options, draws its units and trains on", async () => {
    for (const problem of ["circles", "spirals"]) {
      const page = await opened(`?problem=${problem}&classes=2&noise=0.05&rows=300&learner=mlp`);
      await trained(page);
      await page.getByRole("slider", { name: /epoch/ }).press("End");
      const label = await page.getByRole("img", { name: /Decision regions/ }).getAttribute("aria-label");
      const counts = [...(label ?? "").matchAll(/(\d+) of (\d+) test/g)];
      expect(counts).toHaveLength(2);
      for (const [, errors, rows] of counts) expect(Number(errors) / Number(rows)).toBeLessThan(0.1);
      await page.getByRole("img", { name: /hidden layers of 8 tanh units and 8 tanh units/ }).waitFor();
    }
    const { page } = studio;
    await page.getByRole("button", { name: "Train 100 more epochs" }).click();
    await page.getByText(/of 267$/).waitFor();
    await expect.poll(() => stateFrom(new URL(page.url()).hash).state.settings).toEqual({ epochs: "267" });
  });

  it("lets a problem be drawn by keyboard and by pointer", async () => {
    const page = await opened("?problem=drawn");
    await page.getByText("not enough points").waitFor();
    const cursor = page.getByRole("slider", { name: "Cursor in the picture" });
    await cursor.focus();
    for (const [key, move] of [
      ["1", "Shift+ArrowLeft"],
      ["2", "Shift+ArrowRight"],
    ]) {
      await page.keyboard.press(key);
      for (let i = 0; i < 4; i++) {
        await page.keyboard.press(move);
        await page.keyboard.press("Enter");
        await page.keyboard.press("ArrowUp");
      }
      for (let i = 0; i < 4; i++) await page.keyboard.press(move);
    }
    await trained(page);
    const drawn = () => stateFrom(new URL(page.url()).hash).state.points;
    // The address follows the page, which draws first.
    await expect.poll(() => drawn().map((point) => point.class), PATIENTLY).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    await page.keyboard.press("Delete");
    await expect.poll(() => drawn().length, PATIENTLY).toBe(7);
    expect(await cursor.getAttribute("aria-valuetext")).toMatch(/^x .*, y .*/);

    const canvas = page.locator("canvas");
    const box = await canvas.boundingBox();
    if (!box) throw new Error("There is no picture.");
    await page.mouse.move(box.x + 40, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 40, { steps: 20 });
    await page.mouse.up();
    await expect.poll(() => drawn().length, PATIENTLY).toBeGreaterThan(10);
    const added = drawn().slice(7);
    expect(added[0].y).toBeGreaterThan(0.9);
    expect(added.every((point) => point.class === 1)).toBe(true);
  });

  it("trains the newest state only, and cancels", async () => {
    const page = await opened("?learner=mlp&rows=1000&set.layers=256,128&set.epochs=20000&set.patience=0");
    await page.locator("label[for=step]", { hasText: /^epoch \d+$/ }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled.").waitFor();
    await page.getByLabel("Learner", { exact: true }).selectOption("stump");
    await trained(page);
    await page.getByRole("img", { name: /regions after fit 1/ }).waitFor();
  });

  it("shows the last model of a problem with more classes while another one is trained", async () => {
    const page = await opened("?problem=blobs&classes=5&learner=stump");
    await trained(page);
    for (const problem of ["moons", "circles", "xor", "spirals", "drawn"]) {
      await page.getByLabel("Points").selectOption(problem);
      await page.getByText(problem === "drawn" ? "not enough points" : "Trained.").waitFor();
    }
    expect(await page.getByText("Something went wrong").count()).toBe(0);
  });

  it("names an option that is not allowed", async () => {
    const page = await opened("?set.rounds=0&rows=5");
    await page.getByText(/adaboost: rounds must be .*, not 0\./).waitFor();
    expect(await page.getByText("The link sets rows").count()).toBe(1);
  });

  it("has no fault that axe finds in light and dark, and fits a phone", async () => {
    const page = await opened("?problem=blobs&classes=4&learner=relaxed-hierarchy");
    await page.setViewportSize({ width: 390, height: 844 });
    await trained(page);
    await page.getByText("More options").click();
    expect(await beyondSides(page)).toEqual([]);
    expect(await accessFaults(page)).toEqual([]);
    await page.getByLabel("Show").selectOption({ index: 1 });
  });

  it("asks for nothing but its own files, and complains about nothing", () => {
    const { requests, complaints } = studio;
    const { origin } = new URL(server.address);
    expect(requests.length).toBeGreaterThan(2);
    expect(requests.filter((url) => !url.startsWith(`${origin}/`) && url !== "about:blank")).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
