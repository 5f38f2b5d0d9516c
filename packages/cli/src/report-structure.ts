import type { LabelledValue, ModelStructure, StructureCell, StructureList } from "@vouch/report";
import { formatNumber, formatPercent, type Json } from "vouch";
import { type Layer, layersOf } from "./layers.js";
import { inText, inWords, isRecord } from "./structure.js";

type JsonRecord = { readonly [name: string]: Json };

/** How many parts of a model the report lists. */
const MOST_PARTS = 10;

/** The parts of a model's description that have pictures of their own. */
const DRAWN = new Set(["importances", "cascade", "pretraining", "hierarchy", "losses"]);

/** The facts of a rule that the training curve shows. */
const IN_THE_CURVE = new Set(["trainingError", "trainingErrorBound"]);

/** What numbers of these names are shares of. */
const SHARES = /error|accuracy|frequency/i;

/** What a model is made of: facts, and its rules, layers or machines, a line each. */
export function structureOf(description: Json): ModelStructure | undefined {
  if (!isRecord(description)) return undefined;
  if (isRule(description)) return { facts: ruleFacts(description), lists: [] };
  const facts: LabelledValue[] = [];
  const lists: StructureList[] = [];
  const layers = layersOf(description);
  for (const [name, value] of Object.entries(description)) {
    if (name === "layers" && layers.length > 0) lists.push(layerList(layers));
    else if (DRAWN.has(name)) continue;
    else if (!Array.isArray(value) || !value.some(isRecord)) facts.push(factOf(name, value));
    else lists.push(listOf(name, value.filter(isRecord)));
  }
  // A part that is the only one needs no list.
  const single = lists.filter(({ total }) => total === 1);
  for (const { headings, rows } of single) {
    rows[0].forEach((cell, c) => {
      facts.push({ label: headings[c].toLowerCase(), value: typeof cell === "string" ? cell : cell.shown });
    });
  }
  return { facts, lists: lists.filter(({ total }) => total > 1) };
}

function factOf(name: string, value: Json): LabelledValue {
  return { label: inWords(name), value: factText(name, value) };
}

/** Numbers as they are read: shares as percentages. */
function factText(name: string, value: Json): string {
  if (typeof value === "number") return SHARES.test(name) ? formatPercent(value) : formatNumber(value);
  if (Array.isArray(value) && value.length > MOST_PARTS) {
    return `${inText(value.slice(0, MOST_PARTS))} and ${formatNumber(value.length - MOST_PARTS)} more`;
  }
  if (name === "sizes" && Array.isArray(value)) return value.map(inText).join(" → ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return inText(value);
}

function isRule(value: JsonRecord): boolean {
  return ["feature", "threshold", "left", "right"].every((part) => part in value);
}

/** A single question, and what either answer leads to. */
function ruleFacts({ feature, threshold, left, right }: JsonRecord): LabelledValue[] {
  return [
    { label: "question", value: `${inText(feature)} ≤ ${inText(threshold)}?` },
    { label: "yes", value: answerText(left) },
    { label: "no", value: answerText(right) },
  ];
}

/** "versicolor (50 % versicolor, 50 % virginica)" */
function answerText(answer: Json): string {
  if (!isRecord(answer) || !Array.isArray(answer.frequencies)) return inText(answer);
  const shares = answer.frequencies
    .filter(isRecord)
    .filter(({ frequency }) => Number(frequency) > 0)
    .map((one) => `${formatPercent(Number(one.frequency))} ${inText(one.class)}`);
  return `${inText(answer.predicts)} (${shares.join(", ")})`;
}

function listOf(name: string, records: readonly JsonRecord[]): StructureList {
  const first = records[0];
  const { feature, threshold, left, right, ...others } = first;
  const columns = Object.keys(isRule(first) ? others : first).filter((key) => !IN_THE_CURVE.has(key));
  const rows = records.slice(0, MOST_PARTS).map((record): StructureCell[] => {
    const cells = columns.map((column) => cellOf(column, record[column] ?? ""));
    return isRule(record) ? [ruleText(record), ...cells] : cells;
  });
  const headings = columns.map(capitalised);
  return {
    name: inWords(name),
    headings: isRule(first) ? ["Question", ...headings] : headings,
    rows,
    total: records.length,
  };
}

function cellOf(name: string, value: Json): StructureCell {
  return typeof value === "number" ? { shown: factText(name, value) } : factText(name, value);
}

/** The question of a rule with its answers, the other facts of the rule aside. */
function ruleText({ feature, threshold, left, right }: JsonRecord): string {
  return inText({ feature, threshold, left, right });
}

function capitalised(name: string): string {
  const words = inWords(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function layerList(layers: readonly Layer[]): StructureList {
  const rows = layers.map(({ alpha, outOfFoldAccuracy, margins }) => [
    { shown: formatNumber(alpha) },
    { shown: formatPercent(outOfFoldAccuracy) },
    { shown: formatNumber(margins.mean) },
    { shown: formatNumber(margins.ratio) },
  ]);
  return {
    name: "layers",
    headings: ["Weight α", "Right out of fold", "Mean margin", "λ"],
    rows,
    total: layers.length,
  };
}
