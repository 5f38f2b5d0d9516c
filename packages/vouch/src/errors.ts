/**
 * Throw errors as vouch does, in the user's terms and with a hint, and check memory before it is taken: for other packages, and for programs that start before the
 * library is loaded.
 *
 * @packageDocumentation
 */
// Hints, interruptions and memory

export { conciseText } from "./runtime/concise-text.js";
export { yieldToEventLoop } from "./runtime/event-loop.js";
export { limitMemory, memoryLimit, readableBytes, reserveMemory } from "./runtime/memory-limit.js";
export { classHint, columnHint, didYouMean, nearestName, visibleSpaces } from "./runtime/names.js";
export { shortList } from "./runtime/number-format.js";
export { isTooManyFiles, tooManyFiles } from "./runtime/open-files.js";
export { sharedBuffer } from "./runtime/shared-array.js";
export { listArgument, shellQuoted, UNPRINTABLE } from "./runtime/shell-quoted.js";
export { interrupted } from "./runtime/vouch-error.js";

// Also here

export { type ErrorCode, VouchError } from "./runtime/vouch-error.js";
