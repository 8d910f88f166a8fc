import { mount } from 'svelte';
import './app.css';
import { takeToken } from '$lib/api/transport';
import { useLocale } from '$lib/i18n/index.svelte';
import { prefs } from '$lib/state/prefs.svelte';

takeToken(); // before the address is read as a place
await useLocale(prefs.language);
const { default: App } = await import('./App.svelte');
const target = document.getElementById('app');
if (target) mount(App, { target });
