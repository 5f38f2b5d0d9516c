/** What works in Node only: files. */
export { loadModel, saveModel, writeFileAtomic } from "./model/file.js";
