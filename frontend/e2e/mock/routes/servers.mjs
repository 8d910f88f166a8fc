// The MCP servers of the person: added, checked, allowed, signed in to.
import { at } from '../fixtures/records.mjs';
import { servers, toolsOf } from '../fixtures/servers.mjs';
import { notFound, refusal } from '../world.mjs';

const HOST = 'login.notes.example';

/** @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function serverRoutes({ servers: some = false }) {
  let known = some ? structuredClone(servers) : [];
  /** @type {import('../../../src/lib/api/types').MCPLogin} */
  let login = { state: 'none' };
  /** Answers for a server, if there is such a one. @param {(one: typeof known[number], ask: import('../world.mjs').Ask) => import('../world.mjs').Answer} route @returns {import('../world.mjs').Route} */
  const of = (route) => (ask) => {
    const one = known.find(({ name }) => name === ask.params.name);
    return one ? route(one, ask) : notFound;
  };
  const change = (/** @type {string} */ name, /** @type {Partial<typeof known[number]>} */ more) => {
    known = known.map((one) => (one.name === name ? { ...one, ...more } : one));
    return { body: known.find((one) => one.name === name) };
  };
  const add = (/** @type {any} */ { env, headers, ...body }) => {
    delete body.clientSecret;
    const names = {
      ...(env ? { env: Object.keys(env) } : {}),
      ...(headers ? { headers: Object.keys(headers) } : {})
    };
    const one = { id: `s${known.length + 1}`, ...body, ...names };
    known = [...known, one];
    return one;
  };

  return {
    'GET /v1/mcp-servers': () => ({ body: known }),
    'POST /v1/mcp-servers': ({ body }) => ({ status: 201, body: add(body) }),
    'POST /v1/mcp-servers/import': ({ body }) => {
      /** @type {Record<string, { command?: string, args?: string[], url?: string }>} */
      const named = JSON.parse(body.config).mcpServers;
      const made = Object.entries(named).map(([name, { command, args, url }]) =>
        add(url ? { name, url } : { name, command, args })
      );
      return { status: 201, body: made };
    },
    'POST /v1/mcp-servers/{name}/check': of(({ name, url, signedIn }) =>
      url && !signedIn
        ? refusal(422, 'mcp-server', { cause: 'sign-in', params: { name } })
        : change(name, { tools: toolsOf[name] ?? [], checked: at(0) })
    ),
    'POST /v1/mcp-servers/{name}/tools': of(({ name, tools = [] }, { body }) =>
      change(name, {
        tools: tools.map((one) =>
          one.name === body.tool
            ? { ...one, state: /** @type {'on' | 'off'} */ (body.allow ? 'on' : 'off') }
            : one
        )
      })
    ),
    'PUT /v1/mcp-servers/{name}/reach': of(({ name }, { body }) => change(name, body)),
    'POST /v1/mcp-servers/{name}/login': of(({ name }, { body }) => {
      if (!body.confirm?.includes(HOST))
        return refusal(422, 'mcp-server', { cause: 'host', params: { name, host: HOST } });
      login = { state: 'waiting', address: `https://${HOST}/authorize?client_id=piwork` };
      return { body: login };
    }),
    'GET /v1/mcp-servers/{name}/login': of(() => ({ body: login })),
    'DELETE /v1/mcp-servers/{name}/login': of(({ name, signedIn }) => {
      const off = login.state === 'waiting';
      login = { state: 'none' };
      if (off && signedIn) return { body: { state: 'done' } };
      change(name, { signedIn: false, hosts: [] });
      return { body: { state: 'none', revoked: false } };
    }),
    'DELETE /v1/mcp-servers/{name}': of(({ name }) => {
      known = known.filter((one) => one.name !== name);
      return { status: 204 };
    })
  };
}
