import { imageAndTextDatasets } from "./catalogue/images-and-text.js";
import { libsvmDatasets } from "./catalogue/libsvm.js";
import { uciDatasets } from "./catalogue/uci.js";
import type { DatasetEntry } from "./entry.js";

/** Every data set that has a name, sorted by it. */
export const catalogue: readonly DatasetEntry[] = [
  ...uciDatasets,
  ...libsvmDatasets,
  ...imageAndTextDatasets,
].sort((a, b) => (a.name < b.name ? -1 : 1));
