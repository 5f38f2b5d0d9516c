import { useEffect, useRef, useState } from "preact/hooks";
import { pageColours, useDarkness } from "./page-colours.js";
import type { PictureContent } from "./paint-picture.js";
import { paintPicture } from "./paint-picture.js";

/** A position in the plane. */
export interface PlanePlace {
  readonly x: number;
  readonly y: number;
}

interface RegionPictureProps {
  readonly content: Omit<PictureContent, "cursor">;
  /** Text alternative of the picture. */
  readonly label: string;
  /** Describes a position, for the cursor. */
  readonly wordsAt: (place: PlanePlace) => string;
  /** Present if points can be drawn. */
  readonly draw?: {
    readonly add: (place: PlanePlace) => void;
    readonly removeNear: (place: PlanePlace) => void;
    readonly choose: (classIndex: number) => void;
  };
}

/** Number of steps for the cursor to cross half the picture. */
const STEPS = 25;

/** Distance between dragged points, as a share of half the side. */
const DRAG_DISTANCE = 0.07;

/**
 * Shows decision regions and rows. Arrow keys move a cursor that reads the picture aloud, and draws if points can be
 * drawn. The cursor is a hidden range input, because screen readers pass arrow keys on to it and read its value.
 */
export function RegionPicture({ content, label, wordsAt, draw }: RegionPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cursor, setCursor] = useState<PlanePlace>({ x: 0, y: 0 });
  const [isFocused, setFocused] = useState(false);
  const dragged = useRef<PlanePlace | undefined>(undefined);
  const { half } = content;
  usePainting(canvas, { ...content, cursor: isFocused ? cursor : undefined });

  const placeOf = (event: PointerEvent): PlanePlace | undefined => {
    const box = canvas.current?.getBoundingClientRect();
    return (
      box && {
        x: (2 * (event.clientX - box.left)) / box.width - 1,
        y: 1 - (2 * (event.clientY - box.top)) / box.height,
      }
    );
  };
  const addAt = (event: PointerEvent, distance: number) => {
    const unit = placeOf(event);
    const last = dragged.current;
    if (!draw || !unit || (last && Math.hypot(unit.x - last.x, unit.y - last.y) < distance)) return;
    dragged.current = unit;
    draw.add({ x: unit.x * half, y: unit.y * half });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = movedBy(event, cursor, half);
    if (moved) setCursor(moved);
    else if (!draw || !drawByKey(event.key, cursor, draw)) return;
    event.preventDefault();
  };
  return (
    <div class="region-picture">
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        class={draw ? "drawable" : undefined}
        onPointerDown={(event) => {
          if (!draw || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          dragged.current = undefined;
          addAt(event, 0);
        }}
        onPointerMove={(event) => {
          if (event.buttons === 1 && dragged.current) addAt(event, DRAG_DISTANCE);
        }}
        onPointerUp={() => {
          dragged.current = undefined;
        }}
      />
      <input
        type="range"
        class="unseen"
        aria-label="Cursor in the picture"
        aria-describedby="picture-keys"
        aria-valuetext={wordsAt(cursor)}
        min={-100}
        max={100}
        step="any"
        value={(100 * cursor.x) / half}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={onKeyDown}
      />
      {isFocused && (
        <p class="cursor-words" aria-hidden="true">
          {wordsAt(cursor)}
        </p>
      )}
    </div>
  );
}

/** Moves the cursor by an arrow key; undefined for other keys. */
function movedBy(event: KeyboardEvent, { x, y }: PlanePlace, half: number): PlanePlace | undefined {
  const step = (half / STEPS) * (event.shiftKey ? 5 : 1);
  const inside = (value: number) => Math.max(-half, Math.min(half, value));
  switch (event.key) {
    case "ArrowLeft":
      return { x: inside(x - step), y };
    case "ArrowRight":
      return { x: inside(x + step), y };
    case "ArrowUp":
      return { x, y: inside(y + step) };
    case "ArrowDown":
      return { x, y: inside(y - step) };
    default:
      return undefined;
  }
}

/** Handles a drawing key; returns whether it did anything. */
function drawByKey(key: string, cursor: PlanePlace, draw: NonNullable<RegionPictureProps["draw"]>): boolean {
  if (key === "Enter" || key === " ") draw.add(cursor);
  else if (key === "Backspace" || key === "Delete") draw.removeNear(cursor);
  else if (/^[1-6]$/.test(key)) draw.choose(Number(key) - 1);
  else return false;
  return true;
}

/** Repaints the canvas when its content, its size or the page colours change. */
function usePainting(canvas: { readonly current: HTMLCanvasElement | null }, content: PictureContent): void {
  const [side, setSide] = useState(0);
  useDarkness();
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const resized = new ResizeObserver(() => setSide(element.clientWidth));
    resized.observe(element);
    return () => resized.disconnect();
  }, [canvas]);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || side === 0) return;
    const scale = devicePixelRatio;
    element.width = Math.round(side * scale);
    element.height = element.width;
    paintPicture(context, element.width, scale, content, pageColours(element));
  });
}
