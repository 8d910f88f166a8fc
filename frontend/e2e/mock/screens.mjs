// Every screen of the window, and how to get there with the invented controller.
import { WINDOW } from '../lib/page.mjs';
import { changes } from './screens/changes.mjs';
import { home } from './screens/home.mjs';
import { over } from './screens/over.mjs';
import { runtime } from './screens/runtime.mjs';
import { settings } from './screens/settings.mjs';
import { setup } from './screens/setup.mjs';
import { talk } from './screens/talk.mjs';
import { tasks } from './screens/tasks.mjs';
import { tools } from './screens/tools.mjs';

/** @typedef {import('./screens/parts.mjs').Screens} Screens */

const kinds = { setup, home, talk, tasks, changes, settings, runtime, tools, over };

/** @type {Screens} */
export const screens = Object.assign({}, ...Object.values(kinds));

/** The place of a screen without the name of the one task or tool. @param {string} [hash] */
const placeOf = (hash = '') => hash.replace(/(tasks|tools)\/[^/]+/, '$1/…');

/**
 * The names of screens that stand for the others where not every screen is checked: the first screen of each place,
 * and those that say so themselves. A screen at a new place is among them without anybody's doing.
 * @returns {string[]}
 */
function chooseExemplary() {
  const seen = new Set();
  return Object.entries(kinds).flatMap(([kind, list]) =>
    Object.entries(/** @type {Screens} */ (list))
      .filter(([, screen]) => {
        const place = `${kind} ${placeOf(screen.hash)}`;
        const first = !seen.has(place);
        seen.add(place);
        return first || screen.exemplary;
      })
      .map(([name]) => name)
  );
}

export const exemplary = chooseExemplary();

export const looks = /** @type {const} */ ([
  ['light', WINDOW],
  ['dark', WINDOW],
  ['narrow', { width: 720, height: 900 }],
  ['huge', { width: 2560, height: 1300 }]
]);
