import { loadDataset } from "@vouch/datasets";
import { holdout, type Labelled, type LabelledRows, labelled, labelsFor } from "vouch";
import { Random } from "vouch/learning";
import { z } from "zod";
import { selectRows } from "./labelled-rows.js";

/** Share of the rows that test where a data set has no official test part; gcForest's authors take as many of yeast. */
export const TEST_SHARE = 0.3;

/** Rows to train on and rows to test on. */
export interface Division {
  readonly training: Labelled;
  readonly test: Pick<LabelledRows, "features" | "labels">;
}

/** What a result says of a data set and of how it is divided: numbers of rows, features and classes. */
export const divisionFacts = {
  training: z.int(),
  test: z.int(),
  features: z.int(),
  classes: z.int(),
  split: z.enum(["official", "random"]),
};

/** A data set in memory, and how it is divided. */
export interface DividedSet extends Readonly<z.infer<z.ZodObject<typeof divisionFacts>>> {
  /** The official division, whatever the seed; otherwise one of many random ones, with the same share of each class. */
  division(seed: number, split: number): Division;
}

/** Loads a data set. */
export async function dividedSet(name: string, signal?: AbortSignal): Promise<DividedSet> {
  const { train, test, entry } = await loadDataset(name, signal ? { signal } : {});
  const data = labelled(train, entry.target);
  const official = test && { training: data, test: labelsFor(test, data) };
  const division = (seed: number, split: number) => official ?? randomDivision(data, seed, split);
  const first = division(0, 0);
  return {
    training: first.training.labels.length,
    test: first.test.labels.length,
    features: data.features.columns.length,
    classes: data.classes.length,
    split: official ? "official" : "random",
    division,
  };
}

function randomDivision(data: Labelled, seed: number, split: number): Division {
  const { train, test } = holdout(data.labels, TEST_SHARE, new Random(seed).fork(split).bits());
  return { training: selectRows(data, train), test: selectRows(data, test) };
}
