import type { ImageSection } from "@vouch/core/internal/learners/description";
import { pixelGrid } from "@vouch/core/internal/learners/pixel-grid";
import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { type IndexedPicture, pngAddress } from "../../charts/png.js";

/** Number of shades per sign; the middle of the palette is transparent, which suits light and dark pages. */
const SHADES = 16;

/** Blue for positive values and orange for negative ones; both are visible on white and on black. */
const POSITIVE = [30, 120, 200] as const;
const NEGATIVE = [215, 105, 10] as const;

const palette: IndexedPicture["palette"] = Array.from({ length: 2 * SHADES + 1 }, (_, i) => {
  const [red, green, blue] = i < SHADES ? NEGATIVE : POSITIVE;
  return [red, green, blue, Math.round((255 * Math.abs(i - SHADES)) / SHADES)];
});

interface Image {
  readonly width: number;
  readonly height: number;
  /** Values from −1 to 1. */
  readonly values: readonly number[];
}

function imageAddress({ width, height, values }: Image): string {
  const pixels = Uint8Array.from(values, (value) => SHADES + Math.round(SHADES * value));
  return pngAddress({ width, height, pixels, palette });
}

/** Draws what a model has learned about pixels, such as the filters of a network; null without images. */
export function ImageFigure({ section }: { readonly section: ImageSection }) {
  const { images, width, height, total } = section;
  if (images.length === 0) return null;
  return (
    <figure>
      <ul class="images" style={`--columns:${evenColumns(images.length)}`}>
        {images.map(({ name, values }) => (
          <li key={name}>
            <img
              src={imageAddress({ width, height, values: values.map((value) => value / 100) })}
              width={width}
              height={height}
              alt={describeStrongest(name, values, width)}
            />
            <span>{name}</span>
          </li>
        ))}
      </ul>
      <figcaption>
        Weight of each of {width} × {height} pixels: blue adds, orange subtracts; each picture has its own
        scale.
        {total > images.length && ` The ${images.length} strongest of ${formatNumber(total)}.`}
      </figcaption>
    </figure>
  );
}

/**
 * Chooses the number of columns on a wide page: the last line is as full as possible, and pictures are neither tiny nor
 * huge.
 */
function evenColumns(images: number): number {
  const [best] = [8, 7, 6, 5].toSorted((a, b) => Math.ceil(images / a) * a - Math.ceil(images / b) * b);
  return best;
}

/** Describes where the strongest weights of an image are, for screen readers. */
function describeStrongest(name: string, values: readonly number[], width: number): string {
  const placeOf = (wanted: number) => {
    const at = values.indexOf(wanted);
    return `row ${Math.floor(at / width) + 1}, column ${(at % width) + 1}`;
  };
  const most = values.reduce((largest, value) => Math.max(largest, value), 0);
  const least = values.reduce((smallest, value) => Math.min(smallest, value), 0);
  const parts = [
    ...(most > 0 ? [`adds most at ${placeOf(most)}`] : []),
    ...(least < 0 ? [`subtracts most at ${placeOf(least)}`] : []),
  ];
  return `${name}: ${parts.join("; ") || "all weights are 0"}`;
}

interface ImportantFeature {
  readonly name: string;
  readonly share: number;
}

/** Draws the importance of pixels as an image; null if the features are not pixels. */
export function PixelImportance({ features }: { readonly features: readonly ImportantFeature[] }) {
  const grid = pixelGrid(features.map(({ name }) => name));
  const most = features.reduce((largest, { share }) => Math.max(largest, share), 0);
  if (!grid || most === 0) return null;
  const { width, height, pixels } = grid;
  const values = new Array<number>(width * height).fill(0);
  features.forEach(({ share }, j) => {
    values[pixels[j]] = Math.max(0, share) / most;
  });
  const best = features.find(({ share }) => share === most);
  const caption = `Importance of ${formatCount(features.length, "pixel")}: the stronger the blue, the more. ${best?.name} matters most.`;
  return (
    <figure class="pixel-importance">
      <img src={imageAddress({ width, height, values })} width={width} height={height} alt={caption} />
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
