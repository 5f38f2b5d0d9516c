/** Learners of the paper, in the order of its table. SF, ST and NP are variants of mdDF. */
export const publishedLearners = [
  "MLP",
  "RF",
  "XGBoost",
  "gcForest",
  "mdDF",
  "mdDF SF",
  "mdDF ST",
  "mdDF NP",
] as const;

/** A row of the published table: test accuracies in per cent, in the order of `publishedLearners`. */
interface PublishedSet {
  readonly dataset: string;
  readonly accuracies: readonly number[];
}

/** The published table. */
export const tablePublished: readonly PublishedSet[] = [
  { dataset: "adult", accuracies: [80.597, 85.818, 85.904, 86.276, 86.56, 86.2, 85.71, 85.65] },
  { dataset: "yeast", accuracies: [59.641, 61.886, 59.161, 63.004, 63.34, 63.0, 62.78, 62.556] },
  { dataset: "letter", accuracies: [96.025, 96.575, 95.85, 97.375, 97.5, 96.475, 97.3, 96.975] },
  { dataset: "protein", accuracies: [68.66, 68.071, 71.214, 71.009, 71.247, 71.127, 70.291, 68.509] },
  { dataset: "har", accuracies: [94.231, 92.569, 93.112, 94.224, 94.6, 93.926, 94.29, 94.06] },
  { dataset: "sensit", accuracies: [78.957, 80.133, 81.874, 82.334, 82.534, 82.014, 80.412, 80.32] },
  { dataset: "satimage", accuracies: [91.125, 91.2, 90.45, 91.7, 91.75, 91.6, 91.3, 90.8] },
  { dataset: "mnist", accuracies: [98.621, 96.831, 97.73, 98.252, 98.734, 98.254, 98.101, 98.24] },
];

/** Returns the published accuracy of a learner on a data set, in per cent; undefined if there is none. */
export function publishedAccuracy(dataset: string, learner: string): number | undefined {
  const row = tablePublished.find((published) => published.dataset === dataset);
  const names: readonly string[] = publishedLearners;
  return row?.accuracies[names.indexOf(learner)];
}
