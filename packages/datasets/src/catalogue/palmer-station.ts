import type { DatasetEntry } from "../entry.js";
import { defineDataset } from "./definition.js";

/** Data sets of the Palmer Station in the Antarctic. */
export const palmerStationDatasets: readonly DatasetEntry[] = [
  defineDataset({
    name: "penguins",
    title: "Palmer penguins",
    features: 7,
    classes: 3,
    kinds: "2 reals, 3 integers, 2 categorical",
    split: "none",
    sortedByClass: true,
    target: "species",
    source: "K. Gorman, T. Williams, W. Fraser (2014); A. Horst, A. Hill, K. Gorman (2020)",
    urls: ["https://allisonhorst.github.io/palmerpenguins/", "https://doi.org/10.1371/journal.pone.0090081"],
    licence: "CC0 1.0",
    files: [
      {
        part: "all",
        name: "penguins.csv.gz",
        rows: 344,
        content: {
          bytes: 15203,
          sha256: "f5a505b2fcaa8c1e4a5f79df2bc35dfe05c172e9edf42948eecbe6b05633de00",
        },
      },
    ],
    notes: [
      "The class is in the column species.",
      "2 penguins were not measured, and the sex of 11 is missing.",
    ],
    shipped: true,
  }),
];
