import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { didYouMean } from "../text/suggestions.js";
import { type ErrorCode, VouchError } from "../vouch-error.js";
import { isTooManyFiles, tooManyFiles } from "./open-files.js";

type Action = "read" | "write";

/** Does work with a file. Failed system calls are explained to the user; other errors are passed on. */
export async function explained<T>(path: string, action: Action, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VouchError || systemCode(error) === "") throw error;
    throw isTooManyFiles(error) ? tooManyFiles(error) : systemError(error, path, action);
  }
}

/** Returns the code of a failed system call, such as ENOENT; "" for any other error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Suggests the file in the same folder with the nearest name; undefined if none is near. */
function nearestFile(path: string): string | undefined {
  const folder = dirname(path);
  try {
    const neighbours = readdirSync(folder).map((name) => join(folder, name));
    return didYouMean(join(folder, basename(path)), neighbours);
  } catch {
    return undefined;
  }
}

function systemError(cause: unknown, path: string, action: Action): VouchError {
  const code = systemCode(cause);
  const fault = (kind: ErrorCode, message: string, hint?: string) =>
    new VouchError(kind, message, { cause, ...(hint !== undefined && { hint }) });
  switch (code) {
    case "EISDIR":
      return fault("file/directory", `${path} is a directory, not a file.`, "Use the path of a file.");
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return fault("file/permission", `There is no permission to ${action} ${path}.`);
    case "ENOENT":
      return action === "read"
        ? fault("file/missing", `${path} does not exist.`, nearestFile(path))
        : fault("file/write", `Cannot write ${path}: the folder ${dirname(path)} does not exist.`);
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return fault(
        "file/write",
        `Cannot write ${path}: the disk is full or the file too large (${code}).`,
        "Nothing was written. Free some space, or choose another folder.",
      );
    default:
      return fault(
        action === "read" ? "file/read" : "file/write",
        `Cannot ${action} ${path}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      );
  }
}
