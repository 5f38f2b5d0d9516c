import { importanceByColumn } from "@vouch/core/internal/explain/feature-groups";
import { settingSummary, settingsOf } from "@vouch/core/internal/learners/settings";
import { describeRule } from "@vouch/core/internal/metrics/decision-rule";
import { metricFacts } from "@vouch/core/internal/metrics/metric-name";
import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import {
  formatCount,
  formatNumber,
  formatPercent,
  shortList,
} from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { describeAbstention } from "@vouch/core/internal/theory/conformal/abstention-certificates";
import { describeSets } from "@vouch/core/internal/theory/conformal/coverage-certificates";
import type { Card } from "@vouch/core/internal/train/card";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { loadModel } from "@vouch/core/internal/train/file";
import { describeVerdict } from "@vouch/core/internal/train/verdict";
import { type AlignedCell, alignedTable } from "../format/aligned-table.js";
import { decisionAsJson } from "../format/decision.js";
import { descriptionLines } from "../format/description.js";
import type { PrintingFlags } from "../options/flags.js";
import {
  printable,
  printJson,
  styled,
  type Terminal,
  tableWidth,
  width,
  writeText,
} from "../process/terminal.js";

/** Maximum number of classes to name. */
const MOST_CLASSES = 20;

/** `vouch inspect MODEL`: prints learner, options, training data, error and structure. */
export async function runInspect(path: string, flags: PrintingFlags, terminal: Terminal): Promise<void> {
  const { out } = terminal;
  const classifier = await loadModel(path);
  const { card, model, encoder } = classifier;
  const description = model.describe();
  if (flags.json) {
    const { schema, encoding, featureNames } = encoder;
    printJson(terminal, {
      ...card,
      ...decisionAsJson(classifier),
      complexity: model.complexity(),
      description,
      schema,
      encoding,
      featureNames,
    });
    return;
  }
  const { data, error, margins } = card;
  const rows: AlignedCell[][] = [
    ["learner", card.learner],
    ...Object.entries(settingsOf(card.options))
      .map(([name, value]) => [`  ${name}`, settingSummary(value)])
      .filter(([, value]) => value !== ""),
    ["trained on", `${data.name}: ${trainingRows(data.rows)}, ${formatCount(data.features, "column")}`],
    ["target", `${encoder.schema.target}: ${shortList(model.classes.map(visibleSpaces), MOST_CLASSES)}`],
    ["features", describeFeatures(encoder)],
    ["seed", String(card.seed)],
    ...decisionRows(classifier),
    ...(error.train !== undefined ? [["training error", formatPercent(error.train)]] : []),
    ...(error.test !== undefined ? [["held-out error", heldOutError(error.test, card.heldOut)]] : []),
    ...(error.folds ? [["mean error in folds", formatPercent(mean(error.folds))]] : []),
    ...(card.verdict ? [["verdict", printable(describeVerdict(card.verdict).verdict)]] : []),
    ...(margins ? [["margins", describeMargins(margins)]] : []),
    ["made by", `vouch ${card.vouch}`],
  ];
  writeText(out, `${alignedTable([{ title: "" }, { title: "", prose: true }], rows, width(out))}\n`);
  const bold = (text: string) => styled(out, "bold", text);
  const sections = description.sections.map((section) =>
    section.kind === "importance" ? importanceByColumn(section, encoder) : section,
  );
  for (const block of descriptionLines({ ...description, sections }, tableWidth(out), bold))
    writeText(out, `\n${block}\n`);
}

function describeFeatures({ featureNames, encoding }: Classifier["encoder"]): string {
  const count = formatNumber(featureNames.length);
  return encoding.kind === "joint"
    ? `${count} in ${formatCount(encoding.parts.length, "encoding")}`
    : `${count}, ${encoding.kind}`;
}

/** Lists metric, class weights, calibration, rule, abstention and sets, if they differ from the defaults. */
function decisionRows({ card, classes, decision }: Classifier): AlignedCell[][] {
  const { objective, calibration, classWeights } = card;
  const { rule, abstention, sets } = decision;
  const positive = objective?.positive;
  const weights = classWeights?.map((weight, k) => `${visibleSpaces(classes[k])} ${formatNumber(weight)}`);
  return [
    ...(objective ? [["metric", metricFacts(objective.metric).title]] : []),
    ...(positive === undefined ? [] : [["positive class", printable(visibleSpaces(classes[positive]))]]),
    ...(weights ? [["class weights", printable(shortList(weights, MOST_CLASSES))]] : []),
    ...(calibration ? [["calibration", describeCalibration(calibration)]] : []),
    ["predicts", printable(describeRule(rule, classes))],
    ...(abstention ? [["abstains", printable(describeAbstention(abstention))]] : []),
    ...(sets ? [["sets", printable(describeSets(sets, classes))]] : []),
  ];
}

function describeCalibration({ method, rows, from }: NonNullable<Card["calibration"]>): string {
  const kind = from === "bags" ? "out-of-bag row" : "out-of-fold row";
  const how = method === "none" ? "probabilities kept as they are" : method;
  return `${how}, by ${formatCount(rows, kind)}`;
}

/** Formats the number of training rows, which is unknown for a model from another program. */
function trainingRows(rows: number): string {
  return rows === 0 ? "unknown rows" : formatCount(rows, "row");
}

function heldOutError(error: number, heldOut: { readonly rows: number } | undefined): string {
  return `${formatPercent(error)}${heldOut ? ` of ${formatCount(heldOut.rows, "row")}` : ""}`;
}

function describeMargins(margins: readonly number[]): string {
  return `smallest ${formatNumber(margins[0])}, median ${formatNumber(margins[margins.length >> 1])}`;
}
