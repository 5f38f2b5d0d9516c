import { describe, expect, it } from "vitest";
import { html } from "#report/markup.js";

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
