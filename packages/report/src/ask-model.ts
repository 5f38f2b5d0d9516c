import type { Classifier } from "@vouch/core/internal/train/classifier";
import { deserialise } from "@vouch/core/internal/train/model-file";
import { unpackTrees } from "@vouch/core/internal/train/pack-trees";
import { answerRow, type RowAnswer, type TypedRow } from "@vouch/views/facts";
import { piped } from "./model-block.js";

let loading: Promise<Classifier> | undefined;

/** Asks the embedded model about a row; the first call loads the model. */
export async function askModel(packed: string, row: TypedRow): Promise<RowAnswer> {
  loading ??= unpackModel(packed).then((bytes) => deserialise(bytes));
  return answerRow(await loading, row);
}

/** Unpacks a model file packed by `packModel`. */
export async function unpackModel(packed: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  return unpackTrees(await piped(bytes, new DecompressionStream("gzip")));
}
