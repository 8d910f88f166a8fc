/** A parser for server-sent events (WHATWG HTML §9.2): text in any pieces in, data of whole events out. */
export class EventStreamParser {
  #rest = '';
  #data: string[] = [];

  push(piece: string): string[] {
    const done: string[] = [];
    const text = this.#rest + piece;
    // A carriage return at the end may be half of a line end: it waits for the next piece.
    const whole = text.endsWith('\r') ? text.length - 1 : text.length;
    let from = 0;
    for (const match of text.slice(0, whole).matchAll(/\r\n|\n|\r/g)) {
      this.#line(text.slice(from, match.index), done);
      from = match.index + match[0].length;
    }
    this.#rest = text.slice(from);
    return done;
  }

  #line(line: string, done: string[]): void {
    if (line === '') {
      if (this.#data.length > 0) done.push(this.#data.join('\n'));
      this.#data = [];
      return;
    }
    if (line === 'data') this.#data.push('');
    else if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
}
