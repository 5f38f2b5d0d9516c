// Script of a live report: hydrates the islands with the embedded model, and explains terms.

import { explainTerms, hydrateIslands, RowExplorer, ThresholdPanel } from "@vouch/views";
import type { TypedRow } from "@vouch/views/facts";
import { MODEL_ID } from "./model-block.js";

const model = document.getElementById(MODEL_ID)?.textContent;

const ask =
  model === undefined
    ? undefined
    : async (row: TypedRow) => {
        const { askModel } = await import("./ask-model.js");
        return askModel(model, row);
      };

hydrateIslands(document, {
  rows: (json) => <RowExplorer {...JSON.parse(json)} ask={ask} />,
  threshold: (json) => <ThresholdPanel {...JSON.parse(json)} />,
});
explainTerms(document);
