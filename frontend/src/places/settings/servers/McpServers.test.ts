import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { MCPServer } from '$lib/api/types';
import { refuse, serve } from '../../../test/controller';
import McpServers from './McpServers.svelte';

const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  hash: `h-${name}`,
  state: 'off',
  ...more
});
const near = {
  name: 'calendar',
  id: 's1',
  command: 'node',
  args: ['/srv/cal/index.js'],
  env: ['TOKEN'],
  folders: ['/srv/cal'],
  hosts: ['dav.example.org:443'],
  checked: '2026-01-02T03:04:05Z',
  tools: [
    tool('find', { state: 'on' }),
    tool('add'),
    tool('share', { state: 'changed' }),
    tool('gone', { state: 'changed', hash: '' }),
    tool('odd', { state: 'unfit', reason: 'schema' })
  ]
} as MCPServer;
const far: MCPServer = { name: 'notes', id: 's2', url: 'https://mcp.notes.example/mcp' };
const hub: MCPServer = { name: 'hub', id: 's4', command: 'node', services: ['github'] };
const LIST = 'GET /v1/mcp-servers';
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const bodies = (asked: { route: string; body: unknown }[], route: string) =>
  asked.filter((one) => one.route === route).map(({ body }) => body);

describe('MCP servers', () => {
  it('say what each can reach', async () => {
    serve({ [LIST]: [near, far, { name: 'bare', id: 's3', command: 'python3' }, hub] });
    render(McpServers);
    const reach = (name: string) => screen.getByRole('region', { name: `What ${name} can reach` });
    await screen.findByRole('article', { name: 'calendar' });
    expect(reach('calendar')).toHaveTextContent('dav.example.org:443');
    expect(reach('calendar')).toHaveTextContent('/srv/cal (can read, can’t change)');
    expect(reach('calendar')).toHaveTextContent('TOKEN, from your keys');
    expect(reach('notes')).toHaveTextContent('leaves this computer');
    expect(within(reach('bare')).getAllByText('None')).toHaveLength(3);
    expect(reach('hub')).toHaveTextContent(/Only its services ?Your services github, with your secrets/);
    expect(screen.getByText('Runs at mcp.notes.example')).toBeVisible();
  });

  it('can be given another reach', async () => {
    const route = 'PUT /v1/mcp-servers/calendar/reach';
    let answer: unknown = refuse({ code: 'bad-request', cause: '' });
    const asked = serve({
      [LIST]: [near, far],
      'GET /v1/services': [
        { name: 'github', secret: 'set' },
        { name: 'npm', secret: 'missing' }
      ],
      [route]: () => answer
    });
    render(McpServers);
    await screen.findByRole('article', { name: 'calendar' });
    const reach = within(screen.getByRole('region', { name: 'What calendar can reach' }));
    await userEvent.click(reach.getByText('Change'));
    const hosts = await reach.findByRole('textbox', { name: 'Hosts it can connect to' });
    expect(hosts).toHaveValue('dav.example.org:443');
    await userEvent.type(hosts, '{enter}api.example.org');
    await userEvent.click(await reach.findByRole('checkbox', { name: 'github' }));
    expect(reach.queryByRole('checkbox', { name: 'npm' })).toBeNull(); // it has no secret yet
    await userEvent.click(reach.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('alert')).toBeVisible();
    expect(reach.getByText('dav.example.org:443', { selector: 'dd' })).toBeVisible();
    answer = { ...near, hosts: ['dav.example.org:443', 'api.example.org'], services: ['github'], turn: 1 };
    await userEvent.click(reach.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('What calendar can reach is changed.')).toBeVisible();
    expect(bodies(asked, route).at(-1)).toEqual({
      hosts: ['dav.example.org:443', 'api.example.org'],
      services: ['github']
    });
    expect(reach.getByText('dav.example.org:443, api.example.org')).toBeVisible();
    expect(reach.getByText(/^github, with your secrets/)).toBeVisible();
    // A remote server runs in no place of ours.
    expect(
      within(screen.getByRole('region', { name: 'What notes can reach' })).queryByText('Change')
    ).toBeNull();
  });

  it('have their tools allowed one by one, as they were shown', async () => {
    let answer: unknown = { ...near, tools: [tool('find', { state: 'on' }), tool('add', { state: 'on' })] };
    const route = 'POST /v1/mcp-servers/calendar/tools';
    const asked = serve({ [LIST]: [near], [route]: () => answer });
    render(McpServers);
    const box = (name: string) => screen.getByRole('checkbox', { name: `Allow ${name} of calendar` });
    await screen.findByText('Does add.');
    expect(box('find')).toBeChecked();
    expect(box('share')).not.toBeChecked();
    expect(box('share')).toHaveAccessibleDescription(/Changed since you allowed it.*Does share/);
    expect(box('gone')).toBeDisabled();
    expect(box('odd')).toBeDisabled();
    await userEvent.click(box('add'));
    expect(bodies(asked, route)).toEqual([{ tool: 'add', hash: 'h-add', allow: true }]);
    await waitFor(() => expect(box('add')).toBeChecked());
    answer = refuse({ code: 'bad-request', cause: 'mcp-tool-changed', params: { name: 'find' } });
    await userEvent.click(box('find'));
    expect(await screen.findByRole('alert')).toHaveTextContent(/find.*isn’t what was shown/);
    expect(box('find')).toBeChecked();
  });

  it('are checked, and say what hindered it', async () => {
    const route = 'POST /v1/mcp-servers/notes/check';
    let answer: unknown = refuse({ code: 'mcp-server', params: { name: 'notes' } });
    serve({ [LIST]: [far], [route]: () => answer });
    render(McpServers);
    await userEvent.click(await screen.findByRole('button', { name: 'Check notes' }));
    expect(await screen.findByRole('alert')).toHaveTextContent(/“notes” doesn’t work/);
    answer = { ...far, checked: near.checked, tools: [tool('search')] };
    await userEvent.click(button('Check notes'));
    expect(await screen.findByText('Works: it has 1 tool.')).toBeVisible();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByRole('checkbox', { name: 'Allow search of notes' })).not.toBeChecked();
  });

  it('are added as programs, with secrets that nobody reads', async () => {
    const asked = serve({
      [LIST]: [],
      'GET /v1/services': [
        { name: 'github', secret: 'set' },
        { name: 'npm', secret: 'missing' }
      ],
      'POST /v1/mcp-servers': { name: 'my-cal', id: 's9', command: 'node' }
    });
    render(McpServers);
    await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'My Cal!');
    expect(button('Add')).toHaveAttribute('aria-disabled', 'true');
    await userEvent.type(screen.getByRole('textbox', { name: 'Program' }), ' node ');
    await userEvent.type(screen.getByRole('textbox', { name: 'Arguments' }), 'a b.js{enter}{enter}--x');
    await userEvent.type(screen.getByRole('textbox', { name: 'Hosts it can connect to' }), 'a.example');
    await userEvent.click(button('Choose a folder'));
    await userEvent.type(screen.getByRole('textbox', { name: 'Folder' }), '/srv/cal');
    await userEvent.click(button('Add folder'));
    expect(screen.getAllByRole('checkbox')).toHaveLength(1); // npm has no secret yet
    await userEvent.click(screen.getByRole('checkbox', { name: 'github' }));
    await userEvent.click(button('Add a variable'));
    await userEvent.type(screen.getByRole('textbox', { name: 'Variable' }), 'TOKEN');
    const value = screen.getByLabelText('Value');
    expect(value).toHaveAttribute('type', 'password');
    await userEvent.type(value, 'hunter2');
    await userEvent.click(button('Add'));
    expect(await screen.findByText(/Added: my-cal/)).toBeVisible();
    expect(bodies(asked, 'POST /v1/mcp-servers')).toEqual([
      {
        name: 'my-cal',
        command: 'node',
        args: ['a b.js', '--x'],
        hosts: ['a.example'],
        folders: ['/srv/cal'],
        services: ['github'],
        env: { TOKEN: 'hunter2' }
      }
    ]);
    expect(screen.queryByLabelText('Value')).toBeNull();
  });

  it('are added at an address, and from the JSON of other apps', async () => {
    const asked = serve({
      [LIST]: [],
      'POST /v1/mcp-servers': far,
      'POST /v1/mcp-servers/import': [far, near]
    });
    render(McpServers);
    await userEvent.click(await screen.findByRole('radio', { name: 'An address' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'notes');
    await userEvent.type(screen.getByRole('textbox', { name: 'Address' }), 'https://mcp.notes.example/mcp');
    await userEvent.click(button('Add'));
    expect(await screen.findByText(/Added: notes/)).toBeVisible();
    await userEvent.click(screen.getByRole('radio', { name: 'JSON from another app' }));
    await userEvent.click(screen.getByRole('textbox', { name: 'JSON' }));
    await userEvent.paste('{"mcpServers":{"a":{"command":"npx"}}}');
    expect(screen.getByText(/^piwork doesn’t start npx/)).toBeVisible();
    await userEvent.clear(screen.getByRole('textbox', { name: 'JSON' }));
    await userEvent.paste('{"mcpServers":{}}');
    expect(screen.queryByText(/doesn’t start/)).toBeNull();
    await userEvent.type(screen.getByLabelText('Hosts it can connect to'), 'api.example.org');
    await userEvent.click(button('Add'));
    expect(await screen.findByText(/Added: notes, calendar/)).toBeVisible();
    expect(asked.filter(({ route }) => route.startsWith('POST'))).toEqual([
      { route: 'POST /v1/mcp-servers', body: { name: 'notes', url: 'https://mcp.notes.example/mcp' } },
      {
        route: 'POST /v1/mcp-servers/import',
        body: { config: '{"mcpServers":{}}', folders: [], hosts: ['api.example.org'] }
      }
    ]);
  });

  it('are signed in to: each other host is agreed to first', async () => {
    const open = vi.spyOn(window, 'open').mockReturnValue(null);
    const LOGIN = '/v1/mcp-servers/notes/login';
    const leads = (host: string) => ({ code: 'mcp-server', cause: 'host', params: { name: 'notes', host } });
    let step: 'before' | 'token' | 'done' = 'before';
    let signedIn = false;
    const asked = serve({
      [LIST]: [far],
      'POST /v1/mcp-servers/notes/check': () =>
        signedIn
          ? { ...far, signedIn, checked: near.checked, tools: [tool('search')] }
          : refuse({ code: 'mcp-server', cause: 'sign-in', params: { name: 'notes' } }),
      [`POST ${LOGIN}`]: (body: unknown) => {
        if (!(body as { confirm?: string[] }).confirm) return refuse(leads('login.example'));
        return { state: 'waiting', address: 'https://login.example/authorize' };
      },
      [`GET ${LOGIN}`]: () => {
        if (step === 'token')
          return {
            state: 'failed',
            problem: { title: '', severity: 'error', fix: [], ...leads('token.example') }
          };
        if (step === 'done') signedIn = true;
        return signedIn
          ? { state: 'done' }
          : { state: 'waiting', address: 'https://login.example/authorize' };
      },
      [`DELETE ${LOGIN}`]: () => ({ state: 'none', revoked: false })
    });
    const { unmount } = render(McpServers);
    await userEvent.click(await screen.findByRole('button', { name: 'Check notes' }));
    expect(await screen.findByText('This server wants you to sign in.')).toBeVisible();
    await userEvent.click(button('Sign in to notes'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Do you trust login.example?');
    expect(bodies(asked, `POST ${LOGIN}`)).toEqual([{}]);
    await userEvent.click(button('Agree and go on'));
    expect(await screen.findByRole('link', { name: 'Open the page at login.example' })).toHaveAttribute(
      'href',
      'https://login.example/authorize'
    );
    step = 'token';
    expect(await screen.findByText('Do you trust token.example?')).toBeVisible();
    step = 'done';
    await userEvent.click(button('Agree and go on'));
    expect(bodies(asked, `POST ${LOGIN}`).at(-1)).toEqual({ confirm: ['login.example', 'token.example'] });
    expect(await screen.findByText('You’re signed in to notes.')).toBeVisible();
    expect(await screen.findByRole('checkbox', { name: 'Allow search of notes' })).toBeVisible();
    await userEvent.click(button('Sign out of notes'));
    await waitFor(() => expect(asked.at(-1)?.route).toBe(`DELETE ${LOGIN}`));
    expect(await screen.findByText(/can’t end sign-ins/)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Sign out of notes' })).toBeNull();
    unmount();
    open.mockRestore();
  }, 30_000);

  it('give a sign-in up with the page', async () => {
    const LOGIN = '/v1/mcp-servers/notes/login';
    let state = 'waiting';
    const asked = serve({
      [LIST]: [{ ...far, signedIn: false }],
      'POST /v1/mcp-servers/notes/check': () => refuse({ code: 'mcp-server', cause: 'sign-in' }),
      [`POST ${LOGIN}`]: { state: 'waiting', address: 'https://login.example/authorize' },
      [`GET ${LOGIN}`]: () => ({ state }),
      [`DELETE ${LOGIN}`]: null
    });
    const begin = async () => {
      const { unmount } = render(McpServers);
      await userEvent.click(await screen.findByRole('button', { name: 'Check notes' }));
      await userEvent.click(await screen.findByRole('button', { name: 'Sign in to notes' }));
      await screen.findByText('Waiting for you to sign in…');
      return unmount;
    };
    (await begin())();
    await waitFor(() => expect(asked.at(-1)?.route).toBe(`DELETE ${LOGIN}`));
    // One that was finished since the last look stands.
    const before = asked.length;
    const leave = await begin();
    state = 'done';
    leave();
    await waitFor(() => expect(asked.at(-1)?.route).toBe(`GET ${LOGIN}`));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked.slice(before).some(({ route }) => route.startsWith('DELETE'))).toBe(false);
  });

  it('are removed after a question', async () => {
    const route = 'DELETE /v1/mcp-servers/calendar';
    const asked = serve({ [LIST]: [near, far], [route]: null });
    render(McpServers);
    await userEvent.click(await screen.findByRole('button', { name: 'Remove calendar' }));
    const dialog = await screen.findByRole('alertdialog');
    expect(within(dialog).getByText(/secrets and your sign-in are deleted/)).toBeVisible();
    expect(bodies(asked, route)).toHaveLength(0);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(screen.queryByRole('article', { name: 'calendar' })).toBeNull());
    expect(screen.getByRole('article', { name: 'notes' })).toBeVisible();
    expect(screen.getByText('calendar was removed, with its secrets.')).toBeVisible();
  });
});
