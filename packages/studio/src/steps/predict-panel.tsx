import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { useState } from "preact/hooks";
import type { Fault, NamedFile, PredictedFile } from "../engine/protocol.js";
import { FaultBox } from "../page/fault-box.js";
import { FileDrop } from "../page/file-drop.js";
import { saveAs } from "../page/files.js";
import { faultShown } from "../page/studio.js";

/** Predicts the rows of a dropped file and offers the predictions for download. */
export function PredictPanel({ predict }: { readonly predict: (file: NamedFile) => Promise<PredictedFile> }) {
  const [predicted, setPredicted] = useState<PredictedFile>();
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const take = async (file: NamedFile) => {
    setBusy(true);
    setFault(undefined);
    setPredicted(undefined);
    try {
      setPredicted(await predict(file));
    } catch (error) {
      setFault(faultShown(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section id="predict-rows" aria-labelledby="predict-title">
      <h2 id="predict-title">Predict new rows</h2>
      <FileDrop
        label="Drop a file with new rows here"
        hint="With the same columns; the class is not needed."
        onFile={(file) => void take(file)}
      />
      <FaultBox fault={fault} />
      <div role="status">
        {isBusy && "Predicting …"}
        {predicted && <Predicted predicted={predicted} />}
      </div>
    </section>
  );
}

function Predicted({ predicted: { rows, csv, counts, notices } }: { readonly predicted: PredictedFile }) {
  return (
    <>
      <p>
        {formatCount(rows, "row")} predicted:{" "}
        {counts
          .map(({ class: name, rows: own }) => `${visibleSpaces(name) || "no answer"} ${formatNumber(own)}`)
          .join(", ")}
        .
      </p>
      {notices.map((notice) => (
        <p key={notice} class="note">
          {notice}
        </p>
      ))}
      <p class="actions">
        <button type="button" class="main" onClick={() => saveAs("predictions.csv", csv)}>
          Download the predictions
        </button>
      </p>
    </>
  );
}
