import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '$lib/state/ask.svelte';
import { draft } from '$lib/state/draft.svelte';
import { overlay } from '$lib/state/overlay.svelte';
import { ready, windowEvent } from '$lib/state/windows';
import { refuse, serve } from '../../test/controller';
import Closing from './Closing.svelte';

afterEach(() => {
  overlay.closing = undefined;
  delete window.runtime;
});

describe('closing the window while tasks work', () => {
  it('asks, answers once and remembers when told to', async () => {
    const asked = serve({ 'POST /v1/window/close': null });
    windowEvent({ what: 'close-asked', running: 2 });
    render(Closing);
    expect(await screen.findByRole('alertdialog', { name: '2 tasks are running' })).toBeVisible();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Always do this' }));
    await userEvent.click(screen.getByRole('button', { name: 'Continue in background' }));
    await waitFor(() => expect(overlay.closing).toBeUndefined());
    expect(asked).toEqual([
      { route: 'POST /v1/window/close', body: { answer: 'background', remember: true } }
    ]);
  });

  it('stays open, and remembers nothing of that', async () => {
    const asked = serve({ 'POST /v1/window/close': null });
    windowEvent({ what: 'close-asked' });
    render(Closing);
    await userEvent.click(await screen.findByRole('checkbox'));
    await userEvent.click(screen.getByRole('button', { name: 'Keep window open' }));
    await waitFor(() => expect(overlay.closing).toBeUndefined());
    expect(asked[0]?.body).toEqual({ answer: 'cancel' });
  });

  it('stays to say that the answer did not arrive, also when Escape was pressed meanwhile', async () => {
    let arrive: (answer: unknown) => void = () => undefined;
    const answer = new Promise((resolve) => (arrive = resolve));
    serve({ 'POST /v1/window/close': () => answer });
    windowEvent({ what: 'close-asked', running: 1 });
    render(Closing);
    await userEvent.click(await screen.findByRole('button', { name: 'Stop and close' }));
    await screen.findByRole('button', { name: 'Closing…' });
    await userEvent.keyboard('{Escape}');
    await new Promise((later) => setTimeout(later, 100)); // a dialog takes a while to be gone
    expect(screen.getByRole('alertdialog')).toBeVisible();
    arrive(refuse({ code: 'internal' }));
    await waitFor(() => expect(screen.getByRole('button', { name: 'Stop and close' })).toBeVisible());
    expect(screen.getByRole('alertdialog')).toContainElement(screen.getByRole('alert'));
  });

  it('says when the answer did not arrive', async () => {
    serve({ 'POST /v1/window/close': () => refuse({ code: 'internal' }) });
    windowEvent({ what: 'close-asked', running: 1 });
    render(Closing);
    await userEvent.click(await screen.findByRole('button', { name: 'Stop and close' }));
    expect(await screen.findByRole('alert')).toBeVisible();
    expect(overlay.closing).toBe(1);
  });
});

describe('what a window is asked to open', () => {
  it('is shown, and never started', async () => {
    const asked = serve({
      'POST /v1/dropped': [
        { path: '/home/anna/Sea', name: 'Sea', files: 1, file: 'a.jpg' },
        { path: '/home/anna/Club', name: 'Club', files: 0 }
      ]
    });
    windowEvent({ what: 'open', task: '0193-1' });
    await waitFor(() => expect(location.hash).toBe('#/tasks/0193-1'));
    windowEvent({ what: 'open', chore: 'merge-pdf', paths: ['/home/anna/Sea/a.jpg', '/home/anna/Club'] });
    // A file is no folder: the controller says which folder it stands for.
    await waitFor(() =>
      expect(ask.folders.map((folder) => folder.path)).toEqual(['/home/anna/Sea', '/home/anna/Club'])
    );
    expect(location.hash).toBe('#/');
    expect(draft.chore).toBe('merge-pdf');
    expect(asked).toEqual([
      { route: 'POST /v1/dropped', body: { paths: ['/home/anna/Sea/a.jpg', '/home/anna/Club'] } }
    ]);
  });

  it('is also what was asked before the page listened', async () => {
    window.runtime = { EventsOn: () => () => undefined };
    serve({ 'POST /v1/window/ready': { own: true, open: [{ task: '0193-2' }] } });
    await ready();
    expect(location.hash).toBe('#/tasks/0193-2');
  });
});
