/** Text as man(7) takes it: no word of it is a request, and its hyphens can be copied into a shell. */
export function roffText(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq');
  return escaped.replaceAll("'", '\\(aq').replaceAll(/^\./gm, '\\&.');
}

/** A paragraph under a tag that stands out to the left of it; both are man(7) already. */
export function taggedParagraph(tag: string, body: string): string {
  return `.TP\n${tag}\n${body}\n`;
}

/** The head of a page (man(7), TH). */
export function titleLine(name: string, section: number, { date, version }: Edition): string {
  return `.TH "${roffText(name)}" "${section}" "${date}" "nodeqos ${version}" "nodeqos"\n`;
}

/** Which edition of the pages this is; `date` is of the day, as 2026-11-30. */
export interface Edition {
  readonly date: string;
  readonly version: string;
}
