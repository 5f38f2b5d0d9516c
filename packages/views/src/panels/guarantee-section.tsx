import { boundText, type Certificate, formatCount, type TrainedCard, togetherInWords } from "vouch/train";
import { certificateCard } from "./certificate-cards.js";
import { classBoundTable, classesOf } from "./class-bound-table.js";
import { boundsError, givesGuarantee } from "./guarantee.js";
import { html, type Markup } from "./markup.js";

/** Shows the certificate to quote in full; all others are folded in groups. */
export function guaranteeSection(
  certificates: readonly Certificate[],
  { heldOut, split }: Pick<TrainedCard, "heldOut" | "split">,
): Markup {
  const [quoted, ...others] = certificates;
  if (!quoted) {
    return html`<p>There is no certificate for this training. Hold rows out or test the model on other rows to get one.</p>`;
  }
  const ofClasses = others.filter((certificate) => certificate.class !== undefined);
  const rest = others.filter((certificate) => certificate.class === undefined);
  const holding = rest.filter(givesGuarantee);
  const ofError = holding.filter(boundsError);
  const end = commonEnd([quoted, ...ofError]);
  const scaled = (certificate: Certificate) =>
    boundsError(certificate) && certificate.value <= end ? end : undefined;
  return html`${groupNote(heldOut?.groups, split?.group)}${certificateCard(quoted, { title: TITLES[quoted.measure], end: scaled(quoted), folded: false })}
${togetherNote(certificates)}
${otherBounds(ofError, scaled, boundsError(quoted))}${classBounds(
  ofClasses.filter((one) => one.measure !== "coverage"),
  "error and precision",
)}${classBounds(
  ofClasses.filter((one) => one.measure === "coverage"),
  "coverage of sets",
)}${otherMeasures(holding.filter((one) => !boundsError(one)))}${withoutGuarantee(rest.filter((one) => !givesGuarantee(one)))}`;
}

/** Says that groups count, not rows. */
function groupNote(
  groups: NonNullable<TrainedCard["heldOut"]>["groups"],
  column: string | undefined,
): Markup | false {
  if (!groups) return false;
  const count = groups.reduce((sum, one) => sum + one.groups, 0);
  const same = column === undefined ? "of the same group" : `with the same “${column}”`;
  return html`<p>The bound is by groups: rows ${same} are not independent, so each of the ${formatCount(count, "held-out group")} counts once, with its share of errors.</p>
`;
}

/** Says which bounds hold together, and with what values. */
function togetherNote(certificates: readonly Certificate[]): Markup | false {
  const words = togetherInWords(certificates);
  return (
    words !== undefined &&
    html`<p class="together">${words}</p>
`
  );
}

/** Bars that are more than this many times as long as the shortest one have their own scale. */
const MOST_TIMES = 4;

/** Returns the end of the common scale of the bounds on the error. */
function commonEnd(certificates: readonly Certificate[]): number {
  const values = certificates
    .filter((one) => givesGuarantee(one) && boundsError(one))
    .map(({ value }) => value);
  return Math.max(...values.filter((value) => value <= MOST_TIMES * Math.min(...values)));
}

/** Folds certificates under a title, with the most important facts beside it. */
function fold(title: string, facts: string, body: Markup | readonly Markup[], kind = ""): Markup {
  return html`<details class="group ${kind}"><summary><b>${title}</b>: ${facts.replaceAll(/([≤≥]) /g, "$1\u00a0")}</summary>
${body}</details>
`;
}

function otherBounds(
  certificates: readonly Certificate[],
  scaled: (certificate: Certificate) => number | undefined,
  isSecond: boolean,
): Markup | false {
  if (certificates.length === 0) return false;
  const cards = certificates.map((one) => certificateCard(one, { end: scaled(one), folded: true }));
  return fold(
    formatCount(
      certificates.length,
      `${isSecond ? "other " : ""}bound on the error`,
      `${isSecond ? "other " : ""}bounds on the error`,
    ),
    certificates.map((one) => `${one.name} ${boundText(one, one.value)}`).join(", "),
    cards,
  );
}

/** Names of measures in headings. */
const TITLES: Partial<Readonly<Record<Certificate["measure"], string>>> = {
  "balanced-error": "Balanced error",
  cost: "Mean cost",
  brier: "Brier score",
  "log-loss": "Log loss",
  auc: "AUC",
  "answered-error": "Error of answers",
  "answer-rate": "Share of answered rows",
  coverage: "Coverage of sets",
};

function otherMeasures(certificates: readonly Certificate[]): Markup | false {
  if (certificates.length === 0) return false;
  const titled = certificates.map((one) => ({ one, title: TITLES[one.measure] ?? one.name }));
  const bounds = titled.map(({ one, title }) => `${title} ${boundText(one, one.value)}`);
  const cards = titled.map(({ one, title }) => certificateCard(one, { title, folded: true }));
  return fold("Other measures", bounds.join(", "), cards);
}

/** Folds certificates that give no guarantee. */
function withoutGuarantee(certificates: readonly Certificate[]): Markup | false {
  if (certificates.length === 0) return false;
  const count = formatCount(certificates.length, "certificate gives", "certificates give");
  const names = certificates.map(({ name }) => name).join(", ");
  const cards = certificates.map((one) => certificateCard(one, { folded: true }));
  return fold(`${count} no guarantee here`, names, cards, "empty");
}

/** Folds the bounds for each class. */
function classBounds(certificates: readonly Certificate[], measures: string): Markup | false {
  if (certificates.length === 0) return false;
  const title = `Bounds for each of ${formatCount(classesOf(certificates).length, "class", "classes")}`;
  const table = classBoundTable(certificates);
  return certificates.some(givesGuarantee)
    ? fold(title, measures, table)
    : fold(title, "no guarantee", table, "empty");
}
