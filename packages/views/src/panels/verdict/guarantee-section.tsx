import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { boundText, describeSimultaneous } from "@vouch/core/internal/theory/certificate-words";
import type { TrainedCard } from "@vouch/core/internal/train/card";
import type { ComponentChildren } from "preact";
import { boundsError, givesGuarantee } from "../../facts/evaluation/guarantee.js";
import { classNames } from "../../text/text.js";
import { CertificateCard } from "./certificate-cards.js";
import { ClassBoundTable, certifiedClasses } from "./class-bound-table.js";

interface GuaranteeSectionProps {
  readonly certificates: readonly Certificate[];
  readonly card: Pick<TrainedCard, "heldOut" | "split">;
}

/** Shows the certificate to quote; other certificates are folded in groups. */
export function GuaranteeSection({ certificates, card: { heldOut, split } }: GuaranteeSectionProps) {
  const [quoted, ...others] = certificates;
  if (!quoted) return <p>No certificate: hold rows out, or test the model on other rows.</p>;
  const ofClasses = others.filter((certificate) => certificate.class !== undefined);
  const rest = others.filter((certificate) => certificate.class === undefined);
  const holding = rest.filter(givesGuarantee);
  const end = commonEnd([quoted, ...holding]);
  const together = describeSimultaneous(certificates);
  return (
    <>
      <GroupNote groups={heldOut?.groups} column={split?.group} />
      <CertificateCard certificate={quoted} title={TITLES[quoted.measure]} end={scaleEnd(quoted, end)} />
      <OtherBounds certificates={holding.filter(boundsError)} end={end} isSecond={boundsError(quoted)} />
      <ClassBounds
        certificates={ofClasses.filter((one) => one.measure !== "coverage")}
        measures="error and precision"
      />
      <ClassBounds
        certificates={ofClasses.filter((one) => one.measure === "coverage")}
        measures="coverage of sets"
      />
      <OtherMeasures certificates={holding.filter((one) => !boundsError(one))} />
      <WithoutGuarantee certificates={rest.filter((one) => !givesGuarantee(one))} />
      {together !== undefined && (
        <Fold title="If you rely on several bounds" facts="use the values “all together”">
          <p class="together">{together}</p>
        </Fold>
      )}
    </>
  );
}

interface GroupNoteProps {
  readonly groups: NonNullable<TrainedCard["heldOut"]>["groups"];
  readonly column: string | undefined;
}

/** Explains that groups count, not rows. */
function GroupNote({ groups, column }: GroupNoteProps) {
  if (!groups) return null;
  const count = groups.reduce((sum, one) => sum + one.groups, 0);
  const same = column === undefined ? "of the same group" : `with the same “${column}”`;
  return (
    <p>
      Rows {same} are not independent: each of the {formatCount(count, "held-out group")} counts once, with
      its share of errors.
    </p>
  );
}

/** Bars more than this many times as long as the shortest one get their own scale. */
const MOST_TIMES = 4;

/** Returns the end of the common scale of error bounds. */
function commonEnd(certificates: readonly Certificate[]): number {
  const values = certificates
    .filter((one) => givesGuarantee(one) && boundsError(one))
    .map(({ value }) => value);
  return Math.max(...values.filter((value) => value <= MOST_TIMES * Math.min(...values)));
}

/** Returns the end of a bar's scale; undefined if it has its own. */
function scaleEnd(certificate: Certificate, end: number): number | undefined {
  return boundsError(certificate) && certificate.value <= end ? end : undefined;
}

interface FoldProps {
  readonly title: string;
  /** The most important facts, beside the title. */
  readonly facts: string;
  /** Whether it can stay folded on paper without loss. */
  readonly isEmpty?: boolean;
  readonly children: ComponentChildren;
}

function Fold({ title, facts, isEmpty = false, children }: FoldProps) {
  return (
    <details class={classNames("group", isEmpty && "empty")}>
      <summary>
        <b>{title}</b>: {facts.replaceAll(/([≤≥]) /g, "$1\u00a0")}
      </summary>
      {children}
    </details>
  );
}

interface OtherBoundsProps {
  readonly certificates: readonly Certificate[];
  readonly end: number;
  /** Whether the previous certificate also bounds the error. */
  readonly isSecond: boolean;
}

function OtherBounds({ certificates, end, isSecond }: OtherBoundsProps) {
  if (certificates.length === 0) return null;
  const other = isSecond ? "other " : "";
  return (
    <Fold
      title={formatCount(certificates.length, `${other}bound on the error`, `${other}bounds on the error`)}
      facts={certificates.map((one) => `${one.name} ${boundText(one, one.value)}`).join(", ")}
    >
      {certificates.map((one) => (
        <CertificateCard key={one.name} certificate={one} end={scaleEnd(one, end)} />
      ))}
    </Fold>
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

interface CertificatesProps {
  readonly certificates: readonly Certificate[];
}

function OtherMeasures({ certificates }: CertificatesProps) {
  if (certificates.length === 0) return null;
  const titled = certificates.map((one) => ({ one, title: TITLES[one.measure] ?? one.name }));
  const bounds = titled.map(({ one, title }) => `${title} ${boundText(one, one.value)}`);
  return (
    <Fold title="Other measures" facts={bounds.join(", ")}>
      {titled.map(({ one, title }) => (
        <CertificateCard key={one.name} certificate={one} title={title} />
      ))}
    </Fold>
  );
}

/** Folds certificates that give no guarantee. */
function WithoutGuarantee({ certificates }: CertificatesProps) {
  if (certificates.length === 0) return null;
  const count = formatCount(certificates.length, "certificate gives", "certificates give");
  return (
    <Fold
      title={`${count} no guarantee here`}
      facts={certificates.map(({ name }) => name).join(", ")}
      isEmpty={true}
    >
      {certificates.map((one) => (
        <CertificateCard key={one.name} certificate={one} />
      ))}
    </Fold>
  );
}

/** Folds the bounds for each class. */
function ClassBounds({ certificates, measures }: CertificatesProps & { readonly measures: string }) {
  if (certificates.length === 0) return null;
  const isHolding = certificates.some(givesGuarantee);
  return (
    <Fold
      title={`Bounds for each of ${formatCount(certifiedClasses(certificates).length, "class", "classes")}`}
      facts={isHolding ? measures : "no guarantee"}
      isEmpty={!isHolding}
    >
      <ClassBoundTable certificates={certificates} />
    </Fold>
  );
}
