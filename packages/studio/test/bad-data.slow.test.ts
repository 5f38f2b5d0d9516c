import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serialise, Table, trainClassifier, tree } from "vouch";
import { hasBrowser, startBrowser } from "../../../scripts/test-browser.js";
import { parquetBytes } from "../../formats/test/parquet-bytes.js";
import type { StudioServer } from "../../vouch/dist/process/studio-server.js";
import { Desk } from "../../vouch/test/vouch.js";
import {
  chooseLearner,
  churnCsv,
  giveFile,
  openStudio,
  PATIENTLY,
  type StudioPage,
  serveSite,
} from "./studio-page.js";

const lines = (header: string, ...rows: string[]) => `${[header, ...rows].join("\n")}\n`;
const repeated = <Row>(count: number, row: (i: number) => Row) =>
  Array.from({ length: count }, (_, i) => row(i));
const two = lines("a,b,label", ...repeated(40, (i) => `${i % 7},${i % 3},${i % 2 ? "x" : "y"}`));
const parquet = await parquetBytes(
  "SELECT i % 5 AS a, CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END AS label FROM range(300) t(i)",
);
const noise = Uint8Array.from({ length: 3000 }, (_, i) => (i * 7919) % 256);

/** A file with a fault, and what the page must say about it. */
interface BadFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly said: readonly string[];
}

/** Files that cannot be read, and what the page must say: what is wrong, where, and what to do. */
const UNREAD: readonly BadFile[] = [
  { name: "empty.csv", content: "", said: ["empty.csv is empty.", "Check the program that wrote it."] },
  {
    name: "header.csv",
    content: "a,b,label\n",
    said: ["header.csv has a header but no rows.", "set the column names to none on the Data page"],
  },
  {
    name: "twice.csv",
    content: two.replace("a,b", "a,a"),
    said: ['columns 1 and 2 are both called "a"', "Rename or remove one of them."],
  },
  {
    name: "ragged.csv",
    content: `${two}1,2,3,x\n`,
    said: ["(line 42): more than 3 cells", "Correct the record."],
  },
  {
    name: "bytes.csv",
    content: Buffer.from(two.replace("y\n", "\x81\n"), "latin1"),
    said: ["bytes.csv, line 2", "not valid UTF-8", "Choose the encoding of the file."],
  },
  {
    name: "picture.csv",
    content: Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), noise]),
    said: ["picture.csv is an image.", "vouch reads tables"],
  },
  {
    name: "noise.csv",
    content: noise,
    said: ["noise.csv, line 1: there is a NUL byte.", "If it is not text"],
  },
  {
    name: "half.parquet",
    content: parquet.subarray(0, parquet.length >> 1),
    said: ["half.parquet is not a valid Parquet file", "write or download it again"],
  },
  {
    name: "rest.parquet",
    content: parquet.subarray(parquet.length >> 1),
    said: ["rest.parquet is not a valid Parquet file", "write or download it again"],
  },
  {
    name: "cut.csv.gz",
    content: Buffer.from("1f8b0800000000000003", "hex"),
    said: ["the gzip data is corrupt or ends too early", "download it again"],
  },
];

/** Changes a number in the header of a model file. */
function withFormat(model: Buffer, format: number): Buffer {
  const end = 8 + Number(model.readBigUInt64LE());
  const header = Buffer.from(model.toString("utf8", 8, end).replace(/(\\"format\\":)\d+/, `$1${format}`));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, model.subarray(end)]);
}

/** Changes one byte of a file. */
function damaged(model: Buffer): Buffer {
  const copy = Buffer.from(model);
  copy[copy.length - 20] ^= 0xff;
  return copy;
}

describe.skipIf(!hasBrowser)("files with faults", () => {
  const desk = new Desk();
  let browser: Browser;
  let server: StudioServer;
  let studio: StudioPage;

  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), serveSite()]);
    studio = await openStudio(browser, server.address);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  /** The fault that the page shows for a file. */
  async function faultOf(file: string): Promise<string> {
    const fault = studio.page.locator(".fault", { hasText: file });
    await fault.waitFor();
    return fault.innerText();
  }

  it.each(UNREAD)("$name", async ({ name, content, said }) => {
    const { page } = studio;
    await giveFile(page, name, content);
    const fault = await faultOf(name);
    for (const part of said) expect(fault).toContain(part);
    expect(fault).not.toMatch(/ --[a-z]|undefined|\[object/);
    // The page waits for another file.
    expect(await page.getByRole("status").first().textContent()).toBe("");
    expect(await page.locator("input[type=file]").first().isEnabled()).toBe(true);
  });

  it("models that are cut off, damaged, of a newer version, or no models", async () => {
    const { page } = studio;
    const records = repeated(60, (i) => ({ a: i % 7, label: i % 2 ? "x" : "y" }));
    const { classifier } = await trainClassifier(Table.fromRecords("rows", records), tree());
    const model = Buffer.from(await serialise(classifier));
    for (const [name, content, ...said] of [
      ["cut.safetensors", model.subarray(0, model.length - 100), "damaged", "copy it again"],
      ["start.safetensors", model.subarray(0, 100), "damaged", "copy it again"],
      ["changed.safetensors", damaged(model), "checksum", "copy it again"],
      ["newer.safetensors", withFormat(model, 99), "written by a newer vouch (format 99", "Update vouch."],
      ["table.safetensors", Buffer.from(two), "table.safetensors"],
      ["none.safetensors", Buffer.alloc(0), "none.safetensors"],
    ] as const) {
      await giveFile(page, name, content);
      const fault = await faultOf(name);
      for (const part of said) expect(fault, name).toContain(part);
    }
  });

  it("targets that cannot be classes: another one can be chosen", async () => {
    const { page } = studio;
    await giveFile(page, "one.csv", two.replaceAll(",y\n", ",x\n"));
    expect(await faultOf("one.csv")).toMatch(/same class "x" in column "label"[\s\S]*choose another target/);
    expect(await page.getByRole("button", { name: "Next: train" }).isDisabled()).toBe(true);
    await page.getByLabel(/^Predict/).selectOption("b");
    await page.getByRole("button", { name: "Next: train" }).and(page.locator(":enabled")).waitFor();
    await page.getByRole("button", { name: "Start over" }).click();

    const many = lines("a,b,label", ...repeated(6000, (i) => `${i % 7},${(i * 37) % 11},v${i % 5000}`));
    await giveFile(page, "many.csv", many);
    expect(await faultOf("many.csv")).toMatch(
      /5,000 different values in 6,000 rows[\s\S]*Choose another target/,
    );
    await page.getByLabel(/^Predict/).selectOption("a");
    await page.getByRole("button", { name: "Next: train" }).and(page.locator(":enabled")).waitFor();
    expect(await page.locator(".fault").count()).toBe(0);
    await page.getByRole("button", { name: "Start over" }).click();
  });

  it("a kind that a column cannot have, and a learner that cannot learn the classes: said beside them", async () => {
    const { page } = studio;
    const classes = "uvw";
    const words = repeated(60, (i) => `${i % 7},${["red", "blue"][i % 2]},${classes[i % 3]}`);
    await giveFile(page, "words.csv", lines("a,colour,label", ...words));
    const row = page.locator(".column-choices tr", { hasText: "colour" });
    await page.getByLabel("Kind of colour").selectOption("numeric");
    await row.locator(".fault", { hasText: "red" }).waitFor();
    expect(await page.locator(".fault").count()).toBe(1);
    await page.getByLabel("Kind of colour").selectOption("ignored");
    await expect.poll(() => page.locator(".fault").count(), PATIENTLY).toBe(0);

    await page.getByRole("button", { name: "Next: train" }).click();
    await chooseLearner(page, "perceptron");
    await page.getByRole("button", { name: /^Train / }).click();
    await page.locator("form .fault", { hasText: "two classes" }).waitFor();
    expect(await page.locator(".fault").count()).toBe(1);
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByRole("button", { name: "Start over" }).click();
  });

  it("a file that is changed after it was opened: its data stays", async () => {
    const { page } = studio;
    const path = join(desk.path, "churn.csv");
    writeFileSync(path, churnCsv(300));
    await page.locator("input[type=file]").first().setInputFiles(path);
    await page.getByText("300 rows").waitFor();
    writeFileSync(path, churnCsv(200));
    utimesSync(path, 1, 1);
    await page.getByLabel(/^Predict/).selectOption("region");
    expect(await faultOf("churn.csv can no longer be read")).toContain("choose it again");
    expect(await page.getByText("300 rows").isVisible()).toBe(true);
    expect(await page.getByLabel(/^Predict/).inputValue()).toBe("churn");
    await page.getByRole("button", { name: "Start over" }).click();
    await page.locator("input[type=file]").first().setInputFiles(path);
    await page.getByText("200 rows").waitFor();
  });
});
