/** What works in Node only: files. */
export { loadLibsvmModel, loadModel, saveModel, writeFileAtomic } from "./model/file.js";
