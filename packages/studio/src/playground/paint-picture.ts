import { classMarks, markColour, type PictureColours } from "./class-marks.js";
import { CELLS, type DecisionRegions } from "./decision-regions.js";
import type { ModelPart, PlaneStump } from "./model-structure.js";
import { writeRegionNames } from "./region-names.js";
import type { PlaygroundRows } from "./training-events.js";

export interface PictureContent {
  readonly half: number;
  /** Marks of the model's classes. */
  readonly rows: PlaygroundRows | undefined;
  readonly regions: DecisionRegions | undefined;
  /** Predicted class of each row, as an index of the letters. */
  readonly predicted: Uint8Array | undefined;
  /** Parts of the model whose regions to outline. */
  readonly outlined: readonly ModelPart[];
  /** A node of a hierarchy whose two sides are painted instead of the classes. */
  readonly node: ModelPart | undefined;
  /** Stumps of AdaBoost up to the shown round. */
  readonly stumps: readonly PlaneStump[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

/**
 * Paints the picture on a canvas with this number of pixels per side; `scale` is the number of device pixels per CSS
 * pixel.
 */
export function paintPicture(
  context: CanvasRenderingContext2D,
  side: number,
  scale: number,
  content: PictureContent,
  colours: PictureColours,
): void {
  const { half, regions, node, rows, outlined, cursor } = content;
  context.globalAlpha = 1;
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, side, side);
  const cell = side / CELLS;
  if (node) paintNode(context, cell, scale, node, colours);
  else if (regions) {
    const strength = (at: number) => 0.12 + 0.5 * (regions.clearness[at] / 255);
    paintCells(context, cell, (at) => markColour(classMarks[regions.classes[at]]), strength);
    outline(context, cell, regions.classes, { colour: colours.ink, width: scale });
  }
  for (const { cells } of outlined) {
    outline(context, cell, cells, { colour: colours.paper, width: 5 * scale });
    outline(context, cell, cells, { colour: colours.ink, width: 2.5 * scale, isDashed: true });
  }
  paintStumps(context, side, scale, content, colours);
  if (rows) paintRows(context, side, scale, content, rows, colours);
  paintNames(context, side, scale, content, colours);
  if (cursor) paintCursor(context, side, scale, half, cursor, colours);
}

/** Colours of the two sides of a node, distinct from the class colours. */
const SIDES = ["rgb(120 94 240)", "rgb(255 176 0)"];

/** Paints the two sides of a node; points that do not reach it stay blank. */
function paintNode(
  context: CanvasRenderingContext2D,
  cell: number,
  scale: number,
  { cells }: ModelPart,
  colours: PictureColours,
): void {
  paintCells(
    context,
    cell,
    (at) => SIDES[cells[at] - 1],
    () => 0.45,
  );
  outline(context, cell, cells, { colour: colours.ink, width: scale });
}

/** Writes the names of regions: the two sides of a node, or classes and outlined parts. */
function paintNames(
  context: CanvasRenderingContext2D,
  side: number,
  scale: number,
  { half, regions, node, rows, outlined }: PictureContent,
  colours: PictureColours,
): void {
  const points = Array.from(rows?.x ?? [], (x, i) => place(x, rows?.y[i] ?? 0, half, side));
  const names = node
    ? node.outcomes.map((name, k) => ({ name, cells: selectCells(node.cells, k + 1), size: 15 * scale }))
    : [
        ...[...new Set(regions?.classes)].map((letter) => ({
          name: classMarks[letter].letter,
          cells: selectCells(regions?.classes ?? new Uint8Array(), letter),
          size: 18 * scale,
        })),
        ...(outlined.length > 1 ? outlined : []).map(({ name, cells }) => ({
          name,
          cells: selectCells(cells, 1),
          size: 12 * scale,
        })),
      ];
  writeRegionNames(context, side, names, points, colours);
}

function selectCells(values: Uint8Array, value: number): Uint8Array {
  return values.map((own) => (own === value ? 1 : 0));
}

function paintCells(
  context: CanvasRenderingContext2D,
  size: number,
  colourAt: (cell: number) => string | undefined,
  strengthAt: (cell: number) => number,
): void {
  for (let at = 0; at < CELLS * CELLS; at++) {
    const colour = colourAt(at);
    if (colour === undefined) continue;
    context.globalAlpha = strengthAt(at);
    context.fillStyle = colour;
    const [left, right] = edges(at % CELLS, size);
    const [top, bottom] = edges(Math.floor(at / CELLS), size);
    context.fillRect(left, top, right - left, bottom - top);
  }
  context.globalAlpha = 1;
}

/** Rounds the edges of a cell to whole pixels, so that cells neither overlap nor leave gaps. */
function edges(place: number, size: number): [number, number] {
  return [Math.round(place * size), Math.round((place + 1) * size)];
}

interface LineStyle {
  readonly colour: string;
  readonly width: number;
  readonly isDashed?: boolean;
}

/** Length of a dash and of the gap after it, in cells. */
const DASH = 4;

/** Draws the lines between cells with different values. */
function outline(
  context: CanvasRenderingContext2D,
  size: number,
  values: Uint8Array,
  { colour, width, isDashed = false }: LineStyle,
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineCap = "square";
  context.beginPath();
  for (let at = 0; at < values.length; at++) {
    const column = at % CELLS;
    const row = Math.floor(at / CELLS);
    if (isDashed && (column + row) % DASH >= DASH / 2) continue;
    if (column + 1 < CELLS && values[at] !== values[at + 1]) {
      context.moveTo((column + 1) * size, row * size);
      context.lineTo((column + 1) * size, (row + 1) * size);
    }
    if (row + 1 < CELLS && values[at] !== values[at + CELLS]) {
      context.moveTo(column * size, (row + 1) * size);
      context.lineTo((column + 1) * size, (row + 1) * size);
    }
  }
  context.stroke();
}

/** Draws the stumps: the last one dotted, earlier ones thin, and fainter the less their votes count. */
function paintStumps(
  context: CanvasRenderingContext2D,
  side: number,
  scale: number,
  { half, stumps }: Pick<PictureContent, "half" | "stumps">,
  { ink }: PictureColours,
): void {
  const heaviest = Math.max(...stumps.map(({ weight }) => weight));
  context.strokeStyle = ink;
  for (const [round, { coordinate, at, weight }] of stumps.entries()) {
    const isLast = round === stumps.length - 1;
    const [x, y] = place(at, at, half, side);
    context.globalAlpha = isLast ? 1 : 0.1 + (0.35 * weight) / heaviest;
    context.lineWidth = (isLast ? 2.5 : 1) * scale;
    context.setLineDash(isLast ? [2 * scale, 5 * scale] : []);
    context.beginPath();
    context.moveTo(coordinate === "x" ? x : 0, coordinate === "x" ? 0 : y);
    context.lineTo(coordinate === "x" ? x : side, coordinate === "x" ? side : y);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** Draws rows: training rows filled, held-out rows hollow, misclassified rows with a ring. */
function paintRows(
  context: CanvasRenderingContext2D,
  side: number,
  scale: number,
  { half, predicted }: Pick<PictureContent, "half" | "predicted">,
  rows: PlaygroundRows,
  { ink, paper }: PictureColours,
): void {
  const outlines = classMarks.map(({ outline }) => new Path2D(outline));
  const size = (rows.x.length > 400 ? 3.2 : 4.4) * scale;
  for (let i = 0; i < rows.x.length; i++) {
    const k = rows.classOf[i];
    const isHeldOut = rows.heldOut[i] === 1;
    context.save();
    context.translate(...place(rows.x[i], rows.y[i], half, side));
    context.scale(size, size);
    context.fillStyle = isHeldOut ? paper : markColour(classMarks[k]);
    context.strokeStyle = isHeldOut ? markColour(classMarks[k]) : ink;
    context.lineWidth = isHeldOut ? 0.6 : 0.25;
    context.fill(outlines[k]);
    context.stroke(outlines[k]);
    if (predicted && rows.letters[predicted[i]] !== k) {
      context.strokeStyle = ink;
      context.lineWidth = 0.4;
      context.beginPath();
      context.arc(0, 0, 1.9, 0, 2 * Math.PI);
      context.stroke();
    }
    context.restore();
  }
}

function place(x: number, y: number, half: number, side: number): [number, number] {
  return [((x + half) / (2 * half)) * side, ((half - y) / (2 * half)) * side];
}

function paintCursor(
  context: CanvasRenderingContext2D,
  side: number,
  scale: number,
  half: number,
  cursor: { readonly x: number; readonly y: number },
  { ink, paper }: PictureColours,
): void {
  const [x, y] = place(cursor.x, cursor.y, half, side);
  const arm = 10 * scale;
  for (const [colour, width] of [
    [paper, 5 * scale],
    [ink, 2 * scale],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x - arm, y);
    context.lineTo(x + arm, y);
    context.moveTo(x, y - arm);
    context.lineTo(x, y + arm);
    context.stroke();
  }
}
