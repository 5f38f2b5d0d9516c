import { didYouMean, VouchError } from "vouch/errors";
import { catalogue } from "./catalogue.js";
import type { DatasetEntry } from "./entry.js";

/** What a name such as `adult` or `adult.test` means. */
export interface NamedDataset {
  readonly entry: DatasetEntry;
  /** The one part that the name asks for; absent when it means the whole set. */
  readonly part?: "train" | "test";
}

/** Finds `NAME`, `NAME.train` or `NAME.test` in the catalogue; an unknown name is an error that proposes another. */
export function datasetNamed(name: string): NamedDataset {
  const [, base, part] = /^(.*)\.(train|test)$/.exec(name) ?? [undefined, name, undefined];
  const entry = catalogue.find((each) => each.name === base);
  if (entry === undefined) throw unknownName(name, base);
  if (part !== "train" && part !== "test") return { entry };
  if (entry.split === "official") return { entry, part };
  throw new VouchError(
    "dataset/unknown",
    `The data set "${base}" has no official split, so there is no "${name}".`,
    {
      hint: `Use "${base}" and split it, for example with --holdout.`,
    },
  );
}

function unknownName(name: string, base: string): VouchError {
  const names = catalogue.map((entry) => entry.name);
  const list = "`vouch datasets list` shows all names.";
  const guess = didYouMean(base, names);
  return new VouchError("dataset/unknown", `There is no data set named "${name}" in the catalogue.`, {
    hint: guess === undefined ? list : `${guess} ${list}`,
  });
}
