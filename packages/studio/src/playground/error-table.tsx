import { formatPercent } from "vouch/predict";
import type { ErrorCount, ShownBound, TrainingFrame, TrainingOutcome } from "./training-events.js";

interface ErrorTableProps {
  readonly frame: TrainingFrame | undefined;
  readonly outcome: TrainingOutcome | undefined;
  /** Whether the frame is the finished model, which the bounds are about. */
  readonly isFinal: boolean;
}

/** Shows errors and bounds on one scale from 0 to 100 %. */
export function ErrorTable({ frame, outcome, isFinal }: ErrorTableProps) {
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
          <ErrorRow name="Training error" count={frame.training} />
          <ErrorRow name="Test error" count={frame.test} />
          {outcome?.bounds.map((bound) => (
            <BoundRow key={bound.name} bound={bound} />
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
                <dt>{name}</dt>
                <dd>
                  {statement} {reason !== undefined && reason !== statement && reason}{" "}
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

function ErrorRow({ name, count }: { readonly name: string; readonly count: ErrorCount }) {
  const share = count.errors / Math.max(1, count.rows);
  return (
    <tr>
      <th scope="row">
        {name}
        <Bar length={share} />
      </th>
      <td class="number">
        {formatPercent(share)}
        <small>
          {count.errors} of {count.rows}
        </small>
      </td>
    </tr>
  );
}

/** Shows a bound; one that does not hold, or is 100 % or more, has no number. */
function BoundRow({ bound: { name, value, shown, reason } }: { readonly bound: ShownBound }) {
  const isUseful = reason === undefined;
  return (
    <tr class={isUseful ? undefined : "faint"}>
      <th scope="row">
        {boundNames[name] ?? `Bound ${name}`}
        <Bar length={isUseful ? value : 1} isBound />
      </th>
      <td class="number">{isUseful ? shown : value < 1 ? "not proven" : "says nothing"}</td>
    </tr>
  );
}

/** Names of bounds that everybody should understand; the others have those of their theorems. */
const boundNames: Readonly<Record<string, string | undefined>> = {
  "held-out-binomial": "Bound from the test rows",
  "best-of": "Best of all bounds, corrected for the choice",
};

function Bar({ length, isBound = false }: { readonly length: number; readonly isBound?: boolean }) {
  const width = `${(100 * Math.max(0, Math.min(1, length))).toFixed(1)}%`;
  return (
    <i aria-hidden="true">
      <u class={isBound ? "bound" : undefined} style={`width:${width}`} />
    </i>
  );
}
