import { boundText, type Certificate } from "vouch/train";
import { premiseList } from "./certificate-cards.js";
import { givesGuarantee } from "./guarantee.js";
import { html, type Markup } from "./markup.js";

/** A measure of a class, its heading and its meaning. */
interface BoundColumn {
  readonly measure: Certificate["measure"];
  readonly heading: string;
  readonly meaning: string;
}

const COLUMNS: readonly BoundColumn[] = [
  {
    measure: "class-error",
    heading: "Error at most",
    meaning: "Error: fraction of the cases of a class that are misclassified.",
  },
  {
    measure: "precision",
    heading: "Precision at least",
    meaning: "Precision: fraction of the predictions of a class that are right.",
  },
  {
    measure: "coverage",
    heading: "Coverage at least",
    meaning: "Coverage: fraction of the cases of a class whose set has it.",
  },
];

/** Lists the bounds of each class in a table, with a column for each measure; if there is no guarantee, says why. */
export function classBoundTable(certificates: readonly Certificate[]): Markup {
  const [{ premises, reference, reason }] = certificates;
  if (!certificates.some(givesGuarantee)) {
    return html`<p>${reason}</p>
${premiseList(premises)}`;
  }
  const columns = COLUMNS.filter((column) => certificates.some(({ measure }) => measure === column.measure));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Bounds for each class">
<table class="names class-bounds">
<thead><tr><th scope="col">Class</th>${columns.map(({ heading }) => headingCells(heading))}</tr></thead>
<tbody>
${classesOf(certificates).map((name) => classRow(name, certificates, columns))}</tbody>
</table>
</div>
<p class="note">${columns.map(({ meaning }) => meaning).join(" ")} A dash is no guarantee: there are no rows, too few, or none of them is right.</p>
<details><summary>Premises and reference</summary>
${premiseList(premises)}
<p class="note">Reference: ${reference}</p></details>
`;
}

/** Lists the classes that certificates are about. */
export function classesOf(certificates: readonly Certificate[]): string[] {
  return [...new Set(certificates.flatMap((certificate) => certificate.class ?? []))];
}

function headingCells(heading: string): Markup {
  return html`<th scope="col" class="number">${heading}</th><th scope="col" class="number"><span class="unseen">${heading}, </span>all together</th>`;
}

function classRow(
  name: string,
  certificates: readonly Certificate[],
  columns: readonly BoundColumn[],
): Markup {
  const own = certificates.filter((certificate) => certificate.class === name);
  const cells = columns.map(({ measure }) =>
    boundCells(own.find((certificate) => certificate.measure === measure)),
  );
  return html`<tr><th scope="row">${name}</th>${cells}</tr>
`;
}

/** Writes the bounds of a class, by itself and together with all others. */
function boundCells(certificate: Certificate | undefined): Markup {
  if (!certificate || !givesGuarantee(certificate)) {
    return html`<td class="number">–</td><td class="number">–</td>`;
  }
  const { value, together } = certificate;
  // The heading says "at most" or "at least".
  const number = (bound: number) => boundText(certificate, bound).replace(/^[≤≥] /, "");
  return html`<td class="number">${number(value)}</td><td class="number">${together === undefined ? "–" : number(together)}</td>`;
}
