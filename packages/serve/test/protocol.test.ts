import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import type { RunningServer } from "@vouch/serve";
import { beforeAll, describe, expect, it } from "vitest";
import {
  expectFault,
  type Flower,
  flowers,
  get,
  post,
  saveFlowers,
  saveNumbers,
  servers,
  temporaryFolder,
  unlabelled,
} from "./fixtures.js";

const folder = temporaryFolder();
const start = servers();
let server: RunningServer;
let address: string;
const rows = flowers(50, 9).map(unlabelled);
/** What the plain address answers to the same rows. */
let expected: { readonly predictions: string[]; readonly probabilities: number[] };

beforeAll(async () => {
  await saveFlowers(join(folder, "flowers.safetensors"));
  await saveFlowers(join(folder, "careful.safetensors"), { answers: true });
  await saveNumbers(join(folder, "numbers.safetensors"));
  server = await start({ models: [folder] });
  address = `${server.http}/v2/models/flowers`;
  const { answer } = await post(`${server.http}/models/flowers/predict`, rows);
  expected = {
    predictions: answer.predictions.map((each: { prediction: string }) => each.prediction),
    probabilities: answer.predictions.flatMap((each: { probabilities: Record<string, number> }) => [
      each.probabilities.daisy,
      each.probabilities.rose,
    ]),
  };
});

const cells = (name: keyof Flower) => rows.map((row) => row[name]);

/** One tensor per column, as JSON. */
const inputs = () => [
  { name: "colour", shape: [50], datatype: "BYTES", data: cells("colour").map((cell) => cell ?? "") },
  { name: "length", shape: [50, 1], datatype: "FP64", data: cells("length").map((cell) => [cell]) },
  { name: "constructor", shape: [50], datatype: "INT64", data: cells("constructor") },
  { name: "width", shape: [50], datatype: "FP64", data: cells("width") },
];

describe("the Open Inference Protocol over HTTP", () => {
  it("tells of server and models", async () => {
    expect((await get(`${server.http}/v2`)).answer).toMatchObject({
      name: "vouch",
      extensions: ["binary_tensor_data"],
    });
    expect((await get(`${server.http}/v2/health/live`)).answer).toEqual({ live: true });
    expect(await get(`${server.http}/v2/health/ready`)).toMatchObject({
      status: 200,
      answer: { ready: true },
    });
    for (const path of ["", "/versions/1"]) {
      expect(await get(`${address}${path}/ready`)).toEqual({
        status: 200,
        answer: { name: "flowers", ready: true },
      });
      expect((await get(`${address}${path}`)).answer).toMatchObject({
        name: "flowers",
        versions: ["1"],
        platform: "vouch_safetensors",
        inputs: [
          { name: "length", datatype: "FP64", shape: [-1] },
          { name: "width", datatype: "FP64", shape: [-1] },
          { name: "colour", datatype: "BYTES", shape: [-1] },
          { name: "constructor", datatype: "FP64", shape: [-1] },
        ],
        outputs: [
          { name: "prediction", datatype: "BYTES", shape: [-1] },
          { name: "probabilities", datatype: "FP64", shape: [-1, 2] },
        ],
      });
    }
    expectFault(await get(`${server.http}/v2/models/none/ready`), 404, /no model/);
    expectFault(await get(`${address}/versions/2`), 404, /version "2"/);
    expectFault(await get(`${address}/versions/2/ready`), 404, /version "2"/);
  });

  it("infers from one tensor per column, categories among them, in any order", async () => {
    const { answer } = await post(`${address}/versions/1/infer`, { id: "42", inputs: inputs() });
    expect(answer).toEqual({
      model_name: "flowers",
      model_version: "1",
      id: "42",
      outputs: [
        { name: "prediction", datatype: "BYTES", shape: [50], data: expected.predictions },
        { name: "probabilities", datatype: "FP64", shape: [50, 2], data: expected.probabilities },
      ],
    });
  });

  it("gives only the outputs that are asked for, sets among them", async () => {
    const { answer } = await post(`${server.http}/v2/models/careful/infer`, {
      inputs: inputs(),
      outputs: [{ name: "set" }],
    });
    expect(answer.outputs).toEqual([
      { name: "set", datatype: "BOOL", shape: [50, 2], data: expect.any(Array) },
    ]);
    expect(answer.outputs[0].data.filter((each: boolean) => each).length).toBeGreaterThan(40);
  });

  it("takes one tensor of all columns if they are numbers", async () => {
    const numbers = rows.map(({ length, width }) => [length, width]);
    const records = rows.map(({ length, width }) => ({ length, width }));
    const { answer } = await post(`${server.http}/v2/models/numbers/infer`, {
      inputs: [{ name: "input-0", shape: [50, 2], datatype: "FP64", data: numbers }],
    });
    const plain = await post(`${server.http}/models/numbers/predict`, records);
    expect(answer.outputs[0].data).toEqual(
      plain.answer.predictions.map((each: { prediction: string }) => each.prediction),
    );
    for (const data of [
      [numbers.map(([length]) => length), numbers.map(([, width]) => width)],
      [numbers.flat()],
    ]) {
      const odd = [{ name: "input-0", shape: [50, 2], datatype: "FP64", data }];
      expectFault(
        await post(`${server.http}/v2/models/numbers/infer`, { inputs: odd }),
        400,
        /not nested as the shape \[50, 2\] says/,
      );
    }
    const matrix = [{ name: "x", shape: [1, 4], datatype: "FP64", data: [1, 2, 3, 4] }];
    expectFault(
      await post(`${address}/infer`, { inputs: matrix }),
      400,
      /"colour" of the model does not hold numbers/,
    );
    expectFault(
      await post(`${server.http}/v2/models/numbers/infer`, { inputs: matrix }),
      400,
      /has 2 columns/,
    );
  });

  it.each<[string, object | string, RegExp]>([
    ["no inputs", {}, /inputs is not an array/],
    ["an empty list of inputs", { inputs: [] }, /no inputs/],
    ["an array", "[]", /not an object/],
    ["a tensor without a shape", { inputs: [{ name: "a", datatype: "FP64", data: [1] }] }, /no shape/],
    [
      "a shape of another size",
      { inputs: [{ name: "a", datatype: "FP64", shape: [2], data: [1] }] },
      /1 elements, but its shape has 2/,
    ],
    ["a negative size", { inputs: [{ name: "a", datatype: "FP64", shape: [-1], data: [1] }] }, /size -1/],
    [
      "an unknown data type",
      { inputs: [{ name: "a", datatype: "COMPLEX", shape: [1], data: [1] }] },
      /unknown data type/,
    ],
    ["a column twice", { inputs: [...inputs(), inputs()[0]] }, /both called "colour"/],
    ["a missing column", { inputs: inputs().slice(1) }, /lacks 1 column .*colour/],
    [
      "columns of different lengths",
      { inputs: [...inputs().slice(1), { name: "colour", datatype: "BYTES", shape: [1], data: ["red"] }] },
      /shape \[1\]/,
    ],
    ["an unknown output", { inputs: inputs(), outputs: [{ name: "logits" }] }, /no output "logits"/],
    [
      "an output twice",
      { inputs: inputs(), outputs: [{ name: "prediction" }, { name: "prediction" }] },
      /output "prediction" twice/,
    ],
    ["a request id that is not a text", { id: 3, inputs: inputs() }, /id/],
    ["no rows", { inputs: inputs().map((each) => ({ ...each, shape: [0], data: [] })) }, /no rows/],
  ])("refuses %s in words", async (_, body, words) => {
    expectFault(await post(`${address}/infer`, body), 400, words);
  });

  it("refuses more rows than it may answer before it reads them", async () => {
    const inputs = [{ name: "length", datatype: "FP64", shape: [1e12], data: [] }];
    expectFault(await post(`${address}/infer`, { inputs }), 413, /1000000000000 rows/);
  });
});

/** A BYTES tensor: each element is its length in four bytes, little-endian, and its bytes. */
const bytesTensor = (texts: readonly string[]) =>
  Buffer.concat(
    texts.flatMap((text) => {
      const size = Buffer.alloc(4);
      size.writeUInt32LE(Buffer.byteLength(text));
      return [size, Buffer.from(text)];
    }),
  );

/** Sends a request as tritonclient.http does: JSON, then the tensors, with the header of its length and without a Content-Type. */
async function sendBinary(url: string, json: object, tensors: readonly Buffer[], jsonLength?: string) {
  const head = Buffer.from(JSON.stringify(json));
  const body = Buffer.concat([head, ...tensors]);
  const headers = {
    "Inference-Header-Content-Length": jsonLength ?? String(head.length),
    "Content-Length": body.length,
  };
  const asked = request(url, { method: "POST", headers });
  asked.end(body);
  const [response] = await once(asked, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const length = Number(response.headers["inference-header-content-length"] ?? bytes.length);
  return {
    status: response.statusCode,
    answer: JSON.parse(bytes.toString("utf8", 0, length)),
    binary: bytes.subarray(length),
  };
}

describe("the binary tensor extension", () => {
  const tensors = () => ({
    colour: bytesTensor(cells("colour").map((cell) => (typeof cell === "string" ? cell : ""))),
    length: Buffer.from(
      Float64Array.from(cells("length"), (cell) => (typeof cell === "number" ? cell : Number.NaN)).buffer,
    ),
    width: Buffer.from(Float64Array.from(cells("width"), Number).buffer),
    constructor: Buffer.from(BigInt64Array.from(cells("constructor"), (cell) => BigInt(Number(cell))).buffer),
  });
  const described = (parts: ReturnType<typeof tensors>) =>
    Object.entries({ colour: "BYTES", length: "FP64", width: "FP64", constructor: "INT64" }).map(
      ([name, datatype]) => ({
        name,
        shape: [50],
        datatype,
        parameters: { binary_data_size: Object.entries(parts).find(([key]) => key === name)?.[1].length },
      }),
    );

  it("takes and gives binary tensors as tritonclient does", async () => {
    const parts = tensors();
    const json = {
      inputs: described(parts),
      outputs: [
        { name: "probabilities", parameters: { binary_data: true } },
        { name: "prediction", parameters: { binary_data: true } },
      ],
    };
    const { status, answer, binary } = await sendBinary(`${address}/infer`, json, Object.values(parts));
    expect(status, JSON.stringify(answer)).toBe(200);
    const texts = bytesTensor(expected.predictions);
    expect(answer.outputs).toEqual([
      { name: "probabilities", datatype: "FP64", shape: [50, 2], parameters: { binary_data_size: 800 } },
      { name: "prediction", datatype: "BYTES", shape: [50], parameters: { binary_data_size: texts.length } },
    ]);
    expect(new Float64Array(Uint8Array.from(binary.subarray(0, 800)).buffer)).toEqual(
      Float64Array.from(expected.probabilities),
    );
    expect(binary.subarray(800)).toEqual(texts);
  });

  it("gives binary tensors by default if the request says so, and JSON otherwise", async () => {
    const parts = tensors();
    const all = { parameters: { binary_data_output: true }, inputs: described(parts) };
    const one = await sendBinary(`${address}/infer`, all, Object.values(parts));
    expect(one.binary.length).toBe(bytesTensor(expected.predictions).length + 800);
    const other = await sendBinary(`${address}/infer`, { inputs: described(parts) }, Object.values(parts));
    expect(other.answer.outputs[0].data).toEqual(expected.predictions);
  });

  it.each<[string, string, Buffer]>([
    ["FP32", "FP32", Buffer.from(Float32Array.from([2.5, 0.25, 3, 0.75]).buffer)],
    ["INT32", "INT32", Buffer.from(Int32Array.from([2, 0, 3, 1]).buffer)],
    ["INT16", "INT16", Buffer.from(Int16Array.from([2, 0, 3, 1]).buffer)],
    ["UINT8", "UINT8", Buffer.of(2, 0, 3, 1)],
    ["UINT32", "UINT32", Buffer.from(Uint32Array.from([2, 0, 3, 1]).buffer)],
    ["FP16", "FP16", Buffer.from(Uint16Array.from([0x4100, 0x3400, 0x4200, 0x3a00]).buffer)],
  ])("takes a matrix of %s", async (_, datatype, bytes) => {
    const json = {
      inputs: [{ name: "x", shape: [2, 2], datatype, parameters: { binary_data_size: bytes.length } }],
    };
    const { answer } = await sendBinary(`${server.http}/v2/models/numbers/infer`, json, [bytes]);
    const numbers = datatype.startsWith("FP") ? [2.5, 0.25, 3, 0.75] : [2, 0, 3, 1];
    const records = [
      { length: numbers[0], width: numbers[1] },
      { length: numbers[2], width: numbers[3] },
    ];
    const plain = await post(`${server.http}/models/numbers/predict`, records);
    expect(answer.outputs?.[1].data, JSON.stringify(answer)).toEqual(
      plain.answer.predictions.flatMap((each: { probabilities: Record<string, number> }) =>
        Object.values(each.probabilities),
      ),
    );
  });

  it.each<[string, object, readonly Buffer[], string | undefined, RegExp]>([
    ["a header that is longer than the body", { inputs: [] }, [], "9999", /Inference-Header-Content-Length/],
    ["a header that is not a number", { inputs: [] }, [], "1e1", /Inference-Header-Content-Length/],
    ["bytes of no tensor", { inputs: [] }, [Buffer.alloc(3)], undefined, /3 bytes .* no tensor/],
    [
      "a tensor that is too short",
      { inputs: [{ name: "length", shape: [2], datatype: "FP64", parameters: { binary_data_size: 8 } }] },
      [Buffer.alloc(8)],
      undefined,
      /8 bytes, but .* need 16/,
    ],
    [
      "a tensor that claims more bytes than there are",
      { inputs: [{ name: "length", shape: [2], datatype: "FP64", parameters: { binary_data_size: 16 } }] },
      [Buffer.alloc(8)],
      undefined,
      /8 bytes are left/,
    ],
    [
      "an element that claims more bytes than there are",
      { inputs: [{ name: "colour", shape: [1], datatype: "BYTES", parameters: { binary_data_size: 8 } }] },
      [Buffer.of(255, 255, 255, 255, 1, 2, 3, 4)],
      undefined,
      /ends within element 1/,
    ],
    [
      "text that is not UTF-8",
      { inputs: [{ name: "colour", shape: [1], datatype: "BYTES", parameters: { binary_data_size: 5 } }] },
      [Buffer.of(1, 0, 0, 0, 255)],
      undefined,
      /not UTF-8/,
    ],
  ])("refuses %s", async (_, json, parts, length, words) => {
    expectFault(await sendBinary(`${address}/infer`, json, parts, length), 400, words);
  });
});
