import type { DatasetEntry, Download } from "../../entry.js";
import { defineDataset, knownFile, numbered, pixels } from "../definition.js";
import { type UciFields, uciFile, uciLicence, uciPage, uciTitle } from "./repository.js";

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
  return uciFile(
    "letter-recognition/letter-recognition.data",
    { separator: "comma", label: 0, columns, rows: [from, to] },
    { bytes: 712565, sha256: "2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2" },
  );
}

const pendigitsFields: UciFields = {
  separator: "comma",
  label: -1,
  columns: Array.from({ length: 8 }, (_, i) => [`x${i + 1}`, `y${i + 1}`]).flat(),
};

const optdigitsFields: UciFields = { separator: "comma", label: -1, columns: pixels(8, 1, "") };

const optdigitsTest = uciFile("optdigits/optdigits.tes", optdigitsFields, {
  bytes: 264712,
  sha256: "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
});

/**
 * Describes the copy from "The Elements of Statistical Learning": a header line, row names, the class `y`, `x.1` to
 * `x.10`.
 */
function vowelPart(part: "train" | "test"): Download {
  return {
    url: `https://hastie.su.domains/ElemStatLearn/datasets/vowel.${part}`,
    convert: {
      kind: "fields",
      compression: "none",
      separator: "comma",
      skipLines: 1,
      label: 1,
      drop: [0],
      columns: numbered("x", 10),
    },
  };
}

/** Data sets of the UCI repository with written or spoken letters and digits. */
export const uciWritingDatasets: readonly DatasetEntry[] = [
  defineDataset({
    name: "letter",
    title: "Letter Recognition",
    features: 16,
    classes: 26,
    kinds: "16 integers 0-15",
    split: "official",
    source: `${uciTitle("Letter Recognition")}; D. Slate (1991)`,
    urls: [uciPage("59/letter+recognition")],
    licence: uciLicence,
    files: [
      knownFile("train", "letter.train.csv.gz", letterRows(0, 16000)),
      knownFile("test", "letter.test.csv.gz", letterRows(16000, 20000)),
    ],
    notes: ["The first 16000 rows are for training, the last 4000 for testing, as in the UCI notes."],
  }),
  defineDataset({
    name: "pendigits",
    title: "Pen-based handwritten digits",
    features: 16,
    classes: 10,
    kinds: "16 integers 0-100",
    split: "official",
    source: `${uciTitle("Pen-Based Recognition of Handwritten Digits")}; E. Alpaydin and F. Alimoglu (1996)`,
    urls: [uciPage("81/pen+based+recognition+of+handwritten+digits")],
    licence: uciLicence,
    files: [
      knownFile(
        "train",
        "pendigits.train.csv.gz",
        uciFile("pendigits/pendigits.tra", pendigitsFields, {
          bytes: 502098,
          sha256: "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3",
        }),
      ),
      knownFile(
        "test",
        "pendigits.test.csv.gz",
        uciFile("pendigits/pendigits.tes", pendigitsFields, {
          bytes: 234366,
          sha256: "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
        }),
      ),
    ],
  }),
  defineDataset({
    name: "optdigits",
    title: "Optical handwritten digits",
    features: 64,
    classes: 10,
    kinds: "64 integers 0-16 (8x8)",
    split: "official",
    source: `${uciTitle("Optical Recognition of Handwritten Digits")}; E. Alpaydin and C. Kaynak (1998)`,
    urls: [uciPage("80/optical+recognition+of+handwritten+digits")],
    licence: uciLicence,
    files: [
      knownFile(
        "train",
        "optdigits.train.csv.gz",
        uciFile("optdigits/optdigits.tra", optdigitsFields, {
          bytes: 563639,
          sha256: "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd",
        }),
      ),
      knownFile("test", "optdigits.test.csv.gz", optdigitsTest),
    ],
  }),
  defineDataset({
    name: "digits",
    title: "Handwritten digits of scikit-learn",
    features: 64,
    classes: 10,
    kinds: "64 integers 0-16 (8x8)",
    split: "none",
    source: `${uciTitle("Optical Recognition of Handwritten Digits")}, test part, as in scikit-learn`,
    urls: [uciPage("80/optical+recognition+of+handwritten+digits")],
    licence: uciLicence,
    files: [knownFile("all", "digits.csv.gz", optdigitsTest)],
    notes: ["The same rows as optdigits.test."],
  }),
  defineDataset({
    name: "isolet",
    title: "ISOLET (spoken letters)",
    features: 617,
    classes: 26,
    kinds: "617 reals in [-1, 1]",
    split: "official",
    sortedByClass: true,
    source: `${uciTitle("ISOLET")}; R. Cole and M. Fanty (1991)`,
    urls: [uciPage("54/isolet")],
    licence: uciLicence,
    files: [knownFile("train", "isolet.train.csv.gz"), knownFile("test", "isolet.test.csv.gz")],
    notes: [
      "The training rows are isolet1+2+3+4, the test rows isolet5. Class 1 is A, …, 26 is Z.",
      "The file with this checksum is sorted by class within each of the five parts; the UCI order differs.",
    ],
    byHand:
      "Unpack isolet1+2+3+4.data (train) and isolet5.data (test) and add the header line f1,…,f617,label.",
  }),
  defineDataset({
    name: "vowel",
    title: "Vowel recognition (Deterding)",
    features: 10,
    classes: 11,
    kinds: "10 reals",
    split: "official",
    source: uciTitle("Connectionist Bench (Vowel Recognition - Deterding Data)"),
    urls: [
      uciPage("152/connectionist+bench+vowel+recognition+deterding+data"),
      "https://hastie.su.domains/ElemStatLearn/data.html",
    ],
    licence: uciLicence,
    files: [
      knownFile("train", "vowel.train.csv.gz", vowelPart("train")),
      knownFile("test", "vowel.test.csv.gz", vowelPart("test")),
    ],
    notes: ["Training and test rows are from different speakers. The classes are 1 to 11."],
  }),
];
