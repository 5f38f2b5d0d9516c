import type { DatasetEntry, Download, FileDigest } from "../entry.js";
import { defineDataset, knownFile, pixels } from "./definition.js";

const elements = "https://hastie.su.domains/ElemStatLearn";
const hierarchical = "http://kt.ijs.si/DragiKocev/PhD/resources/doku.php?id=hmc_classification";
const hierarchicalCopy = "https://github.com/EGiunchiglia/C-HMCNN";
const hierarchicalByHand =
  "Convert the training and the test ARFF file, for example from C-HMCNN (HMC_data/others), to CSV: name the features f1, f2, … and write the deepest class of each row as a path such as 2/1/3 into `label`.";

function uspsPart(part: "train" | "test"): Download {
  return {
    url: `${elements}/datasets/zip.${part}.gz`,
    convert: {
      kind: "fields",
      compression: "gzip",
      separator: "blanks",
      label: 0,
      columns: pixels(16, 2, "_"),
    },
  };
}

/**
 * Describes a file of the mirror for TensorFlow and torchvision; the catalogue contains the same files, compressed
 * again.
 */
function mnistFile(file: string, original: FileDigest): Download {
  return {
    url: `https://ossci-datasets.s3.amazonaws.com/mnist/${file}`,
    original,
    convert: { kind: "keep" },
  };
}

function mnistPart(part: "train" | "test", prefix: string, images: FileDigest, labels: FileDigest) {
  const imagesName = `${prefix}-images-idx3-ubyte.gz`;
  const labelsName = `${prefix}-labels-idx1-ubyte.gz`;
  return [
    knownFile(part, `mnist/${imagesName}`, mnistFile(imagesName, images)),
    { ...knownFile(part, `mnist/${labelsName}`, mnistFile(labelsName, labels)), labelsOnly: true },
  ];
}

const mnistFiles = [
  ...mnistPart(
    "train",
    "train",
    { bytes: 9912422, sha256: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609" },
    { bytes: 28881, sha256: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c" },
  ),
  ...mnistPart(
    "test",
    "t10k",
    { bytes: 1648877, sha256: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6" },
    { bytes: 4542, sha256: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6" },
  ),
];

/** Images and documents, as pixels, words or other features. */
export const imageAndTextDatasets: readonly DatasetEntry[] = [
  defineDataset({
    name: "usps",
    title: "USPS handwritten digits",
    features: 256,
    classes: 10,
    kinds: "256 reals in [-1, 1] (16x16)",
    split: "official",
    source:
      'USPS digits, zip.train and zip.test of "The Elements of Statistical Learning" (Y. Le Cun et al. 1990)',
    urls: [`${elements}/data.html`],
    licence: "not stated",
    files: [
      knownFile("train", "usps.train.csv.gz", uspsPart("train")),
      knownFile("test", "usps.test.csv.gz", uspsPart("test")),
    ],
  }),
  defineDataset({
    name: "mnist",
    title: "MNIST handwritten digits",
    features: 784,
    classes: 10,
    kinds: "784 integers 0-255 (28x28)",
    split: "official",
    source: "Y. LeCun, C. Cortes, C. J. C. Burges, The MNIST database of handwritten digits",
    urls: ["http://yann.lecun.com/exdb/mnist/", "https://ossci-datasets.s3.amazonaws.com/mnist/"],
    licence: "not stated by the source; often given as CC BY-SA 3.0",
    files: mnistFiles,
    notes: ["Stored as its four IDX files in the folder mnist/."],
  }),
  defineDataset({
    name: "imclef07a",
    title: "ImageCLEF 2007 X-ray images, anatomical axis",
    features: 80,
    classes: 63,
    kinds: "80 integers 0-7 (edge histogram)",
    split: "official",
    sortedByClass: true,
    source: "ImageCLEF 2007 medical annotation; I. Dimitrovski, D. Kocev, S. Loskovska, S. Džeroski",
    urls: [hierarchical, hierarchicalCopy],
    licence: "not found; research use",
    files: [knownFile("train", "imclef07a.train.csv.gz"), knownFile("test", "imclef07a.test.csv.gz")],
    notes: [
      "The label is the path of the leaf in the class tree, such as 2/1/3 (3 levels, 96 nodes, 63 leaves in use).",
      "6 test rows also occur among the training rows.",
    ],
    byHand: hierarchicalByHand,
  }),
  defineDataset({
    name: "imclef07d",
    title: "ImageCLEF 2007 X-ray images, directional axis",
    features: 80,
    classes: 26,
    kinds: "80 integers 0-7 (edge histogram)",
    split: "official",
    sortedByClass: true,
    source: "ImageCLEF 2007 medical annotation; I. Dimitrovski, D. Kocev, S. Loskovska, S. Džeroski",
    urls: [hierarchical, hierarchicalCopy],
    licence: "not found; research use",
    files: [knownFile("train", "imclef07d.train.csv.gz"), knownFile("test", "imclef07d.test.csv.gz")],
    notes: ["The images and features of imclef07a with other classes: 3 levels, 78 nodes, 26 leaves in use."],
    byHand: hierarchicalByHand,
  }),
  defineDataset({
    name: "diatoms",
    title: "Diatom images (ADIAC)",
    features: 371,
    classes: 329,
    kinds: "371 integers",
    split: "official",
    source: "ADIAC diatom images; I. Dimitrovski, D. Kocev, S. Loskovska, S. Džeroski",
    urls: [hierarchical, hierarchicalCopy],
    licence: "not found; research use",
    files: [knownFile("train", "diatoms.train.csv.gz"), knownFile("test", "diatoms.test.csv.gz")],
    notes: [
      "The label is the deepest node, such as 004/05; depth 1 to 3, so some labels are inner nodes (398 nodes in all).",
      "45 test rows belong to 23 classes without training rows; many classes have one row.",
    ],
    byHand: hierarchicalByHand,
  }),
  defineDataset({
    name: "omniglot8",
    title: "Omniglot, 8 alphabets",
    features: 784,
    classes: 242,
    kinds: "784 integers 0-255 (28x28, amount of ink)",
    split: "none",
    sortedByClass: true,
    source:
      'B. Lake, R. Salakhutdinov, J. Tenenbaum, Omniglot, "background small 1" and "background small 2"',
    urls: ["https://github.com/brendenlake/omniglot"],
    licence: "MIT",
    files: [knownFile("all", "omniglot8.csv.gz")],
    notes: [
      "Only 8 of the 50 alphabets (242 of 1623 characters), so it is not comparable with results on all of Omniglot.",
      "The label is Alphabet/character.",
    ],
    byHand:
      "Downsample the 105x105 images of images_background_small1.zip and _small2.zip to 28x28 by area averaging (255 = ink), and name the columns p00_00 to p27_27.",
  }),
  defineDataset({
    name: "news20",
    title: "20 Newsgroups, word counts",
    features: 1000,
    classes: 20,
    kinds: "1000 integers (word counts)",
    split: "official",
    sortedByClass: true,
    source: '20 Newsgroups, "bydate" version (K. Lang, J. Rennie)',
    urls: ["http://qwone.com/~jason/20Newsgroups/"],
    licence: "not stated",
    files: [knownFile("train", "news20.train.csv.gz"), knownFile("test", "news20.test.csv.gz")],
    notes: [
      "The features were made for this catalogue: counts, in subject line and body, of the 1000 words that occur in most training messages (lower case, 2 or more letters, without a short list of stop words).",
      "The label is the name of the group; its first part (comp, rec, sci, talk, …) is a natural upper level.",
    ],
    byHand: "Count the words of the messages in 20news-bydate as the notes say.",
  }),
  defineDataset({
    name: "landuse21",
    title: "UC Merced land use, three feature groups",
    features: 119,
    classes: 21,
    kinds: "119 reals (three feature groups: 20, 59, 40)",
    split: "none",
    sortedByClass: true,
    source: "Y. Yang and S. Newsam, UC Merced Land Use images; features as used in multi-view clustering",
    urls: [
      "http://weegee.vision.ucmerced.edu/datasets/landuse.html",
      "https://github.com/Code706/DATASETS-Multi-view",
    ],
    licence: "images public domain (USGS); features not stated",
    files: [knownFile("all", "landuse21.csv.gz")],
    notes: ["The classes are numbered 1 to 21, as in the feature file, which does not name them."],
    byHand:
      "Write the three feature groups of LandUse-21.mat side by side as v1_1, …, v2_1, …, v3_1, … with 6 significant digits.",
  }),
];
