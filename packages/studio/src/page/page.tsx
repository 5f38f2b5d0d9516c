import { GuideAddress } from "@vouch/views/internal/page/guide-link";
import { explainTerms } from "@vouch/views/internal/text/explain-terms";
import { render } from "preact";
import { SessionStore } from "../session/session-store.js";
import { App } from "./app.js";
import { EngineClient } from "./engine-client.js";
import { takeOpened } from "./route.js";
import { Studio } from "./studio.js";

const root = document.getElementById("studio");
if (!root) throw new Error("The page has no element to show the studio in.");
const engine = new EngineClient(new URL("./engine.js", import.meta.url));
const studio = new Studio(engine, new SessionStore());
root.replaceChildren();
// The site of the documentation names its guide; a studio by itself has none beside it.
const guide = document.querySelector<HTMLLinkElement>('link[rel="help"]')?.href;
render(
  <GuideAddress.Provider value={guide}>
    <App studio={studio} />
  </GuideAddress.Provider>,
  root,
);
explainTerms(document);
void studio.start(takeOpened());
// A reload keeps data and models, but not a running training.
addEventListener("beforeunload", (event) => {
  if (studio.training.value) event.preventDefault();
});
// Without a secure context, for example on plain http, the studio works, but not offline.
void navigator.serviceWorker?.register(new URL("service-worker.js", document.baseURI)).catch(() => undefined);
