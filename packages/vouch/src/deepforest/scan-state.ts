import { z } from "zod";
import { MISSING_BIN } from "../data/binned-columns.js";
import type { State } from "../state/state.js";
import type { StateReader } from "../state/state-reader.js";
import { readTrees, treeTensorNames, treeTensors } from "../tree/index.js";
import { binsTensorNames, binsTensors, readBins } from "./bins-state.js";
import { type Scan, type ScanGrain, scanNames } from "./scan.js";
import { BINS } from "./scan-bins.js";
import { windowCorners, windowOffsets } from "./windows.js";

const size = z.int().min(1).max(1_000_000);

/** The structured part of a scan. */
export const scanSchema = z.strictObject({
  shape: z.strictObject({ width: size, height: size, channels: size }),
  grains: z
    .array(
      z.strictObject({
        window: z.strictObject({ width: size, height: size, stride: size }),
        forests: z.int().min(1).max(100),
      }),
    )
    .min(1)
    .max(100),
});

const prefixOf = (grain: number) => `scan.window${grain + 1}.`;
const forestPrefix = (grain: number, forest: number) => `${prefixOf(grain)}forest${forest + 1}.`;

/** A scan as a model file holds it. */
export function scanState({ shape, bins, grains }: Scan): State {
  const tensors = grains.flatMap(({ forests, features }, g) => [
    binsTensors(features, prefixOf(g)),
    ...forests.map((trees, f) => treeTensors(trees, forestPrefix(g, f))),
  ]);
  return {
    json: {
      shape: { ...shape },
      grains: grains.map(({ window, forests }) => ({ window: { ...window }, forests: forests.length })),
    },
    tensors: Object.assign(
      { "scan.bins": { shape: [bins.length], data: Int32Array.from(bins) } },
      ...tensors,
    ),
  };
}

/** The names of the tensors of a scan. */
export function scanTensorNames({ grains }: z.output<typeof scanSchema>): string[] {
  return [
    "scan.bins",
    ...grains.flatMap(({ forests }, g) => [
      ...binsTensorNames(prefixOf(g)),
      ...Array.from({ length: forests }, (_, f) => treeTensorNames(forestPrefix(g, f))).flat(),
    ]),
  ];
}

/** The scan behind what `scanState` gave. */
export function restoreScan(
  { shape, grains }: z.output<typeof scanSchema>,
  reader: StateReader,
  { classes, columns }: { readonly classes: number; readonly columns: number },
): Scan {
  if (shape.width * shape.height * shape.channels !== columns) {
    throw reader.corrupt("its images do not have as many pixels as there are features");
  }
  const bins = Uint8Array.from(reader.integers("scan.bins", [columns * BINS], 0, MISSING_BIN));
  const restored = grains.map(({ window, forests }, g): ScanGrain => {
    if (window.width > shape.width || window.height > shape.height) {
      throw reader.corrupt("a window is larger than the image");
    }
    const places = windowCorners(shape, window).length;
    const pixels = windowOffsets(shape, window).length;
    const trees = Array.from({ length: forests }, (_, f) =>
      readTrees(reader, { classes, columns: pixels }, forestPrefix(g, f)),
    );
    const names = scanNames(g, places * forests * classes);
    return { window, forests: trees, features: readBins(reader, prefixOf(g), names) };
  });
  return { shape, bins, grains: restored };
}
