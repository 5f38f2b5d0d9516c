import { useDraft } from "../options/use-draft.js";
import { classMarks, markColour } from "./class-marks.js";
import { MOST_POINTS } from "./drawn-points.js";
import { hasManyClasses, type ProblemName, problemNames } from "./plane-problem.js";
import { numberInRange, type PlaygroundState, type StateNumber, stateRanges } from "./playground-state.js";

interface ProblemFormProps {
  readonly state: PlaygroundState;
  readonly change: (part: Partial<PlaygroundState>) => void;
  /** Converts the generated points into drawn ones. */
  readonly edit: () => void;
}

const problemWords: Readonly<Record<ProblemName, string>> = {
  moons: "Two moons",
  circles: "Circles",
  spirals: "Spirals",
  xor: "XOR",
  blobs: "Blobs",
  drawn: "Drawn",
};

/** Lets the user choose a generated problem or draw one. */
export function ProblemForm({ state, change, edit }: ProblemFormProps) {
  const isDrawn = state.problem === "drawn";
  return (
    <fieldset class="problem">
      <legend>Problem</legend>
      <div class="setting">
        <label for="problem">Points</label>
        <select
          id="problem"
          value={state.problem}
          onChange={(event) => {
            const chosen = problemNames.find((name) => name === event.currentTarget.value);
            if (chosen) change({ problem: chosen });
          }}
        >
          {problemNames.map((name) => (
            <option key={name} value={name}>
              {problemWords[name]}
            </option>
          ))}
        </select>
      </div>
      {!isDrawn && (
        <>
          {hasManyClasses(state.problem) && (
            <NumberField name="classes" label="Classes" step={1} state={state} change={change} />
          )}
          <NumberField name="rows" label="Rows" step={20} state={state} change={change} />
          <NumberField name="noise" label="Noise" step={0.05} state={state} change={change} />
        </>
      )}
      <NumberField name="seed" label="Seed" step={1} state={state} change={change} />
      {!isDrawn && state.rows <= MOST_POINTS && (
        <button type="button" onClick={edit}>
          Draw more points
        </button>
      )}
    </fieldset>
  );
}

interface NumberFieldProps extends Pick<ProblemFormProps, "state" | "change"> {
  readonly name: StateNumber;
  readonly label: string;
  readonly step: number;
}

function NumberField({ name, label, step, state, change }: NumberFieldProps) {
  const { min, max } = stateRanges[name];
  const typed = useDraft(String(state[name]), (text, input) => {
    const value = numberInRange(name, text);
    if (value === undefined) input.reportValidity();
    else change({ [name]: value });
    return value !== undefined;
  });
  return (
    <div class="setting">
      <label for={name}>{label}</label>
      <input id={name} type="number" min={min} max={max} step={step} {...typed} />
    </div>
  );
}

interface DrawingToolsProps extends Pick<ProblemFormProps, "state" | "change"> {
  /** Class of the next drawn points. */
  readonly drawnClass: number;
  readonly chooseClass: (index: number) => void;
}

/** Chooses the class of points to draw, and removes points. */
export function DrawingTools({ state, change, drawnClass, chooseClass }: DrawingToolsProps) {
  const { points } = state;
  return (
    <div class="drawing-tools">
      <fieldset class="class-choice">
        <legend>Class to draw</legend>
        {classMarks.map((mark, k) => (
          <label key={mark.letter}>
            <input
              type="radio"
              name="drawn-class"
              checked={k === drawnClass}
              onChange={() => chooseClass(k)}
            />
            <svg viewBox="-1.3 -1.3 2.6 2.6" width="14" height="14" aria-hidden="true">
              <path d={mark.outline} fill={markColour(mark)} stroke="var(--ink)" stroke-width="0.2" />
            </svg>
            {mark.letter}
          </label>
        ))}
      </fieldset>
      <p class="buttons">
        <span>
          {points.length} of at most {MOST_POINTS} points
        </span>
        <button
          type="button"
          disabled={points.length === 0}
          onClick={() => change({ points: points.slice(0, -1) })}
        >
          Remove the last
        </button>
        <button type="button" disabled={points.length === 0} onClick={() => change({ points: [] })}>
          Remove all
        </button>
      </p>
    </div>
  );
}
