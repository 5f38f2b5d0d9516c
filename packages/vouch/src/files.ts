/**
 * Write files completely or not at all, and leave no temporary files behind: for other packages and for programs that start
 * before the library is loaded; for Node only.
 *
 * @packageDocumentation
 */
export { onTemporaryPath, type TemporaryPathListener, withTemporaryPath } from "./runtime/temporary-files.js";
export { writeFileAtomic } from "./runtime/write-file.js";
