import { VouchError } from "../vouch-error.js";

/** Whether an error, or the reason why a thread ended, says that the process may open no more files. */
export function isTooManyFiles(reason: unknown): boolean {
  return /\bE[MN]FILE\b/.test(reason instanceof Error ? reason.message : String(reason));
}

/** Returns the error for a process that may open no more files; threads need some files each. */
export function tooManyFiles(cause: unknown): VouchError {
  return new VouchError(
    "file/too-many-open",
    "Too many open files: the system lets this process open no more.",
    {
      hint: "Raise the limit with `ulimit -n`, such as ulimit -n 1024, or use fewer threads.",
      cause,
    },
  );
}
