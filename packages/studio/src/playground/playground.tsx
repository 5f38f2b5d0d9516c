import { SQUARE, snapped } from "./drawn-points.js";
import { Findings, PictureText } from "./findings.js";
import { LearnerPicker } from "./learner-picker.js";
import { PictureColumn } from "./picture-column.js";
import { generatePoints } from "./plane-problem.js";
import { exampleHash, playgroundExamples } from "./playground-examples.js";
import type { PlaygroundState } from "./playground-state.js";
import { ProblemForm } from "./problem-form.js";
import { useSteps } from "./step-control.js";
import { useHashState } from "./use-hash-state.js";
import { type TrainingView, useTraining } from "./use-training.js";

/**
 * Trains learners on problems in the plane and shows their decision regions as they grow. The address holds the state.
 */
export function Playground() {
  const { state, faults, change } = useHashState();
  const { view, cancel } = useTraining(state);
  const steps = useSteps(view.frames, state);
  return (
    <div class="playground">
      <div class="intro">
        <h2>Playground</h2>
        <p class="hint">
          Watch a learner divide the plane while it trains, and compare its error with what is proven about
          it. The address holds all you choose: copy it to share what you see.
        </p>
        <ExampleList learners={view.learners} />
      </div>
      <div class="settings-column">
        {faults.map((fault) => (
          <p key={fault} class="fault">
            {fault}
          </p>
        ))}
        <ProblemForm
          state={state}
          change={change}
          edit={() => change({ problem: "drawn", points: editable(state) })}
        />
        <LearnerPicker state={state} change={change} view={view} />
      </div>
      <PictureColumn state={state} change={change} view={view} steps={steps} cancel={cancel} />
      <PictureText view={view} steps={steps} />
      <Findings view={view} steps={steps} />
    </div>
  );
}

function ExampleList({ learners }: Pick<TrainingView, "learners">) {
  const titles = new Map(learners.map(({ name, title }) => [name, title]));
  return (
    <details class="examples">
      <summary>Examples: one for each learner</summary>
      <ul>
        {playgroundExamples.map((example) => (
          <li key={example.learner}>
            <a href={exampleHash(example)}>{titles.get(example.learner) ?? example.learner}</a>: {example.see}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Converts generated points into drawn ones, without those outside the square. */
function editable(state: PlaygroundState) {
  const { x, y, classOf } = generatePoints(state);
  const inside = Array.from(classOf.keys()).filter((i) => Math.max(Math.abs(x[i]), Math.abs(y[i])) < SQUARE);
  return inside.map((i) => snapped(x[i], y[i], classOf[i]));
}
