/**
 * Reads damaged data files of all formats: `node scripts/fuzz-data.mjs --tries 100000 --seed 1` after `npm run build`. A file must be
 * read, or refused with a VouchError, within two seconds of computing time, and with a gigabyte of memory and 20 bytes for each of its
 * own. Prints the number of each outcome and the seeds of all failures, and exits with 1 if there are any. `--seed N --tries 1` repeats
 * a failure.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutant, sampleFiles } from "./mutated-data.mjs";

const CPU_SECONDS = 2;
/** A process that is silent for so long hangs, even on a busy machine. */
const SILENT_SECONDS = 60;
const FREE_BYTES = 2 ** 30;
const BYTES_PER_BYTE = 20;

if (process.send) await readMutants();
else await supervise();

/** Reads the mutants from --seed on in this process, and reports each. */
async function readMutants() {
  const [first, tries] = process.argv.slice(2).map(Number);
  const { readTable } = await import("@vouch/formats");
  const { VouchError } = await import("@vouch/core/internal/runtime/vouch-error");
  const samples = await sampleFiles();
  for (let seed = first; seed < first + tries; seed++) {
    const { bytes, length, format } = mutant(samples, seed);
    const before = process.cpuUsage();
    let outcome = "read";
    try {
      await readTable(bytes, { name: "mutant", ...(format && { format }) });
    } catch (error) {
      outcome =
        error instanceof VouchError ? error.code : `crash: ${error instanceof Error ? error.stack : error}`;
    }
    const { user, system } = process.cpuUsage(before);
    if (user + system > CPU_SECONDS * 1e6) outcome = `hang: ${(user + system) / 1e6} s`;
    const peak = process.resourceUsage().maxRSS * 1024;
    if (peak > FREE_BYTES + BYTES_PER_BYTE * length) outcome = `memory: ${Math.round(peak / 2 ** 20)} MB`;
    await new Promise((resolve) => process.send?.({ seed, format: format ?? "detected", outcome }, resolve));
    // The peak covers all files so far, so each failure needs a new process.
    if (isFailure(outcome)) process.exit(1);
  }
  process.disconnect();
}

function isFailure(outcome) {
  return /^(?:crash|hang|memory)\b/.test(outcome);
}

async function supervise() {
  const { values } = parseArgs({
    options: { tries: { type: "string", default: "20000" }, seed: { type: "string", default: "1" } },
  });
  const first = Number(values.seed);
  const end = first + Number(values.tries);
  const counts = new Map();
  const failures = [];
  for (let next = first; next < end; ) {
    for (const { seed, format, outcome } of await session(next, end - next)) {
      next = seed + 1;
      const kind = outcome.split(":")[0];
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (isFailure(outcome)) failures.push(`seed ${seed} (${format}): ${outcome}`);
    }
  }
  for (const [outcome, count] of [...counts].sort(([, a], [, b]) => b - a))
    console.log(`${count}\t${outcome}`);
  for (const failure of failures) console.error(failure);
  console.log(`${values.tries} files, ${failures.length} failures`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

/** Runs one process until it is done, fails or falls silent; returns the outcomes. */
function session(first, tries) {
  return new Promise((resolve) => {
    const outcomes = [];
    const child = fork(fileURLToPath(import.meta.url), [String(first), String(tries)]);
    let reason = "crash";
    let timer;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reason = "hang";
        child.kill("SIGKILL");
      }, SILENT_SECONDS * 1000);
    };
    watch();
    child.on("message", (message) => {
      outcomes.push(message);
      watch();
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      const last = outcomes.at(-1);
      const finished = outcomes.length === tries || (last && isFailure(last.outcome));
      if (!finished) {
        const seed = last ? last.seed + 1 : first;
        outcomes.push({
          seed,
          format: "unknown",
          outcome: `${reason}: the process ended with ${signal ?? code}`,
        });
      }
      resolve(outcomes);
    });
  });
}
