/** Where the person is: home, a task with the page of its changes, or settings with the runtime's page under them. It stands in the address, so that back and forward work. */

export type Place =
  | { name: 'home' }
  | { name: 'settings' }
  | { name: 'runtime' }
  | { name: 'task'; id: string }
  | { name: 'changes'; id: string };

export function parsePlace(hash: string): Place {
  if (hash === '#/settings') return { name: 'settings' };
  if (hash === '#/settings/runtime') return { name: 'runtime' };
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
      return '#/settings';
    case 'runtime':
      return '#/settings/runtime';
    case 'task':
      return `#/tasks/${place.id}`;
    case 'changes':
      return `#/tasks/${place.id}/changes`;
  }
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
