import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Studio } from "../page/studio.js";
import { Downloads } from "./downloads.js";
import type { ModelPage } from "./model-page.js";
import { PredictPanel } from "./predict-panel.js";

/** The third step: what the model is worth, and what to do with it. */
export function UseStep({ studio }: { readonly studio: Studio }) {
  const result = studio.result.value;
  const Model = useModelPage();
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

/** Loads the panels when they are first needed: the page starts without them. */
function useModelPage(): typeof ModelPage | undefined {
  const [loaded, setLoaded] = useState<typeof ModelPage>();
  useEffect(() => {
    void import("./model-page.js").then((module) => setLoaded(() => module.ModelPage));
  }, []);
  return loaded;
}
