import type { DescribedLayer, LayerSection } from "@vouch/core/internal/learners/description";
import { formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { useCallback, useMemo } from "preact/hooks";
import { Chart, type ChartWidth } from "../../charts/chart.js";
import { Legend } from "../../charts/legend.js";
import { layerStyle } from "../../charts/marks.js";
import { NumberedTable } from "../../page/tables.js";
import { capitalised } from "../../text/text.js";
import { cumulativeDrawing, cumulativeMargins } from "./margin-figure.js";

/** Draws a deep forest layer by layer, with the margin distribution after each layer; null without layers. */
export function LayerFigure({ section: { layers } }: { readonly section: LayerSection }) {
  const curves = useMemo(
    () =>
      layers.map(({ name, margins }, index) => ({
        name,
        style: layerStyle(index, layers.length),
        points: cumulativeMargins(margins.quantiles),
      })),
    [layers],
  );
  const ends = layers.length === 1 ? layers : [layers[0], layers[layers.length - 1]];
  const readings = layers.length === 0 ? "" : `${ends.map(reading).join("; ")}.`;
  const draw = useCallback(
    (width: ChartWidth) =>
      cumulativeDrawing(
        curves,
        `Cumulative distribution of the margins, one curve per layer. ${readings}`,
        width,
      ),
    [curves, readings],
  );
  if (layers.length === 0) return null;
  return (
    <>
      <LayerStack layers={layers} />
      <p>
        Out-of-fold margins of the training rows after each layer: computed by forests that did not see the
        row. A layer helps if its curve lies to the right of those before it. λ is the standard deviation of
        the margins over their mean: the smaller, the better.
      </p>
      <Chart draw={draw} legend={layers.length > 1 && <Legend series={curves} />} />
      <NumberedTable
        label="layers"
        headings={["Layer", "Weight α", "Out-of-fold accuracy", "Mean margin", "λ"]}
        rows={layers.map(layerRow)}
      />
    </>
  );
}

/** Shows the forests of each layer, and how many rows the layer gets right. */
function LayerStack({ layers }: { readonly layers: readonly DescribedLayer[] }) {
  return (
    <ol class="layers" aria-label="Layers, from the features to the prediction">
      {layers.map(({ name, members, alpha, outOfFoldAccuracy }) => (
        <li key={name}>
          <b>{capitalised(name)}</b>
          <span class="members">
            {counted(members).map(({ member, times }) => (
              <span key={member}>{times > 1 ? `${times} × ${member}` : member}</span>
            ))}
          </span>
          <span>{formatPercent(outOfFoldAccuracy)} right</span>
          <i aria-hidden="true">
            <u style={`--length:${Number((100 * outOfFoldAccuracy).toFixed(1))}%`} />
          </i>
          <span class="note">{alpha > 0 ? `weight ${formatNumber(alpha)}` : "makes features"}</span>
        </li>
      ))}
    </ol>
  );
}

function counted(members: readonly string[]): { readonly member: string; readonly times: number }[] {
  return [...new Set(members)].map((member) => ({
    member,
    times: members.filter((one) => one === member).length,
  }));
}

function reading({ name, margins }: DescribedLayer): string {
  return `${name}: mean ${formatNumber(margins.mean)}, λ ${formatNumber(margins.ratio)}`;
}

function layerRow({ name, alpha, outOfFoldAccuracy, margins }: DescribedLayer) {
  return [
    name,
    { shown: formatNumber(alpha) },
    { shown: formatPercent(outOfFoldAccuracy) },
    { shown: formatNumber(margins.mean) },
    { shown: formatNumber(margins.ratio) },
  ];
}
