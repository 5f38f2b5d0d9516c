import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

const EXTENSION = ".safetensors";

/** Version of a model whose file names none. */
const ONLY_VERSION = "1";

export interface ModelFile {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  /** The argument that led to it: the file itself or its folder. */
  readonly source: string;
  /** Its `fileStamp`. */
  readonly stamp: string;
}

/** Model files found for some arguments. */
export interface FoundFiles {
  readonly files: readonly ModelFile[];
  /** Arguments whose file or folder cannot be read, with the reasons. */
  readonly unreadable: ReadonlyMap<string, VouchError>;
  /** An error for each ignored file, naming the other file with the same model and version. */
  readonly duplicates: readonly VouchError[];
}

/**
 * Finds model files: the arguments themselves, and in folders NAME.safetensors or NAME/VERSION.safetensors. If several
 * files are the same version of a model, the one already in service stays, otherwise the first. If `signed`, stamps
 * include signatures.
 */
export async function findModelFiles(
  paths: readonly string[],
  served: ReadonlySet<string> = new Set(),
  signed = false,
): Promise<FoundFiles> {
  const unreadable = new Map<string, VouchError>();
  const found = await Promise.all(
    paths.map((path) =>
      filesAt(path, signed).catch((cause: unknown) => {
        unreadable.set(path, cannotRead(path, cause));
        return [];
      }),
    ),
  );
  const seen = new Map<string, ModelFile>();
  const duplicates: VouchError[] = [];
  const inOrder = found.flat().sort((a, b) => Number(served.has(b.path)) - Number(served.has(a.path)));
  for (const file of inOrder) {
    const key = JSON.stringify([file.name, file.version]);
    const other = seen.get(key);
    if (!other) seen.set(key, file);
    else if (other.path !== file.path) duplicates.push(sameVersion(other, file));
  }
  return { files: [...seen.values()], unreadable, duplicates };
}

function cannotRead(path: string, cause: unknown): VouchError {
  const code = cause instanceof Error && "code" in cause ? cause.code : "";
  if (code === "ENOENT") {
    return new VouchError("file/missing", `There is no file or folder ${path}.`, { cause });
  }
  return new VouchError("file/read", `Cannot read ${path}${code ? ` (${code})` : ""}.`, {
    hint: "Check its permissions.",
    cause,
  });
}

function sameVersion(first: ModelFile, second: ModelFile): VouchError {
  return new VouchError(
    "option/invalid",
    `${first.path} and ${second.path} are both version ${second.version} of the model "${second.name}".`,
    { hint: "Rename one of them: a model is named after its file." },
  );
}

async function filesAt(path: string, signed: boolean): Promise<ModelFile[]> {
  const modelFile = async (name: string, version: string, file: string): Promise<ModelFile[]> => {
    const stamp = await fileStamp(file, signed);
    // The file may just have been deleted.
    return stamp === undefined ? [] : [{ name, version, path: file, source: path, stamp }];
  };
  const facts = await stat(path);
  if (!facts.isDirectory()) {
    const named = await modelFile(modelName(path), ONLY_VERSION, path);
    // If it has gone in between, that is found out now: a file that was named stays in service.
    return named.length > 0 || !facts.isFile() ? named : filesAt(path, signed);
  }
  const names = await visibleNames(path);
  const files = await Promise.all(
    names.map(async (name) => {
      const inside = join(path, name);
      if (name.endsWith(EXTENSION)) return modelFile(modelName(name), ONLY_VERSION, inside);
      if (!(await stat(inside).catch(() => undefined))?.isDirectory()) return [];
      const versions = (await visibleNames(inside)).filter((each) => each.endsWith(EXTENSION));
      const found = versions.map((each) => modelFile(name, modelName(each), join(inside, each)));
      return (await Promise.all(found)).flat();
    }),
  );
  return files.flat();
}

/** Hidden files are unfinished, or the links behind a Kubernetes volume. */
async function visibleNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
}

/**
 * Returns a string that changes whenever the file changes, or its signature if `signed`; undefined if the file does not
 * exist.
 */
export async function fileStamp(path: string, signed: boolean): Promise<string | undefined> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  const stamp = `${facts.ino}:${facts.size}:${facts.mtimeNs}:${facts.ctimeNs}`;
  return signed ? `${stamp} ${await fileStamp(`${path}.sig`, false)}` : stamp;
}

function modelName(path: string): string {
  return basename(path, EXTENSION);
}

/** Compares versions; numbers by value, so that 10 comes after 9. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
