import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PictureColours } from "./class-marks.js";
import { classMarks } from "./class-marks.js";
import { MAP_CELLS, type NetworkSketch, type SketchLayer } from "./network-sketch.js";
import { pageColours, useDarkness } from "./page-colours.js";

const LARGEST_MAP = 44;
const GAP = 8;
/** Height of the line that counts hidden units below a column. */
const COUNT_HEIGHT = 20;
/** Weights below this share of the largest weight of their layer are not drawn. */
const FAINT = 0.04;

const [{ colour: NEGATIVE }, { colour: POSITIVE }] = classMarks;

/** Draws a network: a map of the plane for each unit, and lines for its weights. */
export function NetworkPicture({ sketch }: { readonly sketch: NetworkSketch }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const isDark = useDarkness();
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const resized = new ResizeObserver(() => setWidth(element.clientWidth));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  const side = mapSide(sketch, width);
  const height = Math.max(...sketch.layers.map(({ maps }) => maps.length)) * (side + GAP) + COUNT_HEIGHT;
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || width === 0) return;
    element.width = Math.round(width * devicePixelRatio);
    element.height = Math.round(height * devicePixelRatio);
    context.scale(devicePixelRatio, devicePixelRatio);
    paintNetwork(context, sketch, { width, height, side }, pageColours(element));
  }, [sketch, width, height, side, isDark]);
  return (
    <figure class="network">
      <canvas
        ref={canvas}
        style={{ height: `${height}px` }}
        role="img"
        aria-label={describeNetwork(sketch)}
      />
      <figcaption>
        The network: inputs, hidden units ({sketch.activation}) and outputs, each with its value over the
        plane. Orange is positive, blue negative; a line is a weight.
      </figcaption>
    </figure>
  );
}

function describeNetwork({ activation, layers }: NetworkSketch): string {
  const hidden = layers.slice(1, -1);
  const words = hidden.map(
    (layer) =>
      `${formatCount(layer.units, `${activation} unit`)}${moreText(layer) && ` (${layer.maps.length} shown)`}`,
  );
  const inside = words.length > 0 ? `hidden layers of ${words.join(" and ")}` : "no hidden layer";
  return `The network: inputs x and y, ${inside}, ${formatCount(layers[layers.length - 1].units, "output")}.`;
}

function moreText({ units, maps }: SketchLayer): string {
  return units > maps.length ? `and ${units - maps.length} more` : "";
}

/** Returns the side of a map: columns take half the width, lines the other half. */
function mapSide({ layers }: NetworkSketch, width: number): number {
  return Math.max(6, Math.min(LARGEST_MAP, width / (2 * layers.length)));
}

interface PictureSize {
  readonly width: number;
  readonly height: number;
  readonly side: number;
}

function paintNetwork(
  context: CanvasRenderingContext2D,
  { layers }: NetworkSketch,
  { width, height, side }: PictureSize,
  { ink, paper }: PictureColours,
): void {
  // Margin for the counts below the maps.
  const margin = 16;
  const left = (l: number) => margin + (l * (width - side - 2 * margin)) / Math.max(1, layers.length - 1);
  const top = (layer: SketchLayer, unit: number) =>
    (height - COUNT_HEIGHT - layer.maps.length * (side + GAP) + GAP) / 2 + unit * (side + GAP);
  layers.forEach((layer, l) => {
    const largest = Math.max(...layer.weights.flatMap((own) => Array.from(own, Math.abs)), Number.MIN_VALUE);
    layer.weights.forEach((own, unit) => {
      own.forEach((weight, input) => {
        const share = Math.abs(weight) / largest;
        if (share < FAINT) return;
        context.strokeStyle = `rgb(${(weight > 0 ? POSITIVE : NEGATIVE).join(" ")} / ${0.15 + 0.75 * share})`;
        context.lineWidth = 0.4 + 2.6 * share;
        context.beginPath();
        context.moveTo(left(l - 1) + side, top(layers[l - 1], input) + side / 2);
        context.lineTo(left(l), top(layer, unit) + side / 2);
        context.stroke();
      });
    });
  });
  layers.forEach((layer, l) => {
    for (const [unit, map] of layer.maps.entries()) {
      context.fillStyle = paper;
      context.fillRect(left(l), top(layer, unit), side, side);
      paintMap(context, map, left(l), top(layer, unit), side);
    }
    context.fillStyle = ink;
    context.font = "11px sans-serif";
    context.textAlign = "center";
    context.fillText(moreText(layer), left(l) + side / 2, top(layer, layer.maps.length) + 8);
  });
}

function paintMap(
  context: CanvasRenderingContext2D,
  map: Uint8Array,
  left: number,
  top: number,
  side: number,
): void {
  // Cells end on whole device pixels to avoid visible seams.
  const scale = devicePixelRatio;
  const edge = (start: number, cells: number) =>
    Math.round((start + (cells * side) / MAP_CELLS) * scale) / scale;
  map.forEach((value, place) => {
    const share = (value - 127) / 127;
    const [column, row] = [place % MAP_CELLS, Math.floor(place / MAP_CELLS)];
    const [x, y] = [edge(left, column), edge(top, row)];
    context.fillStyle = `rgb(${(share > 0 ? POSITIVE : NEGATIVE).join(" ")} / ${Math.abs(share)})`;
    context.fillRect(x, y, edge(left, column + 1) - x, edge(top, row + 1) - y);
  });
  context.strokeStyle = "gray";
  context.lineWidth = 1;
  context.strokeRect(left, top, side, side);
}
