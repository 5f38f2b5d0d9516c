import { readFile } from "node:fs/promises";
import { type Json, VERSION, VouchError } from "vouch";
import { writeFileAtomic } from "vouch/node";
import * as z from "zod";
import { type PartialResults, type Scale, scales } from "./experiment.js";

/** The run that partial results belong to; those of another run are refused. */
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
  parts: z.record(z.string(), z.json()),
});

/**
 * Opens a file of partial results, or makes a new one. The file is replaced as a whole whenever a part is added, so that an
 * interruption at any moment leaves a file to resume from.
 */
export async function openPartialResults(
  file: string,
  { experiment, scale, seed }: Origin,
): Promise<PartialResults> {
  const origin = { experiment, scale, seed, vouch: VERSION };
  const parts = await readParts(file, origin);
  const write = async () => {
    const text = JSON.stringify({ ...origin, parts: Object.fromEntries(parts) }, null, 1);
    await writeFileAtomic(file, new TextEncoder().encode(`${text}\n`));
  };
  // A file that cannot be written is found now, not after hours.
  await write();
  return {
    get: (part) => parts.get(part),
    async add(part, value) {
      parts.set(part, value);
      await write();
    },
  };
}

async function readParts(file: string, origin: Origin & { vouch: string }): Promise<Map<string, Json>> {
  const text = await textOf(file);
  if (text === undefined) return new Map();
  const { parts, ...found } = parse(text, file);
  const describe = ({ experiment, scale, seed, vouch }: typeof origin) =>
    `${experiment} at scale ${scale} with seed ${seed} by vouch ${vouch}`;
  if (describe(found) !== describe(origin)) {
    throw new VouchError(
      "option/invalid",
      `${file} belongs to ${describe(found)}, not to ${describe(origin)}.`,
      { hint: "Choose another file, or remove this one to start over." },
    );
  }
  return new Map(Object.entries(parts));
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
