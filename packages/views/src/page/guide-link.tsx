import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The address of the guide, on pages that have it beside them: a report is read anywhere. */
export const GuideAddress = createContext<string | undefined>(undefined);

interface GuideLinkProps {
  /** The file of the page in the folder `docs`, without its ending. */
  readonly page: string;
}

/** Names a page of the guide, and links to it where the address of the guide is known. */
export function GuideLink({ page }: GuideLinkProps) {
  const guide = useContext(GuideAddress);
  const name = `docs/${page}.md`;
  return guide === undefined ? name : <a href={new URL(`${page}.html`, guide).href}>{name}</a>;
}
