import { inflateSync } from "node:zlib";
import type { ImageSection } from "@vouch/core/internal/learners/description";
import { ImageFigure, PixelImportance } from "@vouch/views";
import { describe, expect, it } from "vitest";
import { rendered, textOf, texts } from "./rendered.js";

/** Reads the chunks of a PNG in a `data:` address. */
function chunks(address: string): Map<string, Buffer> {
  const bytes = Buffer.from(address.replace("data:image/png;base64,", ""), "base64");
  expect([...bytes.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
  const found = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    found.set(bytes.toString("latin1", at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return found;
}

const section: ImageSection = {
  kind: "images",
  title: "filters",
  width: 3,
  height: 2,
  total: 40,
  images: [{ name: "unit 7", values: [100, 0, -50, 0, 0, -100] }],
};

it("draws images of many pixels", () => {
  const [width, height] = [500, 400];
  const large = {
    ...section,
    width,
    height,
    images: [{ name: "unit 1", values: Array(width * height).fill(7) }],
  };
  const png = chunks(
    rendered(<ImageFigure section={large} />)
      .querySelector("img")
      ?.getAttribute("src") ?? "",
  );
  expect(inflateSync(png.get("IDAT") ?? Buffer.alloc(0))).toHaveLength((width + 1) * height);
});

describe("images of what a model has learned", () => {
  const page = rendered(<ImageFigure section={section} />);
  const png = chunks(page.querySelector("img")?.getAttribute("src") ?? "");

  it("are PNG files: size, and a row of pixels after a byte for the filter", () => {
    const header = png.get("IHDR");
    expect([header?.readUInt32BE(0), header?.readUInt32BE(4)]).toEqual([3, 2]);
    expect([...inflateSync(png.get("IDAT") ?? Buffer.alloc(0))]).toEqual([0, 32, 16, 8, 0, 16, 16, 0]);
  });

  it("are blue where weights add and orange where they subtract, clear at 0: they fit light and dark", () => {
    const [colours, opacity] = [png.get("PLTE") ?? [], png.get("tRNS") ?? []];
    const colour = (index: number) => [...colours.slice(3 * index, 3 * index + 3)];
    expect([opacity[0], opacity[16], opacity[32]]).toEqual([255, 0, 255]);
    expect(colour(32)[2]).toBeGreaterThan(colour(32)[0]);
    expect(colour(0)[0]).toBeGreaterThan(colour(0)[2]);
  });

  it("are described in words", () => {
    expect(page.querySelector("img")?.getAttribute("alt")).toBe(
      "unit 7: adds most at row 1, column 1; subtracts most at row 2, column 3",
    );
    expect(texts(page, "figcaption")[0]).toContain("The 1 strongest of 40.");
    expect(textOf(<ImageFigure section={{ ...section, images: [] }} />)).toBe("");
  });
});

describe("the importance of pixels", () => {
  const features = Array.from({ length: 16 }, (_, i) => ({
    name: `pixel${(i * 5) % 16}`,
    share: (i + 1) / 136,
  }));

  it("is an image with each pixel at its place, whatever the order of the features", () => {
    const page = rendered(<PixelImportance features={features} />);
    const data = [
      ...inflateSync(
        chunks(page.querySelector("img")?.getAttribute("src") ?? "").get("IDAT") ?? Buffer.alloc(0),
      ),
    ];
    const pixels = data.filter((_, i) => i % 5 !== 0);
    expect(pixels).toHaveLength(16);
    features.forEach(({ name, share }) => {
      const expected = 16 + Math.round((16 * share) / (16 / 136));
      expect(pixels[Number(name.slice(5))]).toBe(expected);
    });
    expect(texts(page, "figcaption")[0]).toContain("pixel11 matters most.");
  });

  it("is absent if the features are not an image", () => {
    const columns = features.map((feature, i) => ({ ...feature, name: `column ${i}` }));
    expect(textOf(<PixelImportance features={columns} />)).toBe("");
  });
});
