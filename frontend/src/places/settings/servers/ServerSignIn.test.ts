import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MCPServer } from '$lib/api/types';
import { serve } from '../../../test/controller';
import ServerSignIn from './ServerSignIn.svelte';

const LOGIN = '/v1/mcp-servers/notes/login';
const waiting = { state: 'waiting', address: 'https://login.example/authorize' };
const props = {
  server: { name: 'notes', id: 's1', url: 'https://mcp.notes.example/mcp' } as MCPServer,
  asked: true,
  wanted: true,
  onchange: () => undefined,
  oncheck: () => undefined
};
const BrowserOpenURL = vi.fn();

/** An answer that comes when the test wants. */
function late() {
  let arrive: (answer: unknown) => void = () => undefined;
  const answer = new Promise((resolve) => (arrive = resolve));
  return { answer: () => answer, arrive };
}

beforeEach(() => {
  BrowserOpenURL.mockReset();
  window.runtime = { EventsOn: () => () => undefined, BrowserOpenURL };
});
afterEach(() => delete window.runtime);

it('that was left does not come back with what is still answered', async () => {
  const look = late();
  const asked = serve({
    [`POST ${LOGIN}`]: waiting,
    [`GET ${LOGIN}`]: look.answer,
    [`DELETE ${LOGIN}`]: { state: 'none', revoked: false }
  });
  render(ServerSignIn, props);
  await userEvent.click(screen.getByRole('button', { name: 'Sign in to notes' }));
  await waitFor(() => expect(asked.at(-1)?.route).toBe(`GET ${LOGIN}`));
  await userEvent.click(screen.getByRole('button', { name: 'Don’t sign in' }));
  await screen.findByRole('button', { name: 'Sign in to notes' });
  look.arrive(waiting);
  await new Promise((later) => setTimeout(later, 50));
  expect(screen.queryByRole('link', { name: /login\.example/ })).toBeNull();
});

it('that is left while it begins opens no page, and is given up', async () => {
  const begin = late();
  const asked = serve({
    [`POST ${LOGIN}`]: begin.answer,
    [`GET ${LOGIN}`]: waiting,
    [`DELETE ${LOGIN}`]: { state: 'none', revoked: false }
  });
  const { unmount } = render(ServerSignIn, props);
  await userEvent.click(screen.getByRole('button', { name: 'Sign in to notes' }));
  unmount();
  begin.arrive(waiting);
  await waitFor(() => expect(asked.at(-1)?.route).toBe(`DELETE ${LOGIN}`));
  expect(BrowserOpenURL).not.toHaveBeenCalled();
});
