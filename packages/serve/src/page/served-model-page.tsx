import { Section, VerdictPanel } from "@vouch/views";
import type { ModelPageData } from "../page-data.js";
import { ModelSubtitle } from "./model-subtitle.js";
import { MonitorPanel } from "./monitor-panel.js";
import { TryPanel } from "./try-panel.js";

/** Shows how far a model can be trusted, and lets people try it. */
export function ServedModelPage({ data }: { readonly data: ModelPageData }) {
  const { name, fault, card, quoted, abstention, monitor } = data;
  return (
    <>
      <p class="subtitle">
        <a href="/">All models</a>
      </p>
      <h1>{name}</h1>
      {fault !== undefined && (
        <div class="verdict no">
          <p>The current file cannot be loaded, so the earlier one answers. {fault}</p>
        </div>
      )}
      <VerdictPanel card={card} quoted={quoted} abstention={abstention} />
      <ModelSubtitle model={data} />
      <Section heading="Does it still hold?">
        <MonitorPanel monitor={monitor} />
      </Section>
      <TryPanel data={data} />
    </>
  );
}
