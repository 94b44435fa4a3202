/** What a parser gives: a value, or one sentence that says what is wrong with the text. Parsers never throw for bad text. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

/** A parse that worked. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** A parse that failed, with one sentence without a final full stop that names the text and what is wrong with it. */
export function refused(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
