import { VouchError } from "../runtime/vouch-error.js";
import type { Learner } from "./learner.js";

const ENCODINGS: Readonly<Record<Learner["encoding"]["kind"], true>> = { numeric: true, binned: true };

/** Fails unless a value is a learner: types do not keep a program in JavaScript from giving a name, or nothing. */
export function checkLearner(learner: Learner): void {
  if (typeof learner?.fit !== "function") {
    throw new VouchError("option/invalid", `A learner is expected, but ${inWords(learner)} was given.`, {
      hint: 'Make one, such as forest({ trees: 100 }), or by its name: learnerNamed("forest").create().',
    });
  }
  const kind = learner.encoding?.kind;
  if (kind !== undefined && Object.hasOwn(ENCODINGS, kind)) return;
  throw new VouchError("option/invalid", `The learner ${learner.name} has the encoding ${inWords(kind)}.`, {
    hint: `The kind of an encoding is one of ${Object.keys(ENCODINGS).join(", ")}.`,
  });
}

function inWords(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : typeof value === "object" ? "an object" : String(value);
}
