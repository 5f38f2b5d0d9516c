import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessFaults, beyondSides, hasBrowser, startBrowser, watch } from "../../../scripts/test-browser.js";
import { saveFlowers, servers, temporaryFolder } from "./fixtures.js";

const folder = temporaryFolder();
const start = servers();

describe.runIf(hasBrowser)("the page of a model", () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  beforeAll(async () => {
    browser = await startBrowser();
    await saveFlowers(join(folder, "flowers.safetensors"), { answers: true });
  });
  afterAll(() => browser.close());

  it.each([1280, 390])("lets people try it, in a window of %i pixels", async (width) => {
    const { http } = await start({ models: [folder] });
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const { complaints, requests } = watch(page);
    await page.goto(http);
    expect(await accessFaults(page)).toEqual([]);
    await page.click("h2 a");
    await page.getByLabel("length").fill("2.9");
    await page.getByLabel("colour").selectOption("red");
    await page.getByRole("button", { name: "Predict" }).click();
    await page.waitForSelector("#answer .predicted");
    const body = JSON.parse(await page.inputValue("#body"));
    expect(body).toMatchObject({ length: 2.9, colour: "red" });
    const reply = JSON.parse((await page.textContent("#reply")) ?? "");
    const asked = await fetch(`${http}/models/flowers/predict?reasons=5`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(await asked.json()).toEqual(reply);
    expect(await page.textContent("#curl")).toContain(
      `curl -H 'Content-Type: application/json' '${http}/models/flowers/predict?reasons=5'`,
    );
    const shown = (await page.textContent("#answer")) ?? "";
    for (const name of Object.keys(reply.probabilities)) expect(shown).toContain(name);
    expect(shown).toContain(`For and against ${reply.reasons.class}`);
    expect(await page.locator("#answer .signed li").count()).toBe(reply.reasons.columns.length);
    expect(await beyondSides(page)).toEqual([]);
    expect(await accessFaults(page)).toEqual([]);
    await page.fill("#body", JSON.stringify({ ...body, width: "wide" }));
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForSelector("#answer .field-warning");
    expect(await page.textContent("#answer")).toContain('column "width": "wide"');
    // The browser tells of the one answer that was not to its liking.
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
    expect(requests.filter((address) => !address.startsWith(http) && !address.startsWith("data:"))).toEqual(
      [],
    );
    await page.close();
  });
});
