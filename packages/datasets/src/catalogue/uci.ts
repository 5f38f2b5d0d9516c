import type { FieldsConversion } from "../conversion.js";
import { type DatasetEntry, type Download, dataset, knownFile } from "../entry.js";
import type { Fingerprint } from "../file-facts.js";
import { numbered, pixels } from "./column-names.js";

const archive = "https://archive.ics.uci.edu/ml/machine-learning-databases";
const page = (path: string) => `https://archive.ics.uci.edu/dataset/${path}`;
const uci = (title: string) => `UCI Machine Learning Repository, "${title}"`;
const licence = "CC BY 4.0";

type Fields = Omit<FieldsConversion, "kind" | "packing">;

function text(file: string, fields: Fields, original?: Fingerprint): Download {
  const convert: FieldsConversion = { kind: "fields", packing: "none", ...fields };
  const url = `${archive}/${file}`;
  return original === undefined ? { url, convert } : { url, original, convert };
}

const adultFields: Fields = {
  separator: "comma",
  label: -1,
  missing: "?",
  columns: [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
  ],
};

function letterRows(from: number, to: number): Download {
  const columns = [
    "x_box",
    "y_box",
    "width",
    "high",
    "onpix",
    "x_bar",
    "y_bar",
    "x2bar",
    "y2bar",
    "xybar",
    "x2ybr",
    "xy2br",
    "x_ege",
    "xegvy",
    "y_ege",
    "yegvx",
  ];
  return text(
    "letter-recognition/letter-recognition.data",
    { separator: "comma", label: 0, columns, rows: [from, to] },
    { bytes: 712565, sha256: "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2" },
  );
}

const satimageFields: Fields = { separator: "blanks", label: -1, columns: numbered("x", 36, 2) };

const pendigitsFields: Fields = {
  separator: "comma",
  label: -1,
  columns: Array.from({ length: 8 }, (_, i) => [`x${i + 1}`, `y${i + 1}`]).flat(),
};

const optdigitsFields: Fields = { separator: "comma", label: -1, columns: pixels(8, 1, "") };

const optdigitsTest = text("optdigits/optdigits.tes", optdigitsFields, {
  bytes: 264712,
  sha256: "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
});

/** The copy of "The Elements of Statistical Learning": a header line, row names, the class `y`, `x.1` to `x.10`. */
function vowelPart(part: "train" | "test"): Download {
  return {
    url: `https://hastie.su.domains/ElemStatLearn/datasets/vowel.${part}`,
    convert: {
      kind: "fields",
      packing: "none",
      separator: "comma",
      skipLines: 1,
      label: 1,
      drop: [0],
      columns: numbered("x", 10),
    },
  };
}

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

/** Data sets of the UCI Machine Learning Repository. */
export const uciDatasets: readonly DatasetEntry[] = [
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
    name: "ionosphere",
    title: "Ionosphere",
    features: 34,
    classes: 2,
    kinds: "32 reals, 2 binary",
    split: "none",
    source: `${uci("Ionosphere")}; V. Sigillito, S. Wing, L. Hutton, K. Baker (1989)`,
    urls: [page("52/ionosphere")],
    licence,
    files: [knownFile("all", "ionosphere.csv.gz")],
    notes: ["Column a02 is 0 in every row, as in the source."],
    shipped: true,
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
    name: "german",
    title: "German credit, numeric",
    features: 24,
    classes: 2,
    kinds: "24 integers (9 of them 0/1)",
    split: "none",
    source: `${uci("Statlog (German Credit Data)")}, file german.data-numeric; H. Hofmann (1994)`,
    urls: [page("144/statlog+german+credit+data")],
    licence,
    files: [
      knownFile(
        "all",
        "german.csv.gz",
        text("statlog/german/german.data-numeric", {
          separator: "blanks",
          label: -1,
          labels: { "1": "good", "2": "bad" },
          columns: numbered("a", 24),
        }),
      ),
    ],
    notes: ["The source gives no names for the 24 columns."],
  }),
  dataset({
    name: "german-categorical",
    title: "German credit, with categories",
    features: 20,
    classes: 2,
    kinds: "7 integers, 13 categorical",
    split: "none",
    source: `${uci("Statlog (German Credit Data)")}, as credit-g; H. Hofmann (1994)`,
    urls: [page("144/statlog+german+credit+data"), "https://www.openml.org/d/31"],
    licence,
    files: [knownFile("all", "german-categorical.csv.gz")],
    notes: ["The category codes A11, A12, … are spelled out as Weka does."],
    byHand: "Write credit-g (OpenML or Weka) as CSV, its column `class` renamed to `label`.",
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
    name: "adult",
    title: "Adult (census income)",
    features: 14,
    classes: 2,
    kinds: "6 integers, 8 categorical",
    split: "official",
    source: `${uci("Adult")}; B. Becker and R. Kohavi (1996)`,
    urls: [page("2/adult")],
    licence,
    files: [
      knownFile(
        "train",
        "adult.train.csv.gz",
        text("adult/adult.data", adultFields, {
          bytes: 3974305,
          sha256: "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        }),
      ),
      knownFile(
        "test",
        "adult.test.csv.gz",
        text(
          "adult/adult.test",
          { ...adultFields, skipLines: 1, labels: { "<=50K.": "<=50K", ">50K.": ">50K" } },
          {
            bytes: 2003153,
            sha256: "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
          },
        ),
      ),
    ],
    notes: ["workclass, occupation and native_country have missing values (“?” in the original)."],
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
  dataset({
    name: "letter",
    title: "Letter Recognition",
    features: 16,
    classes: 26,
    kinds: "16 integers 0-15",
    split: "official",
    source: `${uci("Letter Recognition")}; D. Slate (1991)`,
    urls: [page("59/letter+recognition")],
    licence,
    files: [
      knownFile("train", "letter.train.csv.gz", letterRows(0, 16000)),
      knownFile("test", "letter.test.csv.gz", letterRows(16000, 20000)),
    ],
    notes: ["The split is the first 16000 and the last 4000 rows, as the UCI notes say."],
  }),
  dataset({
    name: "satimage",
    title: "Statlog (Landsat Satellite)",
    features: 36,
    classes: 6,
    kinds: "36 integers",
    split: "official",
    source: `${uci("Statlog (Landsat Satellite)")}; A. Srinivasan (1993)`,
    urls: [page("146/statlog+landsat+satellite")],
    licence,
    files: [
      knownFile(
        "train",
        "satimage.train.csv.gz",
        text("statlog/satimage/sat.trn", satimageFields, {
          bytes: 525830,
          sha256: "e896dc88a960fa2404160fc4c3cb3dc53fcf4afd80ba920bf2d261bd42d12613",
        }),
      ),
      knownFile(
        "test",
        "satimage.test.csv.gz",
        text("statlog/satimage/sat.tst", satimageFields, {
          bytes: 236745,
          sha256: "4b9167b8a92baafafed7c8809aef86d0683a5e685c19d98d119fa6974f0f2479",
        }),
      ),
    ],
    notes: ["There is no class 6, as in the source."],
  }),
  dataset({
    name: "isolet",
    title: "ISOLET (spoken letters)",
    features: 617,
    classes: 26,
    kinds: "617 reals in [-1, 1]",
    split: "official",
    sortedByClass: true,
    source: `${uci("ISOLET")}; R. Cole and M. Fanty (1991)`,
    urls: [page("54/isolet")],
    licence,
    files: [knownFile("train", "isolet.train.csv.gz"), knownFile("test", "isolet.test.csv.gz")],
    notes: [
      "Train is isolet1+2+3+4, test is isolet5; class 1 is A, …, 26 is Z.",
      "In the file with the checksum given here the rows are sorted by class inside each of the five parts; the UCI order differs.",
    ],
    byHand:
      "Unpack isolet1+2+3+4.data (train) and isolet5.data (test) and put a header line f1,…,f617,label before them.",
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
    name: "pendigits",
    title: "Pen-based handwritten digits",
    features: 16,
    classes: 10,
    kinds: "16 integers 0-100",
    split: "official",
    source: `${uci("Pen-Based Recognition of Handwritten Digits")}; E. Alpaydin and F. Alimoglu (1996)`,
    urls: [page("81/pen+based+recognition+of+handwritten+digits")],
    licence,
    files: [
      knownFile(
        "train",
        "pendigits.train.csv.gz",
        text("pendigits/pendigits.tra", pendigitsFields, {
          bytes: 502098,
          sha256: "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3",
        }),
      ),
      knownFile(
        "test",
        "pendigits.test.csv.gz",
        text("pendigits/pendigits.tes", pendigitsFields, {
          bytes: 234366,
          sha256: "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
        }),
      ),
    ],
  }),
  dataset({
    name: "optdigits",
    title: "Optical handwritten digits",
    features: 64,
    classes: 10,
    kinds: "64 integers 0-16 (8x8)",
    split: "official",
    source: `${uci("Optical Recognition of Handwritten Digits")}; E. Alpaydin and C. Kaynak (1998)`,
    urls: [page("80/optical+recognition+of+handwritten+digits")],
    licence,
    files: [
      knownFile(
        "train",
        "optdigits.train.csv.gz",
        text("optdigits/optdigits.tra", optdigitsFields, {
          bytes: 563639,
          sha256: "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd",
        }),
      ),
      knownFile("test", "optdigits.test.csv.gz", optdigitsTest),
    ],
  }),
  dataset({
    name: "digits",
    title: "Handwritten digits of scikit-learn",
    features: 64,
    classes: 10,
    kinds: "64 integers 0-16 (8x8)",
    split: "none",
    source: `${uci("Optical Recognition of Handwritten Digits")}, test part, as in scikit-learn`,
    urls: [page("80/optical+recognition+of+handwritten+digits")],
    licence,
    files: [knownFile("all", "digits.csv.gz", optdigitsTest)],
    notes: ["The same rows as optdigits.test."],
  }),
  dataset({
    name: "vowel",
    title: "Vowel recognition (Deterding)",
    features: 10,
    classes: 11,
    kinds: "10 reals",
    split: "official",
    source: uci("Connectionist Bench (Vowel Recognition - Deterding Data)"),
    urls: [
      page("152/connectionist+bench+vowel+recognition+deterding+data"),
      "https://hastie.su.domains/ElemStatLearn/data.html",
    ],
    licence,
    files: [
      knownFile("train", "vowel.train.csv.gz", vowelPart("train")),
      knownFile("test", "vowel.test.csv.gz", vowelPart("test")),
    ],
    notes: ["Train and test are different speakers. The classes are 1 to 11."],
  }),
  dataset({
    name: "wine",
    title: "Wine",
    features: 13,
    classes: 3,
    kinds: "13 numbers",
    split: "none",
    sortedByClass: true,
    source: `${uci("Wine")}; S. Aeberhard and M. Forina`,
    urls: [page("109/wine")],
    licence,
    files: [
      knownFile(
        "all",
        "wine.csv.gz",
        text(
          "wine/wine.data",
          { separator: "comma", label: 0, columns: wineColumns },
          { bytes: 10782, sha256: "6be6b1203f3d51df0b553a70e57b8a723cd405683958204f96d23d7cd6aea659" },
        ),
      ),
    ],
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
    name: "har",
    title: "Human activity recognition using smartphones",
    features: 561,
    classes: 6,
    kinds: "561 reals in [-1, 1]",
    split: "official",
    source: `${uci("Human Activity Recognition Using Smartphones")}; J. Reyes-Ortiz, D. Anguita, A. Ghio, L. Oneto, X. Parra (2013)`,
    urls: [page("240/human+activity+recognition+using+smartphones")],
    licence,
    files: [
      { part: "train", name: "har.train.csv.gz", rows: 7352 },
      { part: "test", name: "har.test.csv.gz", rows: 2947 },
    ],
    notes: ["Train and test are different people.", "No checksum of the CSV files is known."],
    byHand:
      "Unpack the archive; join each line of train/X_train.txt with the same line of train/y_train.txt (test likewise) as CSV under a header line f1,…,f561,label.",
  }),
];
