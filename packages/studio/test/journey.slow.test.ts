import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { beyondSides, hasBrowser, startBrowser, unfold, watch } from "../../../scripts/test-browser.js";
import type { StudioServer } from "../../vouch/dist/process/studio-server.js";
import { bin, Desk } from "../../vouch/test/vouch.js";
import {
  chooseLearner,
  churnCsv,
  download,
  dropFile,
  openStudio,
  PATIENTLY,
  type StudioPage,
  serveSite,
  shownCommand,
  title,
} from "./studio-page.js";

/** The training rows of adult, where there is a folder of data sets. */
const ADULT = join(process.env.VOUCH_DATA ?? "", "adult.train.csv.gz");

const desk = new Desk();

/** Runs the command that a page shows, and returns the model that it trains. */
async function modelOf(command: string): Promise<Buffer> {
  expect(command).toMatch(/^vouch train /);
  const inShell = `exec "$0" "$@" ${command.slice("vouch ".length)} --out again.safetensors`;
  await desk.print([], { program: ["sh", "-c", inShell, process.execPath, bin] });
  return desk.bytes("again.safetensors");
}

/** Runs a program that a page offers, and returns the model that it trains. */
async function modelOfProgram(program: Buffer): Promise<Buffer> {
  // Programs find the packages from their own folder.
  const own = mkdtempSync(join(fileURLToPath(new URL("../dist/", import.meta.url)), "program-"));
  try {
    writeFileSync(join(own, "train.mjs"), program);
    const printed = await desk.print([], { program: [process.execPath, join(own, "train.mjs")] });
    expect(printed).toContain("held-out rows");
    return desk.bytes("model.safetensors");
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** A model file but for the errors of other candidates, which only the file of a race lists. */
function withoutRecord(model: Buffer) {
  const end = 8 + Number(model.readBigUInt64LE());
  const { __metadata__, ...tensors } = JSON.parse(model.toString("utf8", 8, end));
  const { card, ...rest } = JSON.parse(__metadata__.vouch);
  const { among, certifiable: shares = among } = card.choice;
  return { ...rest, card: { ...card, choice: { shares } }, tensors, bytes: model.subarray(end) };
}

/** Starts a race from the data step, and waits for places on its board. */
async function startRace({ page }: StudioPage): Promise<void> {
  await page.getByRole("button", { name: "Next: train" }).click();
  await page.getByLabel("Time").selectOption("10");
  await page.getByRole("button", { name: "Start the race" }).click();
  await page.locator("table.leaders tbody tr").nth(2).waitFor();
  // The board is live: it changes while the race goes on.
  const board = () => page.locator("table.leaders tbody").innerText({ timeout: 1000 });
  const first = await board();
  await expect.poll(board, PATIENTLY).not.toBe(first);
  expect(await page.getByRole("progressbar", { name: "Training" }).isVisible()).toBe(true);
}

describe.skipIf(!hasBrowser)("from a dropped file to a model", () => {
  let browser: Browser;
  let server: StudioServer;
  let studio: StudioPage;
  const csv = churnCsv();
  desk.file("churn.csv", csv);

  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), serveSite()]);
    studio = await openStudio(browser, server.address);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("guesses the target", async () => {
    const { page } = studio;
    await dropFile(page, { name: "churn.csv", content: csv, place: ".drop" });
    await page.getByText("2,000 rows, 10 columns").waitFor();
    expect(await page.getByLabel(/^Predict/).inputValue()).toBe("churn");
    expect(await page.getByText("guessed").isVisible()).toBe(true);
    expect(await page.getByLabel("Kind of contract").inputValue()).toBe("categorical");
  });

  it("races with a live board; stopping keeps the best, with a verdict and a certificate", async () => {
    const { page } = studio;
    await startRace(studio);
    await page.getByRole("button", { name: "Stop and keep the best" }).click();
    await page.locator(".verdict").first().waitFor();
    const verdict = await page.locator(".verdict").first().innerText();
    expect(verdict).toContain("held-out rows");
    expect(verdict).toMatch(/With 95% confidence/);
    expect(await title(page)).toMatch(/ predicts churn$/);
  });

  it("gives the model of the command that it shows, which vouch certify accepts", async () => {
    const { page } = studio;
    const model = await download(page, "Download the model");
    desk.file("model.safetensors", model);
    expect(await desk.print(["certify", "model.safetensors"])).toContain("held-out");
    expect(withoutRecord(await modelOf(await shownCommand(page)))).toEqual(withoutRecord(model));
  });

  it("trains a learner with options and a seed to the same file as the command, byte for byte", async () => {
    const { page } = studio;
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByLabel("Kind of age").selectOption("ignored");
    await expect
      .poll(() => page.locator(".column-choices").getByRole("row", { name: /^age/ }).textContent(), PATIENTLY)
      .toContain("not read");
    await page.getByRole("button", { name: "Next: train" }).click();
    await chooseLearner(page, "forest");
    await page.getByLabel("trees", { exact: true }).fill("20");
    await page.getByText("Unsure rows, sets and seed").click();
    await page.getByLabel("Seed").fill("7");
    await page.getByRole("button", { name: "Train Random forest" }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("Random forest predicts churn");
    const command = await shownCommand(page);
    for (const part of ["--set trees=20", "--ignore age", "--seed 7"]) expect(command).toContain(part);
    const model = await download(page, "Download the model");
    expect(model.equals(await modelOf(command))).toBe(true);
  });

  it("offers a program that trains the same model", async () => {
    const { page } = studio;
    const model = await download(page, "Download the model");
    expect(model.equals(await modelOfProgram(await download(page, "Download the code")))).toBe(true);
  });

  it("trains with costs, abstention and sets to the same file as the command and the program", async () => {
    const { page } = studio;
    await page.getByRole("link", { name: "Train" }).click();
    await chooseLearner(page, "logistic");
    await page.getByLabel("Goal").selectOption("cost");
    await page.getByLabel("A missed Yes").fill("5");
    await page.getByLabel("Where the model is unsure").selectOption("0.1");
    await page.getByLabel("Sets of possible classes").selectOption("0.9");
    await page.getByRole("button", { name: "Train Logistic regression" }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("Logistic regression predicts churn");
    expect(await page.locator(".verdict").first().innerText()).toMatch(
      /abstains when unsure|answers every row/,
    );
    const command = await shownCommand(page);
    for (const part of ["--cost Yes:No=5", "--abstain 0.1", "--sets 0.9"]) expect(command).toContain(part);
    const model = await download(page, "Download the model");
    expect(model.equals(await modelOf(command))).toBe(true);
    expect(model.equals(await modelOfProgram(await download(page, "Download the code")))).toBe(true);
    // The next trainings are plain ones.
    await page.getByRole("link", { name: "Train" }).click();
    await page.getByLabel("Goal").selectOption("error");
    await page.getByLabel("Where the model is unsure").selectOption("");
    await page.getByLabel("Sets of possible classes").selectOption("");
    await page.getByRole("link", { name: "Use" }).click();
  });

  it("offers a report that answers and fits a phone", async () => {
    desk.file("report.html", await download(studio.page, "Download the report"));
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    const { complaints, requests } = watch(page);
    const address = pathToFileURL(join(desk.path, "report.html")).href;
    await page.goto(address);
    await page.locator(".answer .predicted").waitFor();
    await unfold(page);
    expect(await beyondSides(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([address]);
    await page.close();
  });

  it("asks nobody but its own host, and complains about nothing", async () => {
    const { requests, complaints } = studio;
    const { origin } = new URL(server.address);
    expect(requests.length).toBeGreaterThan(5);
    expect(
      requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith(`blob:${origin}/`)),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("brings the session back after a reload, also without a network, and trains there", async () => {
    const { page, context } = studio;
    const verdict = () => page.locator(".verdict").first().textContent();
    const before = await verdict();
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    await page.reload();
    await expect.poll(verdict, PATIENTLY).toBe(before);
    server.close();
    await context.setOffline(true);
    await page.reload();
    await expect.poll(verdict, PATIENTLY).toBe(before);
    await page.getByRole("link", { name: "Data" }).click();
    expect(await page.getByLabel("Kind of age").inputValue()).toBe("ignored");
    await page.getByRole("button", { name: "Next: train" }).click();
    await chooseLearner(page, "majority");
    await page.getByRole("button", { name: /^Train / }).click();
    await expect.poll(() => title(page), PATIENTLY).toBe("Most frequent class predicts churn");
  });

  it.skipIf(!existsSync(ADULT))(
    "races on adult to the end, and gives the model of the command",
    async () => {
      const adult = gunzipSync(readFileSync(ADULT));
      desk.file("adult.csv", adult);
      const own = await serveSite();
      const opened = await openStudio(browser, own.address);
      const { page, context } = opened;
      await dropFile(page, { name: "adult.csv", content: adult });
      await page.getByText("32,561 rows").waitFor();
      expect(await page.getByLabel(/^Predict/).inputValue()).toBe("label");
      await startRace(opened);
      await page.locator(".verdict").first().waitFor({ timeout: 120_000 });
      const model = await download(page, "Download the model");
      desk.file("model.safetensors", model);
      expect(await desk.print(["certify", "model.safetensors"])).toContain("held-out");
      expect(withoutRecord(await modelOf(await shownCommand(page)))).toEqual(withoutRecord(model));
      await context.close();
      own.close();
    },
    240_000,
  );
});
