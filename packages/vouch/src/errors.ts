/**
 * Throw errors as vouch does, in the user's terms and with a hint: for other packages, and for programs that start before the
 * library is loaded.
 *
 * @packageDocumentation
 */
// Hints and interruptions

export { columnHint, didYouMean, nearestName } from "./runtime/names.js";
export { interrupted } from "./runtime/vouch-error.js";

// Also here

export { type ErrorCode, VouchError } from "./runtime/vouch-error.js";
