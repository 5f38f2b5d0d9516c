import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { boundText } from "@vouch/core/internal/theory/certificate-words";
import { describeSets } from "@vouch/core/internal/theory/conformal/coverage-certificates";
import { BarList } from "../../charts/bars.js";
import { givesGuarantee } from "../../facts/evaluation/guarantee.js";
import type { SetFacts } from "../../facts/evaluation/set-facts.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { TableHead } from "../../page/tables.js";
import { Explained } from "../../text/explained.js";

interface SetSectionProps {
  readonly facts: SetFacts;
  readonly certificates: readonly Certificate[];
}

/** Describes the coverage of the prediction sets, their sizes, and the coverage of each class. */
export function SetSection({ facts, certificates }: SetSectionProps) {
  const { rule, sizes, classes } = facts;
  return (
    <>
      <p>
        <Explained
          text={describeSets(
            rule,
            classes.map(({ name }) => name),
          )}
          terms={["prediction set", "confidence"]}
        />
      </p>
      <BarList label="Rows by the size of their set" bars={sizeBars(sizes)} />
      <CoverageTable facts={facts} certificates={certificates} />
    </>
  );
}

/** Sizes above these share a bar, because sets of 6 and of 7 classes hardly differ. */
const LARGE_SIZES = [5, 10, 20, 50, 100];
const MOST_SINGLE = 5;

/** Counts how many rows have sets of each size. */
function sizeBars(sizes: readonly number[]) {
  const rows = sizes.reduce((sum, count) => sum + count, 0);
  const smallest = sizes.findIndex((count) => count > 0);
  const largest = sizes.findLastIndex((count) => count > 0);
  const bins = [
    ...Array.from({ length: MOST_SINGLE }, (_, i) => [i + 1, i + 1] as const),
    ...LARGE_SIZES.map((from, i) => [from + 1, LARGE_SIZES[i + 1] ?? sizes.length] as const),
  ].filter(([from, to]) => from <= largest && to >= smallest);
  return bins.map(([from, to]) => {
    const count = sizes.slice(from, to + 1).reduce((sum, own) => sum + own, 0);
    const last = Math.min(to, sizes.length - 1);
    return {
      name: from === last ? formatCount(from, "class", "classes") : `${from}–${last} classes`,
      shown: `${formatNumber(count)} · ${formatPercent(count / rows)}`,
      value: count,
    };
  });
}

/** With more classes than this, only the least covered ones are listed. */
const MOST_CLASSES = 12;

function CoverageTable({ facts, certificates }: SetSectionProps) {
  const { perClass } = facts.rule;
  const known = facts.classes.filter(({ rows }) => rows > 0);
  const listed =
    known.length <= MOST_CLASSES
      ? known
      : [...known].sort((a, b) => a.covered / a.rows - b.covered / b.rows).slice(0, MOST_CLASSES);
  const headings = ["Rows", "Covered", ...(perClass ? ["Certified"] : []), "Mean size"];
  return (
    <details>
      <summary>Coverage of each class</summary>
      <ScrollRegion label="Coverage of each class">
        <table class="names">
          <TableHead first="True class" numbers={headings} />
          <tbody>
            {listed.map(({ name, rows, covered, members }) => (
              <tr key={name}>
                <th scope="row">{visibleSpaces(name)}</th>
                <td class="number">{formatNumber(rows)}</td>
                <td class="number">{formatPercent(covered / rows)}</td>
                {perClass && <td class="number">{certifiedCoverage(name, certificates)}</td>}
                <td class="number">{formatNumber(Number((members / rows).toPrecision(3)))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p class="note">
        {listed.length < known.length &&
          `The ${MOST_CLASSES} classes with the lowest coverage of ${formatNumber(known.length)}. `}
        Estimates from held-out rows.
        {!perClass && " The certificate is about all classes together; sets by class cover each of them."}
      </p>
    </details>
  );
}

function certifiedCoverage(name: string, certificates: readonly Certificate[]): string {
  const bound = certificates.find(
    (one) => one.measure === "coverage" && one.class === name && givesGuarantee(one),
  );
  return bound ? boundText(bound, bound.value) : "–";
}
