import { answerRow, type RowAnswer, type TypedRow } from "@vouch/views/facts";
import { type Classifier, deserialise } from "vouch/predict";
import { fromBase64 } from "./model-block.js";

let loading: Promise<Classifier> | undefined;

/** Asks the model of the page about a row; the first call loads the model. */
export async function askModel(base64: string, row: TypedRow): Promise<RowAnswer> {
  loading ??= deserialise(fromBase64(base64));
  return answerRow(await loading, row);
}
