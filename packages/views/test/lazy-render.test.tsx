import { renderStatic } from "@vouch/views/internal/page/static";
import { parseHTML } from "linkedom";
import { render } from "preact";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LazyPanel, LazyRender } from "#views/page/lazy-render.js";

const NAMES = ["first", "second", "third"];

/** Panels that wait for their turns. */
function Panels({ names }: { readonly names: readonly string[] }) {
  return names.map((name) => (
    <LazyPanel key={name}>
      <p>{name}</p>
    </LazyPanel>
  ));
}

/** Makes an element of a page whose timers run when the test says so. */
function makePlace() {
  const { document } = parseHTML("<body></body>");
  vi.stubGlobal("document", document);
  vi.useFakeTimers();
  return document.createElement("main");
}

/** Lets timers run until the place shows something else. */
async function nextTurn(place: Element): Promise<string | null> {
  const before = place.textContent;
  for (let i = 0; i < 1000 && place.textContent === before; i++) await vi.advanceTimersToNextTimerAsync();
  return place.textContent;
}

describe("panels in turns", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("are all there in a page that is rendered to text", () => {
    const text = renderStatic(
      <main>
        <Panels names={NAMES} />
      </main>,
    );
    expect(text).toBe("<main><p>first</p><p>second</p><p>third</p></main>");
  });

  it("appear one after the other in a page, each in a task of its own", async () => {
    const place = makePlace();
    render(
      <LazyRender>
        <Panels names={NAMES} />
      </LazyRender>,
      place,
    );
    expect(place.textContent).toBe("");
    expect(await nextTurn(place)).toBe("first");
    expect(await nextTurn(place)).toBe("firstsecond");
    expect(await nextTurn(place)).toBe("firstsecondthird");
  });

  it("go on with the next if one is gone before its turn", async () => {
    const place = makePlace();
    const show = (names: readonly string[]) =>
      render(
        <LazyRender>
          <Panels names={names} />
        </LazyRender>,
        place,
      );
    show(NAMES);
    expect(await nextTurn(place)).toBe("first");
    show(["first", "third"]);
    expect(await nextTurn(place)).toBe("firstthird");
  });
});
