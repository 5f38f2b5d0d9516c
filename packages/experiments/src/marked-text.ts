/** Replaces the text between an experiment's marks in a Markdown page; throws if the page has no marks. */
export function withMarkedText(page: string, experiment: string, text: string): string {
  const start = `<!-- ${experiment} -->\n`;
  const end = `<!-- end of ${experiment} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The page has no lines ${start.trim()} and ${end}.`);
  return `${page.slice(0, from + start.length)}\n${text}\n\n${page.slice(to)}`;
}
