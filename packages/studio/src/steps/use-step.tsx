import type * as Views from "@vouch/views";
import { useEffect, useState } from "preact/hooks";
import type { Card } from "vouch/train";
import type { ModelResult } from "../engine/protocol.js";
import type { Studio } from "../page/studio.js";
import { Downloads } from "./downloads.js";
import { PredictPanel } from "./predict-panel.js";

/** The third step: what the model is worth, and what to do with it. */
export function UseStep({ studio }: { readonly studio: Studio }) {
  const result = studio.result.value;
  const views = useViews();
  if (!result) return <p>Train a model first, or drop a model file.</p>;
  if (!views) return <p role="status">Loading the views …</p>;
  const { facts, card, target } = result;
  return (
    <div class="model">
      <h2>
        {card.learner} for {target}
      </h2>
      {facts ? (
        <views.ModelView facts={facts} ask={studio.ask} />
      ) : (
        <OpenedModel result={result} ask={studio.ask} views={views} />
      )}
      <Downloads result={result} />
      <PredictPanel predict={(file) => studio.predict(file)} />
    </div>
  );
}

/** Loads the panels when they are first needed: the page starts without them. */
function useViews(): typeof Views | undefined {
  const [views, setViews] = useState<typeof Views>();
  useEffect(() => {
    void import("@vouch/views").then((loaded) => setViews(() => loaded));
  }, []);
  return views;
}

interface OpenedModelProps {
  readonly result: ModelResult;
  readonly ask: Views.AskRow;
  readonly views: typeof Views;
}

/** A model file keeps no rows. */
const NO_ROWS = { total: 0, scoring: "probability", rows: [] } as const;

/** Shows a model file without its training data: the verdict and the confusion matrix of its card, and the form. */
function OpenedModel({ result: { card, quoted, fields }, ask, views }: OpenedModelProps) {
  const { VerdictPanel, ConfusionTable, RowExplorer, Section } = views;
  const confusion = card.heldOut?.confusion;
  const measured = measuredCard(card);
  return (
    <>
      {measured && <VerdictPanel card={measured} quoted={quoted} />}
      {confusion && (
        <Section heading="Which classes does it confuse?">
          <ConfusionTable confusion={confusion} />
        </Section>
      )}
      <RowExplorer fields={fields} wrong={NO_ROWS} ask={ask} />
    </>
  );
}

/** Returns the card of a model that vouch trained; others have no error on training rows. */
function measuredCard({ verdict, heldOut, error }: Card) {
  if (error.train === undefined) return undefined;
  return { verdict, heldOut, error: { ...error, train: error.train } };
}
