import {
  formatCount,
  formatNumber,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { markdownTable } from "../markdown-table.js";
import { type CoverageCell, coverageCells, isOver, limitOf, pValueOf, worstOf } from "./coverage-cells.js";
import type { MisreadHoldout } from "./misread-stratification.js";
import { DELTAS, type Setting, type Tally } from "./simulated-runs.js";

/** The numbers of the experiment. */
interface CoverageData {
  readonly settings: readonly (Setting & { readonly tallies: readonly Tally[] })[];
  /** Stratified hold-outs, measured against the true class proportions. */
  readonly misread: readonly MisreadHoldout[];
}

/** Renders the simulation: a summary, the worst cell of each certificate and distribution, and a misreading. */
export function coveragePage({ settings, misread }: CoverageData): string {
  const cells = coverageCells(settings);
  return [
    INTRODUCTION,
    summary(cells),
    "### By certificate",
    `The worst cell of each certificate at each δ, over all distributions, learners and hold-outs: failures of runs, and the limit. A cell over its limit is in bold. _Claims_ is the share of the runs in which the bound is not vacuous.`,
    certificateTable(cells),
    "### By certificate and distribution",
    "The worst cell over learners and hold-outs: failure rate, then the limit.",
    distributionTable(cells),
    "### Stratified hold-outs and the true class proportions",
    misreading(misread),
  ].join("\n\n");
}

const INTRODUCTION = `Each run draws 200 rows from a distribution, holds out 0.1, 0.5 or 0.9 of them as \`train\` does, fits a learner to the rest and compares every certificate with the truth. The distributions have a finite support, so the truth is a sum over it:

* _balanced noise_: two classes that do not depend on the features
* _rare class_: 7% of the rows, hard to find
* _clusters_: groups of 4 or 8 rows of three kinds that answer differently, held out as whole groups; certificates are about a new group
* _repeated rows_: a third of the rows are copies of others; certificates are about rows that equal no training row
* _drift_: the classes change over 20 periods, the latest are held out; certificates are about the test period
* _few values_: 24 values of one column, so that rows repeat naturally
* _separable_: a line separates the classes
* _three classes_: with 20% noise

After a stratified hold-out the truth has the class proportions of the data, which is what the certificate assumes. A run counts unless a premise is reported violated; a vacuous bound counts as true. _All together_ fails if any of the values for all certificates together does.`;

function summary(cells: readonly CoverageCell[]): string {
  const over = cells.filter(isOver);
  const beyondChance = over.filter((cell) => pValueOf(cell) < 0.01 / cells.length);
  const worst = worstOf(cells);
  return [
    `There are ${formatCount(cells.length, "cell")} (certificate, distribution, learner, hold-out, δ). ${over.length === 0 ? "No failure rate is" : `${formatCount(over.length, "failure rate is", "failure rates are")}`} above δ plus two standard errors, ${formatNumber(beyondChance.length)} of them by more than chance among this many cells explains.`,
    `The worst cell: ${inWords(worst)}.`,
    ...(over.length > 0 ? [overTable(over)] : []),
  ].join("\n\n");
}

function inWords(cell: CoverageCell): string {
  const { certificate, population, learner, holdout, delta, failures, runs, limit } = cell;
  return `${certificate} of ${learner} on ${population}, hold-out ${holdout}${cell.stratify ? " stratified" : ""}, δ = ${delta}: ${formatNumber(failures)} of ${formatNumber(runs)} runs, limit ${limit.toFixed(3)}`;
}

function overTable(over: readonly CoverageCell[]): string {
  const titles = [
    "certificate",
    "distribution",
    "learner",
    "hold-out",
    "δ",
    "runs",
    "failures",
    "rate",
    "limit",
    "p",
  ];
  const cells = over.map((cell) => [
    cell.certificate,
    cell.population,
    cell.learner,
    `${cell.holdout}${cell.stratify ? " stratified" : ""}`,
    String(cell.delta),
    formatNumber(cell.runs),
    formatNumber(cell.failures),
    cell.rate.toFixed(3),
    cell.limit.toFixed(3),
    formatNumber(pValueOf(cell)),
  ]);
  return markdownTable(titles, cells);
}

/** Groups cells by a name, in the order of names. */
function groupedBy(
  cells: readonly CoverageCell[],
  nameOf: (cell: CoverageCell) => string,
): [string, CoverageCell[]][] {
  const groups = new Map<string, CoverageCell[]>();
  for (const cell of cells) {
    const own = groups.get(nameOf(cell));
    if (own) own.push(cell);
    else groups.set(nameOf(cell), [cell]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the name of a certificate without its class. */
function kindOf({ certificate }: CoverageCell): string {
  return certificate.replace(/ of .*$/, "");
}

function certificateTable(cells: readonly CoverageCell[]): string {
  const titles = ["certificate", "cells", "claims", ...DELTAS.map((delta) => `worst at δ = ${delta}`)];
  const rows = groupedBy(cells, kindOf).map(([certificate, own]) => [
    certificate,
    formatNumber(own.length),
    claimsOf(own),
    ...DELTAS.map((delta) =>
      worstCell(own, delta, ({ failures, runs, limit }) => `${failures} of ${runs} ≤ ${limit.toFixed(3)}`),
    ),
  ]);
  return markdownTable(titles, rows);
}

function distributionTable(cells: readonly CoverageCell[]): string {
  const titles = ["certificate", "distribution", "runs", "claims", ...DELTAS.map((delta) => `δ = ${delta}`)];
  const rows = groupedBy(cells, kindOf).flatMap(([certificate, own]) =>
    groupedBy(own, distributionOf).map(([distribution, own], i) => [
      i === 0 ? certificate : "",
      distribution,
      runsOf(own),
      claimsOf(own),
      ...DELTAS.map((delta) =>
        worstCell(own, delta, ({ rate, limit }) => `${rate.toFixed(3)} ≤ ${limit.toFixed(3)}`),
      ),
    ]),
  );
  return markdownTable(titles, rows);
}

function distributionOf({ population, stratify }: CoverageCell): string {
  return stratify ? `${population}, stratified` : population;
}

/** Formats the smallest and the largest number of counted runs. */
function runsOf(cells: readonly CoverageCell[]): string {
  const runs = cells.map((cell) => cell.runs);
  const [least, most] = [Math.min(...runs), Math.max(...runs)];
  return least === most ? formatNumber(least) : `${formatNumber(least)}–${formatNumber(most)}`;
}

function claimsOf(cells: readonly CoverageCell[]): string {
  const total = (of: (cell: CoverageCell) => number) => cells.reduce((sum, cell) => sum + of(cell), 0);
  return formatRoundPercent(Number((total(({ claims }) => claims) / total(({ runs }) => runs)).toFixed(2)));
}

function worstCell(
  cells: readonly CoverageCell[],
  delta: number,
  write: (worst: CoverageCell) => string,
): string {
  const own = cells.filter((cell) => cell.delta === delta);
  if (own.length === 0) return "";
  const worst = worstOf(own);
  return isOver(worst) ? `**${write(worst).replace("≤", ">")}**` : write(worst);
}

function misreading(misread: readonly MisreadHoldout[]): string {
  const titles = ["hold-out", "δ", "runs", "stratified", "random", "limit"];
  const rows = misread.map(({ holdout, delta, runs, stratified, random }) => {
    const limit = limitOf(delta, runs);
    const rate = (failures: number) => {
      const shown = (failures / runs).toFixed(3);
      return failures / runs > limit ? `**${shown}**` : shown;
    };
    const cells = [String(holdout), String(delta), formatNumber(runs)];
    return [...cells, rate(stratified), rate(random), limit.toFixed(3)];
  });
  return [
    "A stratified hold-out fixes the class proportions of the held-out rows, so the number of errors varies less than a binomial one and the bound is about the proportions of this data. Read as a bound under the true proportions, which are what new cases have, `held-out-binomial` fails too often: here for the majority class of 500 rows of balanced noise, whose true error is ½. A simple random draw keeps its level; it is the default.",
    markdownTable(titles, rows),
  ].join("\n\n");
}
