import { formatCount, formatNumber, formatPercent, type Json } from "vouch";
import { settingsOf, settingText } from "vouch/learning";
import { loadModel } from "vouch/node";
import { mean } from "vouch/select";
import { alignedTable, type Cell } from "../aligned-table.js";
import { cascadeLines } from "../cascade-drawing.js";
import { hierarchyLines, hierarchyOf } from "../hierarchy-drawing.js";
import { LAYER_TABLE_TITLE, layerTable } from "../layer-table.js";
import { layersOf } from "../layers.js";
import type { PrintingFlags } from "../program.js";
import { inWords, isRecord } from "../structure.js";
import { styled, type Terminal, tableWidth, width } from "../terminal.js";

/** How many items of a list are shown. */
const MOST_ITEMS = 20;

/** `vouch inspect MODEL`: learner, options, training data, error, structure and encoder. */
export async function inspect(path: string, flags: PrintingFlags, { out }: Terminal): Promise<void> {
  const { card, model, encoder } = await loadModel(path);
  const { margins, ...facts } = card;
  const structure = model.describe();
  if (flags.json) {
    const { schema, encoding, featureNames } = encoder;
    const document = { ...card, complexity: model.complexity(), structure, schema, encoding, featureNames };
    out.write(`${JSON.stringify(document, null, 2)}\n`);
    return;
  }
  const { data, error } = facts;
  const rows: Cell[][] = [
    ["learner", facts.learner],
    ...Object.entries(settingsOf(facts.options)).map(([name, value]) => [`  ${name}`, settingText(value)]),
    ["trained on", `${data.name}: ${trainingRows(data.rows)}, ${formatCount(data.features, "column")}`],
    ["target", `${encoder.schema.target}: ${shortList(model.classes)}`],
    ["features", `${formatNumber(encoder.featureNames.length)}, ${encoder.encoding.kind}`],
    ["seed", String(facts.seed)],
    ...(error.train !== undefined ? [["training error", formatPercent(error.train)]] : []),
    ...(error.test !== undefined ? [["held-out error", heldOutInWords(error.test, facts.heldOut)]] : []),
    ...(error.folds ? [["error in folds", formatPercent(mean(error.folds))]] : []),
    ...(margins ? [["margins", marginsInWords(margins)]] : []),
    ["made by", `vouch ${facts.vouch}`],
  ];
  out.write(`${alignedTable([{ title: "" }, { title: "", prose: true }], rows, width(out))}\n\n`);
  out.write(`${structureLines(structure, tableWidth(out), (text) => styled(out, "bold", text))}\n`);
}

/** Of a model from another program nothing is known of the rows. */
function trainingRows(rows: number): string {
  return rows === 0 ? "unknown rows" : formatCount(rows, "row");
}

function heldOutInWords(error: number, heldOut: { readonly rows: number } | undefined): string {
  return `${formatPercent(error)}${heldOut ? ` of ${formatCount(heldOut.rows, "row")}` : ""}`;
}

function marginsInWords(margins: readonly number[]): string {
  return `smallest ${formatNumber(margins[0])}, median ${formatNumber(margins[margins.length >> 1])}`;
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, MOST_ITEMS).join(", ");
  return names.length > MOST_ITEMS ? `${shown} and ${formatNumber(names.length - MOST_ITEMS)} more` : shown;
}

/** A model's structure: its plain values, then each of its lists of records as a table, then its parts. */
function structureLines(structure: Json, columns: number, bold: (text: string) => string): string {
  if (!isRecord(structure)) return shown(structure);
  const blocks: string[] = [];
  const values: Cell[][] = [];
  const layers = layersOf(structure);
  const nodes = hierarchyOf(structure);
  for (const [name, value] of Object.entries(structure)) {
    if (name === "layers" && layers.length > 0)
      blocks.push(`${bold(LAYER_TABLE_TITLE)}\n${layerTable(layers, columns)}`);
    else if (Array.isArray(value) && value.some(isRecord))
      blocks.push(`${bold(inWords(name))}\n${recordLines(value, columns)}`);
    else if (name === "cascade" && isRecord(value))
      blocks.push(
        `${bold(name)}\n${cascadeLines(value)
          .map((line) => `  ${line}`)
          .join("\n")}`,
      );
    else if (name === "hierarchy" && nodes.length > 0)
      blocks.push(
        `${bold(name)}\n${hierarchyLines(nodes)
          .map((line) => `  ${line}`)
          .join("\n")}`,
      );
    else if (isRecord(value)) blocks.push(`${bold(inWords(name))}\n${indented(value, columns)}`);
    else values.push([inWords(name), shown(value)]);
  }
  if (values.length > 0) blocks.unshift(alignedTable([{ title: "" }, { title: "" }], values, columns));
  return blocks.join("\n\n");
}

function indented(part: Json, columns: number): string {
  return structureLines(part, columns - 2, (heading) => `  ${heading}`).replaceAll(/^(?=.)/gm, "  ");
}

function recordLines(items: readonly Json[], columns: number): string {
  const records = items.filter(isRecord).slice(0, MOST_ITEMS);
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record, i) => [i + 1, ...names.map((name) => shown(record[name] ?? ""))]);
  const numeric = (name: string) => records.every((record) => typeof (record[name] ?? 0) === "number");
  const headings = [{ title: "" }, ...names.map((name) => ({ title: inWords(name), right: numeric(name) }))];
  const more =
    items.length > MOST_ITEMS ? `\n  … and ${formatNumber(items.length - MOST_ITEMS)} more (see --json)` : "";
  return alignedTable(headings, rows, columns) + more;
}

function shown(value: Json): string {
  if (typeof value === "number") return formatNumber(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
