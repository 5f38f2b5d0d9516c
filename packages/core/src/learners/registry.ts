import { loadOnThreads } from "../runtime/parallel/task.js";
import { suggestName } from "../runtime/text/synonyms.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Learner, LearnerKind } from "./learner.js";

/** Loads a learner's module. */
export type LearnerLoader = () => Promise<LearnerKind>;

const loaders = new Map<string, LearnerLoader>();
const loaded = new Map<string, LearnerKind>();

/** Lists learners by name, to be loaded when they are needed. */
export function listLearners(list: Readonly<Record<string, LearnerLoader>>): void {
  for (const [name, load] of Object.entries(list)) loaders.set(name, load);
}

/** Makes a learner known by its name; `defineLearner` calls it. */
export function registerLearner(kind: LearnerKind): void {
  const known = loaded.get(kind.name);
  if (known && known !== kind) {
    throw new VouchError("option/invalid", `The learner name "${kind.name}" is taken.`, {
      hint: "Give your learner a name of its own.",
    });
  }
  loaded.set(kind.name, kind);
  if (kind.module !== undefined) loadOnThreads(kind.module);
}

/** Returns the names of all listed learners, simplest first, then those of custom ones. */
export function learnerNames(): string[] {
  return [...new Set([...loaders.keys(), ...loaded.keys()])];
}

/** Returns whether there is a learner of this name, loaded or not. */
export function isLearnerName(name: string): boolean {
  return loaders.has(name) || loaded.has(name);
}

/** Returns whether a learner of this name has been loaded or defined. */
export function isLoaded(name: string): boolean {
  return loaded.has(name);
}

/**
 * Returns whether another thread can make the learner again from its name: it is one of the library, or a custom one with the
 * module that defines it.
 */
export function isPortable(name: string): boolean {
  return loaders.has(name) || loaded.get(name)?.module !== undefined;
}

/** Returns whether another machine, which has nothing but the library, can make a learner again from its name and options. */
export function isLibraryLearner({ name, local }: Pick<Learner, "name" | "local">): boolean {
  return !local && loaders.has(name);
}

/** Returns whether another thread can make a learner again from its name and options. */
export function isPortableLearner({ name, local }: Pick<Learner, "name" | "local">): boolean {
  return !local && isPortable(name);
}

/** Loads a learner by name. Throws on unknown names, with a suggestion. */
export async function learnerNamed(name: string): Promise<LearnerKind> {
  const load = loaded.has(name) ? undefined : loaders.get(name);
  return load ? await load() : loadedLearner(name);
}

/**
 * Returns a learner that has been loaded. One that is listed but not loaded is `learner/not-loaded`: `withLearners` loads it
 * and tries again.
 */
export function loadedLearner(name: string): LearnerKind {
  const kind = loaded.get(name);
  if (kind) return kind;
  if (!loaders.has(name)) throw unknownLearner(name);
  throw new VouchError("learner/not-loaded", `The learner ${name} has not been loaded.`, {
    hint: `Load it first: await learnerNamed("${name}").`,
    cause: name,
  });
}

/** Returns a learner's title and summary; the name alone if it was not made by `defineLearner`. */
export function learnerLabel(name: string): Pick<LearnerKind, "title" | "summary"> {
  const { title, summary } = loaded.get(name) ?? { title: name, summary: "" };
  return { title, summary };
}

/**
 * Splits a candidate's name into the learner's title and its settings: "Random forest" and ["200 trees"], "Ensemble of 5" and
 * [].
 */
export function candidateLabel(name: string): {
  readonly title: string;
  readonly settings: readonly string[];
} {
  const [learner, ...rest] = name.split(" ");
  const { title } = learnerLabel(learner);
  if (rest[0] === "of") return { title: `${title} ${rest.join(" ")}`, settings: [] };
  return { title, settings: rest.map((setting) => formatSetting(...splitSetting(setting))) };
}

/** Names a candidate by the learner's title and its first setting: "Boosted trees, 200 rounds". */
export function candidateTitle(name: string): string {
  const { title, settings } = candidateLabel(name);
  return [title, ...settings.slice(0, 1)].join(", ");
}

function splitSetting(setting: string): [name: string, value: string] {
  const [name] = setting.split("=", 1);
  return [name, setting.slice(name.length + 1)];
}

/** Options whose value is a number of what they name. */
const COUNTED = ["trees", "rounds"];

/** Writes an option in words: "200 trees", "learning rate 0.1", "C 10". */
export function formatSetting(name: string, value: string): string {
  if (COUNTED.includes(name)) return `${value} ${value === "1" ? name.slice(0, -1) : name}`;
  const words = name.replace(".", " ").replace(/[a-z][A-Z]/g, ([a, b]) => `${a} ${b.toLowerCase()}`);
  return `${words} ${value}`;
}

/** Calls a function that needs learners by name, and loads the learners that it turns out to need. */
export async function withLearners<Result>(work: () => Result): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof VouchError) || error.code !== "learner/not-loaded") throw error;
      await learnerNamed(String(error.cause));
    }
  }
}

/** Makes a learner by name; loads it and the learners that it is made of. */
export async function createLearner(
  name: string,
  options?: Readonly<Record<string, unknown>>,
): Promise<Learner> {
  const kind = await learnerNamed(name);
  return withLearners(() => kind.create(options));
}

/** Loads all learners, simplest first, custom ones last. */
export async function allLearners(): Promise<LearnerKind[]> {
  return Promise.all(learnerNames().map(learnerNamed));
}

function unknownLearner(name: string): VouchError {
  const names = learnerNames();
  const near = suggestName("learner", name, names);
  const all = `Learners are ${names.join(", ")}.`;
  return new VouchError("learner/unknown", `Unknown learner "${name}".`, {
    hint: near === undefined ? all : `${near} ${all}`,
  });
}
