import type { Certificate } from "@vouch/core/internal/theory/certificate";
import type { AbstentionRule } from "@vouch/core/internal/theory/conformal/abstention-rule";
import type { Card } from "@vouch/core/internal/train/card";
import { certify } from "@vouch/core/internal/train/certify";
import type { FormField } from "@vouch/views/facts";
import { exampleRecord } from "./example-record.js";
import type { ModelFacts } from "./model-facts.js";
import { versionPath } from "./model-paths.js";
import type { ModelStatus } from "./model-registry.js";
import type { MonitorReport } from "./monitors/model-monitor.js";
import type { ServedModel } from "./served-model.js";

/** A model and the state of its monitor. */
export interface MonitoredModel {
  readonly model: ServedModel;
  readonly report: MonitorReport;
}

/** Facts about a model that every page shows. */
export interface ShownModel {
  readonly name: string;
  readonly version: string;
  readonly facts: Omit<ModelFacts, "columns" | "classes">;
  readonly columns: number;
  readonly classes: number;
  readonly monitor: Pick<MonitorReport, "status" | "sentence" | "columns">;
}

/** Data of the page that lists all models. */
export interface IndexPageData {
  readonly page: "index";
  readonly models: readonly (ShownModel & { readonly path: string })[];
  /** Models whose files cannot be loaded. */
  readonly faults: readonly ModelStatus[];
}

/** Data of the page of a model. */
export interface ModelPageData extends ShownModel {
  readonly page: "model";
  /** Path for its requests. */
  readonly path: string;
  readonly fault?: string | undefined;
  readonly fields: readonly FormField[];
  /** Whether it has background rows for reasons. */
  readonly explains: boolean;
  readonly card: Pick<Card, "verdict" | "error" | "heldOut">;
  readonly quoted?: Certificate | undefined;
  readonly abstention?: AbstentionRule | undefined;
}

/** Collects the data of the index page. */
export function indexPageData(
  models: readonly MonitoredModel[],
  status: readonly ModelStatus[],
): IndexPageData {
  return {
    page: "index",
    models: models.map((one) => ({ ...shownModel(one), path: versionPath(one.model) })),
    faults: status.filter(({ fault }) => fault !== undefined),
  };
}

/** Collects the data of a model's page, whose requests go to `path`. */
export function modelPageData(
  monitored: MonitoredModel,
  path: string,
  fault: string | undefined,
): ModelPageData {
  const { classifier } = monitored.model;
  const { verdict, error, heldOut } = classifier.card;
  const [quoted] = certify(classifier);
  return {
    page: "model",
    ...shownModel(monitored),
    path,
    fault,
    fields: formFields(monitored.model),
    explains: classifier.background !== undefined,
    // The confusion matrix of many classes is large, and not shown.
    card: { verdict, error, heldOut: heldOut && { ...heldOut, confusion: undefined } },
    quoted,
    abstention: classifier.decision.abstention,
  };
}

function shownModel({ model, report }: MonitoredModel): ShownModel {
  const { columns, classes, ...facts } = model.facts;
  const { status, sentence } = report;
  return {
    name: model.name,
    version: model.version,
    facts,
    columns: columns.length,
    classes: classes.length,
    monitor: { status, sentence, columns: report.columns.filter(({ drifted }) => drifted) },
  };
}

/** With more categories than this, a selection list is useless. */
const MOST_LEVELS = 200;

function formFields({ classifier, facts }: ServedModel): FormField[] {
  const example = exampleRecord(classifier);
  return facts.columns.map(({ name, kind, levels = [] }) => ({
    name,
    kind,
    levels: kind === "categorical" && levels.length <= MOST_LEVELS ? levels : undefined,
    typical: String(example[name] ?? ""),
  }));
}
