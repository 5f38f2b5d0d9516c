import { type Labelled, Table } from "vouch";
import { Random } from "vouch/extend";

/** Images of 4 × 4 pixels of the digits 0, 1 and 2: noise around a pattern of each. */
export function smallImages(rows: number, seed: number): Labelled {
  const random = new Random(seed);
  const patterns = [0, 1, 2].map((digit) => {
    const own = new Random(50 + digit);
    return Array.from({ length: 16 }, () => 200 * own.integer(2));
  });
  const labels = Int32Array.from({ length: rows }, (_, i) => i % 3);
  const columns = Array.from({ length: 16 }, (_, j) => ({
    kind: "numeric" as const,
    name: `p${j}`,
    values: Float64Array.from(labels, (digit) => patterns[digit][j] + 60 * random.uniform()),
  }));
  return {
    features: new Table("images", rows, columns),
    labels,
    target: "label",
    classes: ["0", "1", "2"],
    notices: [],
  };
}
