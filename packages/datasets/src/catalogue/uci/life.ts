import type { DatasetEntry } from "../../entry.js";
import { defineDataset, knownFile, numbered } from "../definition.js";
import { uciFile, uciLicence, uciPage, uciTitle } from "./repository.js";

const wdbcMeasurements = [
  "radius",
  "texture",
  "perimeter",
  "area",
  "smoothness",
  "compactness",
  "concavity",
  "concave_points",
  "symmetry",
  "fractal_dimension",
];

const wdbcColumns = ["mean", "se", "worst"].flatMap((statistic) =>
  wdbcMeasurements.map((measurement) => `${measurement}_${statistic}`),
);

/** Data sets of the UCI repository about plants, cells and genes. */
export const uciLifeDatasets: readonly DatasetEntry[] = [
  defineDataset({
    name: "breastcancer",
    title: "Breast Cancer Wisconsin (Original)",
    features: 9,
    classes: 2,
    kinds: "9 integers 1-10",
    split: "none",
    source: `${uciTitle("Breast Cancer Wisconsin (Original)")}; W. Wolberg (1990)`,
    urls: [uciPage("15/breast+cancer+wisconsin+original")],
    licence: uciLicence,
    files: [knownFile("all", "breastcancer.csv.gz")],
    notes: [
      "16 values of bare_nuclei are missing.",
      "The sample id column is removed; without it, 236 rows repeat an earlier row.",
    ],
    shipped: true,
  }),
  defineDataset({
    name: "wdbc",
    title: "Breast Cancer Wisconsin (Diagnostic)",
    features: 30,
    classes: 2,
    kinds: "30 reals",
    split: "none",
    source: `${uciTitle("Breast Cancer Wisconsin (Diagnostic)")}; W. Wolberg, O. Mangasarian, N. Street, W. Street`,
    urls: [uciPage("17/breast+cancer+wisconsin+diagnostic")],
    licence: uciLicence,
    files: [
      knownFile(
        "all",
        "wdbc.csv.gz",
        uciFile(
          "breast-cancer-wisconsin/wdbc.data",
          {
            separator: "comma",
            label: 1,
            drop: [0],
            labels: { M: "malignant", B: "benign" },
            columns: wdbcColumns,
          },
          { bytes: 124103, sha256: "d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a" },
        ),
      ),
    ],
    notes: ["The sample id column is removed."],
  }),
  defineDataset({
    name: "iris",
    title: "Iris",
    features: 4,
    classes: 3,
    kinds: "4 reals",
    split: "none",
    sortedByClass: true,
    source: `R. A. Fisher (1936); ${uciTitle("Iris")}`,
    urls: [uciPage("53/iris")],
    licence: uciLicence,
    files: [knownFile("all", "iris.csv.gz")],
    notes: ["The corrected values, as in Fisher's paper; the UCI file differs in two rows."],
    shipped: true,
  }),
  defineDataset({
    name: "leaves100",
    title: "One-hundred plant species leaves",
    features: 192,
    classes: 100,
    kinds: "192 reals (64 margin, 64 shape, 64 texture)",
    split: "none",
    sortedByClass: true,
    source: `${uciTitle("One-hundred plant species leaves")}; J. Cope, T. Beghin, P. Remagnino, S. Barman`,
    urls: [uciPage("241/one+hundred+plant+species+leaves+data+set")],
    licence: uciLicence,
    files: [knownFile("all", "leaves100.csv.gz")],
    notes: [
      "The texture of the first row is missing in the source.",
      "In a .mat file that circulates, the shape features of classes 1-35 are shifted by one species; this is corrected here.",
      "The label is Genus_Species: 34 genera, 100 species.",
    ],
    byHand:
      "Join the margin, shape and texture files of the archive row by row (the texture of the first Acer_Campestre leaf is missing there: leave it empty).",
  }),
  defineDataset({
    name: "splice-uci",
    title: "Primate splice junctions, three classes",
    features: 60,
    classes: 3,
    kinds: "60 categorical (letters)",
    split: "none",
    sortedByClass: true,
    source: uciTitle("Molecular Biology (Splice-junction Gene Sequences)"),
    urls: [uciPage("69/molecular+biology+splice+junction+gene+sequences")],
    licence: uciLicence,
    files: [
      knownFile(
        "all",
        "splice-uci.csv.gz",
        uciFile("molecular-biology/splice-junction-gene-sequences/splice.data", {
          separator: "comma",
          label: 0,
          drop: [1],
          letters: true,
          columns: numbered("p", 60, 2),
        }),
      ),
    ],
    notes: [
      "The letters N, D, R and S (ambiguous bases) are kept as categories.",
      "The instance name column is removed.",
    ],
  }),
  defineDataset({
    name: "yeast",
    title: "Yeast (protein localisation)",
    features: 8,
    classes: 10,
    kinds: "8 reals",
    split: "none",
    source: `${uciTitle("Yeast")}; K. Nakai`,
    urls: [uciPage("110/yeast")],
    licence: uciLicence,
    files: [
      knownFile(
        "all",
        "yeast.csv.gz",
        uciFile("yeast/yeast.data", {
          separator: "blanks",
          label: -1,
          drop: [0],
          columns: ["mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc"],
        }),
      ),
    ],
    notes: ["The smallest class has 5 rows. The sequence name column is removed."],
  }),
];
