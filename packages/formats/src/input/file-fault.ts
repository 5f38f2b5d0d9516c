import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { didYouMean, type ErrorCode, VouchError } from "vouch/errors";

const CODES: Readonly<Record<string, { code: ErrorCode; says: string; hint: string }>> = {
  EACCES: {
    code: "file/permission",
    says: "cannot be read: no permission",
    hint: "Check the permissions of the file and of its folder.",
  },
  EPERM: {
    code: "file/permission",
    says: "cannot be read: no permission",
    hint: "Check the permissions of the file and of its folder.",
  },
  EISDIR: { code: "file/directory", says: "is a directory", hint: "Name one file in it." },
  ENOSPC: {
    code: "file/write",
    says: "cannot be unpacked: the disk for temporary files is full",
    hint: "Free some space, or let the environment variable TMPDIR name another folder.",
  },
};

/** The user's view of an error that the operating system gave while `path` was opened or read. */
export async function fileFault(path: string, name: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return missingFile(path, name);
  const known = CODES[error.code];
  if (known === undefined) {
    return new VouchError("file/read", `${name} cannot be read: ${error.message}.`, { cause: error });
  }
  return new VouchError(known.code, `${name} ${known.says}.`, { hint: known.hint, cause: error });
}

/** The error of a path that is a directory. */
export function isDirectory(name: string): VouchError {
  return new VouchError("file/directory", `${name} is a directory.`, { hint: "Name one file in it." });
}

/** The error of a file without contents. */
export function emptyFile(name: string): VouchError {
  return new VouchError("data/empty", `${name} is empty.`, {
    hint: "Check the program that wrote it: there is nothing in it.",
  });
}

async function missingFile(path: string, name: string): Promise<VouchError> {
  const folder = dirname(path);
  const neighbours = await readdir(folder).catch(() => undefined);
  if (neighbours === undefined) {
    return new VouchError("file/missing", `${name} does not exist, nor does its folder ${folder}.`, {
      hint: `Paths start from ${process.cwd()}.`,
    });
  }
  const guess = didYouMean(
    join(folder, basename(path)),
    neighbours.map((neighbour) => join(folder, neighbour)),
  );
  const hint = guess ?? `There is no such file in ${resolve(folder)}.`;
  return new VouchError("file/missing", `${name} does not exist.`, { hint });
}
