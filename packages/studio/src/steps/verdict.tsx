import { formatNumber } from "vouch/predict";
import type { ModelOverview } from "../engine/protocol.js";

const MARKS = { yes: "✓", no: "✗", unclear: "?" } as const;

/** Says what the model is worth: the verdict, its certificate, warnings and the confusion matrix. */
export function Verdict({ overview }: { readonly overview: ModelOverview }) {
  const { verdict, certificate, confusion } = overview;
  return (
    <>
      {verdict && (
        <div class={`verdict ${verdict.better}`}>
          <p class="headline">
            <span class="mark" aria-hidden="true">
              {MARKS[verdict.better]}
            </span>
            <span>{verdict.words[0]}</span>
          </p>
          {verdict.words.slice(1).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {certificate !== undefined && <p class="proven">{certificate}</p>}
          {verdict.warnings.length > 0 && (
            <ul class="warnings" aria-label="Warnings">
              {verdict.warnings.map(({ message, grave }) => (
                <li key={message} class={grave ? "grave" : ""}>
                  <span aria-hidden="true">!</span>
                  <span>{message}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {confusion && <ConfusionCounts {...confusion} />}
    </>
  );
}

/** With more classes a table of counts tells nothing. */
const MOST_CLASSES = 12;

function ConfusionCounts({ classes, matrix }: NonNullable<ModelOverview["confusion"]>) {
  if (classes.length > MOST_CLASSES) return null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Confusion matrix">
      <table class="confusion">
        <caption>Held-out rows: true class by predicted class</caption>
        <thead>
          <tr>
            <td />
            {classes.map((name) => (
              <th key={name} scope="col" class="number">
                predicted {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {classes.map((name, row) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {classes.map((column, k) => (
                <td key={column} class={row === k ? "number right" : "number"}>
                  {formatNumber(matrix[row][k])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
