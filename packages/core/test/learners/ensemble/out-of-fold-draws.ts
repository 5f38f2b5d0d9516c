import { Random } from "#core/runtime/maths/random.js";

/** Labels, and probabilities of several members that lean towards them, the more the smaller the index of the member. */
export function drawnMembers(members: number, rows: number, classes: number, seed: number) {
  const random = new Random(seed);
  const labels = Int32Array.from({ length: rows }, () => random.integer(classes));
  const probabilities = Array.from({ length: members }, (_, m) => {
    const own = new Float64Array(rows * classes);
    for (let i = 0; i < rows; i++) {
      let total = 0;
      for (let k = 0; k < classes; k++) {
        own[i * classes + k] = Math.exp(random.normal() + (k === labels[i] ? 1.5 - 0.2 * m : 0));
        total += own[i * classes + k];
      }
      for (let k = 0; k < classes; k++) own[i * classes + k] /= total;
    }
    return own;
  });
  return { labels, probabilities, classes };
}
