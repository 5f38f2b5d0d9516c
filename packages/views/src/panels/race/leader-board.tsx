import { formatBytes, formatCount, formatDuration } from "@vouch/core/internal/runtime/text/number-format";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { metricScale } from "../../facts/evaluation/metric-scale.js";
import {
  isOut,
  type Leader,
  type LeaderKind,
  type LeaderScore,
  leaderKinds,
  type ScoredLeader,
} from "../../facts/race/leader.js";
import { Term } from "../../text/term.js";
import { capitalised, classNames, shortened } from "../../text/text.js";
import { statusNames } from "./candidate-status.js";

/** Maximum length of a name; the tooltip shows the full name. */
const MOST_LETTERS = 60;

export interface LearnerTitle {
  readonly title: string;
  /** One sentence about the learner. */
  readonly summary: string;
}

interface LeaderBoardProps {
  readonly leaders: readonly Leader[];
  /** Titles of learners by name; without a title, the name is shown. */
  readonly titles?: Readonly<Record<string, LearnerTitle>>;
  /** Metric of a constant answer, drawn as a line. */
  readonly baseline?: number;
  /** Name of the winner. */
  readonly chosen?: string | undefined;
  /** Whether the race was cancelled. */
  readonly isCancelled?: boolean;
}

type RaceState = "running" | "finished" | "cancelled";

/** Shows a race as it runs: one row per kind of learner with its best error, an interval, time, size and status. */
export function LeaderBoard({ leaders, titles = {}, baseline, chosen, isCancelled }: LeaderBoardProps) {
  const body = useSlidingRows();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const state = chosen !== undefined ? "finished" : isCancelled ? "cancelled" : "running";
  const all = leaderKinds(leaders, chosen);
  // After the race, nothing happens to candidates that still wait.
  const kinds = state === "running" ? all : all.filter(isTried);
  if (kinds.length === 0) return null;
  const metric = leaders.find((one) => one.metric)?.metric?.name ?? "error";
  const { title: metricTitle, shown: written } = metricScale(metric);
  const title = capitalised(metricTitle);
  const scale = boardScale(
    kinds.flatMap(({ score }) => score ?? []),
    baseline,
  );
  const hasSize = leaders.some(({ bytes }) => bytes !== undefined);
  const shared = { scale, shown: written, hasSize };
  const winner = kinds.find(({ leader }) => leader.name === chosen);
  const first = winner ?? kinds[0];
  const statusOf = (one: ScoredLeader) => describeStatus(one, one === first, state);
  const toggle = (learner: string) => {
    const next = new Set(open);
    if (!next.delete(learner)) next.add(learner);
    setOpen(next);
  };
  return (
    <div class="leader-board">
      <p class="unseen" aria-live="polite">
        {announcement(titles[first.learner]?.title ?? first.leader.name, first.score, title, state)}
      </p>
      <table class="leaders">
        <caption class="unseen">Learners, best first</caption>
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
          {kinds.flatMap((kind) => [
            <KindRow
              key={kind.learner}
              kind={kind}
              about={titles[kind.learner]}
              isOpen={open.has(kind.learner)}
              onToggle={() => toggle(kind.learner)}
              isFirst={kind === first}
              status={statusOf(kind)}
              {...shared}
            />,
            ...(open.has(kind.learner) ? shownVariants(kind, state) : []).map((variant) => (
              <VariantRow
                key={variant.leader.name}
                learner={kind.learner}
                variant={variant}
                status={statusOf(variant)}
                {...shared}
              />
            )),
          ])}
        </tbody>
      </table>
      <p class="note">
        {all.length > kinds.length && `${formatCount(all.length - kinds.length, "learner")} not tried. `}
        {winner && winner !== kinds[0] && CHOSEN_NOT_FIRST}
        Each row shows the best variant. Bars are <Term of="interval">intervals</Term> of about 95% for each
        learner by itself, from {written(scale.low)} at the left to {written(scale.high)}
        {scale.baseline === undefined ? "." : "; the dotted line is the best constant answer."}
        {kinds.some(({ score }) => score && score.value > scale.high) && " An arrow marks a larger value."}
        {kinds.some((kind) => leftEarly(kind, first)) &&
          " Grey learners left the race early; their values come from fewer tests."}{" "}
        The best of many looks better than it is: the verdict comes from other rows.
      </p>
    </div>
  );
}

const CHOSEN_NOT_FIRST =
  "The chosen learner is not the first one: the difference could be chance, and the race then prefers better probabilities or the simpler model. ";

/** Whether a learner dropped out before it was tested as often as the first one: the values cannot be compared. */
function leftEarly({ leader, score }: LeaderKind, { leader: first }: LeaderKind): boolean {
  return score !== undefined && isOut(leader) && leader.tested < first.tested;
}

function isTried({ leader, score, variants }: LeaderKind): boolean {
  return score !== undefined || hasFate(leader) || variants.some((one) => one.score !== undefined);
}

function shownVariants({ variants }: LeaderKind, state: RaceState): readonly ScoredLeader[] {
  return state === "running" ? variants : variants.filter(({ leader, score }) => score || hasFate(leader));
}

/** Scale of a bar, which converts values into per cent of its width. */
interface BoardScale {
  /** Values at the ends of the bar. */
  readonly low: number;
  readonly high: number;
  readonly place: (value: number) => number;
  readonly baseline?: number;
}

/** The leader's whole interval is shown; much worse values are cut off. */
const MOST_TIMES = 4;

function boardScale(scores: readonly LeaderScore[], baseline: number | undefined): BoardScale {
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

interface SharedProps {
  readonly scale: BoardScale;
  readonly shown: (value: number) => string;
  readonly hasSize: boolean;
  readonly status: string;
}

interface KindRowProps extends SharedProps {
  readonly kind: LeaderKind;
  readonly about: LearnerTitle | undefined;
  readonly isFirst: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function KindRow({ kind, about, isFirst, isOpen, onToggle, ...shared }: KindRowProps) {
  const { learner, leader, variants } = kind;
  const title = about?.title ?? shortened(leader.name, MOST_LETTERS).replace(/ …$/, "\u00a0…");
  return (
    <tr data-name={learner} class={classNames(isFirst && "first", isOut(leader) && "out")}>
      <th scope="row" title={leader.name}>
        {title}
        {about && <span class="summary">{about.summary}</span>}
        {variants.length > 0 && (
          <button type="button" class="link variants" aria-expanded={isOpen} onClick={onToggle}>
            {isOpen ? "Hide the variants" : formatCount(variants.length, "more variant")}
            <span class="unseen"> of {title}</span>
          </button>
        )}
      </th>
      <ScoreCells one={kind} {...shared} />
    </tr>
  );
}

interface VariantRowProps extends SharedProps {
  readonly learner: string;
  readonly variant: ScoredLeader;
}

function VariantRow({ learner, variant, ...shared }: VariantRowProps) {
  const { name } = variant.leader;
  const options = name.startsWith(`${learner} `) ? name.slice(learner.length + 1) : "defaults";
  return (
    <tr data-name={name} class={classNames("variant", isOut(variant.leader) && "out")}>
      <th scope="row" title={name}>
        {options}
      </th>
      <ScoreCells one={variant} {...shared} />
    </tr>
  );
}

function ScoreCells({ one, scale, shown, hasSize, status }: SharedProps & { readonly one: ScoredLeader }) {
  const { leader, score } = one;
  const { seconds, bytes } = leader;
  return (
    <>
      <td class="number">{score?.shown ?? "–"}</td>
      <td class="interval">{score && <IntervalBar score={score} scale={scale} shown={shown} />}</td>
      <td class="number time">{seconds === undefined ? "–" : formatDuration(seconds)}</td>
      {hasSize && <td class="number size">{bytes === undefined ? "–" : formatBytes(bytes)}</td>}
      <td class="outcome">{status}</td>
    </>
  );
}

interface IntervalBarProps extends Pick<SharedProps, "scale" | "shown"> {
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
        <b class={value > scale.high ? "beyond" : undefined} style={`--at:${scale.place(value)}%`} />
      </i>
    </>
  );
}

function describeStatus({ leader, score }: ScoredLeader, isFirst: boolean, state: RaceState): string {
  if (isFirst && score) return FIRST_WORDS[state];
  if (leader.fate !== undefined) return statusNames[leader.fate];
  if (!score) return "waiting";
  return state === "running" ? "racing" : state === "finished" ? statusNames.finished : "stopped";
}

/** Status of the first candidate. */
const FIRST_WORDS = { running: "leading", finished: "chosen", cancelled: "best so far" } as const;

function hasFate({ fate }: Leader): boolean {
  return fate !== undefined && fate !== "not tried";
}

function announcement(name: string, score: LeaderScore | undefined, title: string, state: RaceState): string {
  if (!score) return "";
  return `${capitalised(FIRST_WORDS[state])}: ${name}, ${title.toLowerCase()} ${score.shown}.`;
}

/** Animates rows to their new places when the order changes, unless the reader prefers reduced motion. */
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
