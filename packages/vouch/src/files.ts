/**
 * Write files completely or not at all, and leave no temporary files behind: for other packages and for programs that start
 * before the library is loaded; for Node only.
 *
 * @packageDocumentation
 */
export { onTemporaryPath, type TemporaryPathListener, withTemporaryPath } from "./train/temporary-files.js";
export { writeFileAtomic } from "./train/write-file.js";
