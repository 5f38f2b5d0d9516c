import { imageAndTextDatasets } from "./catalogue/images-and-text.js";
import { libsvmDatasets } from "./catalogue/libsvm.js";
import { uciLifeDatasets } from "./catalogue/uci/life.js";
import { uciMeasurementDatasets } from "./catalogue/uci/measurements.js";
import { uciPeopleDatasets } from "./catalogue/uci/people.js";
import { uciWritingDatasets } from "./catalogue/uci/writing-and-speech.js";
import type { DatasetEntry } from "./entry.js";

/** Every data set that has a name, sorted by it. */
export const catalogue: readonly DatasetEntry[] = [
  ...uciLifeDatasets,
  ...uciMeasurementDatasets,
  ...uciPeopleDatasets,
  ...uciWritingDatasets,
  ...libsvmDatasets,
  ...imageAndTextDatasets,
].sort((a, b) => (a.name < b.name ? -1 : 1));
