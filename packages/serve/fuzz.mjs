/**
 * Sends malformed requests to its own server and checks that it neither fails nor leaks memory: `node
 * packages/serve/fuzz.mjs [--requests 10000] [--rounds 1] [--seed 1]`. Exits with 1 on any failure.
 *
 * After each round, the server collects garbage and reports its memory. The first round warms it up: code is compiled,
 * and pools of threads and buffers fill. From then on memory must stay flat for any number of rounds.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { forest, Table, trainClassifier } from "vouch";
import { saveModel } from "vouch/node";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "10000" },
    rounds: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
  },
});
const requests = Number(values.requests);
const rounds = Number(values.rounds);
/**
 * Allowed growth in megabytes from the first to the last round. The allocator returns pages late: resident memory
 * varies by about 30 MB without a leak.
 */
const MOST_GROWTH = { objects: 2, external: 2, resident: 64 };

let state = Number(values.seed) % 2147483647 || 1;
const random = () => {
  state = (state * 48271) % 2147483647;
  return state / 2147483647;
};
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const folder = mkdtempSync(join(tmpdir(), "vouch-fuzz-"));
const model = join(folder, "m.safetensors");
const rows = Array.from({ length: 300 }, (_, i) => ({
  a: i % 17,
  b: random(),
  c: pick(["red", "white", "blue"]),
  y: i % 17 > 8 ? "yes" : "no",
}));
const training = await trainClassifier(Table.fromRecords("rows", rows), forest({ trees: 10 }), {
  target: "y",
  holdout: 0.3,
});
await saveModel(model, training.classifier);

const vouch = fileURLToPath(new URL("../vouch/bin/vouch.js", import.meta.url));
const flags = ["--port", "0", "--grpc-port", "0", "--max-rows", "1000", "--max-body", "256KB"];
/** Server code that replies with the memory in use after garbage collection. */
const probe = `
  process.on("message", async () => {
    for (let i = 0; i < 4; i++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    process.send(process.memoryUsage());
  });
  process.channel?.unref();`;
const child = spawn(
  process.execPath,
  [
    "--expose-gc",
    "--import",
    `data:text/javascript,${encodeURIComponent(probe)}`,
    vouch,
    "serve",
    model,
    ...flags,
  ],
  { stdio: ["ignore", "pipe", "pipe", "ipc"] },
);
let log = "";
child.stderr.on("data", (text) => {
  log += text;
});
const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
const http = new URL((await lines.next()).value);
const grpc = new URL((await lines.next()).value.replace("grpc:", "http:"));
const ended = once(child, "exit");
let alive = true;
ended.then(() => {
  alive = false;
});

const valid = { a: 3, b: 0.5, c: "red" };
const CELLS = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  1e308,
  5e-324,
  2 ** 53,
  "",
  "NaN",
  "Infinity",
  "1e999",
  "0x10",
  "red",
  "\u0000",
  "\ud800",
  "😀",
  "a".repeat(5000),
  [],
  {},
  [1],
  { a: 1 },
  [[[]]],
];
const KEYS = [
  "a",
  "b",
  "c",
  "y",
  "__proto__",
  "constructor",
  "toString",
  "length",
  "",
  "x".repeat(3000),
  "\u202e",
];
const record = () => {
  const made = random() < 0.5 ? { ...valid } : {};
  for (let i = below(5); i > 0; i--)
    Object.defineProperty(made, pick(KEYS), {
      value: pick(CELLS),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return made;
};
const tensor = () => ({
  name: pick([...KEYS, 3, null]),
  datatype: pick(["FP64", "BYTES", "INT64", "BOOL", "FP32", "FP16", "UINT64", "STRING", "constructor", 7]),
  shape: pick([[1], [2], [1, 1], [1, 3], [0], [-1], [1e15, 1e15], [1.5], "1", [], [[1]], [2, 3, 4]]),
  data: pick([[1], [1, 2, 3], ["red"], [[1]], [[1, 2, 3]], [null], [[[[]]]], "1", undefined, [{}], []]),
  parameters: pick([undefined, {}, { binary_data_size: pick([0, 1, 8, -1, 1e9, "8", null]) }, 3]),
});
const infer = () => ({
  inputs: pick([undefined, [], Array.from({ length: 1 + below(4) }, tensor), {}, [null], "x"]),
  outputs: pick([
    undefined,
    [],
    [{ name: "prediction" }],
    [{ name: "none" }],
    [null],
    3,
    [{ name: "probabilities", parameters: { binary_data: true } }],
  ]),
  id: pick([undefined, "1", 1, null]),
  parameters: pick([undefined, { binary_data_output: true }, 3, null]),
});
const feedback = () => ({
  predicted: pick(["yes", "no", "", null, 3, "oak", {}]),
  actual: pick(["yes", "no", "", null, 3, []]),
});
const BODIES = [
  () => JSON.stringify(record()),
  () => JSON.stringify(Array.from({ length: below(4) }, record)),
  () => JSON.stringify(Array(1001).fill({ a: 1 })),
  () => JSON.stringify(infer()),
  () => JSON.stringify(feedback()),
  () => JSON.stringify(pick(CELLS)),
  () => "[".repeat(1 + below(100_000)),
  () => `{"a":`.repeat(1 + below(5000)),
  () => `{"a":${"9".repeat(1 + below(2000))}}`,
  () => `{"a":1e${below(5000)},"b":1,"c":"red"}`,
  () => JSON.stringify(Object.fromEntries(Array.from({ length: below(5000) }, (_, i) => [`k${i}`, i]))),
  () => "x".repeat(300_000),
  () => "",
  () => Buffer.from(Array.from({ length: below(200) }, () => below(256))),
];
/** Changes some bytes. */
const mutated = (body) => {
  const bytes = Buffer.from(body);
  if (random() < 0.5 || bytes.length === 0) return bytes;
  for (let i = below(4); i > 0; i--) bytes[below(bytes.length)] = below(256);
  return random() < 0.2 ? bytes.subarray(0, below(bytes.length)) : bytes;
};
const PATHS = [
  "/models/m/predict",
  "/models/m/predict?reasons=2",
  "/models/m/predict?reasons=-1",
  "/models/m/predict?__proto__=1",
  "/v2/models/m/infer",
  "/v2/models/m/versions/1/infer",
  "/models/m/feedback",
  "/models/m/watch",
  "/models/%00/predict",
  "/models/%E0%A4%A/predict",
  "/models/../../etc/passwd",
  "/v2/models/m/versions/%2e%2e/infer",
  "/",
  "/metrics",
  "/openapi.json",
  "//",
  "/models/__proto__/predict",
  `/models/${"n".repeat(2000)}/predict`,
  "/v2/models/constructor",
  "/page.js",
];
const HEADERS = [
  {},
  { "content-type": "application/json" },
  { "content-type": "application/json" },
  { "content-type": "text/plain" },
  { "content-type": "x" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-encoding": "gzip" },
  { "inference-header-content-length": "10" },
  { "inference-header-content-length": "-1" },
  { "inference-header-content-length": "99999999999999999999" },
  { "accept-version": "1.x" },
  { authorization: "Basic !!!" },
  { accept: "text/html" },
  { expect: "100-continue" },
  { "x-long": "y".repeat(3000) },
];
const RAW = [
  "GET / HTTP/1.1\r\n\r\n",
  "POST /models/m/predict HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
  "\0\0\0\0",
  "POST /models/m/predict HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
  "POST /models/m/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  `GET / HTTP/1.1\r\nHost: x\r\nA: ${"b".repeat(20_000)}\r\n\r\n`,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\0",
  "BREW /coffee HTTP/1.1\r\nHost: x\r\n\r\n",
];

const counts = {};
const faults = [];
async function send() {
  const options = {
    host: http.hostname,
    port: http.port,
    path: pick(PATHS),
    method: random() < 0.8 ? "POST" : pick(["GET", "PUT", "DELETE", "HEAD"]),
    headers: pick(HEADERS),
  };
  const body = mutated(pick(BODIES)());
  const what = () =>
    `${options.method} ${options.path.slice(0, 60)} ${JSON.stringify(options.headers).slice(0, 80)} ${body.toString("latin1").slice(0, 200)}`;
  const asked = request(options);
  asked.on("error", () => {});
  const leave = random() < 0.05;
  const outcome = new Promise((resolve) => {
    asked.on("response", async (response) => {
      const chunks = [];
      response.on("error", () => resolve());
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString("utf8");
      counts[response.statusCode] = (counts[response.statusCode] ?? 0) + 1;
      if (response.statusCode >= 500) faults.push(`${response.statusCode}: ${what()}`);
      const words = options.method === "HEAD" || response.statusCode < 400 || /^\{"error":"[^"]/.test(text);
      if (!words) faults.push(`no words: ${response.statusCode} ${text.slice(0, 100)}: ${what()}`);
      if (/node_modules|\bat .*:\d+:\d+/.test(text)) faults.push(`a stack trace: ${what()}`);
      resolve();
    });
    asked.on("close", resolve);
  });
  if (leave) {
    asked.write(body.subarray(0, body.length >> 1));
    setTimeout(() => asked.destroy(), 2);
  } else asked.end(body);
  await outcome;
}

/** Sends bytes that are not a request to a random port. */
async function sendRaw() {
  const { hostname, port } = random() < 0.5 ? http : grpc;
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.end(random() < 0.6 ? pick(RAW) : Buffer.from(Array.from({ length: below(300) }, () => below(256))));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), 500);
  await once(socket, "close");
  clearTimeout(timer);
}

/** Returns the server's memory in megabytes after garbage collection. */
async function memory() {
  child.send("memory");
  const [use] = await once(child, "message");
  const megabytes = (bytes) => Number((bytes / 2 ** 20).toFixed(2));
  return {
    objects: megabytes(use.heapUsed),
    external: megabytes(use.external),
    resident: megabytes(use.rss),
  };
}
const answerTo = async () =>
  (
    await fetch(new URL("/models/m/predict", http), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(valid),
    })
  ).text();

const before = await answerTo();
let sent = 0;
const memoryAfter = [];
for (let round = 1; round <= rounds && alive; round++) {
  const client = async () => {
    while (sent < round * requests && alive) {
      sent++;
      await (random() < 0.1 ? sendRaw() : send());
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  if (!alive) break;
  if ((await answerTo()) !== before) faults.push("the answer to a valid request has changed");
  memoryAfter.push(await memory());
}
if (!alive) faults.push(`the server ended: ${log.slice(-2000)}`);
else if (log.includes("failed:")) faults.push(`the log has errors: ${log.slice(0, 2000)}`);
const [first] = memoryAfter;
const last = memoryAfter.at(-1);
for (const [kind, most] of Object.entries(MOST_GROWTH)) {
  const growth = last ? last[kind] - first[kind] : 0;
  if (growth > most) faults.push(`memory of ${kind} has grown by ${growth.toFixed(1)} MB`);
}
child.kill("SIGTERM");
await ended;
rmSync(folder, { recursive: true, force: true });
console.log(
  JSON.stringify(
    { requests: sent, statuses: counts, megabytes: memoryAfter, faults: faults.slice(0, 20) },
    null,
    2,
  ),
);
process.exitCode = faults.length > 0 ? 1 : 0;
