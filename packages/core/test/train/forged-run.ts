/** What the script `fuzz-models.mjs` needs of the tests, in one module that it can bundle. */
export { useForged } from "./forged-use.js";
export { Forger } from "./forgeries.js";
export { originalModels } from "./original-models.js";
