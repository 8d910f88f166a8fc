/** What a program writes to a terminal and what a person pastes there: both are bounded here. Pure. */

const MARKS = 16; // on one sign; no script has as many
// What takes no room of its own: a terminal adds it to the sign before, without an end.
const MARK = '[\\p{M}\\p{Cf}\\u1160-\\u11ff]';
const RUN = new RegExp(`(${MARK}{${MARKS}})${MARK}+`, 'gu');
const TAIL = new RegExp(`${MARK}+$`, 'u');

/** Bytes of a terminal as text, in pieces as they come. */
export class Decoder {
  #text = new TextDecoder();
  #tail = ''; // marks at the end of what was said so far

  next(bytes: Uint8Array): string {
    const all = (this.#tail + this.#text.decode(bytes, { stream: true })).replace(RUN, '$1');
    const text = all.slice(this.#tail.length);
    this.#tail = TAIL.exec(all)?.[0] ?? '';
    return text;
  }
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Text from the clipboard without control characters: none ends the brackets around what is pasted. */
export function pastable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '');
}

/** The name under which this page asks for terminals: one for all that it opens one after another. */
export function newName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => n.toString(16).padStart(2, '0')).join(
    ''
  );
}
