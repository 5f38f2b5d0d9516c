import { describe, expect, it } from "vitest";
import { partBar } from "#report/certificate-cards.js";
import { certificate } from "./example-report.js";
import { parsed } from "./parsed.js";

function widths(markup: string | undefined): string[] {
  return [...parsed(markup ?? "").querySelectorAll(".parts span")].map(
    (span) => span.getAttribute("style") ?? "",
  );
}

describe("the bar of a certificate's parts", () => {
  it("gives each part its share of the bound, and names it with its value", () => {
    const bar = partBar(certificate({ value: 0.2, parts: { error: 0.05, chance: 0.15 } }));
    expect(widths(bar?.text)).toEqual(["width:25%", "width:75%"]);
    const entries = [...parsed(bar?.text ?? "").querySelectorAll("li")].map(({ textContent }) => textContent);
    expect(entries.map((entry) => entry?.trim())).toEqual(["error 5.0\u00a0%", "chance 15.0\u00a0%"]);
  });

  it("marks an error of one in a bound that says nothing", () => {
    const bar = partBar(certificate({ value: 4, parts: { error: 0.5, penalty: 3.5 } }))?.text ?? "";
    expect(bar).toContain('<i style="left:25%">');
    expect(bar).toContain("penalty <b>3.5</b>");
  });

  it("is left out for bounds that are infinite, have no parts, or are nothing", () => {
    const infinite = Number.POSITIVE_INFINITY;
    expect(partBar(certificate({ value: infinite, parts: { penalty: infinite } }))).toBeUndefined();
    expect(partBar(certificate({ parts: {} }))).toBeUndefined();
    expect(partBar(certificate({ value: 0, parts: { error: 0 } }))).toBeUndefined();
  });
});
