import { formatBytes, formatDuration, formatPercent } from "../../runtime/text/number-format.js";
import {
  type Description,
  type Fact,
  type ImportanceSection,
  mergeImportances,
  type TableColumn,
  type TableSection,
} from "../description.js";
import { modelBytes } from "../model-size.js";
import type { EnsembleMember, EnsembleParts } from "./ensemble-parts.js";

/** Describes an ensemble: how it combines its members, and what each of them is, adds and costs. */
export function describeEnsemble(model: EnsembleParts): Description {
  const { members, combine, outOfFold } = model;
  const facts: Fact[] = [
    { name: "members", value: members.length },
    {
      name: "combination",
      value:
        combine === "average"
          ? "weighted mean of probabilities"
          : "log-linear: weighted logarithms of probabilities",
    },
  ];
  if (outOfFold) {
    facts.push(
      { name: "out-of-fold error", value: outOfFold.error, unit: "share" },
      { name: "out-of-fold log-loss", value: outOfFold.logLoss },
    );
  }
  facts.push({
    name: "size",
    value: formatBytes(members.reduce((sum, own) => sum + modelBytes(own.model), 0)),
  });
  const perRow = secondsPerRow(members);
  if (perRow !== undefined) facts.push({ name: "time per row", value: formatDuration(perRow) });
  return { facts, sections: [memberTable(model), ...memberImportance(members)] };
}

/** Averages the importance of features over the members that measure it, by their weights; empty if none does. */
function memberImportance(members: readonly EnsembleMember[]): ImportanceSection[] {
  const measured = members.flatMap(({ model, weight }) => {
    const section = model.describe().sections.find(({ kind }) => kind === "importance");
    return section?.kind === "importance" && weight > 0 ? [{ section, weight }] : [];
  });
  if (measured.length === 0) return [];
  const total = (all: readonly { readonly weight: number }[]) =>
    all.reduce((sum, { weight }) => sum + weight, 0);
  const merged = mergeImportances(measured);
  const share = total(measured) / total(members);
  return [
    share < 1
      ? { ...merged, title: `${merged.title} (in the members with ${formatPercent(share)} of the weight)` }
      : merged,
  ];
}

/** Sums the prediction times of the members; undefined unless all of them are known. */
function secondsPerRow(members: readonly EnsembleMember[]): number | undefined {
  const seconds = members.flatMap(({ evidence }) => evidence?.secondsPerRow ?? []);
  const sum = seconds.reduce((all, own) => all + own, 0);
  return seconds.length === members.length && sum > 0 ? sum : undefined;
}

/** A column of the table of members; it is left out if no member has a value. */
interface MemberColumn extends TableColumn {
  readonly value: (member: EnsembleMember) => string | number | undefined;
}

function memberTable(model: EnsembleParts): TableSection {
  const { members } = model;
  const columns = columnsOf(model).filter(({ value }) =>
    members.some((member) => value(member) !== undefined),
  );
  return {
    kind: "table",
    title: "members",
    columns: columns.map(({ value, ...column }) => column),
    rows: members.map((member) => columns.map(({ value }) => value(member) ?? "")),
  };
}

function columnsOf({ members, combine, metric }: EnsembleParts): MemberColumn[] {
  const measured = members.find(({ evidence }) => evidence?.metric)?.evidence?.metric ?? metric;
  const isShare = measured === "error" && { unit: "share" as const };
  const perRow = secondsPerRow(members);
  return [
    { name: "learner", value: ({ model }) => model.learner },
    { name: "options", value: ({ settings }) => (settings.length > 0 ? settings.join(" ") : undefined) },
    {
      name: "weight",
      bars: true,
      ...(combine === "average" && { unit: "share" as const }),
      value: ({ weight }) => weight,
    },
    { name: `out-of-fold ${measured}`, ...isShare, value: ({ evidence }) => evidence?.error },
    { name: `lowers ${measured} by`, ...isShare, value: ({ evidence }) => evidence?.adds },
    { name: "size", value: ({ model }) => formatBytes(modelBytes(model)) },
    {
      name: "fit",
      value: ({ evidence }) =>
        evidence?.seconds === undefined ? undefined : formatDuration(evidence.seconds),
    },
    {
      name: "share of prediction time",
      unit: "share",
      value: ({ evidence }) => (perRow === undefined ? undefined : (evidence?.secondsPerRow ?? 0) / perRow),
    },
  ];
}
