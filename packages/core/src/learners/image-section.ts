import type { DescribedImage, ImageSection } from "./description.js";
import { pixelGrid } from "./pixel-grid.js";

/** Images of a description; more look alike. */
const MOST_IMAGES = 16;

/** The largest magnitude of a value of an image. */
const LARGEST = 100;

/** A weight of each feature. */
export interface FeatureWeights {
  readonly name: string;
  readonly weights: ArrayLike<number>;
}

/**
 * Describes weights of features as images, if the features are the pixels of one: the first 16, each to its own scale. Returns an
 * empty list if they are not.
 */
export function imageSections(
  title: string,
  featureNames: readonly string[],
  total: number,
  weightsOf: (image: number) => FeatureWeights,
): ImageSection[] {
  const grid = pixelGrid(featureNames);
  if (!grid || total === 0) return [];
  const { width, height, pixels } = grid;
  const images = Array.from({ length: Math.min(total, MOST_IMAGES) }, (_, i): DescribedImage => {
    const { name, weights } = weightsOf(i);
    const largest = pixels.reduce((most, _, j) => Math.max(most, Math.abs(weights[j])), 0);
    const values = new Array<number>(width * height).fill(0);
    pixels.forEach((pixel, j) => {
      // The sum turns −0 into 0, which JSON cannot tell apart.
      if (largest > 0) values[pixel] = Math.round((LARGEST * weights[j]) / largest) + 0;
    });
    return { name, values };
  });
  return [{ kind: "images", title, width, height, total, images }];
}
