// A stand-in for the controller, for work on the screens and for screenshots. It speaks the same HTTP and
// invents the work: nothing of it is evidence that piwork works, that is what e2e/browser.mjs is for.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from '../lib/ports.mjs';
import { page } from './pages.mjs';
import { changeRoutes } from './routes/changes.mjs';
import { ruleRoutes } from './routes/rules.mjs';
import { runtimeRoutes } from './routes/runtime.mjs';
import { serviceRoutes } from './routes/services.mjs';
import { setupRoutes } from './routes/setup.mjs';
import { talkRoutes } from './routes/talk.mjs';
import { taskRoutes } from './routes/tasks.mjs';
import { toolRoutes } from './routes/tools.mjs';
import { upkeepRoutes } from './routes/upkeep.mjs';
import { notFound, refusal, World } from './world.mjs';

/** @typedef {import('./world.mjs').Setting} Setting */

/** Everything that it answers. @param {World} world @param {Setting} setting @returns {import('./world.mjs').Routes} */
const routesOf = (world, setting) => ({
  ...setupRoutes(world, setting),
  ...runtimeRoutes(world, setting),
  ...taskRoutes(world, setting),
  ...talkRoutes(world),
  ...changeRoutes(world, setting),
  ...toolRoutes(world),
  ...serviceRoutes(world, setting),
  ...ruleRoutes(),
  ...upkeepRoutes(world)
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
async function bodyOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text ? JSON.parse(text) : {};
}

/** @param {Setting} [setting] */
export async function startMock(setting = {}) {
  const token = randomBytes(16).toString('base64url');
  const world = new World(setting);
  const routes = routesOf(world, setting);
  const find = router(routes);

  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    if (!path.startsWith('/api/')) return page(path, response, setting.failed);
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401, { 'Content-Type': 'application/problem+json' });
      response.end(JSON.stringify(refusal(401, 'unauthorized').body));
      return;
    }
    if (path === '/api/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      response.write(': mock\n\n');
      world.tell(response);
      return;
    }
    const { handle, params } = find(`${request.method} ${path}`);
    const outcome = await handle({ params, body: await bodyOf(request), query });
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
    response.end(outcome.body === undefined ? undefined : JSON.stringify(outcome.body));
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;

  return {
    origin,
    token,
    /** What it answers to: method and path, as in the document. */
    routes: Object.keys(routes),
    /** The address to open, with the token in it. */
    url: `${origin}/#token=${token}`,
    /** @param {string} task @param {string} kind @param {unknown} data */
    emit: (task, kind, data) => world.emit(task, kind, data),
    close() {
      world.close();
      server.closeAllConnections();
      server.close();
    }
  };
}
