// A yes that would do nothing cannot be given: another act of the same card is under way.
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { KeyInfo, MCPServer, MCPTool, PackInfo, Task } from '$lib/api/types';
import { runtime } from '$lib/state/runtime.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { TaskPage } from '../../places/task/page.svelte';
import TaskActions from '../../places/task/TaskActions.svelte';
import Versions from '../../places/runtime/Versions.svelte';
import McpServer from '../../places/settings/servers/McpServer.svelte';
import Provider from '../../places/settings/Provider.svelte';
import { serve, task } from '../../test/controller';
import Confirm from './Confirm.svelte';

const WAITS = 'Waiting for something else…';
const button = (name: string) => screen.getByRole('button', { name });

/** An answer that comes when the test wants. */
function late() {
  let arrive: (answer: unknown) => void = () => undefined;
  const answer = new Promise((resolve) => (arrive = resolve));
  return { answer: () => answer, arrive };
}

/** Presses the button that asks, and says yes as soon as that can be said. */
async function removeAfter(ask: string, yes: string, end: () => void) {
  await userEvent.click(button(ask));
  const dialog = await screen.findByRole('alertdialog');
  expect(within(dialog).queryByRole('button', { name: yes })).toBeNull();
  expect(within(dialog).getByRole('button', { name: WAITS })).toHaveAttribute('aria-disabled', 'true');
  end();
  await userEvent.click(await within(dialog).findByRole('button', { name: yes }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
}

describe('a question', () => {
  it('takes no yes while another act is under way, and says so', async () => {
    const onyes = vi.fn();
    const props = {
      open: true,
      title: 'Remove?',
      text: 'It is gone then.',
      yes: 'Remove',
      no: 'Keep',
      onyes
    };
    const { rerender } = render(Confirm, { ...props, acting: { busy: 'testing' } });
    await userEvent.click(await screen.findByRole('button', { name: WAITS }));
    expect(onyes).not.toHaveBeenCalled();
    await rerender({ acting: { busy: undefined } });
    await userEvent.click(button('Remove'));
    expect(onyes).toHaveBeenCalledOnce();
  });

  it('removes a key that is still tested', async () => {
    const test = late();
    const asked = serve({ 'POST /v1/keys/a/test': test.answer, 'DELETE /v1/keys/a': null });
    const key = {
      provider: 'a',
      name: 'Ada',
      has: true,
      kind: 'key',
      place: 'keychain'
    } as unknown as KeyInfo;
    render(Provider, { key, onchange: () => undefined });
    await userEvent.click(button('Test Ada'));
    await removeAfter('Remove Ada', 'Remove', () => test.arrive({ ok: true }));
    expect(asked.at(-1)?.route).toBe('DELETE /v1/keys/a');
  });

  it('removes a server that is still checked; a tool that was to be allowed meanwhile says why it is not', async () => {
    const check = late();
    const tool = { name: 'add', hash: 'h', state: 'new' } as unknown as MCPTool;
    const server = {
      name: 'notes',
      command: 'node',
      checked: task.created,
      tools: [tool]
    } as unknown as MCPServer;
    const asked = serve({
      'POST /v1/mcp-servers/notes/check': check.answer,
      'DELETE /v1/mcp-servers/notes': null
    });
    render(McpServer, { server, onchange: () => undefined, onremove: () => undefined });
    await userEvent.click(button('Check again: notes'));
    const box = screen.getByRole('checkbox', { name: 'Allow add of notes' });
    await userEvent.click(box);
    expect(await screen.findByRole('alert')).toHaveTextContent('Something else isn’t finished yet');
    expect(box).not.toBeChecked();
    await removeAfter('Remove notes', 'Remove', () => check.arrive(server));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(asked.at(-1)?.route).toBe('DELETE /v1/mcp-servers/notes');
  });

  it('removes a version while updates are still looked for', async () => {
    const check = late();
    const asked = serve({ 'POST /v1/update/check': check.answer, 'DELETE /v1/packs/0.9.0': null });
    runtime.packs = [{ version: '0.9.0', previous: true, signedBy: '', bytes: 1 } as PackInfo];
    render(Versions);
    const checked = runtime.check();
    await removeAfter('Remove version 0.9.0', 'Remove', () => check.arrive({ phase: 'up-to-date' }));
    await checked;
    expect(asked.map(({ route }) => route)).toContain('DELETE /v1/packs/0.9.0');
  });

  it('deletes a task that is still exported', async () => {
    const started = late();
    const done = { ...task, state: 'done' } as Task;
    const asked = serve({ 'POST /v1/tasks': started.answer, [`DELETE /v1/tasks/${task.id}`]: null });
    tasks.list = [done];
    const page = new TaskPage(() => task.id);
    render(TaskActions, { task: done, page, changes: [] });
    const acted = page.beside('exporting', started.answer);
    await removeAfter('Delete task', 'Delete', () => started.arrive('/home/anna/Sea.zip'));
    await acted;
    expect(asked.map(({ route }) => route)).toContain(`DELETE /v1/tasks/${task.id}`);
  });
});
