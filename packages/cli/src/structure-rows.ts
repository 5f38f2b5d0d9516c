import type { LabelledValue, TrainingReport } from "@vouch/report";
import { formatNumber, type Json } from "vouch";
import { layerInWords, layersOf } from "./layers.js";
import { inText, inWords, isRecord } from "./structure.js";

/** How many parts of a model the report lists. */
const MOST_PARTS = 10;

/** The parts of a model's description that have pictures of their own. */
const DRAWN = new Set(["importances", "cascade", "pretraining", "hierarchy", "losses"]);

/** The first parts of a model, one line each. */
export function structureOf(description: Json): TrainingReport["structure"] {
  if (!isRecord(description)) return undefined;
  const rows: LabelledValue[] = [];
  const layers = layersOf(description);
  for (const [name, value] of Object.entries(description)) {
    if (name === "layers" && layers.length > 0) {
      rows.push(...layers.map((each) => ({ label: `layer ${each.layer}`, value: layerInWords(each) })));
    } else if (DRAWN.has(name)) continue;
    else if (!Array.isArray(value) || isShort(value))
      rows.push({ label: inWords(name), value: inText(value) });
    else {
      value.slice(0, MOST_PARTS).forEach((part, i) => {
        rows.push({ label: `${singular(name)} ${i + 1}`, value: inText(part) });
      });
      const more = value.length - MOST_PARTS;
      if (more > 0) rows.push({ label: "…", value: `${formatNumber(more)} more ${name}` });
    }
  }
  return { rows };
}

/** Whether a list is a few numbers or words, which have room in one line. */
function isShort(list: readonly Json[]): boolean {
  return list.length <= MOST_PARTS && list.every((part) => typeof part !== "object");
}

/** The name of one of several: `rules` has a `rule`. */
function singular(name: string): string {
  return inWords(name).replace(/(?<=ss)es$|(?<!s)s$/, "");
}
