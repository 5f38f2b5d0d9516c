import { readFile } from "node:fs/promises";
import type { Json } from "@vouch/core/internal/runtime/codec/state";
import { writeFileAtomic } from "@vouch/core/internal/runtime/files/write-file";
import { VERSION } from "@vouch/core/internal/runtime/version";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import * as z from "zod";
import { currentCommit } from "./code-version.js";
import { type PartialResults, type Result, type Scale, scales } from "./experiment.js";
import { experimentNamed } from "./experiments.js";

/** The run that partial results belong to; results of another run are refused. */
interface Origin {
  readonly experiment: string;
  readonly scale: Scale;
  readonly seed: number;
}

const fileSchema = z.strictObject({
  experiment: z.string(),
  scale: z.enum(scales),
  seed: z.number(),
  vouch: z.string(),
  /** Commits of the code that computed the parts. */
  commits: z.array(z.string()),
  parts: z.record(z.string(), z.json()),
});

/**
 * Opens or creates a file of partial results. The file is replaced as a whole whenever a part is added, so that an
 * interruption at any moment leaves a file to resume from.
 */
export async function openPartialResults(
  file: string,
  { experiment, scale, seed }: Origin,
): Promise<PartialResults> {
  const origin = { experiment, scale, seed, vouch: VERSION };
  const { parts, commits } = await readParts(file, origin);
  const write = () => writeParts(file, origin, { parts, commits });
  // Fail now if the file cannot be written, not after hours.
  await write();
  return {
    get: (part) => parts.get(part),
    async add(part, value) {
      parts.set(part, value);
      const commit = currentCommit();
      if (commit !== undefined) commits.add(commit);
      await write();
    },
    commits: () => [...commits],
  };
}

/** Adds the parts in other files, computed by parallel processes, to a file of partial results. */
export async function mergePartialResults(file: string, others: readonly string[]): Promise<void> {
  const [first] = others;
  const text = await textOf(first);
  if (text === undefined) throw new VouchError("file/missing", `There is no file ${first}.`);
  const { parts: _, commits: __, ...origin } = parse(text, first);
  const merged = await readParts(file, origin);
  for (const other of others) {
    const { parts, commits } = await readParts(other, origin);
    for (const [part, value] of parts) merged.parts.set(part, value);
    for (const commit of commits) merged.commits.add(commit);
  }
  await writeParts(file, origin, merged);
}

/**
 * Adds the parts in a result to a file of partial results, so that a run with this file continues from the result. Does
 * nothing if the result contains no reusable parts.
 */
export async function addPartsOf(result: Result, file: string): Promise<void> {
  const { data: _, commits = [], storedIn, ...origin } = result;
  const merged = await readParts(file, origin);
  const parts = experimentNamed(result.experiment).partsIn(result);
  if (parts.size === 0) return;
  for (const [part, value] of parts) merged.parts.set(part, value);
  for (const commit of [...commits, ...(storedIn === undefined ? [] : [storedIn])])
    merged.commits.add(commit);
  await writeParts(file, origin, merged);
}

/** Finished parts, and the commits of the code that computed them. */
interface Parts {
  readonly parts: Map<string, Json>;
  readonly commits: Set<string>;
}

async function writeParts(
  file: string,
  origin: Origin & { vouch: string },
  { parts, commits }: Parts,
): Promise<void> {
  const content = { ...origin, commits: [...commits], parts: Object.fromEntries(parts) };
  await writeFileAtomic(file, new TextEncoder().encode(`${JSON.stringify(content, null, 1)}\n`));
}

async function readParts(file: string, origin: Origin & { vouch: string }): Promise<Parts> {
  const text = await textOf(file);
  if (text === undefined) return { parts: new Map(), commits: new Set() };
  const { parts, commits, ...found } = parse(text, file);
  const describe = ({ experiment, scale, seed, vouch }: typeof origin) =>
    `${experiment} at scale ${scale} with seed ${seed} by vouch ${vouch}`;
  if (describe(found) !== describe(origin)) {
    throw new VouchError(
      "option/invalid",
      `${file} belongs to ${describe(found)}, not to ${describe(origin)}.`,
      { hint: "Choose another file, or remove this one to start over." },
    );
  }
  return { parts: new Map(Object.entries(parts)), commits: new Set(commits) };
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new VouchError("file/read", `Cannot read ${file}: ${reason}.`, { cause });
  }
}

function parse(text: string, file: string): z.output<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new VouchError("file/format", `${file} has no partial results of an experiment.`, {
      hint: "Choose another file, or remove this one to start over.",
      cause,
    });
  }
}
