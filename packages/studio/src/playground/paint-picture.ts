import { type ClassMark, classMarks, markColour } from "./class-marks.js";
import { CELLS, type DecisionRegions } from "./decision-regions.js";
import type { ModelPart } from "./model-structure.js";
import type { PlaygroundRows } from "./training-events.js";

/** What the picture shows. */
export interface PictureContent {
  readonly half: number;
  /** The marks of the classes of the model. */
  readonly rows: PlaygroundRows | undefined;
  readonly regions: DecisionRegions | undefined;
  /** 1 for each misclassified row. */
  readonly wrong: Uint8Array | undefined;
  /** Parts of the model whose regions are outlined. */
  readonly outlined: readonly ModelPart[];
  /** A node of a hierarchy: its two sides are painted instead of the classes. */
  readonly node: ModelPart | undefined;
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

/** Colours of the page, which differ in light and dark mode. */
export interface PictureColours {
  readonly paper: string;
  readonly ink: string;
}

/** Paints the picture on a canvas of this many pixels a side; `scale` is the number of pixels in a CSS pixel. */
export function paintPicture(
  context: CanvasRenderingContext2D,
  side: number,
  scale: number,
  content: PictureContent,
  colours: PictureColours,
): void {
  const { half, regions, node, rows, wrong, outlined, cursor } = content;
  context.globalAlpha = 1;
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, side, side);
  const cell = side / CELLS;
  if (node) paintCells(context, cell, (at) => nodeColour(node.outcome[at]), nodeStrength);
  else if (regions && rows) {
    const marks = rows.letters.map((letter) => classMarks[letter]);
    const strength = (at: number) => 0.12 + 0.5 * (regions.clearness[at] / 255);
    paintCells(context, cell, (at) => marks[regions.classes[at]], strength);
    outline(context, cell, regions.classes, { colour: colours.ink, width: scale, dash: [] });
    nameRegions(
      context,
      cell,
      regions.classes,
      marks.map(({ letter }) => letter),
      colours,
      scale,
    );
  }
  for (const part of outlined) {
    outline(context, cell, part.outcome, {
      colour: colours.ink,
      width: 2.5 * scale,
      dash: [7 * scale, 5 * scale],
    });
  }
  if (rows) paintRows(context, side, scale, { half, rows, wrong }, colours);
  if (cursor) paintCursor(context, side, scale, half, cursor, colours);
}

function nodeColour(outcome: number): ClassMark | undefined {
  return outcome === 0 ? undefined : classMarks[outcome - 1];
}

function nodeStrength(): number {
  return 0.45;
}

function paintCells(
  context: CanvasRenderingContext2D,
  size: number,
  markAt: (cell: number) => ClassMark | undefined,
  strengthAt: (cell: number) => number,
): void {
  for (let at = 0; at < CELLS * CELLS; at++) {
    const mark = markAt(at);
    if (!mark) continue;
    context.globalAlpha = strengthAt(at);
    context.fillStyle = markColour(mark);
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

/** Draws the lines between cells with different values. */
function outline(
  context: CanvasRenderingContext2D,
  size: number,
  values: Uint8Array,
  { colour, width, dash }: { readonly colour: string; readonly width: number; readonly dash: number[] },
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  for (let at = 0; at < values.length; at++) {
    const column = at % CELLS;
    const row = Math.floor(at / CELLS);
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
  context.setLineDash([]);
}

/** Writes the letter of each class where its region is widest. */
function nameRegions(
  context: CanvasRenderingContext2D,
  size: number,
  classes: Uint8Array,
  letters: readonly string[],
  { ink, paper }: PictureColours,
  scale: number,
): void {
  context.font = `700 ${18 * scale}px system-ui,sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 4 * scale;
  context.lineJoin = "round";
  const depths = depthsOf(classes);
  for (const [k, letter] of letters.entries()) {
    const at = deepest(depths, classes, k);
    if (at === undefined) continue;
    const x = ((at % CELLS) + 0.5) * size;
    const y = (Math.floor(at / CELLS) + 0.5) * size;
    context.strokeStyle = paper;
    context.strokeText(letter, x, y);
    context.fillStyle = ink;
    context.fillText(letter, x, y);
  }
}

/** Computes for each cell how many steps the nearest cell of another class or the edge is away. */
function depthsOf(classes: Uint8Array): Int32Array {
  const depths = new Int32Array(classes.length);
  const order = Array.from(classes.keys());
  const relax = (at: number, neighbours: readonly number[]) => {
    let least = depths[at];
    for (const step of neighbours) {
      const isEdge = (step === 1 && (at + 1) % CELLS === 0) || (step === -1 && at % CELLS === 0);
      const next = at + step;
      const isOther = isEdge || next < 0 || next >= classes.length || classes[next] !== classes[at];
      least = Math.min(least, isOther ? 1 : depths[next] + 1);
    }
    depths[at] = least;
  };
  depths.fill(2 * CELLS);
  for (const at of order) relax(at, [-1, -CELLS]);
  for (const at of order.reverse()) relax(at, [1, CELLS]);
  return depths;
}

function deepest(depths: Int32Array, classes: Uint8Array, k: number): number | undefined {
  let best: number | undefined;
  for (let at = 0; at < depths.length; at++) {
    if (classes[at] === k && (best === undefined || depths[at] > depths[best])) best = at;
  }
  return best;
}

/** Draws rows: training rows filled, held-out rows hollow, misclassified rows with a ring. */
function paintRows(
  context: CanvasRenderingContext2D,
  side: number,
  scale: number,
  {
    half,
    rows,
    wrong,
  }: { readonly half: number; readonly rows: PlaygroundRows; readonly wrong: Uint8Array | undefined },
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
    if (wrong?.[i] === 1) {
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
