import { ErrorCurve } from "./error-curve.js";
import { ErrorTable } from "./error-table.js";
import { MarginCurve } from "./margin-curve.js";
import { classRegions, partRegions, RegionTable } from "./region-words.js";
import type { ShownSteps } from "./step-control.js";
import type { TrainingView } from "./use-training.js";

interface FindingsProps {
  readonly view: TrainingView;
  readonly steps: ShownSteps;
}

/** Shows errors, bounds and margins. */
export function Findings({ view, steps }: FindingsProps) {
  const { frame, isLast, position } = steps;
  return (
    <div class="findings">
      <ErrorTable frame={frame} outcome={view.outcome} previous={view.previous} isFinal={isLast} />
      <ErrorCurve frames={view.frames} position={position} />
      <MarginCurve frames={view.frames} position={position} />
      {view.outcome?.notices.map((notice) => (
        <p key={notice} class="note">
          {notice}
        </p>
      ))}
    </div>
  );
}

const structureCaptions = {
  cascade: "Errors by leaf, behind the gates",
  hierarchy: "Errors by node of the hierarchy",
} as const;

/** Describes the picture as tables: the rows and errors of each region. */
export function PictureText({ view: { rows, outcome }, steps: { frame, isLast } }: FindingsProps) {
  if (!rows || !frame) return null;
  const structure = isLast ? outcome?.structure : undefined;
  return (
    <details class="words" open>
      <summary>The picture in words</summary>
      <RegionTable caption="Errors by predicted class" regions={classRegions(rows, frame)} />
      {structure && (
        <RegionTable
          caption={structureCaptions[structure.kind]}
          regions={partRegions(structure, rows, frame)}
        />
      )}
    </details>
  );
}
