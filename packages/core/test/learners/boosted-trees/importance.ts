import type { BoostedTreesModel } from "#core/learners/boosted-trees/boosted-trees.js";

/** The importance of each feature that a model describes. */
export function importanceOf(model: BoostedTreesModel): Readonly<Record<string, number>> {
  const { sections } = model.describe();
  const features = sections.flatMap((section) => (section.kind === "importance" ? section.features : []));
  return Object.fromEntries(features.map(({ name, share }) => [name, share]));
}
