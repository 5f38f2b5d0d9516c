import { describe, expect, it } from "vitest";
import { PartBar } from "#views/panels/verdict/certificate-cards.js";
import { certificate } from "./example-card.js";
import { rendered, texts } from "./rendered.js";

function barOf(changes: Parameters<typeof certificate>[0]): Document {
  return rendered(<PartBar certificate={certificate(changes)} />);
}

describe("the bar of a certificate's parts", () => {
  it("gives each part its share of the bound, and names it with its value", () => {
    const bar = barOf({ value: 0.2, parts: { error: 0.05, chance: 0.15 } });
    const widths = [...bar.querySelectorAll(".parts span")].map((span) => span.getAttribute("style"));
    expect(widths).toEqual(["width:25%", "width:75%"]);
    expect(texts(bar, "li")).toEqual(["error 5.0%", "chance 15.0%"]);
  });

  it("marks an error of one in a bound that says nothing", () => {
    const bar = barOf({ value: 4, parts: { error: 0.5, penalty: 3.5 } });
    expect(bar.querySelector(".parts i")?.getAttribute("style")).toBe("left:25%");
    expect(texts(bar, "li b")).toContain("3.5");
  });

  it("is left out for bounds that are infinite, have no parts, or are nothing", () => {
    const infinite = Number.POSITIVE_INFINITY;
    expect(barOf({ value: infinite, parts: { penalty: infinite } }).body.innerHTML).toBe("");
    expect(barOf({ parts: {} }).body.innerHTML).toBe("");
    expect(barOf({ value: 0, parts: { error: 0 } }).body.innerHTML).toBe("");
  });
});
