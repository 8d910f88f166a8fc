// The page in a window of WebKitGTK, asked through the engine's remote inspector: what has the focus, what it logged,
// how long it took. Needs a program whose web view may be inspected (tag devtools) and that was started with env.
import { freePort } from './ports.mjs';
import { until } from './until.mjs';

const PATIENCE_MS = 60_000;

/** @typedef {{ method?: string, id?: number, params?: any, result?: any, error?: { message: string } }} Message */

/** Where a program that is about to be started lets its page be inspected. */
export async function inspectable() {
  const at = `127.0.0.1:${await freePort()}`;
  return { at, env: { WEBKIT_INSPECTOR_HTTP_SERVER: at } };
}

/** Waits for the page of a window to be there, and inspects it. @param {string} at */
export async function inspect(at) {
  const listed = async () => {
    const list = await fetch(`http://${at}/`)
      .then((answer) => answer.text())
      .catch(() => '');
    return /\/(socket\/\d+\/\d+\/WebPage)/.exec(list)?.[1];
  };
  const socket = await until(`a page can be inspected at ${at}`, listed, PATIENCE_MS, 50);
  return Inspector.open(`ws://${at}/${socket}`);
}

class Inspector {
  /** Errors of the page and what it logged as such. @type {string[]} */
  faults = [];
  #socket;
  #target = '';
  #last = 0;
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #asked = new Map();
  /** @type {() => void} */
  #found = () => {};

  /** @param {WebSocket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#outer(JSON.parse(String(data)));
    socket.onclose = () => {
      for (const { reject } of this.#asked.values()) reject(new Error('the page is gone'));
      this.#asked.clear();
    };
  }

  /** @param {string} url */
  static async open(url) {
    const socket = new WebSocket(url);
    const inspector = new Inspector(socket);
    await /** @type {Promise<void>} */ (
      new Promise((resolve, reject) => {
        inspector.#found = resolve;
        socket.onerror = () => reject(new Error(`${url} cannot be opened`));
        setTimeout(() => reject(new Error(`${url} names no page`)), PATIENCE_MS).unref();
      })
    );
    await inspector.#ask('Console.enable');
    return inspector;
  }

  close() {
    this.#socket.close();
  }

  /** What a function returns in the page. @param {Function} work @param {unknown[]} args @returns {Promise<any>} */
  async evaluate(work, ...args) {
    const expression = `Promise.resolve((${work})(${args.map((arg) => JSON.stringify(arg)).join()})).then(JSON.stringify)`;
    const { result } = await this.#ask('Runtime.evaluate', { expression });
    const { result: value, wasThrown } = await this.#ask('Runtime.awaitPromise', {
      promiseObjectId: result.objectId,
      returnByValue: true
    }).catch((error) => {
      if (!/injected script/.test(error.message)) throw error;
      return { result: undefined }; // the window went on to its page meanwhile
    });
    if (!value) return this.evaluate(work, ...args);
    if (wasThrown) throw new Error(value.description ?? 'the page threw');
    return value.value === undefined ? undefined : JSON.parse(value.value);
  }

  /** @param {string} method @param {object} [params] @returns {Promise<any>} */
  #ask(method, params = {}) {
    const id = ++this.#last;
    const answer = new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    const message = JSON.stringify({ id, method, params });
    const outer = { id, method: 'Target.sendMessageToTarget', params: { targetId: this.#target, message } };
    this.#socket.send(JSON.stringify(outer));
    return answer;
  }

  /** @param {Message} message */
  #outer({ method, params, id, error }) {
    if (method === 'Target.targetCreated' && params.targetInfo.type === 'page') {
      this.#target = params.targetInfo.targetId;
      this.#found();
    }
    if (method === 'Target.dispatchMessageFromTarget') this.#inner(JSON.parse(params.message));
    if (error && id !== undefined) this.#inner({ id, error });
  }

  /** @param {Message} message */
  #inner({ method, params, id, result, error }) {
    const ofViewer = params?.message?.url?.startsWith('webkit-pdfjs-viewer:'); // the engine's own, which shows a PDF
    if (method === 'Console.messageAdded' && params.message.level === 'error' && !ofViewer)
      this.faults.push(`${params.message.text} (${params.message.url ?? ''})`);
    const asked = id === undefined ? undefined : this.#asked.get(id);
    if (!asked || id === undefined) return;
    this.#asked.delete(id);
    if (error) asked.reject(new Error(error.message));
    else asked.resolve(result);
  }
}
