/** Keys that work everywhere in the window, and what they do. */

export type Act =
  'palette' | 'help' | 'home' | 'window' | 'find' | 'settings' | 'rename' | 'next' | 'previous' | 'tell';

/** As a keyboard tells it; `mod` is the command key of a Mac and Ctrl elsewhere. */
interface Keys {
  code?: string;
  key?: string;
  mod?: boolean;
  alt?: boolean;
  /** Also while something is written. */
  writing?: boolean;
}

export const bindings: Record<Act, readonly Keys[]> = {
  palette: [{ code: 'KeyK', mod: true, writing: true }],
  help: [{ key: '?' }, { code: 'F1', writing: true }],
  home: [{ code: 'KeyN', alt: true }],
  window: [{ code: 'KeyN', mod: true, writing: true }], // a browser keeps it to itself
  find: [{ code: 'KeyF', alt: true }],
  settings: [{ key: ',', mod: true, writing: true }],
  rename: [{ code: 'F2' }],
  next: [{ code: 'ArrowDown', alt: true }],
  previous: [{ code: 'ArrowUp', alt: true }],
  tell: [{ code: 'KeyT', alt: true }]
};

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}

/** A sign alone, as one writes it. */
export const isSign = (keys: Keys) => keys.key !== undefined && !keys.mod && !keys.alt;

/** What a key stands for; undefined: it is none of the window's. `signs`: those of one sign alone hold, too. */
export function actOf(event: KeyboardEvent, mac: boolean, signs = true): Act | undefined {
  if (event.isComposing || event.defaultPrevented) return undefined;
  const writing = isWriting(event.target);
  const mod = mac ? event.metaKey : event.ctrlKey;
  const other = mac ? event.ctrlKey : event.metaKey;
  if (other) return undefined;
  for (const [act, all] of Object.entries(bindings) as [Act, readonly Keys[]][]) {
    for (const keys of all) {
      if (writing && !keys.writing) continue;
      if (!signs && isSign(keys)) continue;
      if (mod !== Boolean(keys.mod) || event.altKey !== Boolean(keys.alt)) continue;
      if (event.shiftKey && keys.key !== '?') continue;
      if (keys.code ? event.code === keys.code : event.key === keys.key) return act;
    }
  }
  return undefined;
}

export function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

/** How a key is written on this computer's keyboard. */
export function keyNames(keys: Keys, mac: boolean, ctrl: string): string[] {
  const last = keys.key?.toUpperCase() ?? keys.code?.replace(/^Key/, '') ?? '';
  const arrows: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑' };
  return [
    ...(keys.mod ? [mac ? '⌘' : ctrl] : []),
    ...(keys.alt ? [mac ? '⌥' : 'Alt'] : []),
    arrows[last] ?? last
  ];
}
