import { answerRow, type RowAnswer, type TypedRow } from "@vouch/views/facts";
import { type Classifier, deserialise } from "vouch/predict";
import { unpackModel } from "./model-block.js";

let loading: Promise<Classifier> | undefined;

/** Asks the model of the page about a row; the first call loads the model. */
export async function askModel(packed: string, row: TypedRow): Promise<RowAnswer> {
  loading ??= unpackModel(packed).then((bytes) => deserialise(bytes));
  return answerRow(await loading, row);
}
