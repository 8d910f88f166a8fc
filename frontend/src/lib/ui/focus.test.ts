import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepFocus } from './keepFocus';

let stop: (() => void) | undefined;
afterEach(() => {
  stop?.();
  document.body.replaceChildren();
});

function show(html: string): HTMLElement {
  document.body.innerHTML = `<main>${html}</main>`;
  const main = document.querySelector('main');
  if (!main) throw new Error('no main');
  stop = keepFocus(main) as () => void;
  return main;
}
const focus = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();
const remove = (selector: string) => document.querySelector(selector)?.remove();

describe('when the control that has the focus goes away', () => {
  it('the heading of its section gets the focus', async () => {
    show('<h1>Place</h1><section><h2>Changes</h2><button>Put back</button></section>');
    focus('button');
    remove('button');
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Changes'));
  });

  it('the heading of the place gets it when the section went, too', async () => {
    show('<h1>Place</h1><section><h2>Plan</h2><button>Make</button></section>');
    focus('button');
    remove('section');
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Place'));
  });

  it('a focus that is somewhere else stays there', async () => {
    show('<h1>Place</h1><button>One</button><input>');
    focus('button');
    focus('input');
    remove('button');
    await new Promise((resolve) => setTimeout(resolve));
    expect(document.activeElement?.tagName).toBe('INPUT');
  });
});
