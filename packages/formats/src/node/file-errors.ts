import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isTooManyFiles, tooManyFiles } from "@vouch/core/internal/runtime/files/open-files";
import { didYouMean } from "@vouch/core/internal/runtime/text/suggestions";
import { type ErrorCode, VouchError } from "@vouch/core/internal/runtime/vouch-error";

interface SystemProblem {
  readonly code: ErrorCode;
  readonly problem: string;
  readonly hint: string;
}

const DIRECTORY: SystemProblem = {
  code: "file/directory",
  problem: "is a directory",
  hint: "Name a file in it.",
};

const NO_PERMISSION: SystemProblem = {
  code: "file/permission",
  problem: "cannot be read: permission denied",
  hint: "Check the permissions of the file and of its folder.",
};

const FULL_DISK: SystemProblem = {
  code: "file/write",
  problem: "cannot be read: the disk for temporary files is full",
  hint: "Free some space, or set the environment variable TMPDIR to another folder.",
};

const PROBLEMS: Readonly<Record<string, SystemProblem>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EISDIR: DIRECTORY,
  ENOSPC: FULL_DISK,
  EDQUOT: FULL_DISK,
  EFBIG: FULL_DISK,
};

/** Explains an error of the operating system from opening or reading `path`. Returns other errors unchanged. */
export async function fileError(path: string, name: string, error: unknown): Promise<unknown> {
  if (error instanceof VouchError) return error;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return missingFile(path, name);
  if (isTooManyFiles(error)) return tooManyFiles(error);
  const known = PROBLEMS[error.code];
  if (known === undefined) {
    return new VouchError("file/read", `${name} cannot be read: ${error.message}.`, { cause: error });
  }
  return new VouchError(known.code, `${name} ${known.problem}.`, { hint: known.hint, cause: error });
}

/** Creates the error for a directory. */
export function directoryError(name: string): VouchError {
  return new VouchError(DIRECTORY.code, `${name} ${DIRECTORY.problem}.`, { hint: DIRECTORY.hint });
}

/** Creates the error for a file that was replaced or written to while it was read. */
export function changedFile(name: string): VouchError {
  return new VouchError("data/malformed", `${name} has changed while it was read.`, {
    hint: "Wait until it is complete.",
  });
}

async function missingFile(path: string, name: string): Promise<VouchError> {
  const folder = dirname(path);
  const neighbours = await readdir(folder).catch(() => undefined);
  if (neighbours === undefined) {
    return new VouchError("file/missing", `${name} does not exist, nor does its folder ${folder}.`, {
      hint: `Relative paths start from ${process.cwd()}.`,
    });
  }
  const suggestion = didYouMean(
    join(folder, basename(path)),
    neighbours.map((neighbour) => join(folder, neighbour)),
  );
  const hint = suggestion ?? `Check the name: the folder ${resolve(folder)} has no such file.`;
  return new VouchError("file/missing", `${name} does not exist.`, { hint });
}
