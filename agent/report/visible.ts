/**
 * The text with control characters, line breaks among them, and those that turn the direction of writing written as
 * escapes: a pod's name can neither move the cursor nor begin a line of its own.
 */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => {
      const code = character.charCodeAt(0);
      return `\\u${code.toString(16).padStart(4, '0')}`;
    },
  );
}
