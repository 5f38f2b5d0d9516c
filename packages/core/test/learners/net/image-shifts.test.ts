import { describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { copyShiftedRows, imageShifts } from "#core/learners/net/image-shifts.js";
import { mlp } from "#core/learners/net/mlp.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { completeRun } from "#core/runtime/parallel/run.js";

const SIDE = 6;
const names = Array.from({ length: SIDE * SIDE }, (_, k) => `p${Math.floor(k / SIDE)}_${k % SIDE}`);

/** Images with one bright pixel each, less a number of its own for every column, as standardised pixels are. */
const means = Float32Array.from(names, (_, k) => k / 16);
const image = (pixel: number) => Float32Array.from(names, (_, k) => (k === pixel ? 1 : 0) - means[k]);
const brightest = (values: Float32Array) =>
  Array.from(values, (value, k) => value + means[k]).flatMap((value, k) => (value > 0.5 ? [k] : []));

describe("shifted images", () => {
  const pixels = [...names.keys()];
  const values = Float32Array.from(pixels.flatMap((pixel) => [...image(pixel)]));
  const shifts = imageShifts(names, values, 1);

  /** Moves the image with this pixel under many seeds; lists the pixels that it came to, undefined for none. */
  function moved(pixel: number): Set<number | undefined> {
    const found = new Set<number | undefined>();
    for (let seed = 0; seed < 300; seed++) {
      const view = new Float32Array(names.length);
      const to = { view, stride: names.length, units: names.length };
      copyShiftedRows(shifts, values, [pixel], to, 0, 1, seed);
      found.add(brightest(view)[0]);
      const rest = Array.from(view, (value, k) => value + means[k]).filter((value) => Math.abs(value) > 1e-6);
      expect(rest.length).toBeLessThanOrEqual(1);
    }
    return found;
  }

  it("have their pixel at its place or one of the eight around it", () => {
    const centre = 2 * SIDE + 3;
    const around = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => centre + down * SIDE + right));
    expect([...moved(centre)].sort()).toEqual(around.sort());
  });

  it("lose a pixel at the edge, which does not come in at the other side", () => {
    expect(moved(0)).toEqual(new Set([0, 1, SIDE, SIDE + 1, undefined]));
  });

  it("are refused in words if the features are not pixels, or were scaled one by one", async () => {
    const matrix = new Matrix(pixels.length, names.length, values);
    const sample = (featureNames: readonly string[]) =>
      new Sample({
        ...{ features: matrix, labels: Int32Array.from(pixels, (pixel) => pixel % 2), classes: ["a", "b"] },
        featureNames,
      });
    const fit = (options: Parameters<typeof mlp>[0], of = names) =>
      mlp({ layers: [4], epochs: 1, patience: 0, ...options }).fit(sample(of), completeRun({}));
    await expect(fit({ shift: 1 })).rejects.toThrow("shift needs one scale for all columns");
    const others = names.map((_, k) => `column ${"abcdefghijklmnopqrstuvwxyz0123456789"[k]}`);
    await expect(fit({ shift: 1, scaling: "common" }, others)).rejects.toThrow("pixels of an image");
    expect((await fit({ shift: 1, scaling: "common" })).curve).toHaveLength(1);
  });
});
