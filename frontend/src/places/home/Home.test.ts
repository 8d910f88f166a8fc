import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { computer } from '$lib/state/computer.svelte';
import { draft } from '$lib/state/draft.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { saved } from '$lib/state/wizard.svelte';
import { chore, refuse, report, serve, task, said } from '../../test/controller';
import Home from './Home.svelte';

function ready(): void {
  computer.report = report;
  tasks.chores = [chore];
  tasks.list = [task];
}
beforeEach(ready);
afterEach(() => delete window.runtime);

const show = () => screen.getByRole('button', { name: 'Show plan' });

describe('home', () => {
  it('starts a task with a folder written by hand and the options chosen', async () => {
    const asked = serve({ 'POST /v1/tasks': { ...task, id: '0193-9', state: 'queued' } });
    render(Home);
    await userEvent.type(screen.getByRole('textbox', { name: 'Folder' }), '/home/anna/Sea{Enter}');
    expect(screen.getByText('/home/anna/Sea')).toBeVisible();
    await userEvent.click(screen.getByText('Options'));
    await userEvent.click(screen.getByRole('radio', { name: 'by date taken' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Include subfolders' }));
    const name = screen.getByLabelText('PDF name');
    await userEvent.clear(name);
    await userEvent.type(name, 'Holiday');
    await userEvent.click(show());
    expect(asked).toEqual([
      {
        route: 'POST /v1/tasks',
        body: {
          kind: 'chore',
          chore: 'pictures-to-pdf',
          params: { name: 'Holiday', order: 'date', recursive: true },
          folders: [{ path: '/home/anna/Sea' }],
          detached: true
        }
      }
    ]);
    expect(location.hash).toBe('#/tasks/0193-9');
  });

  it('has its options on the page, not in the line that is always in sight', async () => {
    serve({});
    render(Home);
    await userEvent.click(screen.getByText('Options'));
    expect(show().closest('.sticky')).not.toBeNull();
    expect(screen.getByLabelText('PDF name').closest('.sticky')).toBeNull();
  });

  it('says what is missing instead of doing nothing', async () => {
    const asked = serve({});
    render(Home);
    await userEvent.click(show());
    expect(screen.getByText('Choose a folder first.')).toBeVisible();
    expect(asked).toEqual([]);
  });

  it('asks for a password, and forgets it', async () => {
    const asked = serve({ 'POST /v1/tasks': { ...task, id: '0193-9', state: 'queued' } });
    tasks.chores = said([
      {
        ...chore,
        name: 'unlock-pdf',
        params: [
          { name: 'password', type: 'password', default: '' },
          { name: 'every', type: 'int', default: 1, min: 1, max: 9 },
          { name: 'language', type: 'choice', default: 'de', choices: ['de', 'en'] }
        ]
      }
    ]);
    draft.use('/home/anna/Sea');
    render(Home);
    await userEvent.click(show());
    expect(screen.getByText('Type the password first.')).toBeVisible();
    expect(asked).toEqual([]);
    const password = screen.getByLabelText('PDF password');
    expect(password).toHaveAttribute('type', 'password');
    await userEvent.type(password, 'hunter 2');
    expect(screen.queryByText('Type the password first.')).toBeNull();
    await userEvent.click(show());
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toMatchObject({ params: { password: 'hunter 2', every: 1, language: 'en' } });
    expect(draft.values.password).toBe('');
    expect(JSON.stringify({ ...localStorage })).not.toContain('hunter');
  });

  it('offers folders that were used before', async () => {
    render(Home);
    await userEvent.click(screen.getByRole('button', { name: 'Sea' }));
    expect(draft.folder).toBe('/home/anna/Sea');
    await userEvent.click(screen.getByRole('button', { name: 'Choose another folder' }));
    expect(draft.folder).toBe('');
  });

  it('says why a folder is refused, and lets choose another', async () => {
    serve({
      'POST /v1/tasks': refuse({
        code: 'folder-refused',
        cause: 'home',
        params: { path: '/home/anna' },
        fix: [{ kind: 'action', code: 'pick-subfolder' }]
      })
    });
    draft.use('/home/anna');
    render(Home);
    await userEvent.click(show());
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('You can’t use your whole home folder');
    await userEvent.click(screen.getByRole('button', { name: 'Choose a folder inside it' }));
    expect(screen.getByRole('textbox', { name: 'Folder' })).toBeVisible();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('chores that are kept', () => {
  const kept = {
    id: 's1',
    name: 'Every month',
    chore: 'pictures-to-pdf',
    params: { name: 'Sea' },
    folders: [{ path: '/home/anna/Sea', mode: 'review' as const }],
    created: '2026-01-02T03:04:05Z'
  };

  it('lead to their plan with one click', async () => {
    const asked = serve({
      'GET /v1/saved': [kept],
      'POST /v1/tasks': { ...task, id: '0193-9', state: 'queued' }
    });
    render(Home);
    await userEvent.click(await screen.findByRole('button', { name: /^Every month .* show plan$/ }));
    expect(asked[0]?.body).toMatchObject({
      chore: 'pictures-to-pdf',
      params: { name: 'Sea', order: 'name' },
      folders: [{ path: '/home/anna/Sea', mode: 'review' }]
    });
    expect(location.hash).toBe('#/tasks/0193-9');
  });

  it('are kept from what is about to be started, and forgotten', async () => {
    const asked = serve({ 'GET /v1/saved': [], 'POST /v1/saved': kept, 'DELETE /v1/saved/s1': null });
    draft.use('/home/anna/Sea');
    render(Home);
    await userEvent.click(screen.getByText('Options'));
    await userEvent.click(screen.getByRole('button', { name: 'Save for next time' }));
    const name = screen.getByLabelText('Name');
    expect(name).toHaveValue('Pictures → PDF, in Sea');
    await userEvent.clear(name);
    await userEvent.type(name, 'Every month{Enter}');
    expect(await screen.findByText(/Every month saved/)).toBeVisible();
    expect(asked[0]?.body).toMatchObject({
      name: 'Every month',
      chore: 'pictures-to-pdf',
      folders: [{ path: '/home/anna/Sea' }]
    });
    await userEvent.click(screen.getByRole('button', { name: 'Remove Every month' }));
    expect(asked).toHaveLength(1); // not without a yes
    await userEvent.click(await screen.findByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(screen.queryByText('Saved chores')).toBeNull());
    expect(asked[1]?.route).toBe('DELETE /v1/saved/s1');
  });
});

describe('home in the window', () => {
  it('asks with the dialog of the system', async () => {
    window.runtime = { EventsOn: () => () => undefined };
    const asked = serve({ 'POST /v1/native/pick-folder': { path: '/home/anna/Ärger & Co' } });
    render(Home);
    await userEvent.click(screen.getByRole('button', { name: 'Choose a folder' }));
    expect(await screen.findByText('/home/anna/Ärger & Co')).toBeVisible();
    expect(asked[0]?.body).toEqual({ title: 'Choose a folder' });
  });

  it('leaves everything as it is when nothing was chosen', async () => {
    window.runtime = { EventsOn: () => () => undefined };
    serve({ 'POST /v1/native/pick-folder': { path: '' } });
    render(Home);
    await userEvent.click(screen.getByRole('button', { name: 'Choose a folder' }));
    await waitFor(() => expect(draft.busy).toBeUndefined());
    expect(draft.folder).toBe('');
  });

  it('lets write the place where there is no dialog', async () => {
    window.runtime = { EventsOn: () => () => undefined };
    serve({ 'POST /v1/native/pick-folder': refuse({ code: 'no-window' }, 501) });
    render(Home);
    await userEvent.click(screen.getByRole('button', { name: 'Choose a folder' }));
    expect(await screen.findByRole('textbox', { name: 'Folder' })).toBeVisible();
  });

  it('takes a folder that is dropped', async () => {
    let drop: (x: number, y: number, paths: string[]) => void = () => undefined;
    window.runtime = { EventsOn: () => () => undefined, OnFileDrop: (take) => (drop = take) };
    const asked = serve({
      'POST /v1/dropped': [
        {
          path: '/home/anna',
          name: 'anna',
          files: 0,
          problem: { code: 'folder-refused', severity: 'error', cause: 'home', fix: [] }
        },
        { path: '/home/anna/Sea', name: 'Sea', files: 2, file: 'a.jpg' },
        { path: '/home/anna/Other', name: 'Other', files: 0 }
      ]
    });
    render(Home);
    const paths = ['/home/anna', '/home/anna/Sea/a.jpg', '/home/anna/Sea/b.jpg', '/home/anna/Other'];
    drop(0, 0, paths);
    expect(await screen.findByText('/home/anna/Sea')).toBeVisible();
    expect(asked).toEqual([{ route: 'POST /v1/dropped', body: { paths } }]);
    expect(screen.getByText(/You dropped 2 files.*all of Sea/)).toBeVisible();
    // That one is left out is said.
    expect(draft.failure?.code).toBe('folder-refused');
    // Both are taken, each with what may happen to it.
    expect(draft.folders).toEqual([{ path: '/home/anna/Sea' }, { path: '/home/anna/Other' }]);
    expect(screen.getByText('/home/anna/Other')).toBeVisible();
    await userEvent.click(screen.getAllByRole('radio', { name: 'Read only' }).at(-1) as HTMLElement);
    expect(draft.folders[1]).toEqual({ path: '/home/anna/Other', mode: 'ro' });
    await userEvent.click(screen.getByRole('button', { name: 'Remove Sea' }));
    expect(draft.folders).toEqual([{ path: '/home/anna/Other', mode: 'ro' }]);
    await userEvent.click(screen.getByRole('button', { name: 'Choose another folder' }));
    expect(draft.folders).toEqual([]);
  });

  it('starts a chore with several folders, and keeps all of them for next time', async () => {
    const asked = serve({
      'POST /v1/tasks': { ...task, id: '0193-9' },
      'POST /v1/saved': { id: 's', name: 'Both', chore: chore.name, params: {}, folders: [] }
    });
    render(Home);
    draft.use('/home/anna/Sea');
    draft.addFolder('/home/anna/Other', 'review');
    draft.addFolder('/home/anna/Sea'); // there already
    expect(await screen.findByText(/Sea \+ 1$/)).toBeVisible();
    const folders = [{ path: '/home/anna/Sea' }, { path: '/home/anna/Other', mode: 'review' }];
    await saved.keep('Both', 'draft');
    await userEvent.click(screen.getByRole('button', { name: 'Show plan' }));
    await waitFor(() => expect(location.hash).toBe('#/tasks/0193-9'));
    expect(asked[0]?.body).toMatchObject({ folders });
    expect(asked[1]?.body).toMatchObject({ chore: chore.name, folders });
    draft.take({
      id: 's',
      name: 'Both',
      chore: chore.name,
      params: {},
      created: '',
      folders: [...folders] as never
    });
    expect(draft.folders).toEqual(folders);
  });

  it('says why what is dropped cannot be used', async () => {
    let drop: (x: number, y: number, paths: string[]) => void = () => undefined;
    window.runtime = { EventsOn: () => () => undefined, OnFileDrop: (take) => (drop = take) };
    serve({
      'POST /v1/dropped': [
        {
          path: '/',
          name: '/',
          files: 0,
          problem: { code: 'folder-refused', severity: 'error', cause: 'disk-root', fix: [] }
        }
      ]
    });
    render(Home);
    draft.use('/home/anna/Sea');
    draft.addFolder('/home/anna/Other');
    drop(0, 0, ['/']);
    expect(await screen.findByRole('alert')).toHaveTextContent('You can’t use a whole disk');
    expect(draft.folders.map(({ path }) => path)).toEqual(['/home/anna/Sea', '/home/anna/Other']);
  });
});

describe('home before the computer is ready', () => {
  it('shows what is missing, installs the runtime, and goes on by a button', async () => {
    computer.report = said({
      ...report,
      ready: false,
      pack: { installed: false, verified: false, developer: false },
      checks: [{ code: 'pack-installed', state: 'failed', tookMs: 1 }],
      problems: [
        {
          code: 'pack-missing',
          severity: 'blocking',
          cause: 'pack-missing',
          fix: [{ kind: 'action', code: 'install-pack' }]
        }
      ]
    });
    const file = '/home/anna/piwork-runtime.tar.zst';
    const asked = serve({
      'POST /v1/packs/install': { version: '0.1.0' },
      'POST /v1/status/check': report
    });
    render(Home);
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      'This computer isn’t ready yet'
    );
    expect(screen.getByRole('heading', { name: 'The runtime isn’t installed yet' })).toBeVisible();
    await userEvent.type(screen.getByLabelText('File'), `${file}{Enter}`);
    await userEvent.click(await screen.findByRole('button', { name: 'Start' }));
    expect(asked.map((a) => a.route)).toEqual(['POST /v1/packs/install', 'POST /v1/status/check']);
    expect(asked[0]?.body).toEqual({ file });
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('What would you like to do?');
  });

  it('says why a file is refused and keeps what was written', async () => {
    computer.report = said({
      ...report,
      ready: false,
      problems: [
        {
          code: 'pack-missing',
          severity: 'blocking',
          cause: '',
          fix: [{ kind: 'action', code: 'install-pack' }]
        }
      ]
    });
    serve({
      'POST /v1/packs/install': refuse({
        code: 'pack-invalid',
        cause: 'foreign-key',
        fix: [{ kind: 'action', code: 'other-file' }]
      })
    });
    render(Home);
    await userEvent.type(await screen.findByLabelText('File'), '/tmp/x.tar.zst{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'It’s signed with a key this computer doesn’t trust.'
    );
    expect(screen.getAllByLabelText('File')).toHaveLength(1);
  });

  it('says what working slowly means before it is chosen', async () => {
    computer.report = said({
      ...report,
      ready: false,
      accel: { kind: '', native: 'kvm', proven: false, slowMode: false, slowMs: 7000 },
      problems: [
        {
          code: 'accel-unavailable',
          severity: 'blocking',
          cause: 'kvm-broken',
          params: { accel: 'kvm' },
          fix: ['slow-mode', 'check-again'].map((code) => ({ kind: 'action' as const, code }))
        }
      ]
    });
    const asked = serve({
      'POST /v1/settings/slow-mode': { ...report, accel: { ...report.accel, slowMode: true } }
    });
    render(Home);
    expect(await screen.findByText(/Opening a workroom takes 7 seconds/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Work slowly' }));
    expect(asked[0]).toEqual({ route: 'POST /v1/settings/slow-mode', body: { on: true } });
    expect(await screen.findByRole('heading', { name: 'This computer is ready' })).toBeVisible();
  });

  it('goes on by itself when something changed outside', async () => {
    computer.report = said({ ...report, ready: false, problems: [] });
    render(Home);
    serve({ 'GET /v1/status': report });
    await computer.look();
    expect(await screen.findByRole('heading', { name: 'This computer is ready' })).toBeVisible();
  });

  it('keeps what is on the screen while it looks again', async () => {
    computer.report = said({ ...report, ready: false, problems: [] });
    computer.failure = said({ code: 'pack-invalid', severity: 'error', cause: 'truncated', fix: [] });
    serve({ 'GET /v1/status': report });
    const look = computer.look();
    expect(computer.since).toBeUndefined();
    await look;
    expect(computer.failure?.code).toBe('pack-invalid');
  });

  it('shows when the controller cannot be asked', async () => {
    computer.report = undefined;
    computer.failure = { code: 'unreachable', severity: 'error', cause: '', fix: [] };
    render(Home);
    expect(await screen.findByRole('alert')).toHaveTextContent('piwork isn’t responding');
  });
});
