import { type ComponentChildren, type ComponentType, createContext, hydrate, type VNode } from "preact";
import { useContext } from "preact/hooks";

/** Whether panels are rendered to text whose islands a script will hydrate. */
const Rendered = createContext(false);

/** Marks the islands in panels that are rendered to text. */
export function WithIslands({ children }: { readonly children: ComponentChildren }) {
  return <Rendered.Provider value={true}>{children}</Rendered.Provider>;
}

interface IslandProps<Props extends object> {
  /** Name by which the script finds the component. */
  readonly name: string;
  readonly component: ComponentType<Props>;
  /** Plain data. */
  readonly props: NoInfer<Props>;
  /** Functions, for pages that are not rendered to text. */
  readonly live?: Partial<NoInfer<Props>> | undefined;
}

/** Shows a panel. In a page rendered to text, its data are stored next to it, so that a script can hydrate it. */
export function Island<Props extends object>({ name, component: Panel, props, live }: IslandProps<Props>) {
  if (!useContext(Rendered)) return <Panel {...props} {...live} />;
  return (
    <div data-island={name}>
      <div>
        <Panel {...props} />
      </div>
      <script type="application/json" dangerouslySetInnerHTML={{ __html: jsonText(props) }} />
    </div>
  );
}

/** Writes JSON that cannot end the script element and survives reformatting of the page. */
function jsonText(props: object): string {
  return JSON.stringify(props).replaceAll(/[<%=]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

export type DrawIsland = (json: string) => VNode;

/** Hydrates the islands of a page; names without a component stay static. */
export function hydrateIslands(page: ParentNode, islands: Readonly<Record<string, DrawIsland>>): void {
  for (const island of page.querySelectorAll<HTMLElement>("[data-island]")) {
    const draw = islands[island.dataset.island ?? ""];
    const [place, data] = island.children;
    if (draw && place && data) hydrate(draw(data.textContent), place);
  }
}
