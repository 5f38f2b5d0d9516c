import { useLayoutEffect, useRef } from "preact/hooks";
import { formatBytes } from "vouch/presentation";
import { formatCount, formatDuration } from "vouch/train";
import { type Leader, type LeaderScore, leaderScore } from "../facts/leader.js";
import { metricScale } from "../facts/metric-scale.js";
import { capitalised, classNames, shortened } from "../text.js";
import { fateWords } from "./candidate-fates.js";

/** Candidates that are listed; the others are counted. */
const MOST_ROWS = 15;

/** Letters of a name; the tooltip has all. */
const MOST_LETTERS = 60;

interface LeaderBoardProps {
  /** The candidates in the order of the race: those that lead first, then those that wait, then those that are out. */
  readonly leaders: readonly Leader[];
  /** The metric of a constant answer, drawn as a line. */
  readonly baseline?: number;
  /** How the race ended: the first one was chosen, or none. Absent while it runs. */
  readonly end?: RaceEnd;
}

/** How a race ends. */
export type RaceEnd = "finished" | "cancelled";

/** Shows a race as it runs: each candidate with its error, an interval, time, size and what became of it. */
export function LeaderBoard({ leaders, baseline, end }: LeaderBoardProps) {
  const body = useSlidingRows();
  if (leaders.length === 0) return null;
  const all = leaders.map((leader) => ({ leader, score: leaderScore(leader) }));
  // Nothing will become of those that still wait.
  const rows = end ? all.filter(({ leader, score }) => score || hasFate(leader)) : all;
  if (rows.length === 0) return null;
  const shown = rows.slice(0, MOST_ROWS);
  const metric = leaders.find((one) => one.metric)?.metric?.name ?? "error";
  const title = capitalised(metricScale(metric).title);
  const scale = scaleOf(
    shown.flatMap(({ score }) => score ?? []),
    baseline,
  );
  const { shown: written } = metricScale(metric);
  const hasSize = leaders.some(({ bytes }) => bytes !== undefined);
  return (
    <div class="leader-board">
      <p class="unseen" aria-live="polite">
        {announcement(rows[0].leader, rows[0].score, title, end)}
      </p>
      <table class="leaders">
        <caption class="unseen">Candidates, best first</caption>
        <thead>
          <tr>
            <th scope="col">Learner</th>
            <th scope="col" class="number">
              {title}
            </th>
            <th scope="col" class="interval">
              <span class="unseen">Interval</span>
              <span class="ends" aria-hidden="true">
                <span>{written(scale.low)}</span>
                <span>{written(scale.high)}</span>
              </span>
            </th>
            <th scope="col" class="number time">
              Fit
            </th>
            {hasSize && (
              <th scope="col" class="number size">
                Size
              </th>
            )}
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {shown.map(({ leader, score }, place) => (
            <LeaderRow
              key={leader.name}
              leader={leader}
              score={score}
              scale={scale}
              shown={written}
              hasSize={hasSize}
              status={statusOf(leader, score, place === 0, end)}
            />
          ))}
        </tbody>
      </table>
      <p class="note">
        {rows.length > shown.length && `${formatCount(rows.length - shown.length, "more candidate")}. `}
        {all.length > rows.length && `${formatCount(all.length - rows.length, "candidate")} not tried. `}
        Bars are intervals of about 95 % for each learner by itself, from {written(scale.low)} at the left to{" "}
        {written(scale.high)}
        {scale.baseline === undefined ? "." : "; the dotted line is the best constant answer."} The best of
        many looks better than it is: the verdict comes from other rows.
      </p>
    </div>
  );
}

/** Returns the position of values in percent of the width of a bar. */
interface BoardScale {
  /** The values at the ends of the bar. */
  readonly low: number;
  readonly high: number;
  readonly place: (value: number) => number;
  readonly baseline?: number;
}

/** Shows the leader's whole interval; what is much worse is cut. */
const MOST_TIMES = 4;

function scaleOf(scores: readonly LeaderScore[], baseline: number | undefined): BoardScale {
  const ends = scores.map(({ value, interval = [value, value] }) => interval);
  const low = Math.min(0, ...ends.map(([from]) => from));
  const first = Math.max(0, ends[0]?.[1] ?? 0);
  const room = Math.max(0.01, MOST_TIMES * first);
  const high = Math.max(0.01, ...[...ends.map(([, to]) => to), baseline ?? 0].filter((end) => end <= room));
  const place = (value: number) =>
    Number((100 * Math.min(1, Math.max(0, (value - low) / (high - low)))).toFixed(1));
  return {
    low,
    high,
    place,
    ...(baseline !== undefined && baseline <= high && { baseline: place(baseline) }),
  };
}

interface LeaderRowProps {
  readonly leader: Leader;
  readonly score: LeaderScore | undefined;
  readonly scale: BoardScale;
  readonly shown: (value: number) => string;
  readonly hasSize: boolean;
  readonly status: string;
}

function LeaderRow({ leader, score, scale, shown, hasSize, status }: LeaderRowProps) {
  const { name, seconds, bytes, fate } = leader;
  const isOut = fate !== undefined && fate !== "finished" && fate !== "slow";
  return (
    <tr data-name={name} class={classNames(isOut && "out")}>
      <th scope="row" title={name}>
        {shortened(name, MOST_LETTERS).replace(/ …$/, "\u00a0…")}
      </th>
      <td class="number">{score?.shown ?? "–"}</td>
      <td class="interval">{score && <IntervalBar score={score} scale={scale} shown={shown} />}</td>
      <td class="number time">{seconds === undefined ? "–" : formatDuration(seconds)}</td>
      {hasSize && <td class="number size">{bytes === undefined ? "–" : formatBytes(bytes)}</td>}
      <td>{status}</td>
    </tr>
  );
}

interface IntervalBarProps extends Pick<LeaderRowProps, "scale" | "shown"> {
  readonly score: LeaderScore;
}

function IntervalBar({ score, scale, shown }: IntervalBarProps) {
  const { value, interval } = score;
  const [from, to] = (interval ?? [value, value]).map(scale.place);
  return (
    <>
      {interval && <span class="unseen">{interval.map(shown).join(" to ")}</span>}
      <i aria-hidden="true">
        {scale.baseline !== undefined && <s style={`--at:${scale.baseline}%`} />}
        <u style={`--from:${from}%;--to:${to}%`} />
        <b style={`--at:${scale.place(value)}%`} />
      </i>
    </>
  );
}

function statusOf(
  leader: Leader,
  score: LeaderScore | undefined,
  isFirst: boolean,
  end: RaceEnd | undefined,
): string {
  if (isFirst && score) return FIRST_WORDS[end ?? "running"];
  if (leader.fate !== undefined) return fateWords[leader.fate];
  if (!score) return "waiting";
  return end === undefined ? "racing" : end === "finished" ? fateWords.finished : "stopped";
}

/** The status of the first candidate. */
const FIRST_WORDS = { running: "leading", finished: "chosen", cancelled: "best so far" } as const;

function hasFate({ fate }: Leader): boolean {
  return fate !== undefined && fate !== "not tried";
}

function announcement(
  { name }: Leader,
  score: LeaderScore | undefined,
  title: string,
  end: RaceEnd | undefined,
): string {
  if (!score) return "";
  return `${capitalised(FIRST_WORDS[end ?? "running"])}: ${name}, ${title.toLowerCase()} ${score.shown}.`;
}

/** Lets rows slide to their new places when their order changes, unless the reader prefers no motion. */
function useSlidingRows() {
  const body = useRef<HTMLTableSectionElement>(null);
  const places = useRef(new Map<string, number>());
  useLayoutEffect(() => {
    if (!body.current) return;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const before = places.current;
    const now = new Map<string, number>();
    for (const row of body.current.rows) {
      const name = row.dataset.name ?? "";
      const top = row.offsetTop;
      const moved = (before.get(name) ?? top) - top;
      now.set(name, top);
      if (moved === 0 || isStill) continue;
      row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], {
        duration: 300,
        easing: "ease-out",
      });
    }
    places.current = now;
  });
  return body;
}
