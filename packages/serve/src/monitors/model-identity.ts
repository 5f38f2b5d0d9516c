import { createHash } from "node:crypto";
import type { Classifier } from "@vouch/core/internal/train/classifier";

/**
 * Computes a digest of a model's version from its card, columns, decision and the fingerprint of its training rows. It
 * differs between trainings with different data, options, seeds or results. It is not the digest of the file, and no
 * protection against forgery.
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
