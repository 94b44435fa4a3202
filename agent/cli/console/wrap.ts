/**
 * Breaks a text into lines of at most `width` characters between words, each line after the first indented by `indent`
 * blanks. A word that is longer than a line stays whole. There is no line feed at the end.
 */
export function wrapText(text: string, width: number, indent = 0): string {
  const margin = ' '.repeat(indent);
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  let isEmpty = true;
  for (const word of text.trim().split(/ +/)) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = margin + word;
    } else {
      line += isEmpty ? word : ` ${word}`;
    }
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}
