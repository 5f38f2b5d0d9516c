import { type Json, type Run, VERSION, VouchError } from "vouch";
import { z } from "zod";
import type { FinishedParts } from "./finished-parts.js";

/** How much is computed: enough to see the effect in seconds, or as much as the paper's claim deserves. */
export const scales = ["quick", "paper"] as const;

/** One of `scales`. */
export type Scale = (typeof scales)[number];

/** What an experiment runs with. */
export interface ExperimentRun extends Run {
  readonly scale: Scale;
  /** What an interrupted run had finished; experiments that take long keep their parts here. */
  readonly finished?: FinishedParts;
}

/** A part of a result: what an earlier run kept of it, or what is computed now, and kept. */
export async function partOf<Schema extends z.ZodType<Json>>(
  { finished }: Pick<ExperimentRun, "finished">,
  part: string,
  schema: Schema,
  compute: () => Promise<z.output<Schema>>,
): Promise<z.output<Schema>> {
  const kept = finished?.get(part);
  if (kept !== undefined) return check(schema, kept, `The part "${part}" of an earlier run`);
  const value = await compute();
  await finished?.add(part, value);
  return value;
}

/** Parts of a result that have a name each, such as that of a data set, one after the other. */
export async function partsOf<Schema extends z.ZodType<Json>>(
  run: Pick<ExperimentRun, "finished">,
  names: readonly string[],
  schema: Schema,
  compute: (name: string) => Promise<z.output<Schema>>,
): Promise<z.output<Schema>[]> {
  const parts: z.output<Schema>[] = [];
  for (const name of names) parts.push(await partOf(run, name, schema, () => compute(name)));
  return parts;
}

/** What came out of an experiment: plain JSON, without times, the same for any number of threads. */
export interface Result {
  readonly experiment: string;
  readonly scale: Scale;
  readonly seed: number;
  /** Version of vouch that computed it. */
  readonly vouch: string;
  /** The numbers; each experiment has its own shape and checks it when it renders. */
  readonly data: Json;
}

const resultSchema = z.strictObject({
  experiment: z.string(),
  scale: z.enum(scales),
  seed: z.number(),
  vouch: z.string(),
  data: z.json(),
});

/** What a reader wants to know of an experiment before running it. */
export interface Description {
  /** Unique, `paper/what`: also the path of its committed result. */
  readonly name: string;
  /** Short citation. */
  readonly paper: string;
  /** The theorem, table or figure, and what is compared. */
  readonly shows: string;
  /** What each scale computes and how long that takes, in words. */
  readonly cost: Readonly<Record<Scale, string>>;
}

/** A table or figure of a paper that can be computed again. */
export interface Experiment extends Description {
  run(run: ExperimentRun): Promise<Result>;
  /** The result as Markdown; throws `file/format` for a result that is not one of this experiment. */
  render(result: Result): string;
}

/** How an experiment is written down: its numbers have a type of their own, which the schema checks. */
export interface Definition<Schema extends z.ZodType<Json>> extends Description {
  readonly data: Schema;
  measure(run: ExperimentRun): Promise<z.output<Schema>>;
  /** The numbers as Markdown, without a heading. */
  tables(data: z.output<Schema>): string;
}

/** Makes an experiment whose results can be stored, read and rendered again. */
export function defineExperiment<Schema extends z.ZodType<Json>>({
  data: schema,
  measure,
  tables,
  ...description
}: Definition<Schema>): Experiment {
  const { name, paper, shows } = description;
  return {
    ...description,
    async run(run) {
      const data = check(schema, await measure(run), `The result of ${name}`);
      return { experiment: name, scale: run.scale, seed: run.seed, vouch: VERSION, data };
    },
    render({ experiment, scale, seed, vouch, data }) {
      if (experiment !== name) {
        throw new VouchError("file/format", `A result of ${experiment} is not one of ${name}.`);
      }
      const body = tables(check(schema, data, `The result of ${name}`));
      const command = `vouch experiment ${name} --scale ${scale} --seed ${seed}`;
      return `## ${name}\n\n${shows} (${paper})\n\n${body}\n\nComputed by vouch ${vouch}: \`${command}\`\n`;
    },
  };
}

/** Reads a result from JSON text; `where` is what messages call it. */
export function parseResult(text: string, where: string): Result {
  return check(resultSchema, jsonOf(text, where), where);
}

function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new VouchError("file/format", `${where} is not JSON.`, { cause });
  }
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new VouchError("file/format", `${where} is not valid at "${path.join(".")}": ${message}.`, {
    hint: "Run the experiment again to make a new result.",
  });
}
