/**
 * Runs commands on a cluster of this machine and asks a server for predictions, while faults come one after the other: workers of both are killed
 * or stopped (SIGSTOP), Redis is restarted or stopped, disks are full (ulimit -f), and data and model files are renamed.
 *
 *   node scripts/chaos-hour.mjs --minutes 60 --seed 1        needs redis-server and a build; --minutes 5 is the short form
 *
 * Nothing may be false: every result has the bytes of one machine. Nothing may be lost: an output is complete, or the command says that it failed and
 * leaves none; only commands whose disk is full, whose data file is away, or that begin while Redis is away may fail. Nothing may hang: every command ends within its limit, and the
 * server answers again within seconds of a fault. Prints a line for each fault and command, and a JSON document at the end; exits with 1 otherwise.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { drawnColumns, LocalRedis, LocalWorker } from "../packages/cluster/local-cluster.mjs";

const { values: flags } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, seed: { type: "string", default: "1" } },
});
/** Milliseconds in which a command, an answer and the recovery of the server must come. */
const COMMAND = 240_000;
const ANSWER = 15_000;
const RECOVERY = 30_000;
const WORKERS = 3;

const vouch = fileURLToPath(new URL("../packages/vouch/bin/vouch.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vouch-chaos-"));
const at = (name) => join(folder, name);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let state = Number(flags.seed);
const uniform = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const pick = (list) => list[Math.floor(uniform() * list.length)];
const began = performance.now();
const seconds = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
const wrong = [];
const counts = { commands: 0, refused: 0, tasks: 0, answers: 0, unanswered: 0, faults: {} };

/** Notes something that must not happen. */
function note(text) {
  wrong.push(`${seconds()}: ${text}`);
  console.error(`${seconds()}: WRONG: ${text}`);
}

/** Runs a command to its end or to its limit; `blocks` of 512 bytes is the most that it may write to a file. */
async function run(args, { blocks, env = {} } = {}) {
  const shell = blocks === undefined ? 'exec "$@"' : `ulimit -f ${blocks}; exec "$@"`;
  const child = spawn("sh", ["-c", shell, "sh", process.execPath, vouch, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const limit = setTimeout(() => {
    note(`vouch ${args.join(" ")} has not ended within ${COMMAND / 1000} s`);
    child.kill("SIGKILL");
  }, COMMAND);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  clearTimeout(limit);
  return { code, stderr };
}

const hashOf = (name) =>
  createHash("sha256")
    .update(readFileSync(at(name)))
    .digest("hex");

writeFileSync(at("rows.csv"), csvOf(drawnColumns(3000, 6)));
writeFileSync(at("new.csv"), csvOf(drawnColumns(20_000, 6, 5)));
function csvOf(columns) {
  const cell = ({ kind, values, levels, codes }, i) => (kind === "numeric" ? values[i] : levels[codes[i]]);
  const rows = Array.from({ length: (columns[0].values ?? columns[0].codes).length }, (_, i) =>
    columns.map((column) => cell(column, i)).join(","),
  );
  return [columns.map(({ name }) => name).join(","), ...rows, ""].join("\n");
}

/** Commands that write a file. */
const forest = [
  "train",
  "rows.csv",
  "--target",
  "y",
  "--learner",
  "forest",
  "--set",
  "trees=3000",
  "--quiet",
  "--out",
];
const boosted = [
  "train",
  "rows.csv",
  "--target",
  "y",
  "--learner",
  "boosted-trees",
  "--folds",
  "4",
  "--quiet",
  "--out",
];
const predict = ["predict", "reference-0", "new.csv", "--quiet", "--out"];
const works = [forest, boosted, predict];
const expected = [];
for (const [k, args] of works.entries()) {
  const { code, stderr } = await run([...args, `reference-${k}`]);
  if (code !== 0) throw new Error(stderr);
  expected.push(hashOf(`reference-${k}`));
}

const redis = new LocalRedis();
await redis.start();
const joined = () => new LocalWorker(redis.url, 1).joined();
/** Counts the tasks of a worker that has ended. */
const countTasks = ({ output }) => {
  counts.tasks += output.match(/^done /gm)?.length ?? 0;
};
/** When Redis was away the last time, up to now if it is; and how a command says that it could not begin. */
let redisBack = 0;
const REFUSED = /cannot be reached: (connect |no answer within|read |Connection is closed)/;
async function withoutRedis(fault) {
  redisBack = Number.POSITIVE_INFINITY;
  await fault();
  redisBack = performance.now();
}
const workers = await Promise.all(Array.from({ length: WORKERS }, joined));
const until = performance.now() + 60_000 * Number(flags.minutes);
const isOver = () => performance.now() > until;

/** Runs one of the commands, on the cluster or not, and checks what it leaves. */
async function attempt(k, { mayFail = false, blocks, cluster = true } = {}) {
  const out = `out-${counts.commands++}`;
  const env = cluster ? { VOUCH_CLUSTER: redis.url } : {};
  const start = performance.now();
  const { code, stderr } = await run([...works[k], out], { blocks, env });
  const isThere = existsSync(at(out));
  const took = `${((performance.now() - start) / 1000).toFixed(1)} s`;
  console.error(`${seconds()}: ${works[k][0]} ${k} ended with ${code} after ${took}`);
  if (code === 0) {
    if (!isThere) note(`${out} of work ${k} is missing`);
    else if (hashOf(out) !== expected[k]) note(`${out} of work ${k} has other bytes`);
  } else {
    counts.refused++;
    const beganWithoutRedis = start < redisBack && REFUSED.test(stderr);
    if (!mayFail && !beganWithoutRedis) note(`work ${k} failed: ${stderr.trim().slice(0, 500)}`);
    if (!/^error: /m.test(stderr))
      note(`work ${k} failed with code ${code} and no error: ${stderr.slice(0, 500)}`);
    if (isThere) note(`work ${k} failed and left ${out}`);
  }
  for (const name of readdirSync(folder).filter((each) => each.includes(out))) {
    if (name !== out) note(`a part is left: ${name}`);
    rmSync(at(name), { force: true });
  }
}

/** The server, and what it must answer. */
const server = spawn(
  process.execPath,
  [vouch, "serve", "reference-0", "--port", "0", "--workers", "2", "--quiet"],
  {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  },
);
process.on("exit", () => server.kill("SIGKILL"));
const address = await new Promise((resolve) =>
  server.stdout.once("data", (text) => resolve(String(text).split("\n")[0])),
);
const record = JSON.stringify({ x0: 0.3, x1: 0.8, x2: 0.4, x3: 0.6, x4: 0.2, x5: 0.9 });
const ask = async () => {
  const url = new URL("/models/reference-0/predict", address);
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: record,
    signal: AbortSignal.timeout(ANSWER),
  });
  return { ok: response.ok, text: await response.text() };
};
const first = await ask();
if (!first.ok) throw new Error(first.text);
let lastAnswer = performance.now();

/** Asks the server all the time. A process that was killed may leave a request without an answer, but not for long. */
async function askForever() {
  while (!isOver()) {
    try {
      const { ok, text } = await ask();
      if (ok && text !== first.text) note(`the server has answered ${text}`);
      if (!ok) throw new Error(text);
      counts.answers++;
      lastAnswer = performance.now();
    } catch {
      counts.unanswered++;
      if (performance.now() - lastAnswer > RECOVERY) {
        note(`the server has not answered for ${RECOVERY / 1000} s`);
        lastAnswer = performance.now();
      }
    }
    await pause(20);
  }
}

const serving = () =>
  readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);

/** Sends a signal to a process of the server; one that has just ended gets none. */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

async function stopped(send, most) {
  send("SIGSTOP");
  await pause(most * uniform());
  send("SIGCONT");
}

async function renamed(name, most) {
  renameSync(at(name), at(`${name}.away`));
  await pause(most * uniform());
  renameSync(at(`${name}.away`), at(name));
}

const faults = {
  async "a worker is killed"() {
    const k = Math.floor(uniform() * WORKERS);
    await workers[k].kill();
    countTasks(workers[k]);
    workers[k] = await joined();
  },
  async "a worker is stopped"() {
    const worker = pick(workers);
    await stopped((name) => worker.signal(name), 12_000);
  },
  "Redis is restarted": () =>
    withoutRedis(async () => {
      await redis.kill();
      await pause(4000 * uniform());
      await redis.start();
    }),
  "Redis is stopped": () => withoutRedis(() => stopped((name) => redis.signal(name), 10_000)),
  async "a process of the server is killed"() {
    signal(pick(serving()), "SIGKILL");
  },
  async "a process of the server is stopped"() {
    const pid = pick(serving());
    await stopped((name) => signal(pid, name), 4000);
  },
  "the model file of the server is renamed": () => renamed("reference-0", 3000),
  "the disk is full": () =>
    attempt(Math.floor(uniform() * works.length), {
      mayFail: true,
      blocks: 1 + Math.floor(300 * uniform()),
      cluster: false,
    }),
  async "the data file is renamed"() {
    const work = attempt(pick([0, 1]), { mayFail: true, cluster: false });
    await pause(1500 * uniform());
    await renamed("rows.csv", 1500);
    await work;
  },
};

/** Lets faults and commands share files: a fault that takes a file away waits until no command reads it. */
let reading = Promise.resolve();
async function withFiles(work) {
  const before = reading;
  let done;
  reading = new Promise((resolve) => {
    done = resolve;
  });
  await before;
  try {
    return await work();
  } finally {
    done();
  }
}

async function failForever() {
  while (!isOver()) {
    await pause(1000 + 4000 * uniform());
    const name = pick(Object.keys(faults));
    counts.faults[name] = (counts.faults[name] ?? 0) + 1;
    console.error(`${seconds()}: ${name}`);
    if (/renamed/.test(name)) await withFiles(faults[name]);
    else await faults[name]();
  }
}

async function workForever() {
  while (!isOver()) await withFiles(() => attempt(Math.floor(uniform() * works.length)));
}

await Promise.all([askForever(), failForever(), workForever()]);
server.kill("SIGTERM");
const ended = new Promise((resolve) => server.once("exit", resolve));
const late = await Promise.race([ended.then(() => false), pause(RECOVERY).then(() => true)]);
if (late) note("the server has not ended");
for (const worker of workers) {
  const isLate = await Promise.race([worker.stop().then(() => false), pause(RECOVERY).then(() => true)]);
  if (isLate) note("a worker has not ended");
  countTasks(worker);
}
if (counts.tasks === 0) note("no worker has run a task");
const left = (await redis.keys()).filter((key) => key.includes(":run"));
if (left.length > 0) console.error(`keys of runs that go after two minutes: ${left.length}`);
await redis.stop();
rmSync(folder, { recursive: true, force: true });
console.log(
  JSON.stringify({ minutes: Number(flags.minutes), seed: Number(flags.seed), ...counts, wrong }, null, 2),
);
process.exit(wrong.length === 0 ? 0 : 1);
