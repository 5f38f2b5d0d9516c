import { candidateLabel } from "@vouch/core/internal/learners/index";
import type { MetricName } from "@vouch/core/internal/metrics/metric-name";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { Card } from "@vouch/core/internal/train/card";
import { type MetricScale, metricScale } from "../../facts/evaluation/metric-scale.js";
import { ScrollRegion } from "../../page/scroll-region.js";
import { Term } from "../../text/term.js";
import { capitalised } from "../../text/text.js";
import { statusNames } from "./candidate-status.js";

type CardChoice = NonNullable<Card["choice"]>;
type CardCandidate = CardChoice["candidates"][number];

/** Maximum number of candidates to list; the rest are counted. */
const MOST_SHOWN = 12;

interface CandidateTableProps {
  readonly choice: CardChoice;
  readonly metric?: MetricName;
}

/** Lists the learners in the choice by a metric, the chosen one first; null if there are none. */
export function CandidateTable({ choice: { candidates, among }, metric = "error" }: CandidateTableProps) {
  if (candidates.length === 0) return null;
  const scale = metric === "error" ? undefined : metricScale(metric);
  const hidden = candidates.length - MOST_SHOWN;
  const tried = formatCount(candidates.length, "candidate");
  const rest =
    among > candidates.length
      ? ` The search could have tried ${formatCount(among, "configuration")} in all.`
      : "";
  return (
    <>
      <p>
        {tried}, compared {scale && `by ${scale.title} `}
        <Term of="cross-validation">on parts of the training rows</Term>; the chosen one first.
        {rest} The <Term of="held-out rows" /> took no part.
      </p>
      <ScrollRegion label="Candidates">
        <table class="candidates">
          <thead>
            <tr>
              <th scope="col">Learner</th>
              {scale && (
                <th scope="col" class="number">
                  {capitalised(scale.title)}
                </th>
              )}
              <th scope="col" class="number">
                Error
              </th>
              <th scope="col" class="number">
                Tests
              </th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            {candidates.slice(0, MOST_SHOWN).map((candidate, i) => (
              <CandidateRow key={candidate.name} candidate={candidate} scale={scale} isChosen={i === 0} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {hidden > 0 && (
        <p class="note">{formatCount(hidden, "more candidate")} did worse, failed or ran out of time.</p>
      )}
    </>
  );
}

interface CandidateRowProps {
  readonly candidate: CardCandidate;
  readonly scale: MetricScale | undefined;
  readonly isChosen: boolean;
}

function CandidateRow({ candidate, scale, isChosen }: CandidateRowProps) {
  const { name, error, metric = Number.NaN, rounds, fate } = candidate;
  const { title, settings } = candidateLabel(name);
  const isMeasured = rounds > 0 && Number.isFinite(error);
  return (
    <tr>
      <th scope="row">
        {title}
        {settings.length > 0 && <small> {settings.join(", ")}</small>}
      </th>
      {scale && <td class="number">{rounds > 0 ? scale.shown(metric) : "–"}</td>}
      <td class="number">{isMeasured ? formatPercent(error) : "–"}</td>
      <td class="number">{formatNumber(rounds)}</td>
      <td>{isChosen ? "chosen" : statusNames[fate]}</td>
    </tr>
  );
}
