/**
 * Measures `vouch serve` with autocannon, which runs in its own process:
 *
 *   node packages/serve/measure.mjs [--seconds 10] [--rounds 9] [--workers 1] [--reload 100000] [--soak MINUTES] [--peer] [--only one,hundred,…]
 *
 * one       requests per second with one row, a forest of 100 trees on breastcancer hundred   rows per second with 100
 * rows in a request half      latency at half the load of `one` cpu       server CPU microseconds per request with one
 * row and with 100 rows: medians of --rounds rounds reload    requests that fail, out of --reload, while the model file
 * changes every half second soak      memory at the beginning and the end of --soak minutes at half load peer      the
 * same one row against scikit-learn behind FastAPI and uvicorn (python3-sklearn, python3-fastapi, uvicorn), interleaved
 *
 * Prints one JSON document. CPU microseconds count the server alone, so other programs hardly affect them.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { loadModel } from "vouch/node";

const { values: flags } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "9" },
    workers: { type: "string", default: "1" },
    reload: { type: "string", default: "100000" },
    soak: { type: "string", default: "0" },
    peer: { type: "boolean", default: false },
    only: { type: "string", default: "one,hundred,half,cpu,reload,soak,peer" },
  },
});
const seconds = Number(flags.seconds);
const only = new Set(flags.only.split(","));
const run = promisify(execFile);
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const vouch = at("../vouch/bin/vouch.js");
const autocannon = at("../../node_modules/autocannon/autocannon.js");
const folder = mkdtempSync(join(tmpdir(), "vouch-measure-"));
const model = join(folder, "breastcancer.safetensors");
const other = join(folder, "other.safetensors");
const train = (out, seed) =>
  run(process.execPath, [
    vouch,
    "train",
    "breastcancer",
    "--learner",
    "forest",
    "--set",
    "trees=100",
    "--seed",
    String(seed),
    "--out",
    out,
    "--quiet",
  ]);

/** Makes requests of one row and of 100 rows, with whole numbers in each column. */
async function requestsFor(path) {
  const { columns } = (await loadModel(path)).encoder.schema;
  const record = (i) => Object.fromEntries(columns.map(({ name }, j) => [name, ((i * 7 + j * 3) % 10) + 1]));
  return {
    one: JSON.stringify(record(1)),
    hundred: JSON.stringify(Array.from({ length: 100 }, (_, i) => record(i))),
  };
}

/** Starts the server; returns its address and its process. */
async function startServer(...more) {
  const child = spawn(
    process.execPath,
    [vouch, "serve", model, "--port", "0", "--quiet", "--workers", flags.workers, ...more],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, address: `${line}/models/breastcancer/predict` };
}

async function stopServer({ child }) {
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Returns the CPU seconds of a process and its children. */
function cpuOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  const [, user, system] =
    /^.*\) .(?: \S+){10} (\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  return (Number(user) + Number(system)) / 100 + children.reduce((sum, child) => sum + cpuOf(child), 0);
}

const megabytes = (pid) =>
  Number(readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) / 1024;

/** Sends requests from another process. */
async function shoot(address, body, options) {
  const file = join(folder, "body.json");
  writeFileSync(file, body);
  const args = [
    autocannon,
    "--json",
    "--no-progress",
    "-m",
    "POST",
    "-H",
    "Content-Type: application/json",
    "-i",
    file,
    ...options,
    address,
  ];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 26 });
  const { requests, latency, errors, timeouts, non2xx } = JSON.parse(stdout);
  return {
    perSecond: requests.average,
    total: requests.total,
    p50: latency.p50,
    p99: latency.p99,
    failed: errors + timeouts + non2xx,
  };
}

/** Measures throughput after a warm-up. */
async function throughput(server, body) {
  await shoot(server.address, body, ["-c", "16", "-d", "3"]);
  const before = cpuOf(server.child.pid);
  const shot = await shoot(server.address, body, ["-c", "16", "-d", String(seconds)]);
  return { ...shot, cpuMicroseconds: Math.round(((cpuOf(server.child.pid) - before) * 1e6) / shot.total) };
}

/** Number of requests per round when measuring CPU time. */
const CPU_REQUESTS = 2000;

/** Measures the server's CPU microseconds per request: the median of several rounds after a warm-up. */
async function cpuPerRequest(server, body) {
  const options = ["-c", "16", "-a", String(CPU_REQUESTS)];
  await shoot(server.address, body, options);
  const rounds = [];
  for (let round = 0; round < Number(flags.rounds); round++) {
    const before = cpuOf(server.child.pid);
    const { total } = await shoot(server.address, body, options);
    rounds.push(((cpuOf(server.child.pid) - before) * 1e6) / total);
  }
  rounds.sort((a, b) => a - b);
  const [least, median] = [rounds[0], rounds[rounds.length >> 1]].map(Math.round);
  return { median, least, most: Math.round(rounds.at(-1)) };
}

/** Finds a free port. */
async function freePort() {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

async function startPeer(body) {
  const data = at("../datasets/data/breastcancer.csv");
  const text = existsSync(data)
    ? readFileSync(data, "utf8")
    : gunzipSync(readFileSync(`${data}.gz`)).toString("utf8");
  const file = join(folder, "breastcancer.csv");
  writeFileSync(file, text);
  const port = await freePort();
  const child = spawn(
    "/usr/bin/python3",
    [at("../bench/peers/sklearn_service.py"), file, "label", String(port)],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const address = `http://127.0.0.1:${port}/predict`;
  for (let i = 0; i < 100; i++) {
    await pause(200);
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    }).catch(() => undefined);
    if (answer?.ok) return { child, address };
    if (child.exitCode !== null) break;
  }
  child.kill();
  throw new Error("The peer does not start: are python3-sklearn, python3-fastapi and uvicorn installed?");
}

const report = { workers: Number(flags.workers), seconds };
try {
  await train(model, 1);
  await train(other, 2);
  const { one, hundred } = await requestsFor(model);
  if (["one", "hundred", "half", "cpu"].some((name) => only.has(name))) {
    const server = await startServer();
    if (only.has("one") || only.has("half")) report.one = await throughput(server, one);
    if (only.has("hundred")) {
      const shot = await throughput(server, hundred);
      report.hundred = { ...shot, rowsPerSecond: Math.round(100 * shot.perSecond) };
    }
    if (only.has("half")) {
      const rate = String(Math.round(report.one.perSecond / 2));
      report.half = await shoot(server.address, one, ["-c", "16", "-d", String(seconds), "-R", rate]);
    }
    if (only.has("cpu")) {
      report.cpuMicroseconds = {
        one: await cpuPerRequest(server, one),
        hundred: await cpuPerRequest(server, hundred),
      };
    }
    await stopServer(server);
  }
  if (only.has("reload")) {
    const server = await startServer();
    let changes = 0;
    const files = [join(folder, "first"), other];
    copyFileSync(model, files[0]);
    const timer = setInterval(() => {
      changes++;
      copyFileSync(files[changes % 2], `${model}.new`);
      renameSync(`${model}.new`, model);
    }, 500);
    report.reload = await shoot(server.address, one, ["-c", "16", "-a", flags.reload]);
    clearInterval(timer);
    report.reload.changes = changes;
    const metrics = await (await fetch(new URL("/metrics", server.address))).text();
    report.reload.reloads = Number(metrics.match(/vouch_model_reloads_total\{[^}]*\} (\d+)/)?.[1] ?? 0);
    await stopServer(server);
  }
  if (only.has("soak") && Number(flags.soak) > 0) {
    const server = await startServer();
    const rate = String(Math.round((report.one?.perSecond ?? 4000) / 2));
    await shoot(server.address, one, ["-c", "16", "-d", "30", "-R", rate]);
    const begin = megabytes(server.child.pid);
    const shot = await shoot(server.address, one, [
      "-c",
      "16",
      "-d",
      String(60 * Number(flags.soak)),
      "-R",
      rate,
    ]);
    report.soak = { ...shot, megabytes: [Math.round(begin), Math.round(megabytes(server.child.pid))] };
    await stopServer(server);
  }
  if (flags.peer && only.has("peer")) {
    const [server, peer] = [await startServer(), await startPeer(one)];
    const rounds = [];
    for (let round = 0; round < 3; round++) {
      const ours = await throughput(server, one);
      const theirs = await throughput(peer, one);
      rounds.push({
        vouch: ours.perSecond,
        sklearn: theirs.perSecond,
        ratio: ours.perSecond / theirs.perSecond,
      });
    }
    report.peer = rounds;
    await stopServer(server);
    peer.child.kill();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify(report, null, 2));
