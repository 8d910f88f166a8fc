import { describe, expect, it } from 'vitest';
import { actOf, bindings, keyNames } from './shortcuts';

function press(init: KeyboardEventInit, target: HTMLElement = document.body): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true });
  if (target !== document.body) document.body.append(target);
  target.dispatchEvent(event);
  return event;
}

describe('keys of the window', () => {
  it('know the key of the system', () => {
    const k = { code: 'KeyK', key: 'k' };
    expect(actOf(press({ ...k, ctrlKey: true }), false)).toBe('palette');
    expect(actOf(press({ ...k, metaKey: true }), true)).toBe('palette');
    expect(actOf(press({ ...k, ctrlKey: true }), true)).toBeUndefined();
    expect(actOf(press(k), false)).toBeUndefined();
    expect(actOf(press({ code: 'KeyN', key: 'n', ctrlKey: true }), false)).toBe('window');
    expect(actOf(press({ code: 'KeyN', key: 'n', altKey: true }), false)).toBe('home');
  });

  it('leave what is written alone', () => {
    const field = document.createElement('textarea');
    expect(actOf(press({ code: 'Slash', key: '?', shiftKey: true }), false)).toBe('help');
    expect(actOf(press({ code: 'Slash', key: '?', shiftKey: true }, field), false)).toBeUndefined();
    expect(actOf(press({ code: 'KeyN', key: 'ñ', altKey: true }, field), true)).toBeUndefined();
    expect(actOf(press({ code: 'KeyK', key: 'k', ctrlKey: true }, field), false)).toBe('palette');
    expect(actOf(press({ code: 'KeyK', key: 'k', ctrlKey: true, isComposing: true }), false)).toBeUndefined();
  });

  it('of one sign alone can be switched off; the others hold', () => {
    expect(actOf(press({ code: 'Slash', key: '?', shiftKey: true }), false, false)).toBeUndefined();
    expect(actOf(press({ code: 'F1', key: 'F1' }), false, false)).toBe('help');
    expect(actOf(press({ code: 'Comma', key: ',', ctrlKey: true }), false, false)).toBe('settings');
  });

  it('are written as on the keyboard', () => {
    const names = (mac: boolean) => keyNames(bindings.next[0] ?? {}, mac, 'Strg').join(' ');
    expect(names(false)).toBe('Alt ↓');
    expect(names(true)).toBe('⌥ ↓');
    expect(keyNames(bindings.palette[0] ?? {}, false, 'Strg').join(' ')).toBe('Strg K');
  });
});
