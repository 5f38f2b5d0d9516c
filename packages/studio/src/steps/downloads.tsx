import type { ReportClient } from "@vouch/report/live";
import type { TrainingFacts } from "@vouch/views/facts";
import { useState } from "preact/hooks";
import type { ModelResult } from "../engine/protocol.js";
import { saveAs } from "../page/files.js";

/** Offers the model file, and the command and the program that train the same model. */
export function Downloads({ result: { model, command, program, facts } }: { readonly result: ModelResult }) {
  return (
    <section aria-labelledby="downloads-title">
      <h3 id="downloads-title">Take it with you</h3>
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
      </p>
      {command !== undefined && <Command text={command} />}
    </section>
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

function Command({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div class="command">
      <p>This command trains the same model, byte for byte:</p>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <button type="button" onClick={() => void copy().catch(() => setCopied(false))}>
        Copy the command
      </button>{" "}
      <span role="status">{isCopied && "Copied."}</span>
    </div>
  );
}
