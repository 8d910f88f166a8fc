// What a person does in one run, step after step, and what is said about it.
import { join } from 'node:path';

/** @typedef {import('playwright-core').Page} Page */

export class Story {
  /** The step that is under way. */
  part = 'the beginning';

  /** @param {string} name of the run, in the names of pictures */
  constructor(name) {
    this.name = name;
  }

  /** Does a step, and says how long it took. @param {string} name @param {() => Promise<void>} work */
  step = async (name, work) => {
    this.part = name;
    const began = Date.now();
    await work();
    console.log(`ok: ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  };

  /** A step that is done with --all only: another instance of a promise that an earlier step holds. @type {Story['step']} */
  more = async (name, work) => {
    if (process.argv.includes('--all')) await this.step(name, work);
  };

  /** Says where it failed and what the page showed. @param {unknown} error @param {Page} [page] @param {string} [more] */
  async failed(error, page, more = '') {
    process.exitCode = 1;
    const picture = join(process.env.PIWORK_E2E_SHOTS ?? '/tmp', `piwork-e2e-${this.name}-failed.png`);
    await page?.screenshot({ path: picture }).catch(() => undefined);
    console.error(`FAILED: ${this.part}${page ? `; the page: ${picture}` : ''}${more ? `; ${more}` : ''}`);
    const text = page?.locator('main').innerText();
    if (text) console.error(await text.catch(() => ''));
    console.error(error);
  }
}
