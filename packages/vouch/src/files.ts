/**
 * Write files and standard output completely or not at all, leave no temporary files behind, and read pipes without blocking: for other packages and for programs that start
 * before the library is loaded; for Node only.
 *
 * @packageDocumentation
 */
export {
  completeOutput,
  isClosedPipe,
  type OutputFailure,
  reportIncompleteOutput,
} from "./runtime/complete-output.js";
export { openPipe, readText } from "./runtime/read-text.js";
export { onTemporaryPath, type TemporaryPathListener, withTemporaryPath } from "./runtime/temporary-files.js";
export { writeFileAtomic } from "./runtime/write-file.js";
