import { mount } from 'svelte';
import './app.css';
import { takeToken } from '$lib/api/transport';
import type { Problem } from '$lib/api/types';
import { i18n, useLocale } from '$lib/i18n/index.svelte';
import type { Locale } from '$lib/i18n/locale';
import { prefs } from '$lib/state/prefs.svelte';

takeToken(); // before the address is read as a place
await useLocale(prefs.language);
const target = document.getElementById('app');
const failed = document.getElementById('failed')?.textContent; // from a window that has no controller
if (target && failed) {
  const { default: Failed } = await import('./places/shell/Failed.svelte');
  mount(Failed, { target, props: { problem: (JSON.parse(failed) as Record<Locale, Problem>)[i18n.locale] } });
} else if (target) {
  const { default: App } = await import('./App.svelte');
  mount(App, { target });
}
