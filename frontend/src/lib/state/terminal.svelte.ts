/**
 * The terminal of a task: a session that is read by asking again and again, and typed into. It outlives its panel and
 * this page; the end of its task ends it.
 */
import { api, problemOf } from '$lib/api/client';
import type { Problem, Session, TerminalSize } from '$lib/api/types';
import { Decoder, fromBase64, joined, newName, toBase64 } from '$lib/model/terminal';

/** Where output is shown. */
export interface Surface {
  /** Resolves when it is shown: what follows waits. */
  write(text: string): Promise<void>;
  clear(): void;
  /** What has room there. */
  size(): TerminalSize;
}

const MINE = newName();
const WAIT_MS = 20_000; // an answer may wait for output
const WATCH_MS = 3000; // likewise while another window types, which may go without a word
const RETRY_MS = [300, 1000, 2000, 5000];
const PIECE = 48 << 10; // bytes of input at a time
const MOST = 1 << 20; // of input that waits

export class Terminal {
  /** gone: there is no such session any more, and nobody knows how it ended. */
  state = $state<'opening' | 'open' | 'ended' | 'gone' | 'failed'>('opening');
  session = $state.raw<Session>();
  /** Nobody answers; it is asked again. */
  lost = $state(false);
  problem = $state.raw<Problem>();
  /** More was pasted than fits. */
  tooMuch = $state(false);
  /** Bytes of output that came faster than they were read, since something was typed. */
  missed = $state(0);
  #mine = $state(false);
  /** What is shown was written before this page came: nobody answers its questions any more. */
  #old = $state(false);
  #life = new AbortController();
  #input: Uint8Array[] = [];
  #sending = false;

  constructor(
    readonly task: string,
    readonly surface: Surface
  ) {}

  /** Another window types. */
  readonly watching = $derived(this.state === 'open' && !this.#mine && this.session?.writer === true);
  readonly typing = $derived(this.state === 'open' && !this.watching && !this.#old && !this.lost);

  /** Joins the terminal of the task; another: in any case a new one. */
  async open(another = false): Promise<void> {
    this.leave();
    const life = (this.#life = new AbortController()).signal;
    Object.assign(this, { state: 'opening', session: undefined, problem: undefined, lost: false, missed: 0 });
    try {
      const all = another ? [] : await api.listSessions({ task: this.task });
      const there = all.findLast((one) => one.terminal && one.state !== 'terminated');
      const session =
        there ??
        (await api.createSession(this.task, {
          terminal: this.surface.size(),
          env: { TERM: 'xterm-256color' }
        }));
      if (life.aborted) return;
      this.surface.clear();
      this.session = session;
      this.state = 'open';
      void this.#follow(session, life);
      if (!session.writer) await this.#type({});
    } catch (cause) {
      if (life.aborted) return;
      this.problem = problemOf(cause);
      this.state = 'failed';
    }
  }

  /** The panel goes; the shell stays. */
  leave(): void {
    this.#life.abort();
    this.#input = [];
  }

  /** Ends the shell with all that runs in it. */
  async end(): Promise<void> {
    if (!this.session) return;
    try {
      const session = await api.closeSession(this.session.id);
      if (this.state === 'open') this.#ended(session);
    } catch (cause) {
      if (problemOf(cause).code !== 'not-found') this.problem = problemOf(cause);
    }
  }

  async takeOver(): Promise<void> {
    await this.#type({ take: true });
    await this.resize();
  }

  /** Says what has room here, where this window types. */
  async resize(): Promise<void> {
    const { session } = this;
    const size = this.surface.size();
    if (!session || !this.typing) return;
    if (session.size?.columns === size.columns && session.size.rows === size.rows) return;
    await api.resizeSession(session.id, size).catch(() => undefined); // whoever asks next is told
  }

  send(bytes: Uint8Array): void {
    if (!this.typing) return;
    const waiting = this.#input.reduce((sum, piece) => sum + piece.length, 0);
    this.tooMuch = waiting + bytes.length > MOST;
    if (this.tooMuch) return;
    this.missed = 0;
    this.#input.push(bytes);
    if (!this.#sending) void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#sending = true;
    while (this.#input.length > 0) {
      const all = joined(this.#input);
      this.#input = all.length > PIECE ? [all.slice(PIECE)] : [];
      await this.#type({ data: toBase64(all.subarray(0, PIECE)) });
    }
    this.#sending = false;
  }

  /** Types, or only gets the lease to. What is not taken is dropped: nobody knows what it would do later. */
  async #type(what: { data?: string; take?: boolean }): Promise<void> {
    const id = this.session?.id;
    if (!id) return;
    try {
      const session = await api.writeSession(id, { client: MINE, ...what });
      if (this.session?.id !== id || this.state !== 'open') return;
      this.#mine = true;
      this.session = session;
    } catch (cause) {
      this.#input = [];
      const { code } = problemOf(cause);
      if (code === 'session-busy') this.#mine = false;
      else if (code === 'unreachable' || code === 'shutting-down') this.lost = true;
    }
  }

  #ended(session: Session): void {
    this.session = session;
    this.state = 'ended';
    this.leave();
  }

  async #follow({ id, output }: Session, life: AbortSignal): Promise<void> {
    let [from, seen, failures] = [0, 0, 0];
    let decoder = new Decoder();
    this.#old = output > 0;
    for (let waitMs = 0; !life.aborted;) {
      try {
        const out = await api.readSession(id, { client: MINE, from, seen, waitMs });
        if (life.aborted) return;
        failures = 0;
        this.lost = false;
        const bytes = fromBase64(out.data);
        if (out.at > from) {
          decoder = new Decoder(); // what is missing may end within a sign
          if (from > 0) this.missed += out.at - from; // before this page came it was nothing to see
        }
        const text = decoder.next(bytes);
        if (text) await this.surface.write(text);
        if (life.aborted) return;
        from = out.at + bytes.length;
        seen = out.turn;
        this.#mine = out.writes;
        this.session = out.session;
        this.#old = from < output;
        if (out.session.state === 'terminated' && bytes.length === 0) return this.#ended(out.session);
        waitMs = this.watching ? WATCH_MS : WAIT_MS;
      } catch (cause) {
        if (life.aborted) return;
        const problem = problemOf(cause);
        if (problem.code === 'not-found') {
          this.state = 'gone';
          return this.leave();
        }
        this.lost = true;
        await new Promise((next) => setTimeout(next, RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]));
      }
    }
  }
}
