import { didYouMean } from "@vouch/core/internal/runtime/text/suggestions";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { imageAndTextDatasets } from "./catalogue/images-and-text.js";
import { libsvmDatasets } from "./catalogue/libsvm.js";
import { palmerStationDatasets } from "./catalogue/palmer-station.js";
import { uciLifeDatasets } from "./catalogue/uci/life.js";
import { uciMeasurementDatasets } from "./catalogue/uci/measurements.js";
import { uciPeopleDatasets } from "./catalogue/uci/people.js";
import { uciWritingDatasets } from "./catalogue/uci/writing-and-speech.js";
import type { DatasetEntry } from "./entry.js";

/** All data sets, sorted by name. */
export const catalogue: readonly DatasetEntry[] = [
  ...uciLifeDatasets,
  ...uciMeasurementDatasets,
  ...uciPeopleDatasets,
  ...uciWritingDatasets,
  ...libsvmDatasets,
  ...imageAndTextDatasets,
  ...palmerStationDatasets,
].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Meaning of a name such as `adult` or `adult.test`. */
interface NamedDataset {
  readonly entry: DatasetEntry;
  /** Absent if the name stands for the whole data set. */
  readonly part?: "train" | "test";
}

/** Finds `NAME`, `NAME.train` or `NAME.test` in the catalogue; throws on an unknown name and suggests another. */
export function datasetNamed(name: string): NamedDataset {
  const [, base, part] = /^(.*)\.(train|test)$/.exec(name) ?? [undefined, name, undefined];
  const entry = catalogue.find((each) => each.name === base);
  if (entry === undefined) throw unknownName(name, base);
  if (part !== "train" && part !== "test") return { entry };
  if (entry.split === "official") return { entry, part };
  throw new VouchError(
    "dataset/unknown",
    `Data set "${base}" has no official split, so there is no "${name}".`,
    { hint: `Use "${base}" and split it, for example with --holdout.` },
  );
}

function unknownName(name: string, base: string): VouchError {
  const names = catalogue.map((entry) => entry.name);
  const list = "`vouch datasets list` shows all names.";
  const suggestion = didYouMean(base, names);
  return new VouchError("dataset/unknown", `Unknown data set "${name}".`, {
    hint: suggestion === undefined ? list : `${suggestion} ${list}`,
  });
}
