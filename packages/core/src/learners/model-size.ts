import type { Model } from "./model.js";

/** Computes the size of a model in a file, in bytes. */
export function modelBytes(model: Pick<Model, "toState">): number {
  const { json, tensors } = model.toState();
  const numbers = Object.values(tensors).reduce((sum, { data }) => sum + data.byteLength, 0);
  return numbers + new TextEncoder().encode(JSON.stringify(json)).length;
}
