import type { DatasetEntry } from "../../entry.js";
import { defineDataset, knownFile, numbered } from "../definition.js";
import { type UciFields, uciFile, uciLicence, uciPage, uciTitle } from "./repository.js";

const satimageFields: UciFields = { separator: "blanks", label: -1, columns: numbered("x", 36, 2) };

const wineColumns = [
  "alcohol",
  "malic_acid",
  "ash",
  "alcalinity_of_ash",
  "magnesium",
  "total_phenols",
  "flavanoids",
  "nonflavanoid_phenols",
  "proanthocyanins",
  "color_intensity",
  "hue",
  "od280_od315",
  "proline",
];

/** Data sets of the UCI repository with physical and chemical measurements. */
export const uciMeasurementDatasets: readonly DatasetEntry[] = [
  defineDataset({
    name: "ionosphere",
    title: "Ionosphere",
    features: 34,
    classes: 2,
    kinds: "32 reals, 2 binary",
    split: "none",
    source: `${uciTitle("Ionosphere")}; V. Sigillito, S. Wing, L. Hutton, K. Baker (1989)`,
    urls: [uciPage("52/ionosphere")],
    licence: uciLicence,
    files: [knownFile("all", "ionosphere.csv.gz")],
    notes: ["Column a02 is 0 in every row, as in the source."],
    shipped: true,
  }),
  defineDataset({
    name: "satimage",
    title: "Statlog (Landsat Satellite)",
    features: 36,
    classes: 6,
    kinds: "36 integers",
    split: "official",
    source: `${uciTitle("Statlog (Landsat Satellite)")}; A. Srinivasan (1993)`,
    urls: [uciPage("146/statlog+landsat+satellite")],
    licence: uciLicence,
    files: [
      knownFile(
        "train",
        "satimage.train.csv.gz",
        uciFile("statlog/satimage/sat.trn", satimageFields, {
          bytes: 525830,
          sha256: "e896dc88a960fa2404160fc4c3cb3dc53fcf4afd80ba920bf2d261bd42d12613",
        }),
      ),
      knownFile(
        "test",
        "satimage.test.csv.gz",
        uciFile("statlog/satimage/sat.tst", satimageFields, {
          bytes: 236745,
          sha256: "4b9167b8a92baafafed7c8809aef86d0683a5e685c19d98d119fa6974f0f2479",
        }),
      ),
    ],
    notes: ["There is no class 6, as in the source."],
  }),
  defineDataset({
    name: "wine",
    title: "Wine",
    features: 13,
    classes: 3,
    kinds: "13 numbers",
    split: "none",
    sortedByClass: true,
    source: `${uciTitle("Wine")}; S. Aeberhard and M. Forina`,
    urls: [uciPage("109/wine")],
    licence: uciLicence,
    files: [
      knownFile(
        "all",
        "wine.csv.gz",
        uciFile(
          "wine/wine.data",
          { separator: "comma", label: 0, columns: wineColumns },
          { bytes: 10782, sha256: "6be6b1203f3d51df0b553a70e57b8a723cd405683958204f96d23d7cd6aea659" },
        ),
      ),
    ],
  }),
];
