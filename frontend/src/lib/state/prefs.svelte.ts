/** How windows look and read. This window's own storage has it too, for the first paint. */
import type { WindowSettings } from '$lib/api/types';
import { useLocale } from '$lib/i18n/index.svelte';
import { locales, type Locale } from '$lib/i18n/locale';
import { chosen } from './chosen.svelte';
import { recall, remember } from './storage';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
export type Language = Locale | 'system';
export const motions = ['system', 'less'] as const;
type Motion = (typeof motions)[number];
type Look = Pick<WindowSettings, 'theme' | 'language' | 'motion' | 'signs'>;

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
  /** Choices of this window that are on their way to the others. */
  #telling = 0;

  constructor() {
    this.#dark.addEventListener('change', () => this.#paint());
  }

  setTheme(theme: Theme): void {
    this.#show({ theme });
    void this.#tell({ theme });
  }

  setMotion(motion: Motion): void {
    this.#show({ motion });
    void this.#tell({ motion });
  }

  setSigns(on: boolean): void {
    const signs = on ? 'on' : 'off';
    this.#show({ signs });
    void this.#tell({ signs });
  }

  async setLanguage(language: Language): Promise<void> {
    await this.#speak(language);
    void this.#tell({ language });
  }

  /** Shows what was chosen, in whichever window; what nobody chose stays as this window had it. */
  take(look: Look): void {
    if (this.#telling > 0) return; // what is on its way is newer
    this.#show(look);
    if (look.language && look.language !== this.language) void this.#speak(look.language);
  }

  async #tell(some: Look): Promise<void> {
    this.#telling++;
    const kept = await chosen.choose(some);
    this.#telling--;
    if (kept && chosen.window.known) this.take(chosen.window.known);
  }

  async #speak(language: Language): Promise<void> {
    await useLocale(language);
    this.language = language;
    remember(LANGUAGE, language);
  }

  #show({ theme, motion, signs }: Look): void {
    if (theme) {
      this.theme = theme;
      remember(THEME, theme);
      this.#paint();
    }
    if (motion) {
      this.motion = motion;
      remember(MOTION, motion);
      document.documentElement.dataset.motion = motion;
    }
    if (signs) {
      this.signs = signs === 'on';
      remember(SIGNS, signs);
    }
  }

  #paint(): void {
    const dark = this.theme === 'dark' || (this.theme === 'system' && this.#dark.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}

export const prefs = new Prefs();
