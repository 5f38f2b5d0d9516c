// Script of the pages: shows the data of the page with the panels of the views.

import { explainTerms } from "@vouch/views";
import { render } from "preact";
import type { IndexPageData, ModelPageData } from "../page-data.js";
import { IndexPage } from "./index-page.js";
import { ServedModelPage } from "./served-model-page.js";

const data: IndexPageData | ModelPageData = JSON.parse(document.getElementById("data")?.textContent ?? "");
render(
  <>
    <main>{data.page === "index" ? <IndexPage data={data} /> : <ServedModelPage data={data} />}</main>
    <footer>
      <a href="/openapi.json">OpenAPI</a> · <a href="/metrics">Metrics</a> ·{" "}
      <a href="/v2">Open Inference Protocol</a>
    </footer>
  </>,
  document.body,
);
explainTerms(document);
