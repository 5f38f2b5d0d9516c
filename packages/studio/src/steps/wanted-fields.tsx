import type { TrainPlan } from "../engine/protocol.js";
import { useDraft } from "../options/use-draft.js";
import type { Studio } from "../page/studio.js";

/** Maximum number of classes with cost fields. */
const MOST_CLASSES = 12;

/** Asks for the cost of misclassifying a row of each class. */
export function CostFields({ studio }: { readonly studio: Studio }) {
  const { costs = {} } = studio.plan.value;
  const classes = studio.overview.value?.classes ?? [];
  return (
    <fieldset class="choices">
      <legend>What an error costs</legend>
      {classes.slice(0, MOST_CLASSES).map(({ name }) => (
        <CostField
          key={name}
          name={name}
          cost={Object.hasOwn(costs, name) ? costs[name] : 1}
          onCost={(cost) => studio.planned({ costs: { ...costs, [name]: cost } })}
        />
      ))}
      <p class="hint all-columns">
        If a missed fraud is ten times as bad as a false alarm, write 10 beside fraud. The model then prefers
        the cheaper error.
        {classes.length > MOST_CLASSES && " Errors on the other classes cost 1."}
      </p>
    </fieldset>
  );
}

interface CostFieldProps {
  readonly name: string;
  readonly cost: number;
  readonly onCost: (cost: number) => void;
}

function CostField({ name, cost, onCost }: CostFieldProps) {
  const typed = useDraft(String(cost), (text) => {
    const typedCost = Number(text);
    const isCost = text !== "" && typedCost >= 0 && typedCost <= LARGEST_COST;
    onCost(isCost ? typedCost : 1);
    return true;
  });
  return (
    <label>
      A missed {name}
      <input type="number" min="0" step="any" {...typed} />
    </label>
  );
}

/** Larger costs are typing errors. */
const LARGEST_COST = 1e9;

const WRONG_ANSWERS = [0.01, 0.02, 0.05, 0.1] as const;
const COVERAGES = [0.9, 0.95, 0.99] as const;

/** Asks how to treat uncertain rows, and for the seed. */
export function AnswerFields({ studio }: { readonly studio: Studio }) {
  const { abstain, sets, seed } = studio.plan.value;
  const typedSeed = useDraft(String(seed), (text) => {
    studio.planned({ seed: readSeed(text) });
    return true;
  });
  const changed = [abstain !== undefined, sets !== undefined, seed !== 1].filter(Boolean).length;
  return (
    <details class="reading" open={changed > 0}>
      <summary>Unsure rows, sets and seed{changed > 0 ? ` (${changed} changed)` : ""}</summary>
      <div class="choices">
        <ShareChoice
          label="Where the model is unsure"
          none="it answers anyway"
          share={abstain}
          shares={WRONG_ANSWERS}
          title={(share) => `no answer: at most ${100 * share}% wrong answers`}
          hint="Without an answer, a person can decide. The page shows how many rows get one."
          onShare={(share) => studio.planned({ abstain: share })}
        />
        <ShareChoice
          label="Sets of possible classes"
          none="none"
          share={sets}
          shares={COVERAGES}
          title={(share) => `with the right class for ${100 * share}% of new rows`}
          hint="A clear row gets one class, an unclear one several."
          onShare={(share) => studio.planned({ sets: share })}
        />
        <label>
          Seed
          <input type="number" min="0" step="1" {...typedSeed} />
          <span class="hint">
            The start of all random draws. The same seed gives the same model; with another one you see how
            much of the result is chance.
          </span>
        </label>
      </div>
    </details>
  );
}

interface ShareChoiceProps {
  readonly label: string;
  readonly none: string;
  readonly share: number | undefined;
  readonly shares: readonly number[];
  readonly title: (share: number) => string;
  readonly hint: string;
  readonly onShare: (share: number | undefined) => void;
}

function ShareChoice({ label, none, share, shares, title, hint, onShare }: ShareChoiceProps) {
  return (
    <label>
      {label}
      <select
        value={share === undefined ? "" : String(share)}
        onChange={({ currentTarget: { value } }) => onShare(value === "" ? undefined : Number(value))}
      >
        <option value="">{none}</option>
        {shares.map((each) => (
          <option key={each} value={String(each)}>
            {title(each)}
          </option>
        ))}
      </select>
      <span class="hint">{hint}</span>
    </label>
  );
}

function readSeed(text: string): TrainPlan["seed"] {
  const seed = Math.round(Number(text));
  return Number.isFinite(seed) && seed >= 0 ? seed : 1;
}
