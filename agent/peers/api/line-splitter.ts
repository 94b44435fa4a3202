/** Takes a stream of bytes apart into lines; what has no end yet waits for it, and is lost where none comes. */
export class LineSplitter {
  readonly #longest: number;
  #begun: Uint8Array[] = [];
  #length = 0;

  /** No line may have more bytes than `longest`. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The lines that end in this piece, without those that are empty; undefined where one is too long. */
  push(piece: Uint8Array): readonly string[] | undefined {
    const lines: string[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      if (!this.#keep(piece.subarray(start, end))) return undefined;
      const line = this.#take();
      if (line.trim() !== '') lines.push(line);
      start = end + 1;
    }
    return this.#keep(piece.subarray(start)) ? lines : undefined;
  }

  #keep(part: Uint8Array): boolean {
    if (part.length > 0) this.#begun.push(part);
    this.#length += part.length;
    return this.#length <= this.#longest;
  }

  /** Decoded as a whole: a piece may end inside a character. */
  #take(): string {
    const text = Buffer.concat(this.#begun, this.#length).toString('utf8');
    this.#begun = [];
    this.#length = 0;
    return text;
  }
}

const NEWLINE = 0x0a;
