import { describe, expect, it } from "vitest";
import { breakable, Name, Sentences } from "#views/text/name.js";
import { rendered } from "./rendered.js";

describe("a name", () => {
  it("breaks between words, not inside numbers and dates", () => {
    const html = (text: string) => rendered(<Name text={text} />).body.innerHTML;
    expect(html("number_of_calls")).toBe("number_<wbr>of_<wbr>calls");
    expect(html("perMonth.EUR")).toBe("per<wbr>Month.<wbr>EUR");
    for (const text of ["0.5967", "12,345", "05.10.2005", "2005-10-05", "10/05/2005", "12:30", "-0.5"]) {
      expect(html(text)).toBe(text);
      expect(breakable(text)).toBe(text);
    }
  });

  it("keeps spaces that do not break", () => {
    const { innerHTML } = rendered(<Sentences text={"of 9.5\u00a0km (p\u00a0<\u00a00.001)"} />).body;
    expect(innerHTML).toContain("9.5&#160;km");
    expect(innerHTML).toContain("(p&#160;&lt;&#160;0.001)");
  });
});
