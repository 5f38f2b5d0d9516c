import { toBase64 } from "./base64.js";

/** A picture of a few colours. */
export interface IndexedPicture {
  readonly width: number;
  readonly height: number;
  /** Palette index of each pixel, row by row. */
  readonly pixels: Uint8Array;
  /** Red, green, blue and opacity, each from 0 to 255. */
  readonly palette: readonly (readonly [number, number, number, number])[];
}

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];

/** The largest stored block of a deflate stream. */
const LARGEST_BLOCK = 65_535;

/**
 * Encodes a picture as a PNG file in a `data:` URL (PNG specification, 3rd edition; RFC 1950 and 1951). Pixels are
 * stored uncompressed, because the pictures are small, and pages and Node must give the same bytes.
 */
export function pngAddress({ width, height, pixels, palette }: IndexedPicture): string {
  const rows = Array.from({ length: height }, (_, y) => [
    0, // No filter.
    ...pixels.subarray(y * width, (y + 1) * width),
  ]);
  const bytes = [
    ...SIGNATURE,
    // 8 bits per pixel, colours from a palette.
    ...chunk("IHDR", [...word(width), ...word(height), 8, 3, 0, 0, 0]),
    ...chunk(
      "PLTE",
      palette.flatMap((colour) => colour.slice(0, 3)),
    ),
    ...chunk(
      "tRNS",
      palette.map(([, , , opacity]) => opacity),
    ),
    ...chunk("IDAT", zlibStored(rows.flat())),
    ...chunk("IEND", []),
  ];
  return `data:image/png;base64,${toBase64(Uint8Array.from(bytes))}`;
}

function word(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

function chunk(type: string, data: readonly number[]): number[] {
  const typed = [...Array.from(type, (letter) => letter.charCodeAt(0)), ...data];
  return [...word(data.length), ...typed, ...word(crc32(typed))];
}

function zlibStored(data: readonly number[]): number[] {
  const blocks: number[] = [];
  for (let start = 0; start < data.length; start += LARGEST_BLOCK) {
    const block = data.slice(start, start + LARGEST_BLOCK);
    const isLast = start + LARGEST_BLOCK >= data.length;
    const { length } = block;
    blocks.push(Number(isLast), length & 255, length >>> 8, ~length & 255, (~length >>> 8) & 255, ...block);
  }
  return [0x78, 0x01, ...blocks, ...word(adler32(data))];
}

function crc32(data: readonly number[]): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function adler32(data: readonly number[]): number {
  let a = 1;
  let b = 0;
  for (const byte of data) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}
