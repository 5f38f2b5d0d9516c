/** The folder of committed results, beside the compiled code. */
export const resultsFolder = new URL("../results/", import.meta.url);
