import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { boundText } from "@vouch/core/internal/theory/certificate-words";
import { givesGuarantee } from "../../facts/evaluation/guarantee.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { Name } from "../../text/name.js";
import { PremiseList } from "./certificate-cards.js";

/** A measure of a class and its heading. */
interface BoundColumn {
  readonly measure: Certificate["measure"];
  readonly heading: string;
}

const COLUMNS: readonly BoundColumn[] = [
  { measure: "class-error", heading: "Error at most" },
  { measure: "precision", heading: "Precision at least" },
  { measure: "coverage", heading: "Coverage at least" },
];

/** Tabulates the bounds of each class, one column per measure; if there is no guarantee, explains why. */
export function ClassBoundTable({ certificates }: { readonly certificates: readonly Certificate[] }) {
  const [{ premises, reference, reason }] = certificates;
  if (!certificates.some(givesGuarantee)) {
    return (
      <>
        <p>{reason}</p>
        <PremiseList premises={premises} />
      </>
    );
  }
  const columns = COLUMNS.filter((column) => certificates.some(({ measure }) => measure === column.measure));
  return (
    <>
      <ScrollRegion label="Bounds for each class">
        <table class="names class-bounds">
          <thead>
            <tr>
              <th scope="col">Class</th>
              {columns.map(({ heading }) => (
                <Headings key={heading} heading={heading} />
              ))}
            </tr>
          </thead>
          <tbody>
            {certifiedClasses(certificates).map((name) => (
              <tr key={name}>
                <th scope="row">
                  <Name text={name} />
                </th>
                {columns.map(({ measure }) => (
                  <BoundCells
                    key={measure}
                    certificate={certificates.find((one) => one.class === name && one.measure === measure)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p class="note">A dash: too few rows for a guarantee.</p>
      <details>
        <summary>Premises and reference</summary>
        <PremiseList premises={premises} />
        <p class="note">Reference: {reference}</p>
      </details>
    </>
  );
}

/** Lists the classes with certificates. */
export function certifiedClasses(certificates: readonly Certificate[]): string[] {
  return [...new Set(certificates.flatMap((certificate) => certificate.class ?? []))];
}

function Headings({ heading }: Pick<BoundColumn, "heading">) {
  return (
    <>
      <th scope="col" class="number">
        {heading}
      </th>
      <th scope="col" class="number">
        <span class="unseen">{heading}, </span>all together
      </th>
    </>
  );
}

/** Shows the bounds of a class: alone, and together with all other classes. */
function BoundCells({ certificate }: { readonly certificate: Certificate | undefined }) {
  // The heading says "at most" or "at least".
  const shown = (bound: number | undefined) =>
    bound === undefined || !certificate || !givesGuarantee(certificate)
      ? "–"
      : boundText(certificate, bound).replace(/^[≤≥] /, "");
  return (
    <>
      <td class="number">{shown(certificate?.value)}</td>
      <td class="number">{shown(certificate?.together)}</td>
    </>
  );
}
