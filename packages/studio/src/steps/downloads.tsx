import type { TrainingFacts } from "@vouch/views/facts";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Fault, ModelResult } from "../engine/protocol.js";
import { FaultBox } from "../page/fault-box.js";
import { saveAs } from "../page/files.js";
import { loadReportWriter } from "../page/report-writer.js";
import { faultShown } from "../page/studio.js";

interface DownloadsProps {
  readonly result: ModelResult;
  /** Other actions for the model. */
  readonly children: ComponentChildren;
}

/** Offers the model file, its report, and the program that trains the same model. */
export function Downloads({ result: { model, program, facts }, children }: DownloadsProps) {
  const [fault, setFault] = useState<Fault>();
  const hasFacts = facts !== undefined;
  useEffect(() => {
    // Preload for the service worker. An offline user learns of a failure only when they ask for a report.
    if (hasFacts) void loadReportWriter().catch(() => undefined);
  }, [hasFacts]);
  const saveReport = async (shown: TrainingFacts) => {
    setFault(undefined);
    try {
      const { write, client } = await loadReportWriter();
      const page = await write(shown, { model, client });
      saveAs("report.html", new Blob([page], { type: "text/html" }));
    } catch (error) {
      setFault(faultShown(error));
    }
  };
  return (
    <>
      <p class="actions">
        <button type="button" class="main" onClick={() => saveAs("model.safetensors", new Blob([model]))}>
          Download the model
        </button>
        {facts && (
          <button type="button" onClick={() => void saveReport(facts)}>
            Download the report
          </button>
        )}
        {program !== undefined && (
          <button
            type="button"
            onClick={() => saveAs("train.mjs", new Blob([program], { type: "text/javascript" }))}
          >
            Download the code
          </button>
        )}
        {children}
      </p>
      <FaultBox fault={fault} />
      <p class="hint">
        The model file predicts, here or with <code>vouch predict</code>.
        {facts && " The report is one page to pass on."}
        {program !== undefined && " The code trains the same model again with Node."}
      </p>
    </>
  );
}
