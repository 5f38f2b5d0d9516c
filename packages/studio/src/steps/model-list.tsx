import { formatBytes, formatDuration, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { leaderScore } from "@vouch/views/facts";
import { ScrollRegion } from "@vouch/views/internal/page/scroll-region";
import { Term } from "@vouch/views/internal/text/term";
import { unbroken } from "@vouch/views/internal/text/text";
import type { ModelResult } from "../engine/protocol.js";

interface ModelListProps {
  readonly models: readonly ModelResult[];
  readonly shown: ModelResult;
  /** Maximum number of models in a session. */
  readonly most: number;
  readonly onShow: (model: ModelResult) => void;
  readonly onRemove: (model: ModelResult) => void;
}

/** Compares the models of the session side by side; hidden if there is only one. */
export function ModelList({ models, shown, most, onShow, onRemove }: ModelListProps) {
  if (models.length < 2) return null;
  const hasTargets = models.some(({ target }) => target !== shown.target);
  return (
    <section class="model-list" aria-labelledby="models-title">
      <h3 id="models-title">Your models</h3>
      <ScrollRegion label="Your models">
        <table class="as-cards">
          <thead>
            <tr>
              <th scope="col">Model</th>
              {hasTargets && <th scope="col">Predicts</th>}
              <th scope="col" class="number">
                Error
              </th>
              <th scope="col">
                <Term of="interval">Interval</Term>
              </th>
              <th scope="col">Better than a constant answer?</th>
              <th scope="col" class="number">
                Size
              </th>
              <th scope="col" class="number">
                Training
              </th>
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {models.map((model) => (
              <ModelRow
                key={model.number}
                model={model}
                isShown={model.number === shown.number}
                hasTargets={hasTargets}
                onShow={() => onShow(model)}
                onRemove={() => onRemove(model)}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p class="hint">
        Errors are on <Term of="held-out rows" />; intervals are of about 95%, for each model by itself.
        Models with the same target and <Term of="seed" /> are tested on the same rows. The last {most} models
        are kept.
      </p>
    </section>
  );
}

const VERDICTS = { yes: "yes", no: "no", unclear: "not shown" } as const;

interface ModelRowProps {
  readonly model: ModelResult;
  readonly isShown: boolean;
  readonly hasTargets: boolean;
  readonly onShow: () => void;
  readonly onRemove: () => void;
}

function ModelRow({ model, isShown, hasTargets, onShow, onRemove }: ModelRowProps) {
  const { title, variant, target, card, seconds } = model;
  const { heldOut, verdict } = card;
  const score =
    heldOut &&
    leaderScore({ name: title, errors: [heldOut.errors / heldOut.rows], rows: 0, tested: heldOut.rows });
  const error = score?.value ?? verdict?.error;
  const name = variant ? `${title}, ${variant}` : title;
  return (
    <tr class={isShown ? "first" : undefined} {...(isShown && { "aria-current": "true" })}>
      <th scope="row">
        {title}
        {variant && <span class="summary">{variant}</span>}
      </th>
      {hasTargets && <td data-label="Predicts">{target}</td>}
      <td class="number" data-label="Error">
        {error === undefined ? "–" : formatPercent(error)}
      </td>
      <td data-label="Interval">
        {score?.interval ? unbroken(score.interval.map((end) => formatPercent(end)).join(" to ")) : "–"}
      </td>
      <td data-label="Better?">{verdict ? VERDICTS[verdict.better] : "not tested"}</td>
      <td class="number size" data-label="Size">
        {formatBytes(model.model.length)}
      </td>
      <td class="number time" data-label="Training">
        {seconds === undefined ? "–" : formatDuration(seconds)}
      </td>
      <td>
        {isShown ? (
          "shown below"
        ) : (
          <span class="row-actions">
            <button type="button" aria-label={`Show ${name}`} onClick={onShow}>
              Show
            </button>
            <button type="button" class="link" aria-label={`Remove ${name}`} onClick={onRemove}>
              Remove
            </button>
          </span>
        )}
      </td>
    </tr>
  );
}
