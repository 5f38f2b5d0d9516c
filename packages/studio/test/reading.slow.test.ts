import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { beyondSides, hasBrowser, startBrowser } from "../../../scripts/test-browser.js";
import { rowsXml, workbook } from "../../formats/test/handmade-xlsx.js";
import type { StudioServer } from "../../vouch/dist/process/studio-server.js";
import { bin, Desk } from "../../vouch/test/vouch.js";
import {
  chooseLearner,
  download,
  dropFile,
  giveFile,
  openStudio,
  PATIENTLY,
  serveSite,
  shownCommand,
  trainOne,
} from "./studio-page.js";

const desk = new Desk();

/** Customers as a German office keeps them: decimal commas, umlauts, and a word for what is unknown. */
function customers(rows: number): string[][] {
  const row = (i: number) => {
    const spent = 20 + ((i * 37) % 101) / 4;
    const size = i % 17 === 0 ? "unbekannt" : `${150 + ((i * 7) % 40)},5`;
    const region = ["Süd", "Nord", "Köln"][i % 3];
    return [size, spent.toFixed(2).replace(".", ","), region, spent > 33 ? "ja" : "nein"];
  };
  return [["Größe", "Umsatz", "Region", "Kündigung"], ...Array.from({ length: rows }, (_, i) => row(i))];
}

/** Customers as a German Excel exports them: semicolons, and Windows-1252. */
function customersCsv(rows: number): Buffer {
  const lines = customers(rows).map((values) => `${values.join(";")}\r\n`);
  return Buffer.from(lines.join(""), "latin1");
}

/** Customers as a German workbook: a title above the table, amounts that are texts, sizes that are numbers, and notes on another sheet. */
function customersWorkbook(rows: number): Buffer {
  const [names, ...values] = customers(rows);
  const table = values.map(([size, ...rest]) => [
    size.includes(",") ? Number(size.replace(",", ".")) : size,
    ...rest,
  ]);
  return workbook({
    Kunden: rowsXml([["Kundenliste 2025"], [], names, ...table]),
    Notizen: rowsXml([["Stand: März"]]),
  });
}

const kind = (page: Page, column: string) => page.getByLabel(`Kind of ${column}`).inputValue();

/** Trains with a command that a page shows, and returns the model. */
async function trainedBy(command: string): Promise<Buffer> {
  const inShell = `exec "$0" "$@" ${command.slice("vouch ".length)} --out again.safetensors`;
  await desk.print([], { program: ["sh", "-c", inShell, process.execPath, bin] });
  return desk.bytes("again.safetensors");
}

describe.skipIf(!hasBrowser)("how a file is written", () => {
  let browser: Browser;
  let server: StudioServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), serveSite()]);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("an example with categories, missing values and a story comes first", async () => {
    const { page, context, complaints } = await openStudio(browser, server.address);
    expect(await page.locator(".cards button strong").first().innerText()).toBe("Penguins");
    await page.getByRole("button", { name: /^Penguins/ }).click();
    await page.getByText("researchers measured 344 penguins").waitFor();
    expect(await page.getByLabel(/^Predict/).inputValue()).toBe("species");
    expect(await page.getByLabel("Kind of island").inputValue()).toBe("categorical");
    expect(await page.locator(".preview .missing").count()).toBe(5);
    await page.reload();
    await page.getByText("researchers measured 344 penguins").waitFor();
    const content = "a,b,label\n1,2,x\n3,4,y\n2,2,x\n5,4,y\n";
    await dropFile(page, { name: "penguins.csv", content });
    await page.getByText("4 rows, 3 columns").waitFor();
    expect(await page.getByText("researchers measured").count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("can be said for a file from elsewhere; the rows show it, and the command trains the same model", async () => {
    const { page, context, complaints } = await openStudio(browser, server.address);
    const content = customersCsv(300);
    await giveFile(page, "kunden.csv", content);
    const preview = page.getByRole("region", { name: "First rows" });
    await preview.getByText("Süd").first().waitFor();
    await page.getByText("How the file is written").first().click();
    await page.getByLabel("Decimal mark").selectOption("comma");
    await preview
      .getByText("20.00")
      .or(preview.getByText("20", { exact: true }))
      .first()
      .waitFor();
    expect(await kind(page, "Umsatz")).toBe("numeric");
    await trainOne(page, "tree");
    const command = await shownCommand(page);
    expect(command).toContain("--decimal-comma");
    const model = await download(page, "Download the model");
    desk.file("kunden.csv", content);
    expect(model.equals(await trainedBy(command))).toBe(true);
    // New rows are read in the same way.
    await giveFile(page, "neu.csv", content);
    await page.getByText("300 rows predicted").waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each([
    { name: "kunden.csv", content: customersCsv(300), notice: "Windows-1252" },
    { name: "kunden.xlsx", content: customersWorkbook(300), notice: "Notizen" },
  ])("is found in $name, from the file to the verdict", async ({ name, content, notice }) => {
    const { page, context, complaints } = await openStudio(browser, server.address);
    await giveFile(page, name, content);
    await page.getByText("300 rows, 4 columns").waitFor();
    expect(await page.getByLabel(/^Predict/).inputValue()).toBe("Kündigung");
    expect(await kind(page, "Größe")).toBe("numeric");
    expect(await kind(page, "Umsatz")).toBe("numeric");
    expect(await kind(page, "Region")).toBe("categorical");
    const notes = await page.getByRole("list", { name: "Notes on the columns" }).innerText();
    expect(notes).toContain(notice);
    expect(notes).not.toContain("--");
    await trainOne(page, "tree");
    const verdict = await page.locator(".verdict").first().textContent();
    expect(verdict).toContain("held-out rows");
    expect(verdict).toContain(notice);
    expect(verdict).not.toContain("--");
    const command = await shownCommand(page);
    expect(command).not.toMatch(/decimal|encoding|delimiter|sheet|skip|header/);
    const model = await download(page, "Download the model");
    desk.file(name, content);
    expect(model.equals(await trainedBy(command))).toBe(true);
    await giveFile(page, name, content);
    await page.getByText("300 rows predicted").waitFor();
    expect(await page.locator("main").innerText()).not.toMatch(/--(?:encoding|sheet|skip|decimal-comma)/);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("can be said for a file that cannot be read; the data before stays meanwhile", async () => {
    const { page, context } = await openStudio(browser, server.address);
    await giveFile(page, "good.csv", "a,label\n1,x\n2,y\n3,x\n4,y\n");
    await page.getByText("4 rows, 2 columns").waitFor();
    await page.getByRole("button", { name: "Next: train" }).click();
    await page.getByRole("link", { name: "Data" }).click();
    const rows = Array.from({ length: 30 }, (_, i) => `${i % 7}!${i % 5}!${i % 2 ? "x" : "y"}`);
    const bad = `a;b\n${rows.join("\n")}\n`;
    await page.evaluate(
      ({ text }) => {
        const dropped = new DataTransfer();
        dropped.items.add(new File([text], "bad.csv"));
        document.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped }));
      },
      { text: bad.replace("a;b\n", "a;a\n") },
    );
    await page.getByRole("heading", { name: "bad.csv could not be read" }).waitFor();
    expect(await page.locator(".first-lines").innerText()).toContain("0!0!y");
    await page.getByLabel("Column names").selectOption("none");
    await expect.poll(() => page.locator(".fault").count(), PATIENTLY).toBe(1);
    await page.getByRole("button", { name: "Back to good.csv" }).click();
    await page.getByText("4 rows, 2 columns").waitFor();
    expect(await page.locator(".fault").count()).toBe(0);
    await context.close();
  });

  it("fits long names, fractions and classes that differ in case on a phone, and names no flag", async () => {
    const { page, context, complaints } = await openStudio(browser, server.address, { width: 390 });
    const long = "What is your age in completed years at the time of the interview (please round down)?";
    const lines = Array.from({ length: 120 }, (_, i) => {
      const label = i % 2 === 0 ? "no" : i % 8 === 1 ? "Yes " : "yes";
      return `${i % 60},${(i * Math.SQRT2) % 7},${label}`;
    });
    await giveFile(page, "survey.csv", `${long},share,answer\n${lines.join("\n")}\n`);
    const preview = page.getByRole("region", { name: "First rows" });
    await preview.getByText("1.414214", { exact: true }).waitFor();
    await preview.getByText("Yes␣").first().waitFor();
    const heading = preview.getByRole("columnheader").first();
    expect((await heading.boundingBox())?.width).toBeLessThan(300);
    expect(await heading.getAttribute("title")).toBe(long);
    const merge = page.getByLabel("Merge classes that differ");
    expect((await merge.boundingBox())?.height).toBeLessThanOrEqual(24);
    await trainOne(page, "tree");
    await page.locator(".verdict").getByText("different classes unless you merge them").waitFor();
    expect(await page.locator(".verdict").innerText()).not.toContain("--");
    await page.getByRole("button", { name: "Train another model" }).click();
    await chooseLearner(page, "stump");
    await page.getByRole("button", { name: /^Train / }).click();
    await page.getByRole("heading", { name: "Your models" }).waitFor();
    expect(await beyondSides(page)).toEqual([]);
    const card = page.locator(".model-list tr").last();
    expect(await card.evaluate((row) => getComputedStyle(row).display)).toBe("grid");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("flags columns from which nothing can be learned", async () => {
    const { page, context } = await openStudio(browser, server.address);
    const rows = Array.from({ length: 40 }, (_, i) => `${i % 7},80,,${i % 2 ? "x" : "y"}`);
    await giveFile(page, "flat.csv", `a,same,none,label\n${rows.join("\n")}\n`);
    const row = (name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) }).last();
    await row("same").waitFor();
    expect(await row("same").textContent()).toContain("The same value in every row");
    expect(await row("none").textContent()).toContain("All values are missing");
    expect(await row("a n").textContent()).not.toContain("every row");
    await context.close();
  });
});
