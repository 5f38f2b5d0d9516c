import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { VouchError } from "vouch";

/**
 * Checks before long work that its result can be written to the file that an option names, and that this file
 * is none of those that the command reads. The writing itself may still fail, for want of space.
 */
export function checkOutput(option: string, path: string, inputs: readonly (string | undefined)[]): void {
  if (path === "") {
    throw new VouchError("option/invalid", `--${option} is empty.`, { hint: "Give the path of a file." });
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

function isSameFile(a: Stats | undefined, b: Stats | undefined): boolean {
  return a !== undefined && b !== undefined && a.isFile() && a.dev === b.dev && a.ino === b.ino;
}
