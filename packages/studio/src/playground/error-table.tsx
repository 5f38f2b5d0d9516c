import { formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { Term } from "@vouch/views/internal/text/term";
import type { ComponentChildren } from "preact";
import {
  type ErrorCount,
  errorShare,
  type ShownBound,
  type TrainingFrame,
  type TrainingOutcome,
} from "./training-events.js";
import type { TrainingView } from "./use-training.js";

interface ErrorTableProps {
  readonly frame: TrainingFrame | undefined;
  readonly outcome: TrainingOutcome | undefined;
  readonly previous: TrainingView["previous"];
  /** Whether the frame shows the finished model, which the bounds are about. */
  readonly isFinal: boolean;
}

/** Shows errors and bounds on one scale from 0 to 100%. */
export function ErrorTable({ frame, outcome, previous, isFinal }: ErrorTableProps) {
  if (!frame) return null;
  return (
    <section aria-labelledby="errors-heading">
      <h3 id="errors-heading">Error, and what is proven about it</h3>
      <table class="errors">
        <thead class="unseen">
          <tr>
            <th scope="col">Quantity</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          <ErrorRow name="Training error" count={frame.training} before={previous?.frame.training} />
          <ErrorRow
            name={<Term of="held-out rows">Test error</Term>}
            count={frame.test}
            before={previous?.frame.test}
          />
          {outcome?.bounds.map((bound) => (
            <BoundRow
              key={bound.name}
              bound={bound}
              before={previous?.outcome.bounds.find(({ name }) => name === bound.name)}
            />
          ))}
        </tbody>
      </table>
      {outcome && !isFinal && <p class="note">Bounds are about the finished model.</p>}
      {outcome && (
        <details>
          <summary>What each bound says</summary>
          <p class="note">
            Each bound holds with {outcome.confidence} confidence by itself, if you chose learner and options
            before you looked at the rows.
          </p>
          <dl class="bounds">
            {outcome.bounds.map(({ name, statement, reason, reference }) => (
              <div key={name}>
                <dt>{boundName(name)}</dt>
                <dd>
                  {statement} {reason !== undefined && !statement.includes(reason) && reason}{" "}
                  <small>{reference}</small>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}

interface ErrorRowProps {
  readonly name: ComponentChildren;
  readonly count: ErrorCount;
  readonly before: ErrorCount | undefined;
}

function ErrorRow({ name, count, before }: ErrorRowProps) {
  const share = errorShare(count);
  return (
    <tr>
      <th scope="row">
        {name}
        <Bar length={share} {...(before && { before: errorShare(before) })} />
      </th>
      <td class="number">
        {formatPercent(share)}
        <small>
          {count.errors} of {count.rows}
        </small>
        {before && <small>before: {formatPercent(errorShare(before))}</small>}
      </td>
    </tr>
  );
}

interface BoundRowProps {
  readonly bound: ShownBound;
  readonly before: ShownBound | undefined;
}

/** Shows a bound; a bound that does not hold, or is 100% or more, gets no number. */
function BoundRow({ bound, before }: BoundRowProps) {
  const { name, value } = bound;
  return (
    <tr class={isUseful(bound) ? undefined : "faint"}>
      <th scope="row">
        {boundName(name)}
        {isUseful(bound) && (
          <Bar length={value} isBound {...(before && isUseful(before) && { before: before.value })} />
        )}
      </th>
      <td class="number">
        {shownValue(bound) === SAYS_NOTHING ? <Term of={SAYS_NOTHING} /> : shownValue(bound)}
        {before && <small>before: {shownValue(before)}</small>}
      </td>
    </tr>
  );
}

const SAYS_NOTHING = "says nothing";

function isUseful({ reason }: ShownBound): boolean {
  return reason === undefined;
}

function shownValue(bound: ShownBound): string {
  if (isUseful(bound)) return bound.shown;
  return bound.value < 1 ? "not proven" : SAYS_NOTHING;
}

/** Names a bound: common ones in plain words, the rest by their theorems. */
function boundName(name: string): string {
  const known = KNOWN_BOUNDS[name];
  if (known !== undefined) return known;
  const [, of, theorem] = /^(.*?)(?:-((?:theorem|equation)-\d+|direct|exact))?$/.exec(name) ?? [name, name];
  const words = of
    .replace(/^adaboost/, "AdaBoost")
    .replace(/\bvc\b/, "VC")
    .replaceAll("-", " ");
  const place = theorem === undefined ? "" : ` (${theorem.replace("-", " ")})`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} bound${place}`;
}

const KNOWN_BOUNDS: Readonly<Record<string, string | undefined>> = {
  "held-out-binomial": "Bound from the test rows",
  "held-out-hoeffding": "Hoeffding bound from the test rows",
  "best-of": "Best of all bounds, corrected for the choice",
};

interface BarProps {
  readonly length: number;
  readonly isBound?: boolean;
  /** Previous end of the bar, as a mark. */
  readonly before?: number;
}

function Bar({ length, isBound = false, before }: BarProps) {
  return (
    <i aria-hidden="true">
      <u class={isBound ? "bound" : undefined} style={`width:${inPercent(length)}`} />
      {before !== undefined && <s style={`left:${inPercent(before)}`} />}
    </i>
  );
}

function inPercent(share: number): string {
  return `${(100 * Math.max(0, Math.min(1, share))).toFixed(1)}%`;
}
