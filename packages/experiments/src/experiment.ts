import type { Json } from "@vouch/core/internal/runtime/codec/state";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { VERSION } from "@vouch/core/internal/runtime/version";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import * as z from "zod";
import { currentCommit } from "./code-version.js";

/** Sizes of an experiment: enough to see the effect in seconds, or the paper's. */
export const scales = ["quick", "paper"] as const;

/** One of `scales`. */
export type Scale = (typeof scales)[number];

/** Finished parts of a long experiment, which an interrupted run need not compute again. */
export interface PartialResults {
  get(part: string): Json | undefined;
  /** Returns once the part is stored safely. */
  add(part: string, value: Json): Promise<void>;
  /** Commits of the code that computed the parts, if known. */
  commits(): readonly string[];
}

/** Index of this process among several, from 1; each computes its share of the missing parts. */
export interface Share {
  readonly index: number;
  readonly of: number;
}

/** A run, the scale of the experiment, and the results of an earlier run. */
export interface ExperimentRun extends Run {
  readonly scale: Scale;
  /** Stores finished parts of long experiments; without it, nothing is stored. */
  readonly partial?: PartialResults;
  /** Compute only the parts whose names contain one of these strings; all if absent. */
  readonly only?: readonly string[];
  /** Compute only this share of the missing parts, and throw `PartsLeft` if others are missing then. */
  readonly share?: Share;
  /** Compute nothing; the result shows what the finished parts suffice for. */
  readonly finishedOnly?: boolean;
}

/** Returns whether a run computes a part. */
export function isWanted({ only }: Pick<ExperimentRun, "only">, part: string): boolean {
  return only === undefined || only.some((text) => part.includes(text));
}

/** Ends a run that has computed its share; other processes must compute the remaining parts. */
export class PartsLeft extends Error {
  override readonly name = "PartsLeft";
  readonly count: number;

  constructor(count: number) {
    super(`${formatCount(count, "part")} left to other processes.`);
    this.count = count;
  }
}

/** Returns a part of a result from an earlier run, or computes and stores it. */
export async function partOf<Schema extends z.ZodType<Json>>(
  { partial, finishedOnly }: Pick<ExperimentRun, "partial" | "finishedOnly">,
  part: string,
  schema: Schema,
  compute: () => Promise<z.output<Schema>>,
): Promise<z.output<Schema>> {
  const stored = partial?.get(part);
  if (stored !== undefined) return check(schema, stored, `The part "${part}" of an earlier run`);
  if (finishedOnly) {
    throw new VouchError("option/invalid", `The part "${part}" is not finished.`, {
      hint: "Run the experiment without --finished to compute it.",
    });
  }
  const value = await compute();
  await partial?.add(part, value);
  return value;
}

/**
 * Returns named parts of a result, such as one per data set, each computed from its name and index. A run with a share
 * computes every n-th missing part, and throws `PartsLeft` unless that completes them.
 */
export async function partsOf<Schema extends z.ZodType<Json>>(
  run: Pick<ExperimentRun, "partial" | "share" | "finishedOnly">,
  names: readonly string[],
  schema: Schema,
  compute: (name: string, index: number) => Promise<z.output<Schema>>,
): Promise<z.output<Schema>[]> {
  const { own, left } = missingParts(run, names);
  const parts: z.output<Schema>[] = [];
  for (const [index, name] of names.entries()) {
    if (left > 0 && !own.includes(name)) continue;
    parts.push(await partOf(run, name, schema, () => compute(name, index)));
  }
  if (left > 0) throw new PartsLeft(left);
  return parts;
}

/**
 * Computes the results of several items with their own parts, such as data sets. If other processes must compute parts
 * of an item, the run continues with the next item, and throws `PartsLeft` at the end. Each item gives its first part
 * to another process, so that all processes have work even if items have few parts.
 */
export async function eachWithParts<Item, Value>(
  run: ExperimentRun,
  items: readonly Item[],
  compute: (item: Item, run: ExperimentRun) => Promise<Value>,
): Promise<Value[]> {
  const { share } = run;
  const values: Value[] = [];
  let left = 0;
  for (const [k, item] of items.entries()) {
    const own = share && { index: ((share.index - 1 + k) % share.of) + 1, of: share.of };
    try {
      values.push(await compute(item, { ...run, ...(own && { share: own }) }));
    } catch (error) {
      if (!(error instanceof PartsLeft)) throw error;
      left += error.count;
    }
  }
  if (left > 0) throw new PartsLeft(left);
  return values;
}

/** Lists the missing parts that a run must compute, and counts those left to other processes. */
export function missingParts(
  { partial, share }: Pick<ExperimentRun, "partial" | "share">,
  names: readonly string[],
): { readonly own: readonly string[]; readonly left: number } {
  const missing = names.filter((name) => partial?.get(name) === undefined);
  const own = share ? missing.filter((_, i) => i % share.of === share.index - 1) : missing;
  return { own, left: missing.length - own.length };
}

/** Result of an experiment: plain JSON without time stamps, the same for any number of threads. */
export interface Result {
  readonly experiment: string;
  readonly scale: Scale;
  readonly seed: number;
  /** Version of vouch that computed it. */
  readonly vouch: string;
  /** Commits of the code that computed it or its parts, if known. */
  readonly commits?: readonly string[] | undefined;
  /** Commit that stored the result, if the computing one was not recorded or is not in the history. */
  readonly storedIn?: string | undefined;
  /** The numbers; each experiment has its own schema and checks it when rendering. */
  readonly data: Json;
}

const resultSchema = z.strictObject({
  experiment: z.string(),
  scale: z.enum(scales),
  seed: z.number(),
  vouch: z.string(),
  commits: z.array(z.string()).optional(),
  storedIn: z.string().optional(),
  data: z.json(),
});

/** What a reader wants to know about an experiment before running it. */
export interface ExperimentDescription {
  /** Unique name such as `paper/table`, which is also the path of its committed result. */
  readonly name: string;
  /** Short citation. */
  readonly paper: string;
  /** The theorem, table or figure, and what is compared. */
  readonly shows: string;
  /** What each scale computes, and how long it takes. */
  readonly cost: Readonly<Record<Scale, string>>;
  /** Present if a run can compute only some of its parts, so that several machines can share the work. */
  readonly divisible?: true;
}

/** A reproducible table or figure of a paper. */
export interface Experiment extends ExperimentDescription {
  run(run: ExperimentRun): Promise<Result>;
  /** Renders a result as Markdown; throws `file/format` if it belongs to another experiment. */
  render(result: Result): string;
  /** Returns the parts that a result contains completely, for another run to reuse (see `addPartsOf`). */
  partsIn(result: Result): ReadonlyMap<string, Json>;
}

/** Definition of an experiment: a schema of its numbers, how they are measured and how they are shown. */
export interface ExperimentDefinition<Schema extends z.ZodType<Json>> extends ExperimentDescription {
  readonly data: Schema;
  measure(run: ExperimentRun): Promise<z.output<Schema>>;
  /** Renders the numbers as Markdown, without a heading. */
  tables(data: z.output<Schema>): string;
  /** Returns the parts that the numbers of a run contain completely, with their names. */
  partsIn?(data: z.output<Schema>, run: Pick<ExperimentRun, "scale" | "seed">): ReadonlyMap<string, Json>;
}

/** Defines an experiment whose results can be stored, read and rendered again. */
export function defineExperiment<Schema extends z.ZodType<Json>>({
  data: schema,
  measure,
  tables,
  partsIn,
  ...description
}: ExperimentDefinition<Schema>): Experiment {
  const { name, paper, shows } = description;
  const dataOf = ({ experiment, data }: Pick<Result, "experiment" | "data">): z.output<Schema> => {
    if (experiment !== name) {
      throw new VouchError("file/format", `The result belongs to ${experiment}, not to ${name}.`);
    }
    return check(schema, data, `The result of ${name}`);
  };
  return {
    ...description,
    async run(run) {
      if (run.only && !description.divisible) {
        throw new VouchError("option/invalid", `${name} can only be computed as a whole.`, {
          hint: "Leave out --only.",
        });
      }
      const data = check(schema, await measure(run), `The result of ${name}`);
      const { scale, seed } = run;
      return { experiment: name, scale, seed, vouch: VERSION, commits: commitsOf(run), data };
    },
    render({ experiment, data, ...origin }) {
      const body = tables(dataOf({ experiment, data }));
      return `## ${name}\n\n${originLine(name, origin)}\n\n${shows} (${paper})\n\n${body}\n`;
    },
    partsIn: (result) => partsIn?.(dataOf(result), result) ?? new Map(),
  };
}

/** Lists the commits that computed the parts of a run, or else the current one. */
function commitsOf({ partial }: ExperimentRun): readonly string[] {
  const known = partial?.commits() ?? [];
  const own = currentCommit();
  return known.length === 0 && own !== undefined ? [own] : known;
}

/** Describes which code and command computed a result. */
function originLine(
  name: string,
  { scale, seed, vouch, commits = [], storedIn }: Omit<Result, "data" | "experiment">,
): string {
  const command = `npm run experiment -- ${name} --scale ${scale} --seed ${seed}`;
  const recorded =
    commits.length > 0 ? `, ${commits.length > 1 ? "commits" : "commit"} ${commits.join(", ")}` : "";
  const stored =
    storedIn === undefined ? "" : recorded ? ` (in the history: ${storedIn})` : `, from commit ${storedIn}`;
  return `Computed by vouch ${vouch}${recorded}${stored}: \`${command}\``;
}

/** Reads a result from JSON text; `where` is its name in error messages. */
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
    hint: "Run the experiment again.",
  });
}
