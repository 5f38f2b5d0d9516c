/**
 * Forges model files of every learner and uses them: `node scripts/fuzz-models.mjs --tries 50000 --seed 1`. Each file must be
 * refused with a clear error, or be a model that works, within 2 seconds and 1 GB. First comes every number of every part with
 * each extreme value, then random combinations. Tries run in a process of their own, which is ended when one takes too long.
 *
 * Prints the counts of outcomes, and each crash and each hang with its number; `--only NUMBER` with the same tries and seed runs it
 * again by itself. Exits with 1 if there is one. Needs a build (`npm run build`).
 */
import { fork } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

/** CPU time of a try: on a busy machine, a try may wait. */
const MAX_MILLISECONDS = 2000;
/** A try that has not ended after this time is ended. */
const WATCHDOG_MILLISECONDS = 20_000;
const MAX_BYTES = 2 ** 30;
/** Starting a process and loading the originals may take this long. */
const START_MILLISECONDS = 120_000;

/** Tries between two lines about the progress. */
const PROGRESS_TRIES = 5000;

const { values: flags } = parseArgs({
  options: {
    tries: { type: "string", default: "50000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    folder: { type: "string" },
    from: { type: "string", default: "0" },
  },
});
const tries = Number(flags.tries);
const seed = Number(flags.seed);

if (flags.folder === undefined) await main();
else await tryFrom(flags.folder, Number(flags.from));

async function main() {
  const folder = await mkdtemp(join(tmpdir(), "vouch-fuzz-"));
  try {
    await bundle(folder);
    const { originalModels } = await engine(folder);
    for (const [n, { name, bytes }] of (await originalModels()).entries())
      await writeFile(join(folder, `${String(n).padStart(3, "0")} ${name}`), bytes);
    if (flags.only === undefined) process.exitCode = (await runAll(folder)) > 0 ? 1 : 0;
    else await showOne(folder, Number(flags.only));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Bundles the parts of the tests that forge and use files. */
function bundle(folder) {
  return build({
    entryPoints: [fileURLToPath(new URL("../packages/core/test/train/forged-run.ts", import.meta.url))],
    outfile: join(folder, "engine.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
}

function engine(folder) {
  return import(pathToFileURL(join(folder, "engine.mjs")).href);
}

async function forgerIn(folder) {
  const { Forger, useForged } = await engine(folder);
  const names = (await readdir(folder)).filter((name) => name !== "engine.mjs").sort();
  const originals = await Promise.all(
    names.map(async (name) => ({
      name: name.slice(4),
      bytes: Uint8Array.from(await readFile(join(folder, name))),
    })),
  );
  return { forger: new Forger(originals, seed), useForged };
}

async function showOne(folder, index) {
  const { forger, useForged } = await forgerIn(folder);
  const { what, bytes } = await forger.forge(index, tries);
  console.log(`${index}: ${what}`);
  const start = performance.now();
  console.log(await useForged(bytes));
  console.log(`${Math.round(performance.now() - start)} ms`);
}

/** Runs the tries from a number on in this process, and tells the parent about each. */
async function tryFrom(folder, from) {
  const { forger, useForged } = await forgerIn(folder);
  process.send({ systematic: forger.systematic });
  for (let index = from; index < tries; index++) {
    const { what, bytes } = await forger.forge(index, tries);
    await new Promise((sent) => process.send({ index, what }, sent));
    const start = process.cpuUsage();
    let outcome;
    let error;
    try {
      outcome = await useForged(bytes);
    } catch (thrown) {
      error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    }
    const { user, system } = process.cpuUsage(start);
    const milliseconds = (user + system) / 1000;
    const peak = process.resourceUsage().maxRSS * 1024;
    process.send({ index, what, outcome, error, milliseconds, peak });
  }
  process.send({ done: true }, () => process.exit());
}

/** Runs all tries, in as many processes as it takes. Returns the number of faults. */
async function runAll(folder) {
  const counts = new Map();
  const report = { next: 0, faults: 0, slowest: 0, largest: 0, counts };
  while (report.next < tries) await runProcess(folder, report);
  for (const [outcome, count] of [...counts].sort()) console.log(`${outcome}: ${count}`);
  console.log(
    `slowest: ${Math.round(report.slowest)} ms; peak memory: ${Math.round(report.largest / 1e6)} MB`,
  );
  console.log(`${report.faults} faults in ${tries} tries with seed ${seed}`);
  return report.faults;
}

function runProcess(folder, report) {
  const args = ["--folder", folder, "--from", report.next, "--tries", tries, "--seed", seed].map(String);
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv: ["--max-old-space-size=1024"] });
  let current = { index: report.next, what: "start" };
  let timer = setTimeout(() => child.kill("SIGKILL"), START_MILLISECONDS);
  let hung = false;
  const fault = (what) => {
    report.faults++;
    report.next = current.index + 1;
    console.log(
      `FAULT ${current.index} (${current.what}): ${what}\n  node scripts/fuzz-models.mjs --tries ${tries} --seed ${seed} --only ${current.index}`,
    );
  };
  child.on("message", (message) => {
    if (message.systematic !== undefined && report.next === 0)
      console.log(
        `${Math.min(message.systematic, Math.ceil(tries / 2))} of ${message.systematic} systematic tries, ${tries} in all`,
      );
    if (message.index === undefined) return;
    clearTimeout(timer);
    if (message.peak === undefined) {
      current = message;
      timer = setTimeout(() => {
        hung = true;
        child.kill("SIGKILL");
      }, WATCHDOG_MILLISECONDS);
      return;
    }
    report.slowest = Math.max(report.slowest, message.milliseconds);
    report.largest = Math.max(report.largest, message.peak);
    report.next = message.index + 1;
    if (report.next % PROGRESS_TRIES === 0) console.error(`${report.next} of ${tries} tries`);
    const outcome = message.outcome ?? "fault";
    report.counts.set(outcome, (report.counts.get(outcome) ?? 0) + 1);
    if (message.error !== undefined) fault(message.error);
    if (message.milliseconds > MAX_MILLISECONDS) fault(`it took ${Math.round(message.milliseconds)} ms`);
    if (message.peak <= MAX_BYTES) return;
    fault(`it took ${Math.round(message.peak / 1e6)} MB`);
    child.kill("SIGKILL");
  });
  return new Promise((ended) => {
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      if (hung) fault(`it did not end within ${WATCHDOG_MILLISECONDS} ms`);
      else if (code !== 0 && signal !== "SIGKILL") fault(`the process ended with ${code ?? signal}`);
      ended();
    });
  });
}
