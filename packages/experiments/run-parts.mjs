// `node run-parts.mjs NAME [--scale paper] [--seed 1] [--processes N] [--threads 1] [--pin] [--only TEXT] [--minutes M]
// [--folder FOLDER]
// [--result FILE]`: computes an experiment in parts, with N parallel processes of one or more threads. With --pin, each
// process has
// its own processors, for timing (on Linux, by taskset). Finished parts are kept in FOLDER; after an interruption or
// the time limit,
// the same command continues from there. RESULT shows what the finished parts suffice for. Parts that an existing
// RESULT contains
// completely are not computed again; remove it to compute everything.
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { VERSION } from "vouch";
import { addPartsOf, mergePartialResults, parseResult } from "./dist/index.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: "string", default: "paper" },
    seed: { type: "string", default: "1" },
    processes: { type: "string", default: String(availableParallelism()) },
    threads: { type: "string", default: "1" },
    pin: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    minutes: { type: "string", default: "Infinity" },
    folder: { type: "string", default: "parts" },
    result: { type: "string" },
  },
});
const [name] = positionals;
const { scale, seed, folder } = values;
const processes = Number(values.processes);
const deadline = Date.now() + 60_000 * Number(values.minutes);
const experiment = fileURLToPath(new URL("./run.mjs", import.meta.url));

const stem = join(folder, name.replaceAll("/", "-"));
const merged = `${stem}.json`;
const shareFile = (k) => `${stem}.${k}.json`;
const shares = Array.from({ length: processes }, (_, k) => k + 1);

/** Returns the command that pins a process to its own processors, if requested. */
function pinned(k) {
  const first = (k - 1) * Number(values.threads);
  return values.pin ? ["taskset", "-c", `${first}-${first + Number(values.threads) - 1}`] : [];
}

/** Runs a process until it ends or the time is up; resolves with its exit status, or null if it was stopped. */
function runUntilDeadline(k, args) {
  const [program, ...rest] = [...pinned(k), process.execPath, experiment, name, ...args];
  const child = spawn(program, [...rest, "--scale", scale, "--seed", seed], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const left = Math.min(deadline - Date.now(), 2 ** 31 - 1);
  const timer = setTimeout(() => child.kill("SIGKILL"), Math.max(0, left));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve(status);
    });
  });
}

function countParts() {
  return existsSync(merged) ? Object.keys(JSON.parse(readFileSync(merged, "utf8")).parts).length : 0;
}

/** Merges the parts of finished processes into one file. */
async function merge() {
  const files = shares.map(shareFile).filter((file) => existsSync(file));
  if (files.length > 0) await mergePartialResults(merged, files);
  for (const file of files) rmSync(file);
}

/** Computes a share of the missing parts in each process; returns whether all succeeded. */
async function round() {
  for (const k of shares) if (existsSync(merged)) copyFileSync(merged, shareFile(k));
  const statuses = await Promise.all(
    shares.map((k) =>
      runUntilDeadline(k, [
        "--threads",
        values.threads,
        ...values.only.flatMap((text) => ["--only", text]),
        "--quiet",
        "--part",
        `${k}/${processes}`,
        "--resume",
        shareFile(k),
        "--json",
      ]),
    ),
  );
  await merge();
  return statuses.every((status) => status === 0);
}

/** Copies the parts of an earlier result of the same run. */
async function addPartsOfResult() {
  if (values.result === undefined || !existsSync(values.result)) return;
  const earlier = parseResult(readFileSync(values.result, "utf8"), values.result);
  const isSame = earlier.experiment === name && earlier.scale === scale && earlier.seed === Number(seed);
  if (isSame && earlier.vouch === VERSION) await addPartsOf(earlier, merged);
}

mkdirSync(folder, { recursive: true });
// An interrupted run leaves the files of its processes behind.
await merge();
await addPartsOfResult();
let before = -1;
let well = true;
while (well && countParts() > before && Date.now() < deadline) {
  before = countParts();
  well = await round();
  console.log(`${name}: ${countParts()} parts are finished.`);
}
if (values.result !== undefined) {
  const status = await new Promise((resolve) => {
    const args = ["--finished", "--resume", merged, "--json", "--out", values.result, "--quiet"];
    spawn(process.execPath, [experiment, name, "--scale", scale, "--seed", seed, ...args], {
      stdio: "inherit",
    }).on("close", resolve);
  });
  process.exitCode = status ?? 1;
}
