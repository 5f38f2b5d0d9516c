import { didYouMean } from "./names.js";
import { VouchError } from "./vouch-error.js";

/** Fails where an option is given that there is not: it would be without effect, and nobody would notice. */
export function checkOptionNames(of: string, given: object, known: Readonly<Record<string, true>>): void {
  if (typeof given !== "object" || given === null) {
    throw new VouchError("option/invalid", `The options of ${of} are ${given}, not an object.`);
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const names = Object.keys(known);
    const near = didYouMean(name, names);
    const all = `Its options are ${names.join(", ")}.`;
    throw new VouchError("option/unknown", `${of} has no option ${name}.`, {
      hint: near === undefined ? all : `${near} ${all}`,
    });
  }
}
