import { waitFor } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { Session, TerminalSize } from '$lib/api/types';
import { fromBase64, toBase64 } from '$lib/model/terminal';
import { refuse, serve, type Asked } from '../../test/controller';
import { Terminal, type Surface } from './terminal.svelte';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A controller with a shell that says what is typed, and its windows. */
class Shell {
  session: Session | undefined;
  output = '';
  writer = '';
  turn = 0;
  size: TerminalSize = { columns: 80, rows: 24 };
  typed = '';
  away = false;
  asked: Asked[];

  constructor(existing = '') {
    if (existing) this.make(existing);
    this.asked = serve({
      'GET /v1/sessions': () => (this.session ? [this.seen()] : []),
      'POST /v1/tasks/t1/sessions': () => {
        this.make('$ ');
        return this.seen();
      },
      'GET /v1/sessions/s1/output': async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (this.away) throw new Error('nobody listens');
        if (!this.session) return refuse({ code: 'not-found' }, 404);
        const all = bytes(this.output);
        const part = all.subarray(this.told);
        const at = this.told;
        this.told = all.length;
        const writes = this.writer !== '' && this.writer !== 'another';
        return { session: this.seen(), at, data: toBase64(part), turn: this.turn, writes };
      },
      'POST /v1/sessions/s1/input': (body: unknown) => {
        const { client, data, take } = body as { client: string; data?: string; take?: boolean };
        if (this.writer && this.writer !== client && !take)
          return refuse({ code: 'session-busy', cause: 'writer' }, 409);
        this.writer = client;
        const text = this.#text.decode(fromBase64(data ?? ''), { stream: true });
        this.typed += text;
        this.output += text;
        return this.seen();
      },
      'POST /v1/sessions/s1/resize': (body: unknown) => {
        this.size = body as TerminalSize;
        return this.seen();
      },
      'DELETE /v1/sessions/s1': () => {
        this.end('closed', 129);
        return this.seen();
      }
    });
  }

  told = 0;
  readonly #text = new TextDecoder();

  make(output: string) {
    this.output = output;
    this.told = 0;
    this.session = {
      id: 's1',
      task: 't1',
      shell: true,
      terminal: true,
      state: 'idle',
      created: '2026-01-02T03:04:05Z',
      output: 0,
      kept: 0,
      readers: 1,
      writer: false
    };
  }

  end(reason: string, exitCode: number) {
    if (!this.session) return;
    this.session.state = 'terminated';
    this.session.reason = reason;
    this.session.ending = { ended: '2026-01-02T03:04:06Z', exitCode, wallMs: 1, cpuMs: 1 };
  }

  seen(): Session {
    const output = bytes(this.output).length;
    return { ...(this.session as Session), output, writer: this.writer !== '', size: this.size };
  }

  times = (route: string) => this.asked.filter((one) => one.route === route).length;
}

const shown = { text: '', clears: 0 };
const surface: Surface = {
  write: async (text) => void (shown.text += text),
  clear: () => {
    shown.text = '';
    shown.clears++;
  },
  size: () => ({ columns: 100, rows: 30 })
};

let terminal: Terminal;
async function open(): Promise<Terminal> {
  terminal = new Terminal('t1', surface);
  await terminal.open();
  return terminal;
}
afterEach(() => terminal.leave());

describe('a terminal', () => {
  it('opens a shell, and types what a person does', async () => {
    const shell = new Shell();
    await open();
    await waitFor(() => expect(terminal.typing).toBe(true));
    terminal.send(bytes('echo hällo 海\r'));
    await waitFor(() => expect(shown.text).toBe('$ echo hällo 海\r'));
    terminal.send(bytes('\x03'));
    await waitFor(() => expect(shell.typed).toBe('echo hällo 海\r\x03'));
    await terminal.resize();
    expect(shell.size).toEqual({ columns: 100, rows: 30 });
  });

  it('joins the one that there is, with what it said before', async () => {
    const shell = new Shell('earlier\r\n$ ');
    await open();
    await waitFor(() => expect(shown.text).toBe('earlier\r\n$ '));
    expect(shell.times('POST /v1/tasks/t1/sessions')).toBe(0);
    await waitFor(() => expect(terminal.typing).toBe(true));
  });

  it('keeps the order of what is typed fast, and pieces of a great deal together', async () => {
    const shell = new Shell();
    await open();
    await waitFor(() => expect(terminal.typing).toBe(true));
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i} ${'ü'.repeat(200)}\n`);
    for (const line of lines) terminal.send(bytes(line));
    await waitFor(() => expect(shell.typed).toBe(lines.join('')));
    expect(terminal.tooMuch).toBe(false);
    terminal.send(new Uint8Array((1 << 20) + 1));
    expect(terminal.tooMuch).toBe(true);
    expect(shell.typed).toBe(lines.join(''));
  });

  it('only watches while another window types, until it takes over', async () => {
    const shell = new Shell('$ ');
    shell.writer = 'another';
    await open();
    await waitFor(() => expect(terminal.watching).toBe(true));
    terminal.send(bytes('no'));
    await terminal.resize();
    expect(shell.typed).toBe('');
    expect(shell.times('POST /v1/sessions/s1/resize')).toBe(0);
    await terminal.takeOver();
    await waitFor(() => expect(terminal.typing).toBe(true));
    terminal.send(bytes('yes'));
    await waitFor(() => expect(shell.typed).toBe('yes'));
    shell.writer = 'another'; // who takes over in turn
    terminal.send(bytes('x'));
    await waitFor(() => expect(terminal.watching).toBe(true));
    expect(shell.typed).toBe('yes');
  });

  it('says how much of the output it missed, until something is typed', async () => {
    const shell = new Shell('long ago');
    shell.told = 5; // of what nobody saw it misses nothing
    await open();
    await waitFor(() => expect(shown.text).toBe('ago'));
    expect(terminal.missed).toBe(0);
    shell.output += `${'x'.repeat(1000)}rest`;
    shell.told += 1000;
    await waitFor(() => expect(shown.text).toBe('agorest'));
    expect(terminal.missed).toBe(1000);
    await waitFor(() => expect(terminal.typing).toBe(true));
    terminal.send(bytes('x'));
    expect(terminal.missed).toBe(0);
  });

  it('says how the shell ended, and opens another', async () => {
    const shell = new Shell();
    await open();
    shell.end('exited', 7);
    await waitFor(() => expect(terminal.state).toBe('ended'));
    expect(terminal.session?.ending?.exitCode).toBe(7);
    expect(terminal.typing).toBe(false);
    shell.writer = '';
    await terminal.open(true);
    await waitFor(() => expect(terminal.typing).toBe(true));
    expect(shell.times('POST /v1/tasks/t1/sessions')).toBe(2);
  });

  it('is ended by the person', async () => {
    new Shell();
    await open();
    await terminal.end();
    expect(terminal.state).toBe('ended');
    expect(terminal.session?.reason).toBe('closed');
  });

  it('asks again when nobody answers, types nothing meanwhile, and knows when it is gone', async () => {
    const shell = new Shell();
    await open();
    await waitFor(() => expect(terminal.typing).toBe(true));
    shell.away = true;
    await waitFor(() => expect(terminal.lost).toBe(true));
    terminal.send(bytes('rm'));
    shell.away = false;
    await waitFor(() => expect(terminal.lost).toBe(false));
    expect(shell.typed).toBe('');
    shell.session = undefined; // the controller was restarted
    await waitFor(() => expect(terminal.state).toBe('gone'));
    const asked = shell.asked.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(shell.asked.length).toBe(asked);
  });

  it('says why there is none', async () => {
    serve({ 'GET /v1/sessions': [], 'POST /v1/tasks/t1/sessions': refuse({ code: 'no-sessions' }, 409) });
    await open();
    expect(terminal.state).toBe('failed');
    expect(terminal.problem?.code).toBe('no-sessions');
  });
});
