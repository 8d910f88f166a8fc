import { Terminal as XTerm } from '@xterm/xterm';
import { expect, it } from 'vitest';
import { tame } from './surface';

/** What a terminal answers and does when it is told something. */
async function told(text: string) {
  const term = new XTerm({ cols: 80, rows: 24, allowProposedApi: true });
  tame(term);
  const [answers, titles]: [string[], string[]] = [[], []];
  term.onData((answer) => answers.push(answer));
  term.onTitleChange((title) => titles.push(title));
  await new Promise<void>((done) => term.write(text, done));
  const line = term.buffer.active.getLine(0)?.translateToString(true);
  term.dispose();
  return { answers, titles, line };
}

it.each([
  ['the clipboard is written', '\x1b]52;c;cm0gLXJmIH4=\x07'],
  ['the clipboard is read', '\x1b]52;c;?\x07'],
  ['a title', '\x1b]0;evil\x07\x1b]2;evil\x1b\\'],
  ['the title as if it were typed', '\x1b]2;rm -rf ~\x07\x1b[21t'],
  ['the size of the window', '\x1b[14t\x1b[18t'],
  ['the window moved', '\x1b[3;0;0t\x1b[8;500;500t'],
  ['a link', '\x1b]8;;javascript:alert(1)\x07\x1b]8;;\x07'],
  ['a sign two thousand million times', '\x1b[2147483647b']
])('%s: nothing comes of it', async (_, text) => {
  expect(await told(`${text}ok`)).toEqual({ answers: [], titles: [], line: 'ok' });
});

it('repeats a sign as often as a program may', async () => {
  expect((await told('x\x1b[5b')).line).toBe('xxxxxx');
  expect((await told('x\x1b[2147483647by')).line).toBe('xy');
});
