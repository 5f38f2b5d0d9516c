import * as Plot from "@observablehq/plot";
import type { PartialEffect } from "@vouch/core/internal/explain/effects";
import type { TextEffect } from "@vouch/core/internal/explain/word-effects";
import {
  formatCount,
  formatNumber,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import { SignedBarList } from "../../charts/bars.js";
import { type Drawing, SmallChart } from "../../charts/chart.js";
import { colour } from "../../charts/colours.js";
import { Legend } from "../../charts/legend.js";
import { AXIS, classStyle, FRAME, GRID } from "../../charts/marks.js";
import type { ColumnEffects } from "../../facts/columns/column-effects.js";
import { Name } from "../../text/name.js";
import { shortened } from "../../text/text.js";

/** Half the width of a 95% confidence interval, in standard errors. */
const INTERVAL = 1.96;

const MOST_LEVELS = 10;
const HEIGHT = 210;
const ROW_HEIGHT = 22;
/** Maximum length of a category, and the approximate width of a character in pixels. */
const MOST_LETTERS = 22;
const LETTER = 6.2;
/** Numbers below this have too many zeros to be written in full. */
const TINY = 1e-3;
const SYMBOLS = ["circle", "square", "triangle", "diamond2"] as const;

/** A point of one class. */
interface ClassPoint {
  readonly value: number | string;
  readonly score: number;
  readonly lower: number;
  readonly upper: number;
}

function effectPoints({ points }: PartialEffect, k: number, scoring: ColumnEffects["scoring"]): ClassPoint[] {
  const [least, most] = scoring === "probability" ? [0, 1] : [-Infinity, Infinity];
  return points.map(({ value, scores, se }) => ({
    value: typeof value === "string" ? shortened(value, MOST_LETTERS) : value,
    score: scores[k],
    lower: Math.max(least, scores[k] - INTERVAL * se[k]),
    upper: Math.min(most, scores[k] + INTERVAL * se[k]),
  }));
}

/** Finds a common range for all panels, so that a flat curve looks flat. */
function effectRange({ effects, shown, scoring }: ColumnEffects): [number, number] {
  const ends = effects
    .flatMap((effect) => shown.flatMap((k) => effectPoints(effect, k, scoring)))
    .flatMap(({ lower, upper }) => [lower, upper]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = 0.06 * (high - low) || 0.05;
  if (scoring === "decision") return [low - room, high + room];
  return [Math.max(0, low - room), Math.min(1, high + room)];
}

function curve(effect: PartialEffect, given: ColumnEffects, y: [number, number]): Drawing {
  const tickFormat = given.scoring === "probability" ? formatRoundPercent : formatNumber;
  const series = given.shown.map((k, index) => ({
    style: classStyle(index),
    points: effectPoints(effect, k, given.scoring),
  }));
  return {
    ariaLabel: altText(effect, given),
    ...FRAME,
    marginTop: 8,
    height: HEIGHT,
    y: { domain: y },
    marks: [
      Plot.gridY(GRID),
      Plot.axisX({ ...AXIS, ...numberTicks(effect), label: null }),
      Plot.axisY({ ...AXIS, ticks: 4, tickFormat, label: null }),
      ...series.flatMap(({ style, points }) => [
        Plot.areaY(points, { x: "value", y1: "lower", y2: "upper", fill: style.stroke, fillOpacity: 0.15 }),
        Plot.line(points, { x: "value", y: "score", ...style }),
      ]),
      Plot.ruleX(effect.points, {
        x: "value",
        y1: y[0],
        y2: y[0] + 0.03 * (y[1] - y[0]),
        stroke: colour("muted"),
      }),
    ],
  };
}

function dots(effect: PartialEffect, given: ColumnEffects, x: [number, number]): Drawing {
  const tickFormat = given.scoring === "probability" ? formatRoundPercent : formatNumber;
  const few = { ...effect, points: effect.points.slice(0, MOST_LEVELS) };
  const series = given.shown.map((k, index) => ({
    index,
    style: classStyle(index),
    points: effectPoints(few, k, given.scoring),
  }));
  return {
    ariaLabel: altText(effect, given),
    ...FRAME,
    marginTop: 8,
    marginLeft: 24 + LETTER * longestEffect(few),
    height: FRAME.marginBottom + 16 + ROW_HEIGHT * few.points.length,
    x: { domain: x },
    y: { domain: [...new Set(series[0]?.points.map(({ value }) => value))] },
    marks: [
      Plot.gridX(GRID),
      Plot.axisX({ ...AXIS, ticks: longestEffect(few) > MOST_LETTERS / 2 ? 2 : 4, tickFormat, label: null }),
      Plot.axisY({ ...AXIS, label: null }),
      ...series.flatMap(({ index, style, points }) => [
        Plot.ruleY(points, { y: "value", x1: "lower", x2: "upper", stroke: style.stroke, strokeWidth: 1.5 }),
        Plot.dot(points, {
          y: "value",
          x: "score",
          r: 4.5,
          symbol: SYMBOLS[index % SYMBOLS.length],
          fill: style.stroke,
        }),
      ]),
    ],
  };
}

/** Maximum length of a number that fits next to three others below a curve. */
const FEW_LETTERS = 6;

/** Chooses axis ticks for numbers: fewer ticks for long numbers, powers of ten for tiny ones. */
function numberTicks({ points }: PartialEffect): {
  readonly ticks: number;
  readonly tickFormat?: (value: number) => string;
} {
  const largest = Math.max(...points.map(({ value }) => Math.abs(Number(value))));
  if (largest < TINY) return { ticks: 2, tickFormat: formatNumber };
  return { ticks: formatNumber(Math.round(largest)).length > FEW_LETTERS ? 2 : 4 };
}

function longestEffect({ points }: PartialEffect): number {
  return Math.max(...points.map(({ value }) => Math.min(MOST_LETTERS, String(value).length)));
}

function altText({ column, points }: PartialEffect, { classes, shown, scoring }: ColumnEffects): string {
  const shownAs = scoring === "probability" ? formatRoundPercent : (value: number) => value.toFixed(2);
  const readings = shown.map(
    (k) =>
      `${classes[k]}: ${points.map(({ value, scores }) => `${typeof value === "number" ? formatNumber(value) : value} ${shownAs(scores[k])}`).join(", ")}`,
  );
  return `Effect of ${column}. ${readings.join(". ")}.`;
}

/** Draws a small figure for each of the most important columns; renders nothing if there are none. */
export function EffectFigure({ effects: given }: { readonly effects: ColumnEffects }) {
  const effects = given.effects.filter(({ points }) => points.length > 1);
  const texts = given.texts.filter(({ words }) => words.length > 0);
  if (effects.length + texts.length === 0 || given.shown.length === 0) return null;
  const range = effectRange({ ...given, effects });
  const { classes, shown, scoring } = given;
  const quantity = scoring === "probability" ? "probability" : "score";
  const of =
    shown.length === 1
      ? `“${shortened(classes[shown[0]], 40)}”`
      : shown.length < classes.length
        ? `the ${shown.length} most frequent classes`
        : "each class";
  const lines = shown.map((k, index) => ({ style: classStyle(index), name: shortened(classes[k], 30) }));
  return (
    <>
      {effects.length > 0 && (
        <>
          <p>
            Mean {quantity} of {of} if all rows had the same value in one column, with 95% confidence
            intervals.
          </p>
          {shown.length > 1 && <Legend series={lines} />}
          <div class="pair effects">
            {effects.map((effect) => (
              <Effect key={effect.column} effect={effect} given={given} range={range} />
            ))}
          </div>
        </>
      )}
      {texts.map((effect) => (
        <WordFigure key={effect.column} effect={effect} given={given} />
      ))}
      <p class="note">
        The curves show how the model acts, not what would happen if you changed a value: columns that go
        together are moved one at a time.
      </p>
    </>
  );
}

interface EffectProps {
  readonly effect: PartialEffect;
  readonly given: ColumnEffects;
  readonly range: [number, number];
}

function Effect({ effect, given, range }: EffectProps) {
  const hidden = effect.kind === "categorical" ? effect.points.length - MOST_LEVELS : 0;
  return (
    <SmallChart
      heading={effect.column}
      draw={() => (effect.kind === "numeric" ? curve(effect, given, range) : dots(effect, given, range))}
      caption={
        hidden > 0 ? `The ${MOST_LEVELS} most frequent of at least ${effect.points.length} categories.` : ""
      }
    />
  );
}

/** Maximum number of words per column. */
const MOST_WORDS = 12;

interface WordFigureProps {
  readonly effect: TextEffect;
  readonly given: ColumnEffects;
}

/** Draws how the strongest words of a text change the score of the rows that contain them. */
function WordFigure({ effect: { column, words }, given: { classes, shown, scoring } }: WordFigureProps) {
  const strongest = words
    .flatMap(({ word, rows, differences, se }) =>
      shown.map((k) => ({ word, rows, k, difference: differences[k], se: se[k] })),
    )
    .filter(({ difference, se }) => Math.abs(difference) > INTERVAL * se)
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
    .slice(0, MOST_WORDS);
  const quantity = scoring === "probability" ? "probability, in percentage points," : "score";
  const bars = strongest.map(({ word, rows, k, difference }) => ({
    name: `“${word}”${shown.length > 1 ? ` for “${shortened(classes[k], 30)}”` : ""} (${formatCount(rows, "row")})`,
    shown: signed(difference, scoring),
    value: difference,
  }));
  return (
    <figure class="word-effects">
      <h3>
        Words of <Name text={column} />
      </h3>
      {bars.length === 0 ? (
        <p>No single word changes the {scoring === "probability" ? "probability" : "score"} clearly.</p>
      ) : (
        <>
          <p class="note">
            How much a word changes the {quantity}{" "}
            {shown.length === 1 && `of “${shortened(classes[shown[0]], 40)}” `}in the rows that contain it.
          </p>
          <SignedBarList label={`Effects of the words of ${column}`} bars={bars} />
        </>
      )}
    </figure>
  );
}

/** Formats a difference with its sign, in percentage points for probabilities. */
function signed(difference: number, scoring: ColumnEffects["scoring"]): string {
  const size = Math.abs(difference);
  return `${difference < 0 ? "−" : "+"}${scoring === "probability" ? (100 * size).toFixed(1) : size.toFixed(2)}`;
}
