import {
  formatCount,
  formatNumber,
  formatPercent,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import type { Certificate, Premise } from "@vouch/core/internal/theory/certificate";
import { boundText } from "@vouch/core/internal/theory/certificate-words";
import { givesGuarantee } from "../../facts/evaluation/guarantee.js";
import { Term } from "../../text/term.js";

/** Only verified premises get a tick. */
const MARKS = { checked: "✓", assumed: "?", violated: "✗" };

interface MarkedProps {
  readonly status: Premise["status"];
  readonly words?: string;
}

function Marked({ status, words = status }: MarkedProps) {
  return (
    <span class={status}>
      <span aria-hidden="true">{MARKS[status]}</span> {words}
    </span>
  );
}

/** Counts the weakest premises: "1 premise assumed". */
function PremiseCount({ premises }: Pick<Certificate, "premises">) {
  const count = (status: Premise["status"]) => premises.filter((premise) => premise.status === status).length;
  const worst = (["violated", "assumed"] as const).find((status) => count(status) > 0);
  if (!worst) return <Marked status="checked" words="all premises checked" />;
  return <Marked status={worst} words={`${formatCount(count(worst), "premise")} ${worst}`} />;
}

/** Lists premises with their marks. */
export function PremiseList({ premises }: Pick<Certificate, "premises">) {
  return (
    <ul class="premises">
      {premises.map(({ text, status }) => (
        <li key={text}>
          <Marked status={status} />: {text}
        </li>
      ))}
    </ul>
  );
}

/** Lists the premises, the reference and the terms of a bound. */
function Grounds({ premises, terms, reference }: Certificate) {
  const rows = Object.entries(terms);
  return (
    <>
      <div class="columns">
        {premises.length > 0 && (
          <div>
            <h4>
              <Term of="premise">Premises</Term>
            </h4>
            <PremiseList premises={premises} />
          </div>
        )}
        {rows.length > 0 && (
          <div>
            <h4>Terms of the formula</h4>
            <table>
              <tbody>
                {rows.map(([name, value]) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td class="number">{formatNumber(value)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
      <p class="note">Reference: {reference}</p>
    </>
  );
}

function BoundText({ certificate }: { readonly certificate: Certificate }) {
  const { value, confidence, together, role } = certificate;
  if (!givesGuarantee(certificate)) return <span>no guarantee</span>;
  return (
    <>
      <span>
        <b>{boundText(certificate, value)}</b> with {formatRoundPercent(confidence)} <Term of="confidence" />
      </span>{" "}
      {together !== undefined && (
        <>
          <span>{boundText(certificate, together)} all together</span>{" "}
        </>
      )}
      {role === "comparison" && <span>for comparison with the literature</span>}
    </>
  );
}

/** A part of a bound, and its share of the bar. */
interface Part {
  readonly name: string;
  readonly value: number;
  readonly share: number;
}

function boundParts({ parts = {}, value }: Certificate, end: number): readonly Part[] {
  if (!(Number.isFinite(value) && value > 0)) return [];
  return Object.entries(parts).map(([name, part]) => ({ name, value: part, share: part / end }));
}

/** Measures that are not fractions of cases; their values are shown as numbers, not percentages. */
const NUMBERS: readonly Certificate["measure"][] = ["auc", "brier", "log-loss", "cost"];

/** Formats bounds below 1 on fractions as percentages, others as numbers. */
function shown(value: number, { value: whole, measure }: Certificate): string {
  return whole < 1 && !NUMBERS.includes(measure) ? formatPercent(value) : formatNumber(value);
}

function width(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

interface PartBarProps {
  readonly certificate: Certificate;
  /** End of a scale that several bars share; by default the bound itself. */
  readonly end?: number | undefined;
}

/** Draws the parts of a bound as a bar; renders nothing if it has no parts or is infinite. */
export function PartBar({ certificate, end = certificate.value }: PartBarProps) {
  const parts = boundParts(certificate, end);
  if (parts.length === 0) return null;
  // An error bound above one gives no guarantee.
  const isBeyondOne = certificate.value > 1 && !NUMBERS.includes(certificate.measure);
  const words = parts.map(({ name, value }) => `${name} ${shown(value, certificate)}`).join(", ");
  return (
    <>
      <div class="parts" role="img" aria-label={words}>
        {parts.map(({ name, share }, i) => (
          <span key={name} class={`part${i % 6}`} style={`width:${width(share)}`} title={name} />
        ))}
        {isBeyondOne && <i style={`left:${width(1 / certificate.value)}`} />}
      </div>
      <ul class="legend">
        {parts.map(({ name, value }, i) => (
          <li key={name}>
            <span class={`swatch part${i % 6}`} /> {name} <b>{shown(value, certificate)}</b>
          </li>
        ))}
        {isBeyondOne && <li>The vertical line marks an error of 100%.</li>}
      </ul>
    </>
  );
}

interface CertificateCardProps extends PartBarProps {
  /** By default the name of the certificate. */
  readonly title?: string | undefined;
}

/** Shows a certificate: its statement and the bar of its parts, with premises, terms and reference folded. */
export function CertificateCard({ certificate, title = certificate.name, end }: CertificateCardProps) {
  const { statement, reason } = certificate;
  const isUnsaid = reason !== undefined && !statement.includes(reason);
  return (
    <article class="certificate">
      <h3>{title}</h3>
      <p class="bound">
        <BoundText certificate={certificate} /> <PremiseCount premises={certificate.premises} />
      </p>
      <p>
        {statement}
        {isUnsaid && ` ${reason}`}
      </p>
      <PartBar certificate={certificate} end={end} />
      <details>
        <summary>Premises, terms and reference</summary>
        <Grounds {...certificate} />
      </details>
    </article>
  );
}
