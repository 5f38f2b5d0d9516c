import type { DatasetEntry } from "../../entry.js";
import { defineDataset, knownFile, numbered } from "../definition.js";
import { type UciFields, uciFile, uciLicence, uciPage, uciTitle } from "./repository.js";

const adultFields: UciFields = {
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

/** Data sets of the UCI repository about people. */
export const uciPeopleDatasets: readonly DatasetEntry[] = [
  defineDataset({
    name: "adult",
    title: "Adult (census income)",
    features: 14,
    classes: 2,
    kinds: "6 integers, 8 categorical",
    split: "official",
    source: `${uciTitle("Adult")}; B. Becker and R. Kohavi (1996)`,
    urls: [uciPage("2/adult")],
    licence: uciLicence,
    files: [
      knownFile(
        "train",
        "adult.train.csv.gz",
        uciFile("adult/adult.data", adultFields, {
          bytes: 3974305,
          sha256: "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        }),
      ),
      knownFile(
        "test",
        "adult.test.csv.gz",
        uciFile(
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
  defineDataset({
    name: "german",
    title: "German credit, numeric",
    features: 24,
    classes: 2,
    kinds: "24 integers (9 of them 0/1)",
    split: "none",
    source: `${uciTitle("Statlog (German Credit Data)")}, file german.data-numeric; H. Hofmann (1994)`,
    urls: [uciPage("144/statlog+german+credit+data")],
    licence: uciLicence,
    files: [
      knownFile(
        "all",
        "german.csv.gz",
        uciFile("statlog/german/german.data-numeric", {
          separator: "blanks",
          label: -1,
          labels: { "1": "good", "2": "bad" },
          columns: numbered("a", 24),
        }),
      ),
    ],
    notes: ["The source gives no names for the 24 columns."],
  }),
  defineDataset({
    name: "german-categorical",
    title: "German credit, categorical",
    features: 20,
    classes: 2,
    kinds: "7 integers, 13 categorical",
    split: "none",
    source: `${uciTitle("Statlog (German Credit Data)")}, as credit-g; H. Hofmann (1994)`,
    urls: [uciPage("144/statlog+german+credit+data"), "https://www.openml.org/d/31"],
    licence: uciLicence,
    files: [knownFile("all", "german-categorical.csv.gz")],
    notes: ["The category codes A11, A12, … are spelled out, as in Weka."],
    byHand: "Convert credit-g (OpenML or Weka) to CSV and rename its column `class` to `label`.",
  }),
  defineDataset({
    name: "har",
    title: "Human activity recognition using smartphones",
    features: 561,
    classes: 6,
    kinds: "561 reals in [-1, 1]",
    split: "official",
    source: `${uciTitle("Human Activity Recognition Using Smartphones")}; J. Reyes-Ortiz, D. Anguita, A. Ghio, L. Oneto, X. Parra (2013)`,
    urls: [uciPage("240/human+activity+recognition+using+smartphones")],
    licence: uciLicence,
    files: [
      { part: "train", name: "har.train.csv.gz", rows: 7352 },
      { part: "test", name: "har.test.csv.gz", rows: 2947 },
    ],
    notes: ["Training and test rows are from different people.", "No checksum of the CSV files is known."],
    byHand:
      "Unpack the archive; join each line of train/X_train.txt with the same line of train/y_train.txt (test likewise) and write them as CSV with the header line f1,…,f561,label.",
  }),
];
