import { CLASS_LETTERS } from "./plane-problem.js";

/** How a class is drawn: by shape as well as colour. */
export interface ClassMark {
  readonly letter: string;
  /** Red, green and blue from the palette of Okabe and Ito, which suits colour-blind readers. */
  readonly colour: readonly [number, number, number];
  readonly shape: string;
  /** Outline of its shape in a square from −1 to 1, as in SVG's `d`. */
  readonly outline: string;
}

const CIRCLE = "M-.9,0A.9,.9 0 1 1 .9,0A.9,.9 0 1 1 -.9,0Z";
const SQUARE_OUTLINE = "M-.8,-.8H.8V.8H-.8Z";
const TRIANGLE = "M0,-1L1,.8H-1Z";
const DIAMOND = "M0,-1.1L1.1,0L0,1.1L-1.1,0Z";
const PLUS = "M-.35,-1H.35V-.35H1V.35H.35V1H-.35V.35H-1V-.35H-.35Z";
const DOWNWARD = "M0,1L1,-.8H-1Z";

/** Marks of the classes, in the order of their letters. */
export const classMarks: readonly ClassMark[] = [
  mark(0, [0, 114, 178], "circle", CIRCLE),
  mark(1, [213, 94, 0], "square", SQUARE_OUTLINE),
  mark(2, [0, 158, 115], "triangle", TRIANGLE),
  mark(3, [204, 121, 167], "diamond", DIAMOND),
  mark(4, [230, 159, 0], "plus", PLUS),
  mark(5, [86, 180, 233], "downward triangle", DOWNWARD),
];

function mark(index: number, colour: ClassMark["colour"], shape: string, outline: string): ClassMark {
  return { letter: CLASS_LETTERS[index], colour, shape, outline };
}

/** Formats the colour of a class for style sheets. */
export function markColour({ colour }: ClassMark): string {
  return `rgb(${colour.join(" ")})`;
}

/** Colours of the page, for light and dark mode. */
export interface PictureColours {
  readonly paper: string;
  readonly ink: string;
}
