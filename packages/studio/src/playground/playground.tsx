import { useEffect, useMemo, useState } from "preact/hooks";
import { classMarks, markColour } from "./class-marks.js";
import { MOST_POINTS, SQUARE, snapped } from "./drawn-points.js";
import { ErrorCurve } from "./error-curve.js";
import { ErrorTable } from "./error-table.js";
import type { ModelStructure } from "./model-structure.js";
import { OptionForm } from "./option-form.js";
import { halfSide, pointsOf } from "./plane-problem.js";
import { playgroundStyle } from "./playground-style.js";
import { ProblemForm } from "./problem-form.js";
import { type PlanePlace, RegionPicture } from "./region-picture.js";
import { classRegions, partRegions, pictureInWords, predictionInWords, RegionTable } from "./region-words.js";
import { StepControl, useSteps } from "./step-control.js";
import type { PlaygroundRows } from "./training-events.js";
import { useHashState } from "./use-hash-state.js";
import { type TrainingView, useTraining } from "./use-training.js";

/** Trains learners on problems in the plane and shows their decision regions while they grow. The address holds its state. */
export function Playground() {
  const { state, faults, change } = useHashState();
  const { view, cancel } = useTraining(state);
  const steps = useSteps(view.frames, state);
  const [drawnClass, setDrawnClass] = useState(0);
  const [part, setPart] = useState("");
  const frame = steps.frame ?? view.before;
  const structure = view.outcome?.structure;
  const isDrawn = state.problem === "drawn";
  const shownRows = useShownRows(state, view);
  useEffect(() => setPart(""), [state.learner]);
  const node = structure?.kind === "nodes" ? structure.parts.find(({ name }) => name === part) : undefined;
  const content = {
    half: frame?.regions.half ?? halfSide(shownRows),
    rows: shownRows,
    regions: frame?.regions,
    wrong: steps.frame?.wrong,
    outlined: structure?.kind === "gates" && steps.isLast ? structure.parts : [],
    node: steps.isLast ? node : undefined,
  };
  const add = ({ x, y }: PlanePlace) => {
    if (state.points.length < MOST_POINTS) change({ points: [...state.points, snapped(x, y, drawnClass)] });
  };
  const label = view.rows && steps.frame ? pictureInWords(view.rows, steps.frame) : "The rows; no model yet.";
  return (
    <div class="playground">
      <style>{playgroundStyle}</style>
      <h2>Playground</h2>
      <p class="intro">
        Watch a learner divide the plane, and compare its error with what is proven about it. The address
        holds everything you choose: copy it to share what you see.
      </p>
      <div class="choices">
        {faults.map((fault) => (
          <p key={fault} class="fault">
            {fault}
          </p>
        ))}
        <ProblemForm
          state={state}
          change={change}
          drawnClass={drawnClass}
          chooseClass={setDrawnClass}
          edit={() => change({ problem: "drawn", points: editable(state) })}
        />
        <fieldset>
          <legend>Learner</legend>
          <div class="field">
            <label for="learner">Name</label>
            <select
              id="learner"
              value={state.learner}
              onChange={(event) => change({ learner: event.currentTarget.value, settings: {} })}
            >
              {[...new Set([...view.learners, state.learner])].map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          {view.form?.learner === state.learner && (
            <>
              <p class="note">{view.form.summary}</p>
              <OptionForm
                form={view.form}
                settings={state.settings}
                change={(name, value) =>
                  change((before) => ({ settings: withSetting(before.settings, name, value) }))
                }
              />
            </>
          )}
        </fieldset>
      </div>
      <div class="picture">
        <RegionPicture
          content={content}
          label={label}
          wordsAt={({ x, y }) => predictionInWords(view.rows, frame?.regions, x, y)}
          {...(isDrawn && {
            draw: {
              add,
              removeNear: (place: PlanePlace) => change({ points: withoutNearest(state.points, place) }),
              choose: setDrawnClass,
            },
          })}
        />
        <p class="note" id="picture-keys">
          {isDrawn
            ? "Click or drag to draw. Keys: arrows move the cursor (Shift: faster), Enter draws, Delete removes the nearest point, 1 to 6 choose the class."
            : "Arrow keys move a cursor that reads the prediction (Shift: faster)."}
        </p>
        <StepControl steps={steps} />
        {structure?.kind === "nodes" && <NodeChoice structure={structure} part={part} choose={setPart} />}
        <PictureKey view={view} structure={structure} />
        <p class="status" role="status">
          {statusText(view)}
        </p>
        {view.status === "training" && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
      <div class="findings">
        {view.fault && (
          <p class="fault" role="alert">
            {view.fault.message} {view.fault.hint}
          </p>
        )}
        <ErrorTable frame={steps.frame} outcome={view.outcome} isFinal={steps.isLast} />
        <ErrorCurve frames={view.frames} position={steps.position} />
        {view.rows && steps.frame && (
          <details open>
            <summary>The picture in words</summary>
            <RegionTable caption="Errors by predicted class" regions={classRegions(view.rows, steps.frame)} />
            {structure && steps.isLast && (
              <RegionTable
                caption={
                  structure.kind === "gates"
                    ? "Errors by leaf, behind the gates"
                    : "Errors by node of the hierarchy"
                }
                regions={partRegions(structure, view.rows, steps.frame)}
              />
            )}
          </details>
        )}
        {view.outcome?.notices.map((notice) => (
          <p key={notice} class="note">
            {notice}
          </p>
        ))}
      </div>
    </div>
  );
}

/** Returns the rows to show: drawn points at once, without waiting for the worker, which says later which it holds out. */
function useShownRows(state: Parameters<typeof pointsOf>[0], { rows }: TrainingView): PlaygroundRows {
  return useMemo(() => {
    const points = pointsOf(state);
    const isKnown = rows !== undefined && rows.classOf.length === points.classOf.length;
    const letters = rows?.letters ?? [...new Set(points.classOf)].sort((a, b) => a - b);
    return { ...points, letters, heldOut: isKnown ? rows.heldOut : new Uint8Array(points.classOf.length) };
  }, [state, rows]);
}

function editable(state: Parameters<typeof pointsOf>[0]) {
  const { x, y, classOf } = pointsOf(state);
  const inside = Array.from(classOf.keys()).filter((i) => Math.max(Math.abs(x[i]), Math.abs(y[i])) < SQUARE);
  return inside.map((i) => snapped(x[i], y[i], classOf[i]));
}

function withoutNearest<Point extends PlanePlace>(points: readonly Point[], { x, y }: PlanePlace): Point[] {
  const distances = points.map((point) => Math.hypot(point.x - x, point.y - y));
  const nearest = distances.indexOf(Math.min(...distances));
  return points.filter((_, i) => i !== nearest);
}

function withSetting(
  settings: Readonly<Record<string, string>>,
  name: string,
  value: string | undefined,
): Record<string, string> {
  const { [name]: _, ...others } = settings;
  return value === undefined ? others : { ...others, [name]: value };
}

function statusText({ status, progress, frames }: TrainingView): string {
  if (status === "cancelled") return "Cancelled.";
  if (status === "done") return frames.length > 0 ? "Trained." : "";
  return progress === undefined ? "Training…" : `Training… ${progress}`;
}

interface NodeChoiceProps {
  readonly structure: ModelStructure;
  readonly part: string;
  readonly choose: (name: string) => void;
}

/** Chooses between the classes and the two sides of one node of a hierarchy. */
function NodeChoice({ structure, part, choose }: NodeChoiceProps) {
  return (
    <div class="field">
      <label for="node">Show</label>
      <select id="node" value={part} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">predicted classes</option>
        {structure.parts.map(({ name, outcomes }) => (
          <option key={name} value={name}>
            {name}: {outcomes.join(" against ")}
          </option>
        ))}
      </select>
    </div>
  );
}

interface PictureKeyProps {
  readonly view: TrainingView;
  readonly structure: ModelStructure | undefined;
}

function PictureKey({ view, structure }: PictureKeyProps) {
  return (
    <ul class="key" aria-label="Key of the picture">
      {(view.rows?.letters ?? []).map((letter) => {
        const mark = classMarks[letter];
        return (
          <li key={mark.letter}>
            <svg viewBox="-1.3 -1.3 2.6 2.6" width="14" height="14" aria-hidden="true">
              <path d={mark.outline} fill={markColour(mark)} stroke="var(--ink)" stroke-width="0.2" />
            </svg>
            {mark.letter} ({mark.shape})
          </li>
        );
      })}
      <li>filled: training row</li>
      <li>hollow: test row</li>
      <li>ring: misclassified</li>
      <li>stronger colour: larger margin</li>
      {structure?.kind === "gates" && <li>dashed lines: regions of the leaves behind the gates</li>}
      {structure?.kind === "nodes" && <li>in brackets: classes that a node ignores</li>}
    </ul>
  );
}
