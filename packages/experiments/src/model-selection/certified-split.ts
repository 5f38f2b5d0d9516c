import { defineTask, Random } from "vouch/learning";
import { fitAdaBoost } from "../fit-adaboost.js";
import { countErrors, type PlainRows, receivedRows, selectRows } from "../labelled-rows.js";

/** One random split of a data set to train, hold out and test on. */
export interface CertifiedSplitInput {
  readonly rows: PlainRows;
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
  async ({ rows, rounds, seed, split }: CertifiedSplitInput): Promise<CertifiedSplit> => {
    const all = receivedRows(rows);
    const { labels } = all;
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
