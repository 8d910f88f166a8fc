// A second window shows the look and the language that are chosen in the first.
import { beforeEach, expect, it, vi } from 'vitest';
import { i18n, useLocale } from '$lib/i18n/index.svelte';
import { prefs } from './prefs.svelte';

/** What a browser tells the other windows. */
function chosenElsewhere(key: string, value: string) {
  localStorage.setItem(key, value);
  dispatchEvent(new StorageEvent('storage', { key }));
}

beforeEach(async () => {
  localStorage.clear();
  await useLocale('en');
});

it('follows another window', async () => {
  chosenElsewhere('piwork.theme', 'dark');
  expect(prefs.theme).toBe('dark');
  expect(document.documentElement.dataset.theme).toBe('dark');

  chosenElsewhere('piwork.motion', 'less');
  expect(document.documentElement.dataset.motion).toBe('less');

  chosenElsewhere('piwork.signs', 'off');
  expect(prefs.signs).toBe(false);

  chosenElsewhere('piwork.language', 'de');
  await vi.waitFor(() => expect(i18n.locale).toBe('de'));
  expect(prefs.language).toBe('de');
});

it('takes no notice of what is not its own', () => {
  const before = prefs.theme;
  chosenElsewhere('something.else', 'dark');
  expect(prefs.theme).toBe(before);
});
