import type { ServedModel } from "./served-model.js";

/** Returns the path of a model without a version; its latest version answers. */
export function stablePath({ name }: ServedModel): string {
  return `/models/${encodeURIComponent(name)}`;
}

/** Returns the path of one version of a model. */
export function versionPath(model: ServedModel): string {
  return `${stablePath(model)}/versions/${encodeURIComponent(model.version)}`;
}
