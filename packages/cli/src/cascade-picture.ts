import type { CascadePicture } from "@vouch/report";
import type { Json } from "vouch";
import { inText, isRecord } from "./structure.js";

/** The gates and leaves of a cascade, where the model is one. */
export function cascadeOf(description: Json): CascadePicture | undefined {
  const cascade = isRecord(description) ? description.cascade : undefined;
  return cascade !== undefined && isRecord(cascade) ? cascadePart(cascade) : undefined;
}

function cascadePart(part: { readonly [name: string]: Json }): CascadePicture {
  const { stay, on, question, points } = part;
  if (stay === undefined || on === undefined || !isRecord(stay) || !isRecord(on)) return cascadeLeaf(part);
  const asks = question !== undefined && isRecord(question) ? question.asks : undefined;
  return {
    kind: "gate",
    points: Number(points),
    question: typeof asks === "string" ? asks : "?",
    stay: cascadePart(stay),
    on: cascadePart(on),
  };
}

function cascadeLeaf(part: { readonly [name: string]: Json }): CascadePicture {
  const { points, classifier, C, right, wrong, penalty, share, active } = part;
  const [paid, spared] = active === "penalty" ? ["penalty", "share"] : ["share", "penalty"];
  const [least, most] = active === "penalty" ? [penalty, share] : [share, penalty];
  return {
    kind: "leaf",
    points: Number(points),
    classifier: `${inText(classifier ?? "?")}${C === undefined ? "" : `, C ${inText(C)}`}`,
    right: Number(right),
    wrong: Number(wrong),
    pays: `pays its ${paid} ${inText(least ?? "?")}, not its ${spared} ${inText(most ?? "?")}`,
  };
}
