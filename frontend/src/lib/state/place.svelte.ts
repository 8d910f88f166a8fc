/** Where the person is: home, the tools or one of them, a task with the page of its changes, or a section of the settings. It stands in the address, so that back and forward work. */
import { isOneOf } from '$lib/i18n/params';

/** The sections of the settings, in their order; the runtime has its place among them. */
export const sections = [
  'models',
  'folders',
  'network',
  'servers',
  'rules',
  'access',
  'computer',
  'runtime',
  'resources',
  'storage',
  'appearance',
  'window',
  'privacy',
  'help',
  'about'
] as const;
export type Section = (typeof sections)[number];

export type Place =
  | { name: 'home' }
  | { name: 'settings'; section?: Section }
  | { name: 'runtime' }
  | { name: 'tools'; tool?: string }
  | { name: 'task'; id: string }
  | { name: 'changes'; id: string };

function parsePlace(hash: string): Place {
  if (hash === '#/settings') return { name: 'settings' };
  const section = /^#\/settings\/([a-z]+)$/.exec(hash)?.[1];
  if (section === 'runtime') return { name: 'runtime' };
  if (section && isOneOf(sections, section)) return { name: 'settings', section };
  const tool = /^#\/tools(?:\/([a-z]+\.[A-Za-z]+))?$/.exec(hash);
  if (tool) return { name: 'tools', ...(tool[1] ? { tool: tool[1] } : {}) };
  const changes = /^#\/tasks\/([0-9A-Za-z-]{1,64})\/changes$/.exec(hash);
  if (changes?.[1]) return { name: 'changes', id: changes[1] };
  const task = /^#\/tasks\/([0-9A-Za-z-]{1,64})$/.exec(hash);
  return task?.[1] ? { name: 'task', id: task[1] } : { name: 'home' };
}

export function hrefOf(place: Place): string {
  switch (place.name) {
    case 'home':
      return '#/';
    case 'settings':
      return place.section ? `#/settings/${place.section}` : '#/settings';
    case 'runtime':
      return '#/settings/runtime';
    case 'tools':
      return place.tool ? `#/tools/${place.tool}` : '#/tools';
    case 'task':
      return `#/tasks/${place.id}`;
    case 'changes':
      return `#/tasks/${place.id}/changes`;
  }
}

/** The section of a place in the settings. */
export function sectionOf(place: Place): Section | undefined {
  if (place.name === 'runtime') return 'runtime';
  return place.name === 'settings' ? (place.section ?? 'models') : undefined;
}

class Where {
  current = $state.raw<Place>(parsePlace(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.current = parsePlace(location.hash)));
  }

  go(place: Place): void {
    location.hash = hrefOf(place);
    this.current = place; // at once; the event that follows finds the same
  }
}

export const where = new Where();
