import type { ReportClient } from "@vouch/report/live";
import type { TrainingFacts } from "@vouch/views/facts";
import type { ComponentChildren } from "preact";
import type { ModelResult } from "../engine/protocol.js";
import { saveAs } from "../page/files.js";

interface DownloadsProps {
  readonly result: ModelResult;
  /** Other things to do with the model. */
  readonly children: ComponentChildren;
}

/** Offers the model file, its report, and the program that trains the same model. */
export function Downloads({ result: { model, program, facts }, children }: DownloadsProps) {
  return (
    <p class="actions">
      <button type="button" class="main" onClick={() => saveAs("model.safetensors", new Blob([model]))}>
        Download the model
      </button>
      {facts && (
        <button type="button" onClick={() => void saveReport(facts, model)}>
          Download the report
        </button>
      )}
      {program !== undefined && (
        <button
          type="button"
          onClick={() => saveAs("train.mjs", new Blob([program], { type: "text/javascript" }))}
        >
          Download the program
        </button>
      )}
      {children}
    </p>
  );
}

/** Writes the live report of a training, as `vouch train --report` does. */
async function saveReport(facts: TrainingFacts, model: Uint8Array): Promise<void> {
  const [{ trainingReport }, response] = await Promise.all([
    import("@vouch/report/live"),
    fetch(new URL("report-client.json", document.baseURI)),
  ]);
  const client: ReportClient = await response.json();
  const page = await trainingReport(facts, { model, client });
  saveAs("report.html", new Blob([page], { type: "text/html" }));
}
