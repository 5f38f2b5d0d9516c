/**
 * Raise errors as vouch does, in the user's terms and with a hint: for packages beside the library, and for programs that start
 * before it is loaded.
 *
 * @packageDocumentation
 */
export { columnHint, didYouMean, nearestName } from "./data/nearest-name.js";
export { type ErrorCode, interrupted, VouchError } from "./error.js";
