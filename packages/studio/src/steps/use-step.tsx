import { Fragment } from "preact";
import type { Studio } from "../page/studio.js";
import { useLoaded } from "../page/use-loaded.js";
import { Downloads } from "./downloads.js";
import { PredictPanel } from "./predict-panel.js";

/** The page starts without the panels. */
const loadModelPage = async () => (await import("./model-page.js")).ModelPage;

/** The third step: what the model is worth, and what to do with it. */
export function UseStep({ studio }: { readonly studio: Studio }) {
  const result = studio.result.value;
  const Model = useLoaded(loadModelPage);
  if (!result) return <p>Train a model first, or drop a model file.</p>;
  return (
    // Answers, rows and predictions of one model must not stay for the next.
    <Fragment key={result}>
      <h2>
        {result.card.learner} for {result.target}
      </h2>
      <Downloads result={result} />
      {Model ? <Model result={result} ask={studio.ask} /> : <p role="status">Loading the views …</p>}
      <PredictPanel predict={(file) => studio.predict(file)} />
    </Fragment>
  );
}
