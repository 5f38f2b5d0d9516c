import type { ModelResult } from "../engine/protocol.js";
import type { Studio } from "../page/studio.js";
import { AskForm } from "./ask-form.js";
import { Downloads } from "./downloads.js";
import { PredictPanel } from "./predict-panel.js";
import { Verdict } from "./verdict.js";

/** The third step: what the model is worth, and what to do with it. */
export function UseStep({ studio }: { readonly studio: Studio }) {
  const result = studio.result.value;
  if (!result) return <p>Train a model first, or drop a model file.</p>;
  return <ModelPage key={result.overview.command ?? result.overview.data} studio={studio} result={result} />;
}

function ModelPage({ studio, result }: { readonly studio: Studio; readonly result: ModelResult }) {
  const { overview } = result;
  return (
    <section aria-labelledby="use-title">
      <h2 id="use-title">
        {overview.learner} for {overview.target}
      </h2>
      <Verdict overview={overview} />
      <Downloads result={result} />
      <AskForm overview={overview} ask={(row) => studio.ask(row)} />
      <PredictPanel predict={(file) => studio.predict(file)} />
    </section>
  );
}
