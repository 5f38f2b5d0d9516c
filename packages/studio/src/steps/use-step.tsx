import type { AskRow } from "@vouch/views";
import { useCallback } from "preact/hooks";
import { MOST_MODELS, type ModelResult } from "../engine/protocol.js";
import { goTo } from "../page/route.js";
import type { Studio } from "../page/studio.js";
import { useLoaded } from "../page/use-loaded.js";
import { Downloads } from "./downloads.js";
import { PredictPanel } from "./predict-panel.js";

/** The page starts without the panels. */
const loadModelPage = () => import("./model-page.js");

/** The third step: judge the model and use it. */
export function UseStep({ studio }: { readonly studio: Studio }) {
  const result = studio.result.value;
  if (!result) return <p>Train a model first, or drop a model file.</p>;
  // Answers, rows and predictions of one model must not appear for the next.
  return <UsedModel key={result.number} studio={studio} result={result} />;
}

function UsedModel({ studio, result }: { readonly studio: Studio; readonly result: ModelResult }) {
  const { number } = result;
  const ask = useCallback<AskRow>((row) => studio.ask(number, row), [studio, number]);
  const page = useLoaded(loadModelPage);
  const actions = (
    <Downloads result={result}>
      <button type="button" onClick={showPrediction}>
        Predict new rows
      </button>
      {studio.overview.value && (
        <button type="button" onClick={() => goTo("train")}>
          Train another model
        </button>
      )}
    </Downloads>
  );
  return (
    <>
      <h2>
        {result.title} predicts {result.target}
      </h2>
      {page ? (
        <>
          <page.ModelList
            models={studio.models.value}
            shown={result}
            most={MOST_MODELS}
            onShow={(model) => studio.show(model)}
            onRemove={(model) => studio.remove(model)}
          />
          <page.ModelPage result={result} ask={ask}>
            {actions}
          </page.ModelPage>
        </>
      ) : (
        <p role="status">Loading the views …</p>
      )}
      <PredictPanel predict={(file) => studio.predict(result, file)} />
    </>
  );
}

/** Scrolls to the field for new rows, below the model's panels. */
function showPrediction(): void {
  const field = document.querySelector<HTMLElement>("#predict-rows input");
  field?.focus({ preventScroll: true });
  document.querySelector("#predict-rows")?.scrollIntoView({ block: "start" });
}
