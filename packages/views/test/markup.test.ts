import { describe, expect, it } from "vitest";
import { html, shortened } from "#report/markup.js";

describe("html", () => {
  it("escapes what is put into text and attributes", () => {
    const hostile = `<script>alert("1 & '2'")</script>`;
    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;script&gt;alert(&quot;1 &amp; &#39;2&#39;&quot;)&lt;/script&gt;">' +
        "&lt;script&gt;alert(&quot;1 &amp; &#39;2&#39;&quot;)&lt;/script&gt;</p>",
    );
  });

  it("keeps markup, joins lists and leaves holes without content empty", () => {
    const items = ["<", 2].map((item) => html`<li>${item}</li>`);
    expect(html`<ul>${items}${undefined}${false}${[]}</ul>`.text).toBe("<ul><li>&lt;</li><li>2</li></ul>");
  });
});

describe("a shortened text", () => {
  it("is the text itself, or its beginning with an ellipsis, of so many characters", () => {
    expect(shortened("setosa", 6)).toBe("setosa");
    expect(shortened("versicolor", 6)).toBe("versi…");
    expect(shortened("", 3)).toBe("");
  });

  it("does not break emoji and accents", () => {
    expect(shortened("👩‍👩‍👧‍👦👍🏽é́xyz", 3)).toBe("👩‍👩‍👧‍👦👍🏽…");
  });

  it("is quick and short for huge texts", () => {
    expect(shortened("x".repeat(1e6), 5)).toBe("xxxx…");
    expect(shortened(`a${"\u0301".repeat(1e6)}`, 5).length).toBeLessThan(100);
  });
});
