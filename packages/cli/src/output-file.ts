import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { VouchError } from "vouch";

/**
 * Checks before long work that its result can be written to the file that an option names, and that this file
 * is none of those that the command reads. The writing itself may still fail, for want of space.
 */
function checkOutput(option: string, path: string, inputs: readonly (string | undefined)[]): void {
  if (path === "") {
    throw new VouchError("option/invalid", `--${option} is empty.`, { hint: "Give the path of a file." });
  }
  if (path === "-") {
    throw new VouchError("option/invalid", `--${option} is -, but it cannot be written to standard output.`, {
      hint: "Give the path of a file.",
    });
  }
  const output = found(path);
  if (output?.isDirectory()) {
    throw new VouchError("file/directory", `--${option} is ${path}, which is a directory.`, {
      hint: "Give the path of a file.",
    });
  }
  if (inputs.some((input) => input !== undefined && isSameFile(output, found(input)))) {
    throw new VouchError("option/invalid", `--${option} is ${path}, which is also read from.`, {
      hint: "It would be overwritten: give another file to write to.",
    });
  }
  if (output === undefined || output.isFile()) checkFolder(path);
}

/** The file that an option names; undefined where results go to standard output, which `-` stands for, too. */
export function fileOrOutput(path: string | undefined): string | undefined {
  return path === "-" ? undefined : path;
}

/** Checks all files that a command writes, and that they are not the same one. */
export function checkOutputs(
  outputs: Readonly<Record<string, string | undefined>>,
  inputs: readonly (string | undefined)[],
): void {
  const given = Object.entries(outputs).flatMap(([option, path]) =>
    path === undefined ? [] : [{ option, path }],
  );
  given.forEach(({ option, path }, i) => {
    checkOutput(option, path, inputs);
    const other = given.slice(0, i).find((earlier) => isSamePlace(earlier.path, path));
    if (!other) return;
    throw new VouchError("option/invalid", `--${other.option} and --${option} are both ${path}.`, {
      hint: "Give two files: one would overwrite the other.",
    });
  });
}

/** A file is replaced as a whole by a new one, so it is its folder that must be writable. */
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
    throw new VouchError("file/permission", `There is no permission to write ${path}.`, {
      hint: `Nothing can be written in the folder ${folder}: give another path.`,
      cause,
    });
  }
}

/** What is at a path; undefined when nothing is there, or nobody may look. */
function found(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Whether two paths lead to one place; devices, such as /dev/null, take what they get. */
function isSamePlace(a: string, b: string): boolean {
  const existing = found(a);
  if (existing === undefined) return resolve(a) === resolve(b);
  return isSameFile(existing, found(b));
}

function isSameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && b !== undefined && a.isFile() && a.dev === b.dev && a.ino === b.ino;
}
