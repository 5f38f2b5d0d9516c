import { type DatasetEntry, dataset, knownFile } from "../../entry.js";
import { numbered } from "../column-names.js";
import { licence, page, text, uci } from "./repository.js";

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

/** Data sets of the UCI repository on plants, cells and genes. */
export const uciLifeDatasets: readonly DatasetEntry[] = [
  dataset({
    name: "breastcancer",
    title: "Breast Cancer Wisconsin (Original)",
    features: 9,
    classes: 2,
    kinds: "9 integers 1-10",
    split: "none",
    source: `${uci("Breast Cancer Wisconsin (Original)")}; W. Wolberg (1990)`,
    urls: [page("15/breast+cancer+wisconsin+original")],
    licence,
    files: [knownFile("all", "breastcancer.csv.gz")],
    notes: [
      "16 values of bare_nuclei are missing.",
      "The sample id column is removed; 236 rows repeat an earlier row once it is gone.",
    ],
    shipped: true,
  }),
  dataset({
    name: "wdbc",
    title: "Breast Cancer Wisconsin (Diagnostic)",
    features: 30,
    classes: 2,
    kinds: "30 reals",
    split: "none",
    source: `${uci("Breast Cancer Wisconsin (Diagnostic)")}; W. Wolberg, O. Mangasarian, N. Street, W. Street`,
    urls: [page("17/breast+cancer+wisconsin+diagnostic")],
    licence,
    files: [
      knownFile(
        "all",
        "wdbc.csv.gz",
        text(
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
  dataset({
    name: "iris",
    title: "Iris",
    features: 4,
    classes: 3,
    kinds: "4 reals",
    split: "none",
    sortedByClass: true,
    source: `R. A. Fisher (1936); ${uci("Iris")}`,
    urls: [page("53/iris")],
    licence,
    files: [knownFile("all", "iris.csv.gz")],
    notes: ["The corrected values, as in Fisher's paper; the UCI file differs in two rows."],
    shipped: true,
  }),
  dataset({
    name: "leaves100",
    title: "One-hundred plant species leaves",
    features: 192,
    classes: 100,
    kinds: "192 reals (64 margin, 64 shape, 64 texture)",
    split: "none",
    sortedByClass: true,
    source: `${uci("One-hundred plant species leaves")}; J. Cope, T. Beghin, P. Remagnino, S. Barman`,
    urls: [page("241/one+hundred+plant+species+leaves+data+set")],
    licence,
    files: [knownFile("all", "leaves100.csv.gz")],
    notes: [
      "The texture of the first row is missing in the source.",
      "A .mat file that circulates has the shape features shifted by one species for classes 1-35; that is repaired here.",
      "The label is Genus_Species: 34 genera, 100 species.",
    ],
    byHand:
      "Join the margin, shape and texture files of the archive row by row (the texture of the first Acer_Campestre leaf is missing there: leave it empty).",
  }),
  dataset({
    name: "splice-uci",
    title: "Primate splice junctions, letters",
    features: 60,
    classes: 3,
    kinds: "60 categorical (letters)",
    split: "none",
    sortedByClass: true,
    source: uci("Molecular Biology (Splice-junction Gene Sequences)"),
    urls: [page("69/molecular+biology+splice+junction+gene+sequences")],
    licence,
    files: [
      knownFile(
        "all",
        "splice-uci.csv.gz",
        text("molecular-biology/splice-junction-gene-sequences/splice.data", {
          separator: "comma",
          label: 0,
          drop: [1],
          letters: true,
          columns: numbered("p", 60, 2),
        }),
      ),
    ],
    notes: [
      "The letters N, D, R and S (ambiguous base) are kept as categories.",
      "The instance name column is removed.",
    ],
  }),
  dataset({
    name: "yeast",
    title: "Yeast (protein localisation)",
    features: 8,
    classes: 10,
    kinds: "8 reals",
    split: "none",
    source: `${uci("Yeast")}; K. Nakai`,
    urls: [page("110/yeast")],
    licence,
    files: [
      knownFile(
        "all",
        "yeast.csv.gz",
        text("yeast/yeast.data", {
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
