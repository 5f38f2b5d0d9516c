import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MISSING_MARKERS } from "@vouch/core/internal/table/missing-markers";
import type { RunningServer } from "@vouch/serve";
import { beforeAll, describe, expect, it } from "vitest";
import { loadModel } from "vouch/node";
import {
  expectFault,
  flowers,
  get,
  post,
  saveFlowers,
  servers,
  temporaryFolder,
  unlabelled,
} from "./fixtures.js";

const vouch = fileURLToPath(new URL("../../vouch/bin/vouch.js", import.meta.url));
const folder = temporaryFolder();
const start = servers();
const plain = join(folder, "plain.safetensors");
const careful = join(folder, "careful.safetensors");
let server: RunningServer;
const flower = { length: 2.5, width: 0.5, colour: "red", constructor: 3 };

beforeAll(async () => {
  await saveFlowers(plain);
  await saveFlowers(careful, { answers: true });
  server = await start({ models: [plain, careful] });
});

/** Predicts records with the command. */
function byCommand(model: string, records: readonly object[]): Record<string, string | number>[] {
  const file = join(folder, "records.json");
  writeFileSync(file, JSON.stringify(records));
  const args = [vouch, "predict", model, file, "--probabilities", "--json", "--quiet"];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

describe("POST /models/NAME/predict", () => {
  const predict = (body: unknown, name = "plain", query = "") =>
    post(`${server.http}/models/${name}/predict${query}`, body);

  it("answers one record, and several", async () => {
    const one = await predict(flower);
    expect(one.status).toBe(200);
    expect(one.answer).toMatchObject({ model: "plain", version: "1", prediction: expect.any(String) });
    const several = await predict([flower, flower]);
    expect(several.answer.predictions).toEqual(
      Array(2).fill({ prediction: one.answer.prediction, probabilities: one.answer.probabilities }),
    );
  });

  it("gives the same bits as vouch predict, with missing cells, unknown categories, abstention and sets", async () => {
    const records = [
      ...flowers(200, 7).map(unlabelled),
      { ...flower, colour: "green" },
      { ...flower, length: "2.75", width: "NA", colour: "?" },
      { ...flower, length: "NaN", colour: "NaN" },
    ];
    for (const [name, model] of [
      ["plain", plain],
      ["careful", careful],
    ]) {
      const { answer } = await predict(records, name);
      const expected = byCommand(model, records);
      const got = answer.predictions.map(
        (each: { prediction: string | null; set?: string[]; probabilities: Record<string, number> }) => ({
          prediction: each.prediction ?? "",
          ...(each.set && { set: each.set.join("|") }),
          ...Object.fromEntries(
            Object.entries(each.probabilities).map(([key, value]) => [`probability:${key}`, value]),
          ),
        }),
      );
      expect(got).toEqual(expected);
    }
    expect(byCommand(careful, records).some(({ prediction }) => prediction === "")).toBe(true);
  });

  it("gives the answers of predictRecords", async () => {
    const records = flowers(20, 7).map(unlabelled);
    for (const [name, path] of [
      ["plain", plain],
      ["careful", careful],
    ]) {
      const classifier = await loadModel(path);
      const { answer } = await predict(records, name, "?reasons=2");
      expect(answer.predictions).toEqual(await classifier.predictRecords(records, { reasons: 2 }));
    }
  });

  it("says that it abstains", async () => {
    const { answer } = await predict(flowers(200, 7).map(unlabelled), "careful");
    const abstained = answer.predictions.filter((each: { abstained: boolean }) => each.abstained);
    expect(abstained.length).toBeGreaterThan(0);
    for (const each of abstained) expect(each.prediction).toBeNull();
  });

  it("explains answers on request, with contributions that sum to the score", async () => {
    const { answer } = await predict(flower, "plain", "?reasons=4");
    const { class: name, base, score, columns } = answer.reasons;
    expect(name).toBe(answer.prediction);
    expect(columns).toHaveLength(4);
    const sum = columns.reduce(
      (total: number, { contribution }: { contribution: number }) => total + contribution,
      base,
    );
    expect(sum).toBeCloseTo(score, 9);
    expectFault(await predict(flower, "plain", "?reasons=none"), 400, /reasons/);
    expectFault(await predict(flower, "plain", "?reason=3"), 400, /no parameter "reason"/);
    expectFault(await predict(Array(101).fill(flower), "plain", "?reasons=1"), 413, /reasons of 101 rows/);
  });

  it("answers many rows on threads with the same bits", async () => {
    const many = flowers(20_000, 3).map(unlabelled);
    const all = await predict(many);
    expect(all.answer.predictions).toHaveLength(20_000);
    const few = await predict(many.slice(19_900));
    expect(all.answer.predictions.slice(19_900)).toEqual(few.answer.predictions);
  });

  it("notes what it does not know", async () => {
    const { answer } = await predict({ ...flower, colour: "green", weight: 3, species: "rose" });
    expect(answer.notices).toEqual([
      'Column "colour": 1 cell with a category not seen in training, such as "green".',
      '1 column not used by the model: "weight".',
    ]);
  });

  it.each<[string, unknown, number, RegExp]>([
    ["a missing column", { length: 2, colour: "red", constructor: 1 }, 400, /lacks 1 column .*width/],
    ["a misspelt column", { ...flower, width: undefined, Width: 1 }, 400, /lacks 1 column/],
    [
      "an inherited property in place of a column",
      { length: 2, width: 1, colour: "red" },
      400,
      /constructor/,
    ],
    ["text for a number", { ...flower, width: "wide" }, 400, /row 1, column "width": "wide"/],
    ["true for a number", { ...flower, width: true }, 400, /column "width": true/],
    ["a number for a category", { ...flower, colour: 3 }, 400, /column "colour": 3, .*categories/],
    ["an object as a cell", { ...flower, width: { value: 1 } }, 400, /the cell is an object/],
    ["an array as a cell", { ...flower, colour: ["red"] }, 400, /the cell is an array/],
    [
      "a number beyond all bounds",
      '{"length":1e999,"width":1,"colour":"red","constructor":1}',
      400,
      /finite/,
    ],
    ["NaN, which JSON lacks", '{"length":NaN}', 400, /not JSON/],
    ["half a request", '{"length":', 400, /not JSON/],
    ["no rows", [], 400, /no rows/],
    ["a number", 3, 400, /row 1: expected an object, but got a number/],
    ["null among rows", [flower, null], 400, /row 2: expected an object, but got null/],
    ["nothing", "", 400, /no body/],
    ["bytes that are not text", Uint8Array.of(0x7b, 0xff, 0x7d), 400, /UTF-8/],
  ])("refuses %s in words", async (_, body, status, words) => {
    expectFault(await predict(body), status, words);
  });

  it.each<[string, string]>([
    [
      "__proto__ as a column",
      '{"__proto__":{"length":1},"length":2.5,"width":0.5,"colour":"red","constructor":3}',
    ],
    [
      "a column twice, of which the last counts",
      '{"length":"x","length":2.5,"width":0.5,"colour":"red","constructor":3}',
    ],
    ["numbers as text", '{"length":"2.5","width":" 0.5 ","colour":"red","constructor":"3"}'],
    ["a byte order mark", '\ufeff{"length":2.5,"width":0.5,"colour":"red","constructor":3}'],
  ])("accepts %s", async (_, body) => {
    const { status, answer } = await predict(body);
    const { probabilities } = (await predict(flower)).answer;
    expect([status, answer.probabilities]).toEqual([200, probabilities]);
  });

  it("takes a lone surrogate for an unknown category", async () => {
    const { status, answer } = await predict('{"length":2.5,"width":0.5,"colour":"\\ud800","constructor":3}');
    expect([status, answer.notices.length]).toEqual([200, 1]);
  });

  it("refuses other types and methods in words", async () => {
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    expectFault(await post(`${server.http}/models/plain/predict`, "{}", form), 415, /Content-Type/);
    expectFault(await get(`${server.http}/models/plain/predict`), 405, /POST only/);
    expectFault(await get(`${server.http}/nothing`), 404, /nothing/);
    expectFault(await predict(flower, "none"), 404, /no model "none"/);
    expectFault(await post(`${server.http}/models/plain/versions/7/predict`, flower), 404, /version "7"/);
  });

  it("takes the same texts for missing as data files do", async () => {
    const { answer } = await predict({ ...flower, length: null, colour: null });
    for (const marker of MISSING_MARKERS) {
      const missing = await predict({ ...flower, length: marker, colour: marker });
      expect(missing.answer, marker).toEqual(answer);
    }
  });

  it("quotes no more of a request than a message needs", async () => {
    const long = "long".repeat(10_000);
    for (const body of [{ ...flower, width: long }, { [long]: 1 }, { ...flower, length: [long] }]) {
      const { status, answer } = await predict(body);
      expect(status).toBe(400);
      expect(JSON.stringify(answer).length).toBeLessThan(1200);
    }
    const tensor = { name: long, datatype: long, shape: [1], data: [1] };
    const { answer } = await post(`${server.http}/v2/models/plain/infer`, { inputs: [tensor] });
    expect(JSON.stringify(answer).length).toBeLessThan(1200);
  });
});

describe("limits", () => {
  it("refuse rows and bytes beyond them", async () => {
    const small = await start({ models: [plain], limits: { maxRows: 30, maxBody: 4000 } });
    const address = `${small.http}/models/plain/predict`;
    expectFault(await post(address, Array(31).fill({ a: 1 })), 413, /31 rows/);
    expectFault(await post(address, "x".repeat(4001)), 413, /too large/);
  });

  it("refuse columns that the model does not use, and cells, beyond them", async () => {
    const limits = { maxUnusedColumns: 3, maxBody: 4000 };
    const small = await start({ models: [plain], limits });
    const names = (count: number) => Array.from({ length: count }, (_, i) => `other${i}`);
    const wide = (count: number) => ({
      ...flower,
      ...Object.fromEntries(names(count).map((name) => [name, 1])),
    });
    const address = `${small.http}/models/plain/predict`;
    expect((await post(address, wide(3))).answer.notices).toEqual([
      '3 columns not used by the model: "other0", "other1", "other2".',
    ]);
    expectFault(await post(address, wide(4)), 413, /more than 3 columns/);
    // Each record by itself has few of them.
    const records = names(4).map((name) => ({ ...flower, [name]: 1 }));
    expectFault(await post(address, records), 413, /more than 3 columns/);
    const inputs = (count: number) =>
      [...Object.entries(flower), ...names(count).map((name): [string, number] => [name, 1])].map(
        ([name, cell]) => ({
          name,
          shape: [1],
          datatype: name === "colour" ? "BYTES" : "FP64",
          data: [cell],
        }),
      );
    const infer = `${small.http}/v2/models/plain/infer`;
    expect((await post(infer, { inputs: inputs(3) })).status).toBe(200);
    expectFault(await post(infer, { inputs: inputs(4) }), 413, /more than 3 columns/);
    // A short request could otherwise become a long table: 1,001 rows of four columns.
    const sparse = `[${JSON.stringify(flower)}${",{}".repeat(1000)}]`;
    expectFault(await post(address, sparse), 413, /1001 rows of 4 columns are 4004 cells/);
  });

  it("refuse further rows while many are being answered, but never a few", async () => {
    const busy = await start({ models: [plain], limits: { maxRowsInFlight: 40_000 } });
    const address = `${busy.http}/models/plain/predict`;
    const many = JSON.stringify(flowers(40_000).map(unlabelled));
    const more = JSON.stringify(flowers(101).map(unlabelled));
    let answered = false;
    const large = post(address, many).finally(() => {
      answered = true;
    });
    const outcomes = [];
    while (!answered) {
      outcomes.push(await post(address, more));
      expect((await post(address, flower)).status).toBe(200);
    }
    expect((await large).status).toBe(200);
    const refused = outcomes.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const each of refused) expect(each.headers.get("retry-after")).toBe("1");
    expectFault(refused[0], 429, /busy/);
    expect((await post(address, more)).status).toBe(200);
  });
});

describe("tokens", () => {
  it("are asked for everywhere but at the health checks", async () => {
    writeFileSync(join(folder, "tokens"), "# ours\nfirst-token\n\nsecond-token\n");
    const secured = await start({ models: [plain], tokenFile: join(folder, "tokens") });
    const address = `${secured.http}/models/plain/predict`;
    expectFault(await post(address, flower), 401, /missing/);
    expectFault(await post(address, flower, { Authorization: "Bearer wrong" }), 401, /not valid/);
    for (const token of ["first-token", "second-token"]) {
      expect((await post(address, flower, { Authorization: `Bearer ${token}` })).status).toBe(200);
    }
    const basic = { Authorization: `Basic ${btoa("me:first-token")}` };
    expect((await get(`${secured.http}/openapi.json`, basic)).status).toBe(200);
    expect((await get(`${secured.http}/v2/health/ready`)).status).toBe(200);
    for (const path of [
      "/",
      "/metrics",
      "/openapi.json",
      "/v2",
      "/v2/models/plain",
      "/page.js",
      "/nothing",
    ]) {
      expect((await fetch(`${secured.http}${path}`)).status, path).toBe(401);
    }
  });

  it("must be in the file", async () => {
    writeFileSync(join(folder, "empty"), "# none\n");
    await expect(start({ models: [plain], tokenFile: join(folder, "empty") })).rejects.toThrow(
      "has no token",
    );
  });
});

describe("feedback", () => {
  it("reaches the watch, and its report says so everywhere", async () => {
    const address = `${server.http}/models/plain`;
    const items = [
      { predicted: "rose", actual: "rose" },
      { predicted: "rose", actual: "daisy" },
    ];
    const { status, answer } = await post(`${address}/feedback`, items);
    expect([status, answer.feedback]).toEqual([200, { rows: 2, errors: 1 }]);
    expect((await get(`${address}/watch`)).answer).toEqual(answer);
    const metrics = await (await fetch(`${server.http}/metrics`)).text();
    expect(metrics).toContain('vouch_watch_feedback_errors{model="plain",version="1"} 1');
    expectFault(await post(`${address}/feedback`, { predicted: "rose" }), 400, /row 1 lacks/);
    expectFault(await post(`${address}/feedback`, { predicted: "rose", actual: "oak" }), 400, /oak/);
  });
});

describe("descriptions", () => {
  it("tell programs what a model takes, with its verdict and certificate", async () => {
    const { answer } = await get(`${server.http}/openapi.json`);
    const record = answer.components.schemas["plain_version_1.record"];
    expect(record.required).toEqual(["length", "width", "colour", "constructor"]);
    expect(record.properties.colour.examples).toEqual(["blue", "red", "white"]);
    const { answer: single } = await post(`${server.http}/models/plain/predict`, record.examples[0]);
    const { answer: several } = await post(`${server.http}/models/plain/predict`, record.examples);
    // One of the two schemas of answers fits, and only one.
    const { oneOf } = answer.components.schemas["plain_version_1.answers"];
    const described = [answer.components.schemas["plain_version_1.answer"], oneOf[1]];
    for (const [i, given] of [single, several].entries()) {
      expect(Object.keys(described[i].properties)).toEqual(expect.arrayContaining(Object.keys(given)));
      const fits = described.map(({ required }) => required.every((name: string) => name in given));
      expect(fits).toEqual(described.map((_, k) => k === i));
    }
    for (const path of ["/models/plain", "/models/plain/versions/1"]) {
      const { description } = answer.paths[`${path}/predict`].post;
      expect(description).toMatch(/^Better than .* With 95% confidence/);
    }
    const { parameters } = (await get(`${server.http}/v2/models/plain`)).answer;
    expect(parameters).toMatchObject({
      verdict: { better: "yes" },
      certificate: { measure: "error", confidence: 0.95 },
      classes: ["daisy", "rose"],
    });
  });

  it("are pages that load nothing from elsewhere", async () => {
    for (const path of ["/", "/models/plain"]) {
      const page = await fetch(`${server.http}${path}`, { headers: { Accept: "text/html" } });
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const text = await page.text();
      expect(text).toContain("Better than");
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    }
    expect((await fetch(`${server.http}/page.js`)).headers.get("content-type")).toContain("javascript");
  });

  it("are metrics of requests, rows and models", async () => {
    const metrics = await (await fetch(`${server.http}/metrics`)).text();
    expect(metrics).toMatch(
      /vouch_requests_total\{model="plain",route="\/models\/:name\/predict",status="200"\} \d+/,
    );
    expect(metrics).toMatch(/vouch_rows_total\{model="plain"\} \d{5}/);
    expect(metrics).toContain('vouch_model_ready{model="careful",version="1"} 1');
    expect(metrics).toContain("vouch_request_seconds_bucket");
  });
});
