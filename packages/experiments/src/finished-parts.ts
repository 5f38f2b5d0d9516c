import { readFile } from "node:fs/promises";
import { type Json, VERSION, VouchError } from "vouch";
import { writeFileAtomic } from "vouch/node";
import { z } from "zod";
import { type Scale, scales } from "./experiment.js";

/** What is finished of a long experiment: named parts of its result, which need not be computed again. */
export interface FinishedParts {
  get(part: string): Json | undefined;
  /** Returns once the part cannot be lost. */
  add(part: string, value: Json): Promise<void>;
}

/** What the parts are parts of: those of another run are refused. */
export interface Whole {
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
 * Finished parts in a file, which is made if it is not there. It is replaced as a whole whenever a part is added, so that
 * an interruption at any moment leaves a file to go on from.
 */
export async function finishedPartsIn(
  file: string,
  { experiment, scale, seed }: Whole,
): Promise<FinishedParts> {
  const whole = { experiment, scale, seed, vouch: VERSION };
  const parts = await readParts(file, whole);
  const write = async () => {
    const text = JSON.stringify({ ...whole, parts: Object.fromEntries(parts) }, null, 1);
    await writeFileAtomic(file, new TextEncoder().encode(`${text}\n`));
  };
  // A file that cannot be written is found out now and not after hours.
  await write();
  return {
    get: (part) => parts.get(part),
    async add(part, value) {
      parts.set(part, value);
      await write();
    },
  };
}

async function readParts(file: string, whole: Whole & { vouch: string }): Promise<Map<string, Json>> {
  const text = await textOf(file);
  if (text === undefined) return new Map();
  const { parts, ...found } = parse(text, file);
  const describe = ({ experiment, scale, seed, vouch }: typeof whole) =>
    `${experiment} at scale ${scale} with seed ${seed} by vouch ${vouch}`;
  if (describe(found) !== describe(whole)) {
    throw new VouchError(
      "option/invalid",
      `${file} has parts of ${describe(found)}, not of ${describe(whole)}.`,
      {
        hint: "Name another file, or remove this one to begin anew.",
      },
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
    throw new VouchError("file/format", `${file} does not hold finished parts of an experiment.`, {
      hint: "Name another file, or remove this one to begin anew.",
      cause,
    });
  }
}
