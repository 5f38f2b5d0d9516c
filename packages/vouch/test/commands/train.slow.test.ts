import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { serialise, train } from "vouch";
import { browserFlags, findBrowser } from "../../../../scripts/browser.mjs";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

/** P(Binomial(n, p) ≤ k), term by term. */
function binomialTail(k: number, n: number, p: number): number {
  let term = (1 - p) ** n;
  let sum = term;
  for (let i = 1; i <= k; i++) {
    term *= ((n - i + 1) / i) * (p / (1 - p));
    sum += term;
  }
  return sum;
}

/** What a reader of a page sees. */
function textOf(page: string): string {
  return page.replaceAll(/<[^>]*>/g, "").replaceAll(/[^\S\n]/g, " ");
}

describe.concurrent("train", () => {
  it("saves what the function train returns", async () => {
    await desk.json([
      "train",
      "iris",
      "--learner",
      "boosted-trees",
      "--set",
      "rounds=5",
      "--out",
      "same.safetensors",
    ]);
    const { classifier } = await train("iris", { learner: "boosted-trees", set: { rounds: 5 } });
    expect(Buffer.from(await serialise(classifier)).equals(desk.bytes("same.safetensors"))).toBe(true);
  });

  it("prints the JSON document of the contract, and its certificates are right", async () => {
    const args = ["train", "breastcancer", "--learner", "adaboost", "--out", "contract.safetensors"];
    const document = await desk.json(args);
    expect(document).toMatchObject({
      learner: "adaboost",
      options: { rounds: 100 },
      seed: 1,
      data: { name: "breastcancer", rows: 699, features: 9, classes: 2, trainingRows: 559, heldOutRows: 140 },
      error: { train: expect.any(Number), test: expect.any(Number) },
      model: "contract.safetensors",
      seconds: expect.any(Number),
      notices: [],
    });
    expect(document.error).not.toHaveProperty("folds");
    const named = (wanted: string) =>
      document.certificates.find(({ name }: { name: string }) => name === wanted);
    const [binomial, hoeffding] = [named("held-out-binomial"), named("held-out-hoeffding")];
    expect(document.certificates[0]).toEqual(binomial);
    for (const certificate of [binomial, hoeffding]) {
      expect(certificate).toMatchObject({
        name: expect.any(String),
        value: expect.any(Number),
        confidence: 0.95,
        holds: true,
        terms: { rows: 140, delta: 0.05 },
      });
      expect(certificate).not.toHaveProperty("reason");
    }
    const mistakes = Math.round(140 * document.error.test);
    expect(binomial.terms.errors).toBe(mistakes);
    expect(binomialTail(mistakes, 140, binomial.value)).toBeCloseTo(0.05, 9);
    expect(hoeffding.value).toBeCloseTo(mistakes / 140 + Math.sqrt(Math.log(20) / 280), 12);
    expect(existsSync(join(desk.path, "contract.safetensors"))).toBe(true);
  });

  it("tells a person the error, the guarantee and where the model is", async () => {
    const { code, stdout, stderr } = await desk.run(["train", "iris", "-l", "stump", "-o", "told.st"]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toContain("iris: 150 rows, 4 numeric columns");
    // One threshold tells two of three classes apart: setosa, with 15 of its 50 rows held out, is given up.
    expect(stdout).toMatch(/error on the training rows {4}31\.7%/);
    expect(stdout).toMatch(/error on 30 held-out rows {5}63\.3% {2}\(19 mistakes\)/);
    expect(binomialTail(19, 30, 0.779)).toBeLessThan(0.05);
    expect(binomialTail(19, 30, 0.777)).toBeGreaterThan(0.05);
    expect(stdout).toContain("With 95% confidence at most 77.9% of new cases like these are misclassified");
    expect(stdout).toMatch(
      /model saved to told\.st\n\nnext: search for a better learner\n {2}vouch train iris\n$/,
    );
  });

  it("ends with the command that makes most sense next", async () => {
    const next = async (args: readonly string[]) => {
      const text = await desk.print(["train", ...args, "--out", "next.st", "--quiet"]);
      return /\nnext: .*\n {2}(.*)\n$/.exec(text)?.[1];
    };
    desk.file("flowers.csv", flowersCsv(200));
    const boosted = ["--learner", "boosted-trees", "--set", "rounds=5"];
    expect(await next(["flowers.csv", ...boosted])).toBe("vouch predict next.st new.csv");
    expect(await next(["flowers.csv", "--learner", "majority", "--ignore", "colour"])).toBe(
      "vouch train flowers.csv --ignore colour",
    );
  });

  it("--folds cross-validates, trains on all rows and promises what these alone prove", async () => {
    const args = ["train", "iris", "--learner", "stump", "--folds", "3", "--out", "folds.st"];
    const document = await desk.json(args);
    const { errors, mean, sd } = document.error.folds;
    expect(errors).toHaveLength(3);
    expect(mean).toBeCloseTo((errors[0] + errors[1] + errors[2]) / 3, 12);
    expect(sd).toBeGreaterThanOrEqual(0);
    expect(document.data).toMatchObject({ rows: 150, trainingRows: 150, heldOutRows: 0 });
    expect(document.error).not.toHaveProperty("test");
    expect(document.certificates).toMatchObject([
      { name: "growth-function-exact", holds: true, terms: { errors: 50, rows: 150 } },
    ]);
  });

  it("--holdout keeps that share of the rows apart", async () => {
    const args = ["train", "iris", "--learner", "stump", "--holdout", "0.5", "--out", "half.st"];
    expect((await desk.json(args)).data).toMatchObject({ trainingRows: 75, heldOutRows: 75 });
  });

  it("--test measures on other rows; training rows among them are not evidence", async () => {
    desk.file("flowers.csv", flowersCsv(200, 1));
    desk.file("fresh.csv", flowersCsv(100, 2));
    const args = ["train", "flowers.csv", "--learner", "stump", "--out", "tested.st"];
    const fresh = await desk.json([...args, "--test", "fresh.csv"]);
    expect(fresh.data).toMatchObject({ trainingRows: 200, heldOutRows: 100 });
    // Rounded cells repeat: a row that equals a training row may be one, and does not count.
    expect(fresh.certificates[0]).toMatchObject({ name: "held-out-new-rows", holds: true });
    expect(fresh.certificates[0].terms.rows).toBeGreaterThan(80);
    const same = await desk.json([...args, "--test", "flowers.csv"]);
    expect(same.error.test).toBe(same.error.train);
    const heldOut = same.certificates.filter(({ name }: { name: string }) => name.startsWith("held-out"));
    expect(heldOut).toHaveLength(2);
    for (const certificate of heldOut) {
      expect(certificate).toMatchObject({ holds: false, reason: expect.stringContaining("100%") });
    }
  });

  it("--set gives options to the learner, --confidence to the certificates", async () => {
    const args = ["train", "breastcancer", "--learner", "adaboost", "--set", "rounds=3", "--out", "set.st"];
    const usual = await desk.json(args);
    expect(usual.options).toMatchObject({ rounds: 3 });
    const sure = await desk.json([...args, "--confidence", "0.999"]);
    expect(sure.certificates[0]).toMatchObject({ confidence: 0.999, terms: { delta: 0.001 } });
    expect(sure.certificates[0].value).toBeGreaterThan(usual.certificates[0].value);
  });

  it("--target, --ignore and --categorical choose columns and kinds", async () => {
    desk.file("columns.csv", flowersCsv(120));
    const args = ["train", "columns.csv", "--learner", "stump", "--out", "columns.st"];
    const document = await desk.json([...args, "--target", "colour", "--ignore", "species"]);
    expect(document.data).toMatchObject({ features: 2, classes: 3 });
    await desk.json([...args, "--categorical", "width", "--ignore", "length,colour"]);
    const { schema } = await desk.json(["inspect", "columns.st"]);
    expect(schema.columns).toMatchObject([{ kind: "categorical", name: "width" }]);
  });

  it("reads rows from standard input", async () => {
    const args = ["train", "-", "--learner", "stump", "--out", "piped.st"];
    const document = await desk.json(args, { stdin: flowersCsv(60) });
    expect(document.data).toMatchObject({ name: "standard input", rows: 60 });
  });

  it("gives the same errors for the same rows in any format", async () => {
    const csv = flowersCsv(80);
    const [header, ...rows] = csv.trimEnd().split("\n");
    const records = rows.map((row) => {
      const [length, width, colour, species] = row.split(",");
      return JSON.stringify({ length: Number(length), width: Number(width), colour, species });
    });
    const arff = `@relation flowers\n@attribute length numeric\n@attribute width numeric
@attribute colour {red,white,blue}\n@attribute species {rose,daisy}\n@data\n${rows.join("\n")}\n`;
    desk.file("rows.csv", csv);
    desk.file("rows.tsv", [header, ...rows].join("\n").replaceAll(",", "\t"));
    desk.file("rows.csv.gz", gzipSync(csv));
    desk.file("rows.json", `[${records.join(",")}]`);
    desk.file("rows.ndjson", records.join("\n"));
    desk.file("rows.arff", arff);
    const errors = await Promise.all(
      ["csv", "tsv", "csv.gz", "json", "ndjson", "arff"].map(async (format) => {
        const args = ["train", `rows.${format}`, "--learner", "stump", "--out", `rows-${format}.st`];
        return (await desk.json(args)).error;
      }),
    );
    for (const error of errors) expect(error).toEqual(errors[0]);
  });

  it("the same seed gives the same file, another seed another split", async () => {
    const train = async (seed: string, out: string) => {
      const args = ["train", "breastcancer", "-l", "adaboost", "-s", "rounds=20", "--seed", seed, "-o", out];
      await desk.print(args);
      return desk.bytes(out);
    };
    const [first, again, other] = await Promise.all([
      train("5", "seed-a.st"),
      train("5", "seed-b.st"),
      train("6", "seed-c.st"),
    ]);
    expect(again.equals(first)).toBe(true);
    expect(other.equals(first)).toBe(false);
  });
});

describe("the report of a training run", () => {
  const executablePath = findBrowser();

  it("is a page that carries the figures of the run", async () => {
    const args = ["train", "breastcancer", "-l", "adaboost", "-o", "reported.st", "--report", "report.html"];
    const document = await desk.json(args);
    expect(document.report).toBe("report.html");
    const page = desk.read("report.html");
    expect(page).toMatch(/^<!doctype html>/i);
    const text = textOf(page);
    expect(text).toContain(document.certificates[0].statement);
    expect(text).toContain("vouch train breastcancer --learner adaboost --seed 1");
    expect(text).toContain("The first 10 of 100.");
  });

  it("can be without rows and model, and both the page and the command say so", async () => {
    const args = ["train", "iris", "-l", "tree", "-o", "private.st", "--report", "private.html"];
    const told = await desk.print([...args, "--report-without", "rows,model"]);
    expect(told).toContain("report written to private.html, without rows and model\n");
    const page = desk.read("private.html");
    expect(page).not.toContain('id="model-file"');
    expect(textOf(page)).toContain("rows and model left out of this page");
  });

  it("gives that command also for a file whose name looks like a flag", async () => {
    desk.file("-odd.csv", flowersCsv(60, 1));
    const args = ["train", "--learner", "stump", "--json", "-o", "odd.st", "--", "-odd.csv"];
    const { command } = JSON.parse(await desk.print(args));
    expect(command).toBe("vouch train --learner stump --seed 1 -- -odd.csv");
    const [, ...words] = command.split(" ");
    await desk.print([words[0], "-o", "odd-again.st", ...words.slice(1)]);
    expect(desk.bytes("odd-again.st")).toEqual(desk.bytes("odd.st"));
  });

  it("gives the command that makes the same file again", async () => {
    const args = ["train", "ionosphere", "-l", "adaboost", "-s", "rounds=7", "--holdout", "0.3"];
    await desk.print([...args, "-o", "once.st", "--report", "again.html"]);
    const [, block = ""] = /<pre>(.*?)<\/pre>/s.exec(desk.read("again.html")) ?? [];
    const command = textOf(block)
      .trim()
      .replace(/^vouch /, "");
    expect(command).toMatch(/^train ionosphere --learner adaboost --set rounds=7/);
    await desk.print([...command.split(" "), "-o", "again.st"]);
    expect(desk.bytes("again.st").equals(desk.bytes("once.st"))).toBe(true);
  });

  it.skipIf(executablePath === undefined)("opens in a browser without an error or a request", async () => {
    const browser = await chromium.launch({ executablePath, args: browserFlags });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      const address = pathToFileURL(join(desk.path, "report.html")).href;
      await page.goto(address);
      expect(complaints).toEqual([]);
      expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([address]);
      expect(await page.locator("figure svg[role=img]:visible").count()).toBeGreaterThan(0);
    } finally {
      await browser.close();
    }
  });
});
