// Every window shows the look and the language that are chosen in any of them.
import { beforeEach, expect, it, vi } from 'vitest';
import { i18n, useLocale } from '$lib/i18n/index.svelte';
import { refuse, serve } from '../../test/controller';
import { chosen } from './chosen.svelte';
import { prefs } from './prefs.svelte';

const rest = { close: 'ask' as const, notify: true };

beforeEach(async () => {
  localStorage.clear();
  await useLocale('en');
  prefs.take({ theme: 'light', motion: 'system', signs: 'on' });
});

it('shows what was chosen in another window, and remembers it for the first paint', async () => {
  prefs.take({ theme: 'dark', motion: 'less', signs: 'off', language: 'de' });
  expect(prefs.theme).toBe('dark');
  expect(document.documentElement.dataset).toMatchObject({ theme: 'dark', motion: 'less' });
  expect(prefs.signs).toBe(false);
  await vi.waitFor(() => expect(i18n.locale).toBe('de'));
  expect(prefs.language).toBe('de');
  expect(localStorage.getItem('piwork.theme')).toBe('dark');
  await vi.waitFor(() => expect(localStorage.getItem('piwork.language')).toBe('de'));
});

it('keeps what nobody chose for all windows', () => {
  prefs.take({ theme: 'dark' });
  prefs.take({});
  expect(prefs.theme).toBe('dark');
});

it('tells the other windows, and leaves what they chose meanwhile', async () => {
  const asked = serve({
    'GET /v1/settings/window': { ...rest, close: 'stop', motion: 'less' },
    'PUT /v1/settings/window': (body: unknown) => body
  });
  prefs.setTheme('dark');
  expect(document.documentElement.dataset.theme).toBe('dark'); // at once
  prefs.take({ theme: 'light' }); // read before it was told
  expect(prefs.theme).toBe('dark');
  await vi.waitFor(() => expect(prefs.motion).toBe('less'));
  expect(asked.at(-1)).toEqual({
    route: 'PUT /v1/settings/window',
    body: { ...rest, close: 'stop', motion: 'less', theme: 'dark' }
  });
  expect(chosen.window.known).toMatchObject({ theme: 'dark', close: 'stop' });
});

it('holds in this window also when the controller cannot keep it', async () => {
  const asked = serve({ 'GET /v1/settings/window': rest });
  prefs.setTheme('dark');
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(prefs.theme).toBe('dark');
});

it('holds when another choice is kept for all windows already', async () => {
  let kept = true;
  const asked = serve({
    'GET /v1/settings/window': () => (kept ? { ...rest, theme: 'light' } : refuse({ code: 'internal' })),
    'PUT /v1/settings/window': (body: unknown) => body
  });
  await chosen.look();
  kept = false;
  asked.length = 0;
  prefs.setTheme('dark');
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  await new Promise((later) => setTimeout(later, 20)); // the refusal is heard
  expect(prefs.theme).toBe('dark');
});

it('tells one choice after the other: none undoes the one before', async () => {
  let window: object = rest;
  const asked = serve({
    'GET /v1/settings/window': () => window,
    'PUT /v1/settings/window': (body: object) => (window = body)
  } as Record<string, unknown>);
  prefs.setTheme('dark');
  prefs.setMotion('less');
  await vi.waitFor(() => expect(asked).toHaveLength(4));
  await vi.waitFor(() => expect(window).toEqual({ ...rest, theme: 'dark', motion: 'less' }));
});
