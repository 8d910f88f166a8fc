// The WebKit engine that the window uses on Linux, driven by its own WebDriver (W3C WebDriver), with as much of
// playwright's page as the screens of e2e/mock use.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './ports.mjs';
import { until } from './until.mjs';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'; // WebDriver, section 12.2
const WAIT_MS = 60_000;

/** @typedef {string | RegExp} Words */
/**
 * @typedef {{ by: 'role' | 'text' | 'label' | 'css', what: string, name?: Words, exact?: boolean,
 *   level?: number, last?: boolean, within?: Query }} Query
 */

/** The browser of Debian's libwebkit2gtk, which is for such tests. */
function browserPath() {
  const libraries = '/usr/lib';
  for (const triplet of readdirSync(libraries))
    for (const version of ['webkit2gtk-4.1', 'webkit2gtk-4.0']) {
      const path = join(libraries, triplet, version, 'MiniBrowser');
      if (existsSync(path)) return path;
    }
  throw new Error('no MiniBrowser: it comes with libwebkit2gtk-4.1-0');
}

/**
 * Runs in the page: the first or last element that is seen and fits.
 * @param {any} query @returns {Element | null}
 */
function find(query) {
  /** @type {Record<string, string>} */
  const roles = {
    alert: '[role=alert]',
    alertdialog: '[role=alertdialog]',
    button: 'button,[role=button]',
    checkbox: 'input[type=checkbox],[role=checkbox]',
    combobox: 'select,[role=combobox]',
    dialog: 'dialog,[role=dialog]',
    heading: 'h1,h2,h3,h4,h5,h6,[role=heading]',
    img: 'img,[role=img]',
    link: 'a[href]',
    radio: 'input[type=radio],[role=radio]',
    region: 'section[aria-label],section[aria-labelledby],[role=region]',
    searchbox: 'input[type=search],[role=searchbox]',
    table: 'table',
    textbox: 'input:not([type]),input[type=text],input[type=password],textarea,[role=textbox]'
  };
  const flat = (/** @type {string | null | undefined} */ text) => (text ?? '').replace(/\s+/g, ' ').trim();
  const fits = (/** @type {string} */ text, /** @type {any} */ words, /** @type {boolean} */ exact) => {
    if (words === undefined || words === null) return true;
    if (words.source) return new RegExp(words.source, words.flags).test(text);
    return exact ? text === words : text.toLowerCase().includes(words.toLowerCase());
  };
  const nameOf = (/** @type {any} */ el) => {
    const by = el.getAttribute('aria-labelledby');
    if (by)
      return flat(
        by
          .split(/\s+/)
          .map((/** @type {string} */ id) => document.getElementById(id)?.textContent)
          .join(' ')
      );
    return flat(
      el.getAttribute('aria-label') ||
        (el.labels?.[0]?.textContent ?? '') ||
        el.alt ||
        el.textContent ||
        el.title
    );
  };
  const seen = (/** @type {Element} */ el) => {
    const box = el.getBoundingClientRect();
    return el.checkVisibility({ visibilityProperty: true }) && box.width > 0 && box.height > 0;
  };
  const look = (/** @type {any} */ q, /** @type {ParentNode} */ root) => {
    /** @type {Element[]} */
    let list = [];
    if (q.by === 'css') list = Array.from(root.querySelectorAll(q.what));
    if (q.by === 'role')
      list = Array.from(
        root.querySelectorAll(
          q.level
            ? `h${q.level},[role=heading][aria-level="${q.level}"]`
            : (roles[q.what] ?? `[role=${q.what}]`)
        )
      ).filter((el) => fits(nameOf(el), q.name, q.exact));
    if (q.by === 'label')
      list = Array.from(root.querySelectorAll('input,textarea,select,[aria-label]')).filter((el) =>
        fits(nameOf(el), q.name, q.exact)
      );
    if (q.by === 'text')
      list = Array.from(root.querySelectorAll('body *:not(script,style)')).filter(
        (el) =>
          fits(flat(el.textContent), q.name, q.exact) &&
          !Array.from(el.children).some((child) => fits(flat(child.textContent), q.name, q.exact))
      );
    return list.filter(seen);
  };
  /** @type {ParentNode} */
  let root = document;
  if (query.within) {
    const outer = find(query.within);
    if (!outer) return null;
    root = outer;
  }
  const list = look(query, root);
  return (query.last ? list.at(-1) : list[0]) ?? null;
}

/** A regular expression does not survive JSON. @param {any} query @returns {any} */
function plain(query) {
  if (!query) return query;
  const name =
    query.name instanceof RegExp ? { source: query.name.source, flags: query.name.flags } : query.name;
  return { ...query, name, within: plain(query.within) };
}

/** Starts the engine on a display. @param {NodeJS.ProcessEnv} env */
export async function launchWebKit(env) {
  const port = await freePort();
  const driver = spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], { env, stdio: 'ignore' });
  const base = `http://127.0.0.1:${port}`;
  /** @param {string} method @param {string} path @param {object} [body] */
  const ask = async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      signal: AbortSignal.timeout(WAIT_MS), // of an engine that hangs
      body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined,
      headers: { 'content-type': 'application/json' }
    });
    const { value } = /** @type {any} */ (await response.json());
    if (!response.ok) throw new Error(`${method} ${path}: ${value?.error}: ${value?.message}`);
    return value;
  };
  for (const deadline = Date.now() + WAIT_MS; ;) {
    try {
      await ask('GET', '/status');
      break;
    } catch (error) {
      if (Date.now() > deadline || driver.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const { sessionId, capabilities } = await ask('POST', '/session', {
    capabilities: {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: browserPath(), args: ['--automation'] } }
    }
  });
  const session = `/session/${sessionId}`;
  const page = new Page((method, path, body) => ask(method, session + path, body));
  return {
    version: `${capabilities.browserName} ${capabilities.browserVersion}`,
    page,
    /** There is one page. */
    newContext: async () => ({ newPage: async () => page }),
    async close() {
      await ask('DELETE', session).catch(() => undefined);
      driver.kill('SIGTERM');
      if (driver.exitCode === null && driver.signalCode === null) await once(driver, 'exit');
    }
  };
}

class Page {
  #ask;
  /** @param {(method: string, path: string, body?: object) => Promise<any>} ask */
  constructor(ask) {
    this.#ask = ask;
  }

  on() {} // what it prints is not told by WebDriver
  async emulateMedia() {} // it is as the display is
  context = () => ({ close: async () => undefined });

  /** @type {{ width: number, height: number } | undefined} */
  #size;

  /** The part that pages are shown in becomes as large as that. @param {{ width: number, height: number }} size */
  async setViewportSize({ width, height }) {
    if (this.#size?.width === width && this.#size.height === height) return;
    this.#size = { width, height };
    let [outerWidth, outerHeight] = [width, height];
    for (let tries = 0; tries < 20; tries++) {
      await this.#ask('POST', '/window/rect', { width: outerWidth, height: outerHeight });
      if (tries > 1) await this.waitForTimeout(100); // the page may hear of it later
      const [w, h] = await this.evaluate(() => [window.innerWidth, window.innerHeight]);
      if (w === width && h === height) return;
      outerWidth += width - w;
      outerHeight += height - h;
    }
  }

  /** @param {string} url */
  async goto(url) {
    await this.#ask('POST', '/url', { url });
  }

  /** @param {Function | string} work a function, or statements @param {unknown[]} args */
  async evaluate(work, ...args) {
    if (typeof work === 'string') return this.#ask('POST', '/execute/sync', { script: work, args });
    return this.#ask('POST', '/execute/sync', { script: `return (${work}).apply(null, arguments)`, args });
  }

  /** @param {Function} work */
  async waitForFunction(work) {
    await this.#until(`${work}`, () => this.evaluate(work));
  }

  /** @param {number} ms */
  waitForTimeout(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  keyboard = {
    press: (/** @type {string} */ key) => this.#press(key),
    type: async (/** @type {string} */ text) => {
      for (const key of text) await this.#press(key === '+' ? 'Add' : key);
    }
  };

  /** @param {string} key */
  async #press(key) {
    /** @type {Record<string, string>} */
    const keys = {
      Tab: '\uE004',
      Enter: '\uE007',
      Escape: '\uE00C',
      Control: '\uE009',
      Shift: '\uE008',
      ArrowDown: '\uE015',
      Space: ' ',
      Add: '+',
      F1: '\uE031'
    };
    const parts = key.split('+').map((name) => keys[name] ?? name);
    const actions = [
      ...parts.map((value) => ({ type: 'keyDown', value })),
      ...parts.toReversed().map((value) => ({ type: 'keyUp', value }))
    ];
    await this.#ask('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions }] });
  }

  /** @param {string} role @param {{ name?: Words, exact?: boolean, level?: number }} [o] */
  getByRole(role, o = {}) {
    return this.#locate({ by: 'role', what: role, ...o });
  }
  /** @param {Words} name @param {{ exact?: boolean }} [o] */
  getByText(name, o = {}) {
    return this.#locate({ by: 'text', what: '', name, ...o });
  }
  /** @param {Words} name @param {{ exact?: boolean }} [o] */
  getByLabel(name, o = {}) {
    return this.#locate({ by: 'label', what: '', name, ...o });
  }
  /** @param {string} css */
  locator(css) {
    return this.#locate({ by: 'css', what: css });
  }
  /** @param {string} css */
  frameLocator(css) {
    return {
      getByText: (/** @type {Words} */ name) => ({
        waitFor: async () => {
          const frame = await this.#locate({ by: 'css', what: css }).element();
          await this.#ask('POST', '/frame', { id: { [ELEMENT]: frame } });
          try {
            await this.getByText(name).waitFor();
          } finally {
            await this.#ask('POST', '/frame', { id: null });
          }
        }
      })
    };
  }

  /** @param {string} what @param {() => Promise<any>} holds */
  #until(what, holds) {
    return until(what, holds, WAIT_MS, 60);
  }

  /** @param {Query} query */
  #locate(query) {
    const script = `${find}; return find(arguments[0])`;
    const once = async () =>
      (await this.#ask('POST', '/execute/sync', { script, args: [plain(query)] }))?.[ELEMENT];
    const element = () => this.#until(JSON.stringify(plain(query)), once);
    const on = async (/** @type {string} */ path, body = {}) =>
      this.#ask('POST', `/element/${await element()}/${path}`, body);
    const script1 = async (/** @type {string} */ body, /** @type {unknown[]} */ ...args) =>
      this.#ask('POST', '/execute/sync', { script: body, args: [{ [ELEMENT]: await element() }, ...args] });
    // What moves, or is drawn anew, may be under something else for a moment.
    const click = () =>
      this.#until(`a click on ${JSON.stringify(plain(query))}`, async () => {
        try {
          await script1('arguments[0].scrollIntoView({ block: "center" })'); // from below what sticks to an edge
          await on('click');
          return true;
        } catch (error) {
          if (/click intercepted|stale element/.test(String(error))) return false;
          throw error;
        }
      });
    const locator = {
      element,
      waitFor: async (/** @type {{ state?: string }} */ { state } = {}) => {
        if (state === 'detached' || state === 'hidden')
          await this.#until(`no ${JSON.stringify(plain(query))}`, async () => !(await once()));
        else await element();
      },
      click,
      fill: (/** @type {string} */ text) =>
        this.#until(`${JSON.stringify(plain(query))} is filled in`, async () => {
          try {
            await on('clear');
            await on('value', { text });
            return true;
          } catch (error) {
            if (/stale element/.test(String(error))) return false; // drawn anew
            throw error;
          }
        }),
      press: async (/** @type {string} */ key) => {
        await script1('arguments[0].focus()');
        await this.#press(key);
      },
      check: async (/** @type {{ force?: boolean }} */ { force } = {}) => {
        if (await script1('return arguments[0].checked')) return;
        // By force: one that shows by what lies over it, which WebDriver does not click.
        await (force ? script1('arguments[0].click()') : click());
      },
      selectOption: (/** @type {string | { label: string }} */ wanted) =>
        script1(
          `const o = [...arguments[0].options].find((o) => o.value === arguments[1] || o.label === arguments[1]);
           arguments[0].value = o.value; arguments[0].dispatchEvent(new Event('input', { bubbles: true }));
           arguments[0].dispatchEvent(new Event('change', { bubbles: true }))`,
          typeof wanted === 'string' ? wanted : wanted.label
        ),
      scrollIntoViewIfNeeded: () => script1('arguments[0].scrollIntoView({ block: "nearest" })'),
      first: () => this.#locate({ ...query, last: false }),
      last: () => this.#locate({ ...query, last: true }),
      getByText: (/** @type {Words} */ name, o = {}) =>
        this.#locate({ by: 'text', what: '', name, within: query, ...o }),
      getByRole: (/** @type {string} */ role, o = {}) =>
        this.#locate({ by: 'role', what: role, within: query, ...o })
    };
    return locator;
  }
}
