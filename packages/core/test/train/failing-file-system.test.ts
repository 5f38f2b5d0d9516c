import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { stump } from "#core/learners/stump/stump.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import type { Classifier } from "#core/train/classifier.js";
import { loadModel, saveModel } from "#core/train/file.js";
import { serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import { blobs } from "./blobs.js";

/** The calls that saving and loading may make. */
const FUNCTIONS = [
  "lstat",
  "open",
  "readdir",
  "readlink",
  "realpath",
  "rename",
  "rm",
  "stat",
  "unlink",
] as const;
const METHODS = ["read", "stat", "sync", "write"] as const;

const FAULTS = ["ENOSPC", "EIO", "EACCES"];
const OLD = Uint8Array.of(1, 2, 3);

type Call = (...args: unknown[]) => Promise<unknown>;

/** What the calls of some work do: one of them fails. */
class FailingCalls {
  readonly log: string[] = [];
  readonly #failing: number;
  readonly #code: string;

  constructor(failing: number, code: string) {
    this.#failing = failing;
    this.#code = code;
  }

  /** Counts a call; the failing one does nothing, except that a closed file is closed and half of the bytes are written. */
  async call(name: string, real: Call, target: unknown, args: unknown[]): Promise<unknown> {
    this.log.push(name);
    if (this.log.length - 1 !== this.#failing) {
      const result: unknown = await Reflect.apply(real, target, args);
      // Each open file has its own `close`.
      if (name === "open") inject(Object(result), "close");
      return result;
    }
    if (name === "close") await Reflect.apply(real, target, args);
    if (name === "write") await Reflect.apply(real, target, [args[0], args[1], Number(args[2]) >> 1]);
    throw Object.assign(new Error(`${this.#code}: injected, ${name}`), { code: this.#code, syscall: name });
  }
}

let calls: FailingCalls | undefined;

function inject(owner: object, name: string): void {
  const real: Call = Reflect.get(owner, name);
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    return calls ? calls.call(name, real, this, args) : Reflect.apply(real, this, args);
  });
}

/** Does work during which the call `failing` fails; returns its error and the calls that were made. */
async function failingAt(failing: number, code: string, work: () => Promise<unknown>) {
  calls = new FailingCalls(failing, code);
  const { log } = calls;
  const error = await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  calls = undefined;
  return { error, log };
}

let classifier: Classifier;
let content: Uint8Array;
const folders: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await fs.mkdtemp(join(tmpdir(), "vouch-failing-"));
  folders.push(folder);
  return folder;
}

beforeAll(async () => {
  ({ classifier } = await trainClassifier(blobs(40, 1), stump(), { calibrate: false }));
  content = await serialise(classifier);
  const file: FileHandle = await fs.open(process.execPath);
  for (const method of METHODS) inject(Object.getPrototypeOf(file), method);
  await file.close();
  for (const name of FUNCTIONS) inject(fs, name);
  // Modules that have imported the functions by name see the new ones, too.
  syncBuiltinESMExports();
});

afterEach(async () => {
  for (const folder of folders.splice(0)) await fs.rm(folder, { recursive: true, force: true });
});

describe("when one call of the file system fails", () => {
  it.each(FAULTS)("with %s, saving explains it or succeeds, and nothing is torn or left", async (code) => {
    const failed = new Set<string>();
    for (let failing = 0; ; failing++) {
      const folder = await newFolder();
      const path = join(folder, "model");
      await fs.writeFile(path, OLD, { mode: 0o600 });
      const { error, log } = await failingAt(failing, code, () => saveModel(path, classifier));
      const what = `call ${failing} of ${log.join(" ")}`;
      expect(await fs.readdir(folder), what).toEqual(["model"]);
      expect((await fs.stat(path)).mode & 0o777, what).toBe(0o600);
      const found = new Uint8Array(await fs.readFile(path));
      if (error === undefined) {
        expect(Buffer.compare(found, content), what).toBe(0);
      } else {
        expect(error, what).toBeInstanceOf(VouchError);
        expect(error, what).toMatchObject({
          code: code === "EACCES" ? "file/permission" : "file/write",
          message: expect.stringContaining(path),
        });
        expect(found, what).toEqual(OLD);
        failed.add(log[failing]);
      }
      if (log.length <= failing) break;
    }
    expect([...failed].sort()).toEqual(["close", "open", "realpath", "rename", "stat", "sync", "write"]);
  });

  it.each(FAULTS)("with %s, loading explains it, and the next one works", async (code) => {
    const path = join(await newFolder(), "model");
    await saveModel(path, classifier);
    for (let failing = 0; ; failing++) {
      const { error, log } = await failingAt(failing, code, () => loadModel(path));
      if (log.length <= failing) {
        expect(error).toBeUndefined();
        expect(new Set(log)).toEqual(new Set(["stat", "open", "read", "close"]));
        break;
      }
      expect(error, log.join(" ")).toBeInstanceOf(VouchError);
      expect(error).toMatchObject({ message: expect.stringContaining(path) });
    }
  });
});
