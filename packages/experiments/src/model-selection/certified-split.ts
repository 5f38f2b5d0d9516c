import { type Column, defineTask, Random, Table, type Target } from "vouch";
import { countErrors, fitAdaBoost, selectRows } from "../fit-adaboost.js";

/** One random split of a data set to train, hold out and test on. Plain, so that it can be sent to a thread. */
export interface CertifiedSplitInput extends Target {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly labels: Int32Array;
  readonly rounds: number;
  readonly seed: number;
  /** Which of the splits of this seed. */
  readonly split: number;
}

/** How a committee of stumps did on the two parts that it did not see. */
export interface CertifiedSplit {
  readonly trainingRows: number;
  readonly heldOutRows: number;
  readonly heldOutErrors: number;
  readonly freshRows: number;
  readonly freshErrors: number;
}

/** Of the rows, half train and a fifth are held out; the others, fresh to all, measure the error. */
const TRAINING = 0.5;
const HELD_OUT = 0.2;

/** Splits the rows at random, boosts on the first part and counts the errors on the other two. */
export const certifiedSplitTask = defineTask(
  "experiments/certified-split",
  async ({
    name,
    columns,
    labels,
    rounds,
    seed,
    split,
    ...target
  }: CertifiedSplitInput): Promise<CertifiedSplit> => {
    const all = { ...target, features: new Table(name, labels.length, columns), labels };
    const shuffled = new Random(seed).fork(split).shuffle(Int32Array.from(labels.keys()));
    const [first, second] = [TRAINING, TRAINING + HELD_OUT].map((part) => Math.round(part * labels.length));
    const heldOut = selectRows(all, shuffled.slice(first, second));
    const fresh = selectRows(all, shuffled.slice(second));
    const { model, encode } = await fitAdaBoost(selectRows(all, shuffled.slice(0, first)), rounds);
    return {
      trainingRows: first,
      heldOutRows: heldOut.labels.length,
      heldOutErrors: countErrors(model.predict(encode(heldOut.features)), heldOut.labels),
      freshRows: fresh.labels.length,
      freshErrors: countErrors(model.predict(encode(fresh.features)), fresh.labels),
    };
  },
  import.meta.url,
);
