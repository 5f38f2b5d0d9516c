import type { ImageSection } from "../description.js";
import { imageSections } from "../image-section.js";
import type { Hyperplanes } from "./hyperplanes.js";

/** Describes the weights of linear functions as images, one for each class named, if the features are the pixels of one. */
export function weightImages(
  { weights }: Hyperplanes,
  featureNames: readonly string[],
  classes: readonly string[],
): ImageSection[] {
  return imageSections("weights of the pixels", featureNames, classes.length, (k) => ({
    name: classes[k],
    weights: weights.row(k),
  }));
}
