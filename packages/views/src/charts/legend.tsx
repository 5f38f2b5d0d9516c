import type { LineStyle } from "./line-styles.js";

/** A line style and its meaning. */
interface LegendItem {
  readonly style: LineStyle;
  readonly name: string;
}

/** Explains the lines above a chart, where it covers none of them. */
export function Legend({ series }: { readonly series: readonly LegendItem[] }) {
  return (
    <ul class="legend">
      {series.map(({ style: { stroke, strokeWidth, strokeDasharray }, name }) => (
        <li key={name}>
          <svg width="32" height="8" aria-hidden="true">
            <line
              x1="0"
              x2="32"
              y1="4"
              y2="4"
              stroke={stroke}
              stroke-width={strokeWidth}
              stroke-dasharray={strokeDasharray}
            />
          </svg>{" "}
          {name}
        </li>
      ))}
    </ul>
  );
}
