import { type DatasetEntry, type Download, dataset, knownFile } from "../entry.js";
import { numbered } from "./column-names.js";

const site = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets";

/** Some files of the site write the positive class as 1, others as +1. */
const signed = { "1": "+1" };

function binary(file: string, columns: readonly string[]): Download {
  return {
    url: `${site}/binary/${file}`,
    convert: { kind: "libsvm", packing: "none", columns, labels: signed },
  };
}

function packed(file: string, columns: readonly string[]): Download {
  return { url: `${site}/multiclass/${file}.bz2`, convert: { kind: "libsvm", packing: "bzip2", columns } };
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

/** Data sets in the form of the LIBSVM data page. */
export const libsvmDatasets: readonly DatasetEntry[] = [
  dataset({
    name: "breastcancer-libsvm",
    title: "Breast Cancer Wisconsin (Original), LIBSVM's form",
    features: 10,
    classes: 2,
    kinds: "10 integers",
    split: "none",
    source: 'LIBSVM data page, "breast-cancer" (binary), from the UCI set of W. H. Wolberg',
    urls: [`${site}/binary.html#breast-cancer`],
    licence: "CC BY 4.0 (UCI)",
    files: [knownFile("all", "breastcancer-libsvm.csv.gz", binary("breast-cancer", breastcancerColumns))],
    notes: [
      "The first feature is the sample id (LIBSVM keeps it as a feature).",
      "The 16 rows with a missing value are dropped; the labels are 2 (benign) and 4 (malignant).",
    ],
  }),
  dataset({
    name: "splice",
    title: "Primate splice junctions, junction or not",
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
      "The bases are coded A = 1, G = 2, C = 3, T = 4; class +1 is neither, -1 is EI or IE.",
      "The file with the checksum given here has the test rows in the order of UCI, sorted by class; fetched from LIBSVM they are the same rows in another order.",
      "107 test rows also occur among the training rows; 15 UCI rows with ambiguous bases are left out.",
    ],
  }),
  dataset({
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
    notes: [
      "1367 test rows have an identical row, with the same label, among the training rows, as in the source.",
    ],
  }),
  dataset({
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
    notes: ["No checksum is known: a fetched copy is checked by its numbers of rows, features and classes."],
  }),
  dataset({
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
    notes: ["No checksum is known: a fetched copy is checked by its numbers of rows, features and classes."],
  }),
];
