import { formatDuration, formatNumber, formatPercent } from "vouch/predict";
import type { RaceStanding } from "vouch/train";

/** Learners that are shown; the others are counted. */
const MOST_SHOWN = 15;

/** Quantile of the normal distribution for intervals of 95 %. */
const Z = 1.96;

/** Shows the learners of a race, the best first, with intervals of their errors. */
export function RaceBoard({ standing }: { readonly standing: readonly RaceStanding[] }) {
  const tried = standing.filter(({ errors }) => errors.length > 0);
  if (tried.length === 0) return null;
  const shown = tried.slice(0, MOST_SHOWN);
  const scale = Math.max(...shown.map((one) => intervalOf(one).high), 1e-6);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Leader board">
      <table class="board">
        <caption>
          {formatNumber(tried.length)} of {formatNumber(standing.length)} candidates tried
        </caption>
        <thead>
          <tr>
            <th scope="col">Learner</th>
            <th scope="col" class="number">
              Error
            </th>
            <th scope="col">95 % interval</th>
            <th scope="col" class="number">
              Rows
            </th>
            <th scope="col" class="number">
              Time
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one, i) => (
            <BoardRow key={one.name} one={one} isFirst={i === 0} scale={scale} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BoardRow({ one, isFirst, scale }: { readonly one: RaceStanding; readonly isFirst: boolean; readonly scale: number }) {
  const { mean, low, high } = intervalOf(one);
  const percent = (value: number) => `${(100 * value) / scale}%`;
  return (
    <tr class={one.fate ? "out" : "in"}>
      <th scope="row">{one.name}</th>
      <td class="number">{formatPercent(mean)}</td>
      <td>
        <span class="interval" role="img" aria-label={`${formatPercent(low)} to ${formatPercent(high)}`}>
          <i style={{ left: percent(low), width: percent(high - low) }} />
          <b style={{ left: percent(mean) }} />
        </span>
      </td>
      <td class="number">{formatNumber(one.rows)}</td>
      <td class="number">{one.seconds === undefined ? "–" : formatDuration(one.seconds)}</td>
      <td>{one.fate ?? (isFirst ? "leading" : "racing")}</td>
    </tr>
  );
}

function intervalOf({ errors, tested }: RaceStanding): { mean: number; low: number; high: number } {
  const mean = errors.reduce((sum, error) => sum + error, 0) / Math.max(1, errors.length);
  const half = Z * Math.sqrt(Math.max(mean * (1 - mean), 0.25 / Math.max(1, tested)) / Math.max(1, tested));
  return { mean, low: Math.max(0, mean - half), high: Math.min(1, mean + half) };
}
