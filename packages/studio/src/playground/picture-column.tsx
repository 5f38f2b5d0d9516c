import { useEffect, useMemo, useState } from "preact/hooks";
import { withSetting } from "../options/settings.js";
import { classMarks, markColour } from "./class-marks.js";
import { MOST_POINTS, snapped } from "./drawn-points.js";
import type { ModelStructure, PlaneStump } from "./model-structure.js";
import { NetworkPicture } from "./network-picture.js";
import type { PictureContent } from "./paint-picture.js";
import { generatePoints, halfSide } from "./plane-problem.js";
import type { PlaygroundState } from "./playground-state.js";
import { DrawingTools } from "./problem-form.js";
import { type PlanePlace, RegionPicture } from "./region-picture.js";
import { describePicture, describePrediction, describeStump } from "./region-words.js";
import { type ShownSteps, StepControl } from "./step-control.js";
import type { PlaygroundRows } from "./training-events.js";
import type { ChangeState } from "./use-hash-state.js";
import type { TrainingView } from "./use-training.js";

interface PictureColumnProps {
  readonly state: PlaygroundState;
  readonly change: ChangeState;
  readonly view: TrainingView;
  readonly steps: ShownSteps;
  readonly cancel: () => void;
}

/** Shows the picture with its controls: steps, nodes of a hierarchy, and tools to draw. */
export function PictureColumn({ state, change, view, steps, cancel }: PictureColumnProps) {
  const [drawnClass, setDrawnClass] = useState(0);
  const [part, setPart] = useState("");
  useEffect(() => setPart(""), [state.learner]);
  const isDrawn = state.problem === "drawn";
  const structure = view.outcome?.structure;
  const content = usePictureContent(state, view, steps, part);
  const { rows } = view;
  // Several points may be drawn before the page shows the first one.
  const add = ({ x, y }: PlanePlace) =>
    change(({ points }) => ({
      points: points.length < MOST_POINTS ? [...points, snapped(x, y, drawnClass)] : points,
    }));
  const removeNear = (place: PlanePlace) =>
    change(({ points }) => ({ points: withoutNearest(points, place) }));
  return (
    <div class="picture">
      {isDrawn && (
        <DrawingTools state={state} change={change} drawnClass={drawnClass} chooseClass={setDrawnClass} />
      )}
      <RegionPicture
        content={content}
        label={rows && steps.frame ? describePicture(rows, steps.frame) : "The rows; no model yet."}
        wordsAt={({ x, y }) => describePrediction(steps.frame?.regions, x, y)}
        {...(isDrawn && { draw: { add, removeNear, choose: setDrawnClass } })}
      />
      <p class={isDrawn ? "note" : "note keys"} id="picture-keys">
        {isDrawn
          ? "Click or drag to draw. Keys: arrows move the cursor (Shift: faster), Enter draws, Delete removes the nearest point, 1 to 6 choose the class."
          : "Arrow keys move a cursor that reads the prediction (Shift: faster)."}
      </p>
      <StepControl steps={steps} isTraining={view.status === "training"} />
      <MoreEpochs view={view} change={change} />
      {structure && structure.nodes.length > 0 && (
        <NodeChoice structure={structure} part={part} choose={setPart} />
      )}
      <PictureKey view={view} structure={structure} stump={steps.frame?.stumps.at(-1)} />
      <TrainingStatus view={view} cancel={cancel} />
      {steps.frame?.network && <NetworkPicture sketch={steps.frame.network} />}
    </div>
  );
}

/** Epochs added by a click. */
const MORE_EPOCHS = 100;

/** Trains a network longer: the same seed repeats its epochs exactly and continues from there. */
function MoreEpochs({ view, change }: Pick<PictureColumnProps, "view" | "change">) {
  const last = view.frames.at(-1);
  if (view.status !== "done" || last?.unit !== "epoch") return null;
  const epochs = String(last.step + MORE_EPOCHS);
  return (
    <p class="buttons">
      <button
        type="button"
        onClick={() => change(({ settings }) => ({ settings: withSetting(settings, "epochs", epochs) }))}
      >
        Train {MORE_EPOCHS} more epochs
      </button>
      <span class="note">Training starts over with the same seed, so the epochs so far are the same.</span>
    </p>
  );
}

/** Collects the content of the picture: the previous state's newest model until one of this state arrives. */
function usePictureContent(
  state: PlaygroundState,
  view: TrainingView,
  { frame, isLast }: ShownSteps,
  part: string,
): Omit<PictureContent, "cursor"> {
  const rows = useShownRows(state, view);
  const { regions } = frame ?? view.before ?? {};
  const isCurrent = frame?.predicted.length === rows.classOf.length;
  const structure = isLast ? view.outcome?.structure : undefined;
  const node = structure?.nodes.find(({ name }) => name === part);
  return {
    half: regions?.half ?? halfSide(rows),
    rows,
    regions,
    predicted: isCurrent ? frame.predicted : undefined,
    stumps: frame?.stumps ?? [],
    outlined: node ? [] : (structure?.leaves ?? []),
    node,
  };
}

/** Returns the rows to show. Drawn points appear at once; the worker reports later which ones it holds out. */
function useShownRows(state: PlaygroundState, { rows }: TrainingView): PlaygroundRows {
  return useMemo(() => {
    const points = generatePoints(state);
    const isKnown = rows !== undefined && rows.classOf.length === points.classOf.length;
    const letters = rows?.letters ?? [...new Set(points.classOf)].sort((a, b) => a - b);
    return { ...points, letters, heldOut: isKnown ? rows.heldOut : new Uint8Array(points.classOf.length) };
  }, [state, rows]);
}

function withoutNearest<Point extends PlanePlace>(points: readonly Point[], { x, y }: PlanePlace): Point[] {
  const distances = points.map((point) => Math.hypot(point.x - x, point.y - y));
  const nearest = distances.indexOf(Math.min(...distances));
  return points.filter((_, i) => i !== nearest);
}

function TrainingStatus({ view, cancel }: Pick<PictureColumnProps, "view" | "cancel">) {
  return (
    <>
      {view.fault && !hasOptionFaults(view) && (
        <p class="fault" role="alert">
          {view.fault.message} {view.fault.hint}
        </p>
      )}
      <p class="status" role="status">
        {statusText(view)}
      </p>
      {view.status === "training" && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
    </>
  );
}

/** An invalid option shows its message next to its field. */
function hasOptionFaults({ form }: TrainingView): boolean {
  return form !== undefined && Object.keys(form.faults).length > 0;
}

function statusText(view: TrainingView): string {
  const { status, progress, frames } = view;
  if (status === "cancelled") return "Cancelled.";
  if (hasOptionFaults(view)) return "Not trained: an option is not allowed.";
  if (status === "done") return frames.length > 0 ? "Trained." : "";
  return progress === undefined ? "Training…" : `Training… ${progress}`;
}

interface NodeChoiceProps {
  readonly structure: ModelStructure;
  readonly part: string;
  readonly choose: (name: string) => void;
}

/** Switches between the classes and the two sides of a gate or node. */
function NodeChoice({ structure: { kind, nodes }, part, choose }: NodeChoiceProps) {
  const between = kind === "cascade" ? " or " : " against ";
  return (
    <div class="setting wide">
      <label for="node">Show</label>
      <select id="node" value={part} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">predicted classes</option>
        {nodes.map(({ name, outcomes }) => (
          <option key={name} value={name}>
            {name}: {outcomes.join(between)}
          </option>
        ))}
      </select>
    </div>
  );
}

interface PictureKeyProps {
  readonly view: TrainingView;
  readonly structure: ModelStructure | undefined;
  /** The stump of the shown round. */
  readonly stump: PlaneStump | undefined;
}

function PictureKey({ view, structure, stump }: PictureKeyProps) {
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
      {stump && (
        <li>
          dotted line: the stump of this round, {describeStump(stump, view.rows)}; thin lines: earlier stumps
        </li>
      )}
      {structure?.kind === "cascade" && <li>dashed lines: regions of the leaves behind the gates</li>}
      {structure?.kind === "hierarchy" && <li>in brackets: classes that a node ignores</li>}
    </ul>
  );
}
