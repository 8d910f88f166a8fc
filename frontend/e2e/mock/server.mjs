// A stand-in for the controller, for work on the screens and for screenshots. It speaks the same HTTP and
// invents the work: nothing of it is evidence that piwork works, that is what e2e/browser.mjs is for.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from '../lib/ports.mjs';
import { page } from './pages.mjs';
import { changeRoutes } from './routes/changes.mjs';
import { policyRoutes } from './routes/policy.mjs';
import { ruleRoutes } from './routes/rules.mjs';
import { runtimeRoutes } from './routes/runtime.mjs';
import { serverRoutes } from './routes/servers.mjs';
import { lentRoutes } from './routes/lent.mjs';
import { serviceRoutes } from './routes/services.mjs';
import { sessionRoutes } from './routes/sessions.mjs';
import { setupRoutes } from './routes/setup.mjs';
import { talkRoutes } from './routes/talk.mjs';
import { taskRoutes } from './routes/tasks.mjs';
import { toolRoutes } from './routes/tools.mjs';
import { upkeepRoutes } from './routes/upkeep.mjs';
import { inWords } from './words.mjs';
import { notFound, refusal, World } from './world.mjs';

/** @typedef {import('./world.mjs').Setting} Setting */
/** @typedef {ReturnType<Awaited<ReturnType<typeof startServer>>['open']>} Mock */

/** Everything that it answers. @param {World} world @param {Setting} setting @returns {import('./world.mjs').Routes} */
const routesOf = (world, setting) => ({
  ...setupRoutes(world, setting),
  ...runtimeRoutes(world, setting),
  ...taskRoutes(world, setting),
  ...talkRoutes(world),
  ...sessionRoutes(setting),
  ...changeRoutes(world, setting),
  ...toolRoutes(world),
  ...lentRoutes(setting),
  ...serviceRoutes(world, setting),
  ...ruleRoutes(),
  ...serverRoutes(setting),
  ...policyRoutes(setting),
  ...upkeepRoutes(world, setting)
});

/** Finds the route of a request. @param {import('./world.mjs').Routes} routes */
function router(routes) {
  const patterns = Object.entries(routes)
    .filter(([route]) => route.includes('{'))
    .map(([route, handle]) => {
      const pattern = route.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
      return { pattern: new RegExp(`^${pattern}$`), handle };
    });
  return (/** @type {string} */ asked) => {
    const exact = routes[asked];
    if (exact) return { handle: exact, params: {} };
    for (const { pattern, handle } of patterns) {
      const groups = pattern.exec(asked)?.groups;
      if (!groups) continue;
      const params = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]);
      return { handle, params: Object.fromEntries(params) };
    }
    return { handle: () => notFound, params: {} };
  };
}

/** @param {import('node:http').IncomingMessage} request */
const languageOf = (request) => request.headers['accept-language'] ?? 'en';

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text ? JSON.parse(text) : {};
}

/**
 * Serves the pages, and one invented controller for each token. shared: the controllers share an origin, so each page
 * starts without what the page before it stored, and a browser keeps the scripts.
 * @param {boolean} [shared]
 */
export async function startServer(shared = false) {
  /** @type {Map<string, Invented>} by token */
  const all = new Map();
  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    if (!path.startsWith('/v1/')) {
      const { failed } = all.get(query.get('of') ?? '') ?? {};
      const body = failed ? /** @type {object} */ (refusal(404, failed).body) : undefined;
      const said = body && { en: await inWords(body, 'en'), de: await inWords(body, 'de') };
      return page(path, response, { failed: said, shared });
    }
    const invented = all.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (!invented) {
      response.writeHead(401, { 'Content-Type': 'application/problem+json' });
      response.end(JSON.stringify(refusal(401, 'unauthorized').body));
      return;
    }
    await invented.answer(request, response, path, query);
  });
  await inWords({}, 'en'); // no page waits until what says the words is built
  const origin = `http://127.0.0.1:${await listen(server)}`;

  return {
    /** Adds an invented controller. @param {Setting} [setting] */
    open(setting = {}) {
      const token = randomBytes(16).toString('base64url');
      const invented = new Invented(setting);
      all.set(token, invented);
      return {
        origin,
        token,
        /** What it answers to: method and path, as in the document. */
        routes: invented.routes,
        /** The address to open, with the token in it. */
        url: `${origin}/?of=${token}#token=${token}`,
        /** How often it was asked something, and how often it answered. */
        traffic: () => invented.traffic,
        /** Once somebody listens. @param {string} task @param {string} kind @param {unknown} data */
        async emit(task, kind, data) {
          await invented.world.heard;
          invented.world.emit(task, kind, data);
        },
        close() {
          invented.world.close();
          all.delete(token);
        }
      };
    },
    close() {
      for (const { world } of all.values()) world.close();
      server.closeAllConnections();
      server.close();
    }
  };
}

/** One controller: what it knows, and how it answers. */
class Invented {
  traffic = 0;

  /** @param {Setting} setting */
  constructor(setting) {
    this.failed = setting.failed;
    this.world = new World(setting);
    const routes = routesOf(this.world, setting);
    this.routes = Object.keys(routes);
    this.find = router(routes);
  }

  /**
   * @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response
   * @param {string} path @param {URLSearchParams} query
   */
  async answer(request, response, path, query) {
    // What is asked again and again is no sign that something is still to come.
    const counts = !path.endsWith('/output');
    if (counts) this.traffic++;
    if (path === '/v1/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      response.write(': mock\n\n');
      this.world.tell(response, languageOf(request));
      return;
    }
    const { handle, params } = this.find(`${request.method} ${path}`);
    const outcome = await handle({ params, body: await bodyOf(request), query });
    if (counts) this.traffic++;
    if (outcome.bytes) {
      response.writeHead(200, { 'Content-Type': outcome.type ?? 'image/png' });
      response.end(outcome.bytes);
      return;
    }
    const status = outcome.status ?? 200;
    response.writeHead(status, {
      'Content-Type': status < 400 ? 'application/json' : 'application/problem+json',
      'Cache-Control': 'no-store'
    });
    const body = await inWords(outcome.body, languageOf(request));
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }
}

/** One invented controller with an origin of its own. @param {Setting} [setting] */
export async function startMock(setting = {}) {
  const server = await startServer();
  return { ...server.open(setting), close: server.close };
}
