import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTable } from "@vouch/formats";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forest, type Learner, trainClassifier } from "vouch";
import { browserFlags, findBrowser } from "../../../scripts/browser.mjs";
import { Desk } from "./vouch.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const desk = new Desk();
const nodeProgram = (file: string) => [process.execPath, join(root, "examples", file)];

/** What an example prints. */
const printed = (file: string, ...args: string[]) => desk.print(args, { program: nodeProgram(file) });

const GUARANTEE =
  /With \d\d% confidence at most \d+\.\d% of new cases (like these|that equal no training row) are misclassified/;

describe("examples", () => {
  beforeAll(async () => {
    const text = await printed("train-and-predict.mjs", "model.safetensors");
    expect(text).toMatch(/^699 rows, 10 columns\n\d+ mistakes on 140 held-out rows\n/);
    expect(text).toMatch(GUARANTEE);
    expect(text).toMatch(/^benign \{ benign: 0\.9.*\n?malignant \{ /m);
  });

  it("are all here", () => {
    const names = readdirSync(join(root, "examples")).filter((name) => /\.(mjs|ts)$/.test(name));
    expect(names.sort()).toEqual([
      "certify-your-rows.mjs",
      "churn.mjs",
      "decisions.mjs",
      "select-by-your-criterion.mjs",
      "service.mjs",
      "train-a-file.mjs",
      "train-and-predict.mjs",
      "typed.ts",
    ]);
  });

  it("train-a-file", async () => {
    const lines = (await printed("train-a-file.mjs", "breastcancer", "2")).trim().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^Better than always answering "benign"/),
      expect.stringMatching(GUARANTEE),
    ]);
  });

  it("certify-your-rows", async () => {
    const text = await printed("certify-your-rows.mjs");
    expect(text).toMatch(GUARANTEE);
    expect(text).toMatch(/ {2}assumed: The held-out rows that equal no training row are independent draws/);
    expect(text).toMatch(
      /On the training rows: About 100% of the rows equal rows that the model was trained on/,
    );
  });

  it("decisions", async () => {
    const text = await printed("decisions.mjs");
    expect(text).toMatch(
      /^AUC 0\.9\d\d\nWith 95% confidence the AUC for new cases like these is at least 0\.9/,
    );
    // With probabilities that mean it, a class whose omission costs 20 is predicted from 1 / 21 on.
    expect(text).toMatch(/kind: 'threshold', class: 1, at: 0\.0\d/);
    expect(text).toMatch(/the mean cost of new cases like these is at most \d/);
    expect(text).toMatch(/at most \d\.\d% of its answers for new cases like these are wrong/);
    expect(text).toMatch(/the sets of at least 95\.0% of new cases like these have their class/);
    expect(text).toMatch(/^no answer: \{.+\}, malignant 0\.\d+$/m);
    expect(text).toMatch(/^benign: \w+=\d+ \(\+0\.\d+\), /m);
  });

  it("select-by-your-criterion", async () => {
    const text = await printed("select-by-your-criterion.mjs");
    const [simple, best] = ["one-standard-error", "cv"].map((name) =>
      Number(text.match(new RegExp(`^${name} chooses adaboost rounds=(\\d+)$`, "m"))?.[1]),
    );
    expect(simple).toBeLessThan(best);
  });

  describe("churn", () => {
    /** Trains on one of the files and counts the churners that the model finds among the held-out ones. */
    const trained = async (name: string, learner: Learner) => {
      const table = await readTable(join(desk.path, name));
      const { evaluation } = await trainClassifier(table, learner, {
        target: "churn",
        holdout: 0.2,
        run: { seed: 1 },
      });
      if (!evaluation) throw new Error("no held-out rows");
      const { confusion, error, rows } = evaluation;
      const yes = confusion.matrix[confusion.classes.indexOf("Yes")];
      const churners = yes.reduce((sum, count) => sum + count, 0);
      return { rows, error, churners, found: yes[confusion.classes.indexOf("Yes")] };
    };
    let text: string;
    beforeAll(async () => {
      text = await printed("churn.mjs", ".");
    });

    it("writes three files and says what each shows", () => {
      expect(text.split("\n").slice(0, 3)).toEqual([
        expect.stringMatching(/^churn\.csv: 2000 rows, 20\.6% left\. The signal is weak/),
        expect.stringMatching(/^churn-repeated\.csv: 3000 rows, 2\d\.\d% left\. 1000 rows are there twice/),
        expect.stringMatching(/^churn-leak\.csv: 2000 rows, 20\.6% left\. account_status is set after/),
      ]);
      const lines = (name: string) => desk.read(name).trim().split("\n").slice(1);
      expect(new Set(lines("churn.csv")).size).toBe(2000);
      expect(new Set(lines("churn-repeated.csv"))).toEqual(new Set(lines("churn.csv")));
    });

    it("has a model that is no better than always answering No, and finds few churners", async () => {
      const { rows, error, churners, found } = await trained("churn.csv", forest());
      expect(Math.abs(error - churners / rows)).toBeLessThan(0.02);
      expect(found).toBeLessThan(churners / 5);
    });

    it("flatters a model by rows that are there twice, and one that knows the answer", async () => {
      const honest = await trained("churn.csv", forest());
      const repeated = await trained("churn-repeated.csv", forest());
      expect(repeated.error).toBeLessThan(0.7 * honest.error);
      const { error } = await trained("churn-leak.csv", forest());
      expect(error).toBeLessThan(0.01);
    });
  });

  it("typed", async () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", join(root, "examples")], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
    const text = await printed("build/typed.js");
    expect(text).toContain("[ 'setosa' ]");
    expect(text).toMatch(GUARANTEE);
  });

  it("service", async () => {
    const { child, outcome } = desk.start(["model.safetensors", "0"], {
      program: nodeProgram("service.mjs"),
    });
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout?.once("data", (line: string) => resolve(line.replace("listening on ", "").trim()));
      outcome.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
    const ask = async (body: unknown) => {
      const response = await fetch(`${address}/predict`, { method: "POST", body: JSON.stringify(body) });
      return { status: response.status, answer: await response.json() };
    };
    const names = ["clump_thickness", "cell_size", "cell_shape", "marginal_adhesion", "epithelial_size"];
    names.push("bare_nuclei", "bland_chromatin", "normal_nucleoli", "mitoses");
    const row = (value: number | null) => Object.fromEntries(names.map((name) => [name, value]));
    try {
      const about = await (await fetch(address)).json();
      expect(about).toMatchObject({ target: "label", classes: ["benign", "malignant"] });
      expect(about.guarantee).toMatch(GUARANTEE);
      const { status, answer } = await ask([row(1), row(10), row(null)]);
      expect(status).toBe(200);
      expect(answer.map(({ prediction }: { prediction: string }) => prediction).slice(0, 2)).toEqual([
        "benign",
        "malignant",
      ]);
      expect(answer[0].probabilities.benign).toBeGreaterThan(answer[0].probabilities.malignant);
      const { mitoses: _, ...incomplete } = row(1);
      expect(await ask([incomplete])).toMatchObject({
        status: 400,
        answer: { error: expect.stringContaining('"mitoses"') },
      });
      expect(await ask([{ ...row(1), mitoses: "many" }])).toMatchObject({
        status: 400,
        answer: { error: expect.stringContaining('"many", but the model expects numbers') },
      });
      expect(await ask({})).toMatchObject({
        status: 400,
        answer: { error: expect.stringContaining("Expected an array of records") },
      });
      expect((await fetch(`${address}/other`)).status).toBe(404);
    } finally {
      child.kill();
      await outcome;
    }
  });
});

const executablePath = findBrowser();
/** What allows a page to share memory with its threads. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".csv": "text/csv" };

describe.skipIf(!executablePath)("the page for browsers", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-page-"));
  const server = createServer(({ url = "/" }, response) => {
    const name = basename(url) || "index.html";
    response.writeHead(200, { ...isolation, "Content-Type": types[extname(name)] ?? "text/plain" });
    response.end(readFileSync(join(folder, name)));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is bundled, trains on threads and tells what error to expect, without complaints", async () => {
    await printed("browser/build.mjs", folder);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = Object(server.address());
    const browser = await chromium.launch({ executablePath, headless: true, args: browserFlags });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.click("#train");
      const result = page.locator("#result", { hasText: "held-out rows" });
      await result.waitFor({ timeout: 30_000 });
      expect(await result.textContent()).toMatch(GUARANTEE);
      expect(page.workers().length).toBeGreaterThan(0);
      await page.fill("#rows", "a,label\n1,x\n");
      await page.click("#train");
      await page.locator("#result", { hasText: "row" }).waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
