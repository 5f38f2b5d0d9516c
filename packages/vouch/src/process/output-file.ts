import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { outlivesOutput } from "./interruption.js";

/** Checks in advance that a result can be written, and that its file is not one that the command reads. */
function checkOutput(option: string, path: string, inputs: readonly (string | undefined)[]): void {
  if (path === "") {
    throw new VouchError("option/invalid", `--${option} must be the path of a file, not empty.`);
  }
  if (path === "-") {
    throw new VouchError(
      "option/invalid",
      `--${option} must be the path of a file, not standard output (-).`,
    );
  }
  const output = found(path);
  if (output?.isDirectory()) {
    throw new VouchError(
      "file/directory",
      `--${option} must be the path of a file, but ${path} is a directory.`,
    );
  }
  if (inputs.some((input) => input !== undefined && isSameFile(output, found(input)))) {
    throw new VouchError(
      "option/invalid",
      `--${option} must differ from the inputs, but ${path} is one of them.`,
      {
        hint: "vouch would overwrite it. Give another file.",
      },
    );
  }
  if (output === undefined || output.isFile()) checkFolder(path);
}

/** Returns the file of an option; undefined for standard output, or `-`. */
export function fileOrOutput(path: string | undefined): string | undefined {
  return path === "-" ? undefined : path;
}

/** Checks that all output files of a command are writable and different. */
export function checkOutputs(
  outputs: Readonly<Record<string, string | undefined>>,
  inputs: readonly (string | undefined)[],
): void {
  const given = Object.entries(outputs).flatMap(([option, path]) =>
    path === undefined ? [] : [{ option, path }],
  );
  if (given.length > 0) outlivesOutput();
  given.forEach(({ option, path }, i) => {
    checkOutput(option, path, inputs);
    const other = given.slice(0, i).find((earlier) => isSamePlace(earlier.path, path));
    if (!other) return;
    throw new VouchError(
      "option/invalid",
      `--${other.option} and --${option} must be two files, but both are ${path}.`,
      {
        hint: "One would overwrite the other.",
      },
    );
  });
}

/** Checks the folder, which must be writable because a file is replaced as a whole. */
function checkFolder(path: string): void {
  const folder = dirname(path);
  if (!found(folder)?.isDirectory()) {
    throw new VouchError("file/write", `Cannot write ${path}: there is no folder ${folder}.`, {
      hint: "Make the folder first, or give another path.",
    });
  }
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new VouchError("file/permission", `Permission denied: cannot write ${path}.`, {
      hint: `The folder ${folder} is not writable: give another path.`,
      cause,
    });
  }
}

/** Returns what exists at a path; undefined if nothing does or it is unreadable. */
function found(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Returns whether two paths lead to one file; ignores devices such as /dev/null. */
function isSamePlace(a: string, b: string): boolean {
  const existing = found(a);
  if (existing === undefined) return resolve(a) === resolve(b);
  return isSameFile(existing, found(b));
}

function isSameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && b !== undefined && a.isFile() && a.dev === b.dev && a.ino === b.ino;
}
