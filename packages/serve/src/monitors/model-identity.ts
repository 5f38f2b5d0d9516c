import { createHash } from "node:crypto";
import type { Classifier } from "@vouch/core/internal/train/classifier";

/**
 * Computes a digest that names the version of a model: of its card, its columns, its decision and the fingerprint of its training rows. Two trainings
 * differ in it if they differ in data, options, seed or result. It is not that of the file, and no protection against forgery.
 */
export function modelIdentity({ card, encoder, decision, fingerprint }: Classifier): string {
  const { rule, abstention, sets } = decision;
  const { json, tensors } = fingerprint.toState();
  const hash = createHash("sha256");
  hash.update(JSON.stringify([card, encoder.schema, rule, abstention ?? null, sets ?? null, json]));
  for (const name of Object.keys(tensors).sort()) {
    const { data } = tensors[name];
    hash.update(name).update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex");
}
