import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, type ServeOptions, serve } from "@vouch/serve";
import { afterAll, expect } from "vitest";
import { forest, svm, Table, trainClassifier } from "vouch";
import { saveModel } from "vouch/node";

/** A record of the flowers. */
export type Flower = {
  readonly length: number | null;
  readonly width: number | null;
  readonly colour: string | null;
  readonly constructor: number;
};

/** Makes flowers with numbers, a category, a column of a name that every object has, and their species. */
export function flowers(rows: number, seed = 1): (Flower & { readonly species: string })[] {
  let state = seed;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  return Array.from({ length: rows }, () => {
    const tall = random() < 0.5;
    return {
      length: random() < 0.03 ? null : Number(((tall ? 2.8 : 2) + random() * 1.2).toFixed(2)),
      width: Number(random().toFixed(3)),
      colour: random() < 0.05 ? null : tall && random() < 0.6 ? "red" : random() < 0.5 ? "white" : "blue",
      constructor: Math.floor(random() * 9),
      species: tall ? "rose" : "daisy",
    };
  });
}

/** Leaves out the species. */
export function unlabelled({ species: _, ...flower }: Flower & { readonly species: string }): Flower {
  return flower;
}

/** A temporary folder that is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vouch-serve-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Trains a forest on flowers and saves it. */
export async function saveFlowers(
  path: string,
  options: { readonly seed?: number; readonly trees?: number; readonly answers?: boolean } = {},
): Promise<void> {
  const { seed = 1, trees = 20, answers = false } = options;
  const table = Table.fromRecords("flowers", flowers(600, seed), { colour: "categorical" });
  const { classifier } = await trainClassifier(table, forest({ trees }), {
    target: "species",
    holdout: 0.4,
    ...(answers && { abstain: 0.08, sets: 0.9 }),
    run: { seed },
  });
  await saveModel(path, classifier);
}

/** Trains a forest on numbers only. */
export async function saveNumbers(path: string): Promise<void> {
  const records = flowers(400).map(({ length, width, species }) => ({ length, width, species }));
  const { classifier } = await trainClassifier(Table.fromRecords("numbers", records), forest({ trees: 10 }), {
    target: "species",
    holdout: 0.3,
  });
  await saveModel(path, classifier);
}

/** Trains a model of 40 numbers and a length, whose reasons are sampled and take seconds. */
export async function saveSlow(path: string): Promise<void> {
  const wide = flowers(300).map(({ species, ...cells }, i) => ({
    ...Object.fromEntries(Array.from({ length: 40 }, (_, k) => [`c${k}`, (i * (k + 3)) % 17])),
    length: cells.length ?? 0,
    species,
  }));
  const { classifier } = await trainClassifier(Table.fromRecords("wide", wide), svm({ kernel: "rbf" }), {
    target: "species",
  });
  await saveModel(path, classifier);
}

/** Starts servers that end with the tests of the file. */
export function servers(): (
  options: Partial<ServeOptions> & { models: readonly string[] },
) => Promise<RunningServer & { readonly log: string[] }> {
  const running: RunningServer[] = [];
  afterAll(async () => {
    for (const server of running) await server.close();
  });
  return async (options) => {
    const log: string[] = [];
    const server = await serve({ port: 0, reloadInterval: 50, ...options }, (line) => log.push(line));
    running.push(server);
    return { ...server, log };
  };
}

/** Sends JSON; gives status, headers and the parsed answer. */
export async function post(
  address: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
) {
  const response = await fetch(address, {
    method: "POST",
    signal,
    headers: { "Content-Type": "application/json", ...headers },
    body:
      typeof body === "string"
        ? body
        : body instanceof Uint8Array
          ? new Blob([Uint8Array.from(body)])
          : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, answer: JSON.parse(await response.text()) };
}

/** Gets JSON. */
export async function get(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { headers });
  return { status: response.status, answer: JSON.parse(await response.text()) };
}

/** Checks that an answer is an error in words, without a stack trace or a path. */
export function expectFault(
  outcome: { status: number; answer: object },
  status: number,
  words: RegExp,
): void {
  expect(outcome, JSON.stringify(outcome.answer)).toMatchObject({
    status,
    answer: { error: expect.stringMatching(words) },
  });
  const text = JSON.stringify(outcome.answer);
  expect(text).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/tmp\/|file:/);
  expect(Object.keys(outcome.answer).filter((key) => key !== "error" && key !== "hint")).toEqual([]);
}
