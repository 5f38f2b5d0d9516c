import type { DatasetEntry, Download } from "../entry.js";
import { defineDataset, knownFile, numbered } from "./definition.js";

const site = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets";

/** Some files of the page write the positive class as 1, others as +1. */
const signed = { "1": "+1" };

function binary(file: string, columns: readonly string[]): Download {
  return {
    url: `${site}/binary/${file}`,
    convert: { kind: "libsvm", compression: "none", columns, labels: signed },
  };
}

function packed(file: string, columns: readonly string[]): Download {
  return {
    url: `${site}/multiclass/${file}.bz2`,
    convert: { kind: "libsvm", compression: "bzip2", columns },
  };
}

const breastcancerColumns = [
  "sample_id",
  "clump_thickness",
  "cell_size",
  "cell_shape",
  "marginal_adhesion",
  "epithelial_size",
  "bare_nuclei",
  "bland_chromatin",
  "normal_nucleoli",
  "mitoses",
];

/** Data sets of the LIBSVM data page. */
export const libsvmDatasets: readonly DatasetEntry[] = [
  defineDataset({
    name: "breastcancer-libsvm",
    title: "Breast Cancer Wisconsin (Original), LIBSVM version",
    features: 10,
    classes: 2,
    kinds: "10 integers",
    split: "none",
    source: 'LIBSVM data page, "breast-cancer" (binary), from the UCI set of W. H. Wolberg',
    urls: [`${site}/binary.html#breast-cancer`],
    licence: "CC BY 4.0 (UCI)",
    files: [knownFile("all", "breastcancer-libsvm.csv.gz", binary("breast-cancer", breastcancerColumns))],
    notes: [
      "The first feature is the sample id, as on the LIBSVM page.",
      "The 16 rows with a missing value are dropped; the labels are 2 (benign) and 4 (malignant).",
    ],
  }),
  defineDataset({
    name: "splice",
    title: "Primate splice junctions, two classes",
    features: 60,
    classes: 2,
    kinds: "60 integers 1-4",
    split: "official",
    sortedByClass: true,
    source: 'LIBSVM data page, "splice" (from Delve and the UCI splice-junction set)',
    urls: [`${site}/binary.html#splice`],
    licence: "CC BY 4.0 (UCI)",
    files: [
      knownFile("train", "splice.train.csv.gz", binary("splice", numbered("p", 60, 2))),
      knownFile("test", "splice.test.csv.gz", binary("splice.t", numbered("p", 60, 2))),
    ],
    notes: [
      "The bases are coded A = 1, G = 2, C = 3, T = 4. Class -1 is a junction (EI or IE), +1 is neither.",
      "The test file with this checksum is in UCI order, sorted by class; from LIBSVM, the same rows come in another order.",
      "107 test rows also occur among the training rows; 15 UCI rows with ambiguous bases are left out.",
    ],
  }),
  defineDataset({
    name: "a1a",
    title: "Adult, binary features",
    features: 123,
    classes: 2,
    kinds: "123 binary",
    split: "official",
    source: 'LIBSVM data page, "a1a" (J. Platt, from the UCI set Adult)',
    urls: [`${site}/binary.html#a1a`],
    licence: "CC BY 4.0 (UCI)",
    files: [
      knownFile("train", "a1a.train.csv.gz", binary("a1a", numbered("f", 123))),
      knownFile("test", "a1a.test.csv.gz", binary("a1a.t", numbered("f", 123))),
    ],
    notes: ["1367 test rows are identical to a training row, label included, as in the source."],
  }),
  defineDataset({
    name: "protein",
    title: "Protein secondary structure",
    features: 357,
    classes: 3,
    kinds: "357 reals",
    split: "official",
    source: 'LIBSVM data page, "protein" (J.-Y. Wang 2002)',
    urls: [`${site}/multiclass.html#protein`],
    licence: "not stated",
    files: [
      {
        part: "train",
        name: "protein.train.csv.gz",
        rows: 17766,
        download: packed("protein", numbered("f", 357)),
      },
      {
        part: "test",
        name: "protein.test.csv.gz",
        rows: 6621,
        download: packed("protein.t", numbered("f", 357)),
      },
    ],
    notes: [
      "No checksum is known: the first download is verified by its numbers of rows, features and classes.",
    ],
  }),
  defineDataset({
    name: "sensit",
    title: "SensIT Vehicle (acoustic and seismic combined)",
    features: 100,
    classes: 3,
    kinds: "100 reals",
    split: "official",
    source:
      'LIBSVM data page, "SensIT Vehicle (combined)"; M. Duarte and Y. H. Hu (2004), Vehicle classification in distributed sensor networks',
    urls: [`${site}/multiclass.html`],
    licence: "not stated",
    files: [
      {
        part: "train",
        name: "sensit.train.csv.gz",
        rows: 78823,
        download: packed("vehicle/combined", numbered("f", 100)),
      },
      {
        part: "test",
        name: "sensit.test.csv.gz",
        rows: 19705,
        download: packed("vehicle/combined.t", numbered("f", 100)),
      },
    ],
    notes: [
      "No checksum is known: the first download is verified by its numbers of rows, features and classes.",
    ],
  }),
];
