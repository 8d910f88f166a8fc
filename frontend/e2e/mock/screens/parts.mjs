// What the screens have in common.
import { examples } from '../fixtures/tasks.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('../server.mjs').Mock} Mock */
/**
 * @typedef {object} Screen
 * @property {import('../world.mjs').Setting} setting
 * @property {string} [hash] the place
 * @property {string} [locale]
 * @property {(page: Page, mock: Mock) => Promise<void>} [act] what a person does there
 * @property {boolean} [exemplary] it is checked in every engine, theme and size; see exemplary in ../screens.mjs
 */
/** @typedef {Record<string, Screen>} Screens */

/** Every task that there is an example of. */
export const ALL = /** @type {(keyof typeof examples)[]} */ (Object.keys(examples));

/** The place of a task. @param {keyof typeof examples} name */
export const at = (name) => `#/tasks/${examples[name].id}`;
