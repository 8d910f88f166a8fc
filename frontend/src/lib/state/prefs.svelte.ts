/** What the person chose about the window itself. It stays in this window's own storage. */
import { useLocale } from '$lib/i18n/index.svelte';
import { locales, type Locale } from '$lib/i18n/locale';
import { recall, remember } from './storage';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
export type Language = Locale | 'system';
export const motions = ['system', 'less'] as const;
type Motion = (typeof motions)[number];

/** A language is named in itself: who cannot read this one finds it. */
export const languageNames: Record<Locale, string> = { en: 'English', de: 'Deutsch' };

const THEME = 'piwork.theme'; // also read by public/theme.js, before the first paint
const LANGUAGE = 'piwork.language';
const SIGNS = 'piwork.signs';
const MOTION = 'piwork.motion'; // also read by public/theme.js

function read<T extends string>(key: string, allowed: readonly T[], otherwise: T): T {
  const value = recall(key);
  return allowed.find((a) => a === value) ?? otherwise;
}

class Prefs {
  theme = $state<Theme>(read(THEME, themes, 'system'));
  language = $state<Language>(read(LANGUAGE, [...locales, 'system'], 'system'));
  motion = $state<Motion>(read(MOTION, motions, 'system'));
  /** Shortcuts of one sign alone: who speaks to their computer types them by mistake (WCAG 2.1.4). */
  signs = $state(read(SIGNS, ['on', 'off'], 'on') === 'on');
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');

  constructor() {
    this.#dark.addEventListener('change', () => this.#paint());
    addEventListener('storage', (event) => this.#follow(event.key));
  }

  /** What is chosen in another window of piwork holds here, too. */
  #follow(key: string | null): void {
    if (key === THEME) {
      this.theme = read(THEME, themes, 'system');
      this.#paint();
    } else if (key === MOTION) {
      this.motion = read(MOTION, motions, 'system');
      document.documentElement.dataset.motion = this.motion;
    } else if (key === SIGNS) {
      this.signs = read(SIGNS, ['on', 'off'], 'on') === 'on';
    } else if (key === LANGUAGE) {
      void this.setLanguage(read(LANGUAGE, [...locales, 'system'], 'system'));
    }
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    remember(THEME, theme);
    this.#paint();
  }

  setMotion(motion: Motion): void {
    this.motion = motion;
    remember(MOTION, motion);
    document.documentElement.dataset.motion = motion;
  }

  setSigns(on: boolean): void {
    this.signs = on;
    remember(SIGNS, on ? 'on' : 'off');
  }

  async setLanguage(language: Language): Promise<void> {
    await useLocale(language);
    this.language = language;
    remember(LANGUAGE, language);
  }

  #paint(): void {
    const dark = this.theme === 'dark' || (this.theme === 'system' && this.#dark.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}

export const prefs = new Prefs();
