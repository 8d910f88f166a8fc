/** xterm.js, held to what a program in a workroom may do to this page: show text, and nothing else. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal as XTerm, type ITheme } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { copyText } from '$lib/api/transport';
import type { TerminalSize } from '$lib/api/types';
import { pastable } from '$lib/model/terminal';
import { isMac } from '$lib/model/shortcuts';
import type { Surface } from '$lib/state/terminal.svelte';

const LINES = 5000; // that are kept above
const MOST = { columns: 400, rows: 200 };
const REPEATS = 10_000; // of one sign; xterm.js takes room for as many as are asked for
// Titles and icons, links, and the clipboard.
const SILENT_OSC = [0, 1, 2, 8, 52];

const COLOURS = {
  background: '--sunken',
  foreground: '--ink',
  cursor: '--accent',
  cursorAccent: '--sunken',
  selectionBackground: '--accent-line',
  scrollbarSliderBackground: '--line',
  scrollbarSliderHoverBackground: '--line-strong',
  scrollbarSliderActiveBackground: '--line-strong'
} satisfies Partial<Record<keyof ITheme, string>>;

/** The window's colours, as they are now. */
function colours(): ITheme {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    Object.entries(COLOURS).map(([name, variable]) => [name, style.getPropertyValue(variable).trim()])
  );
}

/**
 * xterm.js writes its rules into elements that the content security policy leaves without effect. They go into sheets
 * of the page instead, which scripts of the page may make (CSSOM). Returns what undoes all of it.
 */
function openWithSheets(term: XTerm, area: HTMLElement): () => void {
  const sheets: CSSStyleSheet[] = [];
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    if (name !== 'style') return create(name, options);
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    document.adoptedStyleSheets.push(sheet);
    return Object.defineProperty(create('span'), 'textContent', {
      set: (rules: string) => sheet.replaceSync(rules)
    });
  };
  try {
    term.open(area);
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

/** What a hostile program could do with a plain xterm.js. */
export function tame(term: XTerm): void {
  for (const id of SILENT_OSC) term.parser.registerOscHandler(id, () => true);
  term.parser.registerCsiHandler({ final: 'b' }, ([times]) => typeof times !== 'number' || times > REPEATS);
}

export interface Choices {
  label: string;
  /** For who has it read out. */
  spoken: boolean;
  send(bytes: Uint8Array): void;
  resized(): void;
  /** The person leaves by the keyboard. */
  left(): void;
}

export class Screen implements Surface {
  readonly #term: XTerm;
  readonly #fit = new FitAddon();
  readonly #ends: (() => void)[] = [];
  readonly #text = new TextEncoder();
  #given: TerminalSize | undefined;

  constructor(area: HTMLElement, choices: Choices) {
    XTerm.strings.promptLabel = choices.label;
    const style = getComputedStyle(document.documentElement);
    const term = (this.#term = new XTerm({
      scrollback: LINES,
      fontFamily: style.getPropertyValue('--font-mono') || 'monospace',
      fontSize: 13,
      minimumContrastRatio: 4.5, // also where a program hides what it writes
      screenReaderMode: choices.spoken,
      disableStdin: true,
      macOptionIsMeta: true,
      theme: colours()
    }));
    tame(term);
    term.loadAddon(this.#fit);
    this.#ends.push(openWithSheets(term, area), () => term.dispose());
    term.onData((text) => choices.send(this.#text.encode(text)));
    term.onBinary((text) => choices.send(Uint8Array.from(text, (sign) => sign.charCodeAt(0))));
    term.attachCustomKeyEventHandler((event) => this.#key(event, choices));
    area.addEventListener('paste', (event) => this.#paste(event), { capture: true });

    let timer: ReturnType<typeof setTimeout>;
    const watch = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.fit(this.#given);
        choices.resized();
      }, 100);
    });
    watch.observe(area);
    const dress = new MutationObserver(() => (term.options.theme = colours()));
    dress.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#ends.push(
      () => watch.disconnect(),
      () => dress.disconnect(),
      () => clearTimeout(timer)
    );
    this.fit(undefined);
  }

  write(text: string): Promise<void> {
    return new Promise((shown) => this.#term.write(text, shown));
  }

  clear(): void {
    this.#term.reset();
  }

  size(): TerminalSize {
    const room = this.#fit.proposeDimensions();
    const within = (n: number | undefined, most: number, otherwise: number) =>
      Math.max(2, Math.min(most, Math.floor(n || otherwise)));
    return { columns: within(room?.cols, MOST.columns, 80), rows: within(room?.rows, MOST.rows, 24) };
  }

  /** Shows it in another window's size, or in its own. */
  fit(given: TerminalSize | undefined): void {
    this.#given = given;
    const { columns, rows } = given ?? this.size();
    this.#term.resize(Math.min(columns, MOST.columns), Math.min(rows, MOST.rows));
  }

  set typing(on: boolean) {
    this.#term.options.disableStdin = !on;
  }

  set spoken(on: boolean) {
    this.#term.options.screenReaderMode = on;
  }

  focus(): void {
    this.#term.focus();
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** Reports whether a key is the program's. */
  #key(event: KeyboardEvent, { left }: Choices): boolean {
    if (event.type !== 'keydown') return true;
    if (event.key === 'F6') {
      event.preventDefault();
      left();
      return false;
    }
    const mod = isMac() ? event.metaKey : event.ctrlKey;
    if (!mod || event.altKey) return true;
    if (event.code === 'KeyV') return false; // the page pastes
    if (event.code !== 'KeyC') return true;
    if (this.#term.hasSelection()) {
      event.preventDefault();
      void copyText(this.#term.getSelection()).catch(() => undefined);
      this.#term.clearSelection();
      return false;
    }
    return !event.shiftKey;
  }

  #paste(event: ClipboardEvent): void {
    event.preventDefault();
    event.stopPropagation();
    this.#term.paste(pastable(event.clipboardData?.getData('text/plain') ?? ''));
  }
}
