/** Everything that can be gone to or done from the palette. */
import { api } from '$lib/api/client';
import { i18n } from '$lib/i18n/index.svelte';
import { locales } from '$lib/i18n/locale';
import { folded, hasWords, textsOf } from '$lib/model/find';
import { isFinal, taskTitle } from '$lib/model/stage';
import { computer } from '$lib/state/computer.svelte';
import { draft } from '$lib/state/draft.svelte';
import { overlay } from '$lib/state/overlay.svelte';
import { sections, where } from '$lib/state/place.svelte';
import { languageNames, prefs } from '$lib/state/prefs.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { tools } from '$lib/state/tools.svelte';
import { openWindow } from '$lib/state/windows';

export type Group = 'tasks' | 'chores' | 'tools' | 'places' | 'actions';
// What only shows something comes before what does something.
export const groups: readonly Group[] = ['tasks', 'chores', 'tools', 'places', 'actions'];

export interface Command {
  key: string;
  group: Group;
  words: string;
  note?: string;
  /** Further words it is found by. */
  more?: readonly string[];
  run: () => unknown;
}

const FEW = 6; // of each kind, while nothing is written; of tools there are too many for that
const MANY = 30;

export function commands(): Command[] {
  const m = i18n.m;
  const words = m.list.palette;
  const all = tasks.list ?? [];
  const here = where.current.name === 'task' ? tasks.get(where.current.id) : undefined;
  return [
    ...(here?.kind === 'ai'
      ? [
          {
            key: 'model',
            group: 'actions' as const,
            words: m.ai.tune.changeModel,
            note: taskTitle(here),
            run: () => overlay.tune(here.id)
          }
        ]
      : []),
    ...all
      .filter((task) => !isFinal(task.state))
      .map((task): Command => ({
        key: `stop ${task.id}`,
        group: 'actions',
        words: words.stopTask({ title: taskTitle(task) }),
        run: () => tasks.act(api.cancelTask(task.id))
      })),
    {
      key: 'theme',
      group: 'actions',
      words: words.theme,
      run: () => prefs.setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')
    },
    { key: 'shortcuts', group: 'actions', words: words.shortcuts, run: () => (overlay.open = 'shortcuts') },
    { key: 'check', group: 'actions', words: words.checkComputer, run: () => void computer.check() },
    { key: 'window', group: 'actions', words: words.newWindow, run: () => openWindow() },
    ...locales
      .filter((locale) => locale !== i18n.locale)
      .map((locale): Command => ({
        key: `language ${locale}`,
        group: 'actions',
        words: words.language({ name: languageNames[locale] }),
        run: () => prefs.setLanguage(locale)
      })),
    ...(tools.known ?? []).map(({ name, title = name, about = '' }): Command => ({
      key: `tool ${name}`,
      group: 'tools',
      words: title,
      more: [name, about],
      run: () => where.go({ name: 'tools', tool: name })
    })),
    { key: 'tools', group: 'places', words: m.tools.title, run: () => where.go({ name: 'tools' }) },
    { key: 'home', group: 'places', words: m.shell.newTask, run: () => where.go({ name: 'home' }) },
    ...sections.map((section): Command => ({
      key: `section ${section}`,
      group: 'places',
      words: m.settingsPages.sections[section],
      note: m.settings.title,
      run: () => where.go(section === 'runtime' ? { name: 'runtime' } : { name: 'settings', section })
    })),
    ...(tasks.chores ?? []).map((chore): Command => ({
      key: `chore ${chore.name}`,
      group: 'chores',
      words: chore.title ?? chore.name,
      more: [chore.name],
      run: () => {
        draft.chore = chore.name;
        where.go({ name: 'home' });
      }
    })),
    ...all.map((task): Command => ({
      key: `task ${task.id}`,
      group: 'tasks',
      words: taskTitle(task),
      note: task.stands ?? '',
      more: textsOf(task, ''),
      run: () => where.go({ name: 'task', id: task.id })
    }))
  ];
}

/** Those that fit, those that begin with what is written first; groups in their order. */
export function matching(list: readonly Command[], query: string): Command[] {
  const wanted = query.trim();
  const most = wanted ? MANY : FEW;
  const start = folded(wanted);
  return groups.flatMap((group) =>
    list
      .filter(
        (one) =>
          one.group === group &&
          (wanted || group !== 'tools') &&
          (!wanted || hasWords(wanted, [one.words, one.note ?? '', ...(one.more ?? [])]))
      )
      .map((one, i) => ({ one, rank: wanted && folded(one.words).startsWith(start) ? i - list.length : i }))
      .sort((a, b) => a.rank - b.rank)
      .slice(0, most)
      .map(({ one }) => one)
  );
}
