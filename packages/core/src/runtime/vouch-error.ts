import { conciseText } from "./text/shorten.js";

/** All codes. The comment above each says what it means and what to do; `npm run docs` writes docs/errors.md from them. */
const ERROR_CODES = [
  /** A command needs an optional package. Install it with the npm command in the hint. */
  "package/missing",
  /** A flag, an option or an argument has a value that is not allowed. Use a value that the message or the hint names. */
  "option/invalid",
  /** There is no flag, option or command with this name. Check the spelling, or list the names with `vouch help`. */
  "option/unknown",
  /** The file or sheet contains no table. Check the program that wrote it, or choose another sheet with `--sheet`. */
  "data/empty",
  /** The table has columns but no rows to use. Provide rows, or relax what leaves rows out. */
  "data/no-rows",
  /** All rows belong to one class. Provide rows of at least two classes, or choose another target with `--target`. */
  "data/one-class",
  /** There are too few rows, or too few of a class, for the work. Provide more rows, or use fewer folds. */
  "data/too-few-rows",
  /** The table has no column with the name of the target. Name a column of the file with `--target`. */
  "data/no-target",
  /** Rows lack a class where each needs one. Fill in the target, or leave these rows out. */
  "data/missing-target",
  /** The target has too many values, or looks like a quantity. Choose another target, or group its values into classes. */
  "data/not-classes",
  /** Two columns have the same name. Rename one of them. */
  "data/duplicate-column",
  /** The data lack a column that the model or a flag needs. Add the column, or correct its name. */
  "data/missing-column",
  /** A column holds another kind of values than the work needs, such as words instead of numbers. Declare its kind or convert it, as the hint says. */
  "data/wrong-kind",
  /** A value is infinite or not a number. Replace it, or leave it empty as a missing value. */
  "data/not-finite",
  /** Rows or columns differ in length. Correct the row or the column that the message names. */
  "data/ragged",
  /** A column of numbers contains another text. Correct the cell, or declare the column as categorical. */
  "data/not-a-number",
  /** A text file contains bytes that do not fit its encoding. Name the encoding with `--encoding`, such as windows-1252. */
  "data/encoding",
  /** The data exceed a limit of the format or the learner. Use fewer rows or columns, or scale the features, as the hint says. */
  "data/too-large",
  /** The content of a file, or of a value that a program passes, breaks the rules of its format. Correct the place that the message names. */
  "data/malformed",
  /** No column is left to learn from. Provide columns that vary, or ignore fewer of them. */
  "data/no-features",
  /** With `--strict`, the rows differ from the training rows of the model. Correct the columns, or leave out `--strict`. */
  "data/unlike-training",
  /** There is no learner with this name. List the learners with `vouch help`. */
  "learner/unknown",
  /** A program uses a learner before it is loaded. Load it first with `learnerNamed`. */
  "learner/not-loaded",
  /** The learner cannot do what you ask with these data or options. Choose another learner, or change what the hint names. */
  "learner/unsupported",
  /** The file does not exist. Check its path. */
  "file/missing",
  /** The path leads to a folder where a file is needed. Name a file in it. */
  "file/directory",
  /** The system denies access to the file. Change its permissions, or use another place. */
  "file/permission",
  /** The file or the stream could not be read to its end. Check the disk or the connection, then run the command again. */
  "file/read",
  /** The output could not be written. Check the free space and the folder. */
  "file/write",
  /** The process has reached the system's limit of open files. Raise it with `ulimit -n`, or use fewer threads. */
  "file/too-many-open",
  /** The file is cut off, or has another format than expected. Name the format with `--format`, or write the file again. */
  "file/format",
  /** A signature or its key does not fit the file. Do not use the file until its sender has signed it again. */
  "file/signature",
  /** The model file is damaged. Copy or train it again. */
  "model/corrupt",
  /** A newer version of vouch wrote the model. Update vouch. */
  "model/newer",
  /** The file is not a model of vouch, or its learner is unknown. Use a file of `vouch train`, and import the module that defines a custom learner. */
  "model/unknown",
  /** The model gives decision values instead of probabilities. Use `--scores`, or train the model again with calibration. */
  "model/no-probabilities",
  /** There is no data set with this name. List the data sets with `vouch datasets`. */
  "dataset/unknown",
  /** The data set is not on this machine. Download it with `vouch datasets get`, or follow the hint. */
  "dataset/unavailable",
  /** A file of the data set differs from the expected one. Delete it, and download the data set again. */
  "dataset/checksum",
  /** A task failed on a thread, a shard or another machine. Its cause is in the message. */
  "task/failed",
  /** The thread or the process that ran a task ended. Usually it ran out of memory, so use fewer rows or a larger machine. */
  "task/worker-died",
  /** The system gives the process no more memory. Use fewer rows or columns, or free memory on the machine. */
  "memory/exhausted",
  /** The work needs more memory than the limit allows. Raise `--memory`, or use fewer rows or columns. */
  "memory/limit",
  /** A program passed memory of one thread to another. Allocate it on the thread that sends the task. */
  "memory/not-owned",
  /** You or a signal stopped the run. Start it again when you like. */
  "run/interrupted",
  /** The time ended before there was a result. Give more time, or use faster learners or fewer rows. */
  "run/out-of-time",
  /** The Redis server cannot be reached. Check the address, and whether the server runs. */
  "cluster/unreachable",
  /** The Redis server, or another shard, refuses the connection. Check the user, the password and the permissions that the hint names. */
  "cluster/denied",
  /** The Redis server has no memory left. Raise `maxmemory`, or keep large data elsewhere with `--blobs`. */
  "cluster/full",
  /** No worker answers. Start one with `vouch worker`, or wait longer with `--wait`. */
  "cluster/no-workers",
  /** The machines of the cluster run different versions of vouch or Node. Install the same versions everywhere. */
  "cluster/version",
  /** Several workers ended while they ran the same task. Give them more memory, or use fewer rows. */
  "cluster/worker-died",
  /** A worker cannot read data of the run. Give the same `--blobs` to the run and to all workers, and check its keys. */
  "cluster/blob",
  /** Data of the run exceed a limit of Redis or of a worker. Use `--blobs`, raise `--memory`, or use fewer rows. */
  "cluster/too-large",
  /** A message between machines is malformed. Check that all machines run the same version, and that nothing else writes to the Redis keys of vouch. */
  "cluster/malformed",
  /** Two workers computed different results for the same task. Check the memory and the installation of both, and run again without the faulty one. */
  "cluster/mismatch",
] as const;

/**
 * Stable error codes for programs to branch on. The part before the slash is the area, the part after it the error.
 */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Tells whether a text, such as one from another machine, is an error code. */
export function isErrorCode(text: string): text is ErrorCode {
  return ERROR_CODES.some((code) => code === text);
}

/**
 * The error class of vouch. The message says what is wrong in the user's terms (file, row, column, option); the hint, if there is
 * one, says what to do. Neither is longer than a screen, however long the names and cells that they quote.
 */
export class VouchError extends Error {
  override readonly name = "VouchError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(conciseText(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint === undefined ? undefined : conciseText(options.hint);
  }
}

/** Makes the error of work that was stopped through an `AbortSignal`. */
export function interrupted(): VouchError {
  return new VouchError("run/interrupted", "The run was interrupted.");
}
