import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { perceptron, Table, trainClassifier, tree } from "vouch";
import { saveModel } from "vouch/node";
import { flowers, get, post, saveFlowers, servers, temporaryFolder, unlabelled } from "./fixtures.js";

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, object>> }>>;
}

interface DescribedSchema {
  readonly examples: readonly object[];
  readonly oneOf: readonly { readonly type?: string; readonly maxItems?: number }[];
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, DescribedSchema>>;
  };
}

const folder = temporaryFolder();
const start = servers();
const [flower] = flowers(1, 5).map(unlabelled);
const label = { predicted: "rose", actual: "daisy" };
let http: string;
let document: Document;

beforeAll(async () => {
  mkdirSync(join(folder, "several", "flowers"), { recursive: true });
  await saveFlowers(join(folder, "several", "flowers", "1.safetensors"));
  await saveFlowers(join(folder, "several", "flowers", "2.safetensors"), { seed: 2, answers: true });
  const table = Table.fromRecords("scored", flowers(200), { colour: "categorical" });
  const { classifier } = await trainClassifier(table, perceptron(), { target: "species" });
  await saveModel(join(folder, "several", "no probabilities.safetensors"), classifier);
  ({ http } = await start({ models: [join(folder, "several")] }));
  document = (await get(`${http}/openapi.json`)).answer;
});

const operations = (described: Document) =>
  Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Forbids properties that the document does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
  const isObject = "properties" in schema && "required" in schema;
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) };
}

/** Makes the request that an operation describes. */
function bodyFor(path: string): object {
  if (path.endsWith("/predict")) return flower;
  if (path.endsWith("/feedback")) return [label, label];
  return {
    inputs: Object.entries(flower).map(([name, cell]) => ({
      name,
      shape: [1],
      datatype: name === "colour" ? "BYTES" : "FP64",
      data: [cell],
    })),
  };
}

describe("GET /openapi.json", () => {
  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it("names every operation once, in letters that programs can use", () => {
    const ids = operations(document).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]\w*$/i);
    expect(document.servers).toHaveLength(1);
    expect(new URL(document.servers[0].url, http).href).toBe(`${http}/`);
  });

  it("gives each answer one type and each choice a kind, or generated clients cannot use them", () => {
    for (const { path, operation } of operations(document)) {
      expect(Object.keys(operation.responses["200"].content), path).toHaveLength(1);
    }
    const untyped = JSON.stringify(document).match(/\{"(?:enum|const)":/g);
    expect(untyped).toBeNull();
  });

  it("keeps the names of a model without a version when a second version comes", async () => {
    mkdirSync(join(folder, "one", "flowers"), { recursive: true });
    copyFileSync(
      join(folder, "several", "flowers", "1.safetensors"),
      join(folder, "one", "flowers", "1.safetensors"),
    );
    const one = await start({ models: [join(folder, "one")] });
    const before: Document = (await get(`${one.http}/openapi.json`)).answer;
    for (const address of ["predict", "feedback", "watch"]) {
      const [was, is] = [before, document].map(({ paths }) =>
        Object.values(paths[`/models/flowers/${address}`]).map(({ operationId }) => operationId),
      );
      expect(is).toEqual([`${address}_flowers`]);
      expect(was).toEqual(is);
    }
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(Object.keys(before.components.schemas)),
    );
    for (const part of ["record", "records", "answer", "answers", "feedback"]) {
      expect(document.components.schemas[`flowers.${part}`]).toEqual({
        $ref: `#/components/schemas/flowers_version_2.${part}`,
      });
    }
  });

  it("describes what every address answers, field by field", async () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(Object(closed(document)), "document");
    const escaped = (key: string) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
    const check = (path: string, method: string, status: string, answer: unknown) => {
      const pointer = ["paths", path, method, "responses", status, "content", "application/json", "schema"];
      const validate = ajv.compile({ $ref: `document#/${pointer.map(escaped).join("/")}` });
      expect(validate(answer), `${method} ${path}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    };
    for (const { path, method, operation } of operations(document)) {
      const url = http + path.replace("{name}", "flowers").replace("{version}", "1");
      if (!operation.responses["200"].content["application/json"]) {
        expect((await fetch(url)).headers.get("content-type")).toMatch(/^text\/plain/);
        continue;
      }
      const queries = operation.parameters?.some((each) => each.in === "query") ? ["", "?reasons=2"] : [""];
      for (const query of queries) {
        const body = method === "post" ? bodyFor(path) : undefined;
        const { status, answer } = body ? await post(`${url}${query}`, body) : await get(url);
        expect(status, `${path}: ${JSON.stringify(answer)}`).toBe(200);
        check(path, method, "200", answer);
        if (query) expect(answer.reasons.columns).toHaveLength(2);
      }
      if (path.endsWith("/predict")) check(path, method, "200", (await post(url, [flower, flower])).answer);
      if (method === "post") check(path, method, "default", (await post(url, "{")).answer);
      if (method === "get" && path.includes("{name}")) {
        const { status, answer } = await get(http + path.replace("{name}", "none"));
        expect(status).toBe(404);
        check(path, method, "default", answer);
      }
    }
  });

  it("names the most rows that a request may hold", () => {
    const [label, labels] = document.components.schemas["flowers_version_2.feedback"].oneOf;
    expect(label.type).toBe("object");
    expect(labels.maxItems).toBe(100_000);
  });

  it("gives an example that the model takes", async () => {
    for (const [path, key] of [
      ["/models/flowers/versions/2", "flowers_version_2"],
      ["/models/no%20probabilities/versions/1", "no_probabilities_version_1"],
    ]) {
      const [example] = document.components.schemas[`${key}.record`].examples;
      const { status, answer } = await post(`${http}${path}/predict`, example);
      expect([status, answer.notices]).toEqual([200, undefined]);
    }
  });

  it("says which addresses need a token", async () => {
    writeFileSync(join(folder, "tokens"), "secret\n");
    const secured = await start({ models: [join(folder, "several")], tokenFile: join(folder, "tokens") });
    const headers = { Authorization: "Bearer secret" };
    const described: Document = (await get(`${secured.http}/openapi.json`, headers)).answer;
    expect((await new Validator().validate(Object(described))).valid).toBe(true);
    for (const { path, method, operation } of operations(described)) {
      const url = secured.http + path.replace("{name}", "flowers").replace("{version}", "1");
      const { status } = await fetch(url, { method: method.toUpperCase() });
      expect(status, path).toBe(operation.security?.length === 0 ? 200 : 401);
    }
  });
});

describe("the example record", () => {
  it("has the median of each column, even if most of its cells are equal", async () => {
    const records = Array.from({ length: 300 }, (_, i) => ({
      plan: i % 3 === 0 ? "yes" : "no",
      messages: i % 3 === 0 ? 10 + (i % 40) : 0,
      since: `${10 + (i % 9)}.0${1 + (i % 5)}.2019`,
      churn: i % 7 < 3 ? "yes" : "no",
    }));
    const table = Table.fromRecords("calls", records);
    const { classifier } = await trainClassifier(table, tree(), { target: "churn" });
    await saveModel(join(folder, "calls.safetensors"), classifier);
    const server = await start({ models: [join(folder, "calls.safetensors")] });
    const described: Document = (await get(`${server.http}/openapi.json`)).answer;
    const [example] = described.components.schemas["calls_version_1.record"].examples;
    expect(example).toEqual({ plan: "no", messages: 0, since: "2019-03-14" });
    expect((await post(`${server.http}/models/calls/predict`, example)).answer.notices).toBeUndefined();
    const page = await fetch(`${server.http}/models/calls`, { headers: { Accept: "text/html" } });
    // The form of the page begins with the same row.
    expect(await page.text()).toContain(`"typical":"2019-03-14"`);
  });
});
