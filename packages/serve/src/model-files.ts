import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { VouchError } from "vouch/predict";

const EXTENSION = ".safetensors";

/** The version of a model whose file names none. */
const ONLY_VERSION = "1";

/** A model file that was found. */
export interface ModelFile {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  /** The argument that it was found by: the file itself, or its folder. */
  readonly source: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
}

/**
 * Finds the model files of the arguments: files, and folders with NAME.safetensors or NAME/VERSION.safetensors. Throws if one does
 * not exist, or two are the same version of a model.
 */
export async function findModelFiles(paths: readonly string[]): Promise<ModelFile[]> {
  const found = (await Promise.all(paths.map(filesAt))).flat();
  const seen = new Map<string, ModelFile>();
  for (const file of found) {
    const key = JSON.stringify([file.name, file.version]);
    const other = seen.get(key);
    if (other && other.path !== file.path) {
      throw new VouchError(
        "option/invalid",
        `${other.path} and ${file.path} are both version ${file.version} of the model "${file.name}".`,
        { hint: "Rename one of them: a model is named after its file." },
      );
    }
    seen.set(key, file);
  }
  return [...seen.values()];
}

async function filesAt(path: string): Promise<ModelFile[]> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new VouchError("file/missing", `There is no file or folder ${path}.`, { cause });
  });
  if (!facts.isDirectory()) return modelFile(nameOf(path), ONLY_VERSION, path, path);
  const names = await visibleNames(path);
  const files = await Promise.all(
    names.map(async (name) => {
      const inside = join(path, name);
      if (name.endsWith(EXTENSION)) return modelFile(nameOf(name), ONLY_VERSION, inside, path);
      if (!(await stat(inside).catch(() => undefined))?.isDirectory()) return [];
      const versions = (await visibleNames(inside)).filter((each) => each.endsWith(EXTENSION));
      const found = versions.map((each) => modelFile(name, nameOf(each), join(inside, each), path));
      return (await Promise.all(found)).flat();
    }),
  );
  return files.flat();
}

/** Hidden files are unfinished ones, or the links behind a Kubernetes volume. */
async function visibleNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
}

/** Returns the file; none if it has just gone. */
async function modelFile(name: string, version: string, path: string, source: string): Promise<ModelFile[]> {
  const facts = await stat(path, { bigint: true }).catch(() => undefined);
  if (!facts?.isFile()) return [];
  const stamp = `${facts.ino}:${facts.size}:${facts.mtimeNs}:${facts.ctimeNs}`;
  return [{ name, version, path, source, stamp }];
}

function nameOf(path: string): string {
  return basename(path, EXTENSION);
}

/** Compares versions: numbers by value, so that 10 is after 9. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
