import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { refuse, serve } from '../../test/controller';
import type { KeyInfo, Report, RuntimeSettings } from '$lib/api/types';
import { computer } from '$lib/state/computer.svelte';
import AddKey from './AddKey.svelte';
import KeyPlace from './KeyPlace.svelte';
import MovePlace from './MovePlace.svelte';
import OtherComputers from './OtherComputers.svelte';
import Places from './Places.svelte';
import ReportFile from './ReportFile.svelte';
import Resources from './Resources.svelte';

describe('where the data is', () => {
  const state = { phase: 'none', from: '/old', bytes: 0, files: 0, done: 0, needBytes: 0, freeBytes: 0 };
  const to = { ...state, to: '/disk/piwork', bytes: 5_000_000, freeBytes: 9_000_000 };

  it('says what a move would be, does it, and follows it to the new place', async () => {
    let moving = 0;
    const asked = serve({
      'GET /v1/storage/move': () =>
        moving === 0
          ? state
          : moving++ === 1
            ? refuse({ code: 'shutting-down' }, 503)
            : { ...state, from: '/disk/piwork/data' },
      'POST /v1/storage/move': (body: unknown) => {
        if ((body as { dryRun?: boolean }).dryRun) return { ...to, phase: 'planned' };
        moving = 1;
        return { ...to, phase: 'copying' };
      }
    });
    let moved = 0;
    render(MovePlace, { onmoved: () => moved++ });
    await userEvent.click(await screen.findByRole('button', { name: 'Move…' }));
    await userEvent.type(screen.getByRole('textbox'), '/disk');
    await userEvent.click(screen.getByRole('button', { name: 'Check' }));
    expect(
      await screen.findByText(/5 MB will be copied to \/disk\/piwork, where 9 MB are free/)
    ).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Move data' }));
    expect(await screen.findByRole('progressbar')).toBeVisible();
    expect(await screen.findByText(/is now in \/disk\/piwork/)).toBeVisible();
    expect(screen.getByText('/disk/piwork/data')).toBeVisible();
    expect(moved).toBe(1);
    expect(asked.filter((a) => a.route.startsWith('POST')).map((a) => a.body)).toEqual([
      { dir: '/disk', dryRun: true },
      { dir: '/disk' }
    ]);
  });

  it('says why a folder is refused, and what fixes the place', async () => {
    serve({
      'GET /v1/storage/move': state,
      'POST /v1/storage/move': refuse({ code: 'move-refused', cause: 'network' }, 403)
    });
    const { unmount } = render(MovePlace, { onmoved: () => undefined });
    await userEvent.click(await screen.findByRole('button', { name: 'Move…' }));
    await userEvent.type(screen.getByRole('textbox'), '/net');
    await userEvent.click(screen.getByRole('button', { name: 'Check' }));
    expect(await screen.findByText(/on another computer/)).toBeVisible();
    unmount();
    serve({ 'GET /v1/storage/move': { ...state, fixedBy: 'PIWORK_DATA_DIR' } });
    render(MovePlace, { onmoved: () => undefined });
    expect(await screen.findByText(/PIWORK_DATA_DIR/)).toBeVisible();
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('memory and processors', () => {
  it('offers no more than there is, and keeps a choice beside the others', async () => {
    const settings = { memoryMb: 0, cpus: 2, totalMb: 0, atOnce: 0, instant: true };
    const machines = {
      host: { memoryMb: 4000, freeMb: 2000, cpus: 4 },
      size: { memoryMb: 1024, cpus: 2 },
      totalMb: 2048,
      atOnce: 2,
      running: 0,
      queued: 0,
      instant: { state: 'ready' },
      share: { kind: '9p' },
      settings
    };
    const asked = serve({ 'GET /v1/machines': machines, 'POST /v1/settings/machines': machines });
    render(Resources);
    const memory = await screen.findByRole('combobox', { name: 'Memory per task' });
    expect(
      within(memory)
        .getAllByRole('option')
        .map((o) => o.textContent)
    ).toEqual(['Automatic (1.1 GB)', '1.1 GB', '2.1 GB', '3.2 GB']);
    await userEvent.selectOptions(memory, '2.1 GB');
    await screen.findByText(/Used from the next task on/);
    expect(asked.at(-1)?.body).toEqual({ ...settings, memoryMb: 2048 });
  });

  it('shows what holds when a choice was refused, and does not say that it is saved', async () => {
    const settings = { memoryMb: 0, cpus: 0, totalMb: 0, atOnce: 0, instant: true };
    const machines = {
      host: { memoryMb: 4000, freeMb: 2000, cpus: 4 },
      size: { memoryMb: 1024, cpus: 2 },
      totalMb: 2048,
      atOnce: 2,
      running: 0,
      queued: 0,
      instant: { state: 'ready' },
      share: { kind: '9p' },
      settings
    };
    serve({ 'GET /v1/machines': machines, 'POST /v1/settings/machines': refuse({ code: 'disk-full' }) });
    render(Resources);
    const memory = await screen.findByRole('combobox', { name: 'Memory per task' });
    await userEvent.selectOptions(memory, '2.1 GB');
    await screen.findByRole('alert');
    await waitFor(() => expect(memory).toHaveValue('0'));
    expect(screen.queryByText(/Used from the next task on/)).toBeNull();
  });
});

describe('where keys are kept', () => {
  it('opens a locked file, and forgets the passphrase also when it was wrong', async () => {
    let right = false;
    serve({
      'GET /v1/settings/keys': { store: 'file', locked: true, keychain: true },
      'POST /v1/settings/keys/unlock': () =>
        right ? { store: 'file', locked: false, keychain: true } : refuse({ code: 'keychain' })
    });
    render(KeyPlace, { onchange: () => undefined });
    const field = await screen.findByLabelText('Passphrase');
    await userEvent.type(field, 'wrong{Enter}');
    expect(await screen.findByRole('alert')).toBeVisible();
    expect(field).toHaveValue('');
    right = true;
    await userEvent.type(field, 'right');
    await userEvent.click(screen.getByRole('button', { name: 'Unlock' }));
    expect(await screen.findByText('The keys are unlocked.')).toBeVisible();
    expect(screen.getByRole('radio', { name: 'In a file with a passphrase' })).toBeChecked();
  });

  it('offers the file where there is no keychain, also when a key could not be kept', async () => {
    const asked = serve({
      'GET /v1/settings/keys': { store: 'keychain', locked: false, keychain: false },
      'PUT /v1/settings/keys': { store: 'file', locked: false, keychain: false },
      'PUT /v1/keys/a': refuse({
        code: 'keychain',
        cause: 'missing',
        fix: [{ kind: 'action', code: 'key-file' }]
      })
    });
    render(KeyPlace, { onchange: () => undefined });
    const passphrase = await screen.findByLabelText('Passphrase');
    expect(screen.getByRole('radio', { name: 'In a file with a passphrase' })).toBeChecked();
    render(AddKey, { keys: [{ provider: 'a', name: 'A' } as KeyInfo], onchange: () => undefined });
    await userEvent.type(screen.getByLabelText('Key'), 'sk-1{Enter}');
    await userEvent.click(
      await screen.findByRole('button', { name: 'Keep keys in a file with a passphrase' })
    );
    await waitFor(() => expect(passphrase).toHaveFocus());
    await userEvent.type(passphrase, 'four words and more{Enter}');
    await waitFor(() =>
      expect(asked.find((a) => a.route === 'PUT /v1/settings/keys')?.body).toEqual({
        store: 'file',
        passphrase: 'four words and more'
      })
    );
  });

  it('moves them into a file only with a passphrase', async () => {
    const asked = serve({
      'GET /v1/settings/keys': { store: 'keychain', locked: false, keychain: true },
      'PUT /v1/settings/keys': { store: 'file', locked: false, keychain: true }
    });
    render(KeyPlace, { onchange: () => undefined });
    await userEvent.click(await screen.findByRole('radio', { name: 'In a file with a passphrase' }));
    await userEvent.click(screen.getByRole('button', { name: 'Move keys there' }));
    expect(asked.map((a) => a.route)).not.toContain('PUT /v1/settings/keys');
    await userEvent.type(screen.getByLabelText('Passphrase'), 'open sesame{Enter}');
    expect(await screen.findByText('The keys are now in the file.')).toBeVisible();
    expect(asked.at(-1)?.body).toEqual({ store: 'file', passphrase: 'open sesame' });
  });
});

describe('a report for help', () => {
  it('writes what was shown, where the person says', async () => {
    const asked = serve({
      'GET /v1/diagnostics': { id: 'd1', files: [{ name: 'about.json', bytes: 12, text: '{"a":1}' }] },
      'POST /v1/native/save-as': () => refuse({ code: 'no-window' }, 501),
      'POST /v1/diagnostics': { path: '/tmp/report.zip', bytes: 99 }
    });
    render(ReportFile);
    expect(asked).toHaveLength(0); // nothing is gathered before it is asked for
    await userEvent.click(screen.getByRole('button', { name: 'Preview report' }));
    await userEvent.click(await screen.findByText('about.json'));
    expect(screen.getByText('{"a":1}')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Save report' }));
    await userEvent.type(await screen.findByLabelText('File'), '/tmp/report.zip{Enter}');
    await waitFor(() => expect(screen.getByText(/Report saved as \/tmp\/report.zip/)).toBeVisible());
    expect(asked.at(-1)).toEqual({
      route: 'POST /v1/diagnostics',
      body: { id: 'd1', path: '/tmp/report.zip', replace: false }
    });
  });

  it('replaces a file that the dialog asked about', async () => {
    const asked = serve({
      'GET /v1/diagnostics': { id: 'd1', files: [{ name: 'about.json', bytes: 12, text: '{"a":1}' }] },
      'POST /v1/native/save-as': { path: '/tmp/old.zip' },
      'POST /v1/diagnostics': { path: '/tmp/old.zip', bytes: 99 }
    });
    render(ReportFile);
    await userEvent.click(screen.getByRole('button', { name: 'Preview report' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Save report' }));
    await waitFor(() => expect(screen.getByText(/Report saved as \/tmp\/old.zip/)).toBeVisible());
    expect(asked.at(-1)?.body).toEqual({ id: 'd1', path: '/tmp/old.zip', replace: true });
  });
});

describe('what is not answered', () => {
  it('is said, and asked for again', async () => {
    serve({ 'GET /v1/settings/keys': refuse({ code: 'internal' }, 500) });
    render(KeyPlace, { onchange: () => undefined });
    const again = await screen.findByRole('button', { name: 'Check again' });
    serve({ 'GET /v1/settings/keys': { store: 'keychain', locked: false, keychain: true } });
    await userEvent.click(again);
    expect(await screen.findByRole('radio', { name: 'In the keychain of this computer' })).toBeChecked();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('where tasks work', () => {
  it('says what works here, and asks only about what is weaker', async () => {
    const limits = { cpu: true, memory: true, disk: false, wall: true, output: true };
    const kind = (name: string, more: object = {}) => ({
      kind: name,
      isolation: 'hardware',
      domain: 'vm',
      networks: ['deny'],
      limits,
      work: ['exec'],
      folders: true,
      works: true,
      allowance: 'always',
      ...more
    });
    let settings: RuntimeSettings = { prefer: ['vm'] };
    const weak = (name: string, usual: 'ask' | 'never') =>
      kind(name, {
        allowance: settings.weaker?.[name] ?? usual,
        preferred: (settings.prefer ?? []).indexOf(name) + 1
      });
    serve({
      'GET /v1/runtimes': () => [
        kind('vm', { works: false, problem: { code: 'boot-failed', fix: [] } }),
        weak('sandbox', 'ask'),
        weak('host', 'never')
      ],
      'GET /v1/settings/runtimes': () => settings,
      'POST /v1/settings/runtimes': (body: unknown) => (settings = body as RuntimeSettings)
    });
    render(Places);
    expect(await screen.findByText(/doesn’t work here/)).toBeVisible();
    const [sandbox, host, ...more] = screen.getAllByRole('combobox') as [HTMLElement, HTMLElement];
    expect(more).toEqual([]);
    expect(sandbox).toHaveValue('ask');
    expect(host).toHaveValue('never');
    const choose = async (list: HTMLElement, words: string, to: string) => {
      await userEvent.selectOptions(list, words);
      await waitFor(() => expect(list).toHaveValue(to));
      return settings;
    };
    const first = 'Before a workroom, without asking';
    expect(await choose(sandbox, 'If there can be no workroom: without asking', 'always')).toEqual({
      prefer: ['vm'],
      rootless: [],
      weaker: { sandbox: 'always' }
    });
    expect(await choose(sandbox, first, 'first')).toEqual({
      prefer: ['sandbox', 'vm'],
      rootless: [],
      weaker: { sandbox: 'always' }
    });
    expect(await choose(host, first, 'first')).toEqual({
      prefer: ['host', 'sandbox', 'vm'],
      rootless: [],
      weaker: { sandbox: 'always', host: 'ask' }
    });
    expect(await choose(host, 'Never', 'never')).toEqual({
      prefer: ['sandbox', 'vm'],
      rootless: [],
      weaker: { sandbox: 'always', host: 'never' }
    });
  });
});

describe('other computers', () => {
  const lab = { name: 'lab', address: 'anna@lab' };
  const unknown = (fingerprint: string) =>
    refuse({ code: 'vm-failed', cause: 'host-key-unknown', params: { address: 'lab:22', fingerprint } }, 422);

  it('adds one only with keys that a person confirmed, one after the other', async () => {
    let list: object[] = [];
    const asked = serve({
      'GET /v1/settings/runtimes': {},
      'GET /v1/remotes': () => list,
      'POST /v1/remotes': (body: unknown) => {
        const { confirm = [] } = body as { confirm?: string[] };
        if (confirm.length < 2) return unknown(`SHA256:${confirm.length}`);
        list = [lab];
        return lab;
      }
    });
    computer.report = { os: 'linux' } as Report;
    render(OtherComputers);
    await userEvent.type(await screen.findByLabelText('Name'), 'Lab');
    await userEvent.type(screen.getByLabelText('Address'), 'anna@lab{Enter}');
    expect(await screen.findByText('SHA256:0')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Don’t connect' }));
    expect(screen.queryByText('SHA256:0')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    await userEvent.click(await screen.findByRole('button', { name: 'The keys are the same' }));
    expect(await screen.findByText('SHA256:1')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'The keys are the same' }));
    expect(await screen.findByText(/lab is added/)).toBeVisible();
    expect(asked.filter((a) => a.route.startsWith('POST')).map((a) => a.body)).toEqual([
      { name: 'lab', address: 'anna@lab' },
      { name: 'lab', address: 'anna@lab' },
      { name: 'lab', address: 'anna@lab', confirm: ['SHA256:0'] },
      { name: 'lab', address: 'anna@lab', confirm: ['SHA256:0', 'SHA256:1'] }
    ]);
    expect(await screen.findByText('· anna@lab')).toBeVisible();
  });

  it('says why one does not work', async () => {
    const problem = {
      code: 'vm-failed',
      title: 'It can’t be reached',
      detail: 'Switch it on.',
      fix: [],
      severity: 'error'
    };
    serve({
      'GET /v1/settings/runtimes': {},
      'GET /v1/remotes': [lab],
      'POST /v1/runtimes/remote%3Alab/test': { kind: 'remote:lab', works: false, problem },
      'GET /v1/remotes/lab/usage': refuse({ code: 'vm-failed', cause: 'remote-unreachable' }, 502)
    });
    render(OtherComputers);
    await userEvent.click(await screen.findByRole('button', { name: 'Test lab' }));
    expect(await screen.findByText('Switch it on.')).toBeVisible();
  });

  it('says how the piwork there is used, and whether there is one', async () => {
    let usage: object = { bytes: 0, places: 0 };
    serve({
      'GET /v1/settings/runtimes': {},
      'GET /v1/remotes': [lab],
      'POST /v1/runtimes/remote%3Alab/test': { kind: 'remote:lab', works: true },
      'GET /v1/remotes/lab/usage': () => usage
    });
    render(OtherComputers);
    expect(await screen.findByText(/^piwork --on lab run/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Test lab' }));
    expect(await screen.findByText(/No piwork was found on lab/)).toBeVisible();
    usage = { bytes: 5, places: 0, piwork: { version: '1.2.3', program: '/usr/bin/piwork' } };
    await userEvent.click(screen.getByRole('button', { name: 'Test lab' }));
    expect(await screen.findByText(/piwork 1.2.3 is installed on lab/)).toBeVisible();
  });

  it('removes what is there first, and the name alone only when that cannot be', async () => {
    const asked = serve({
      'GET /v1/settings/runtimes': {},
      'GET /v1/remotes': [lab],
      'POST /v1/remotes/lab/clean': refuse({ code: 'vm-failed', cause: 'remote-unreachable' }, 502),
      'DELETE /v1/remotes/lab': {}
    });
    render(OtherComputers);
    await userEvent.click(await screen.findByRole('button', { name: 'Remove lab' }));
    const dialog = await screen.findByRole('alertdialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    await userEvent.click(await screen.findByRole('button', { name: 'Remove from the list only' }));
    expect(await screen.findByText('lab is removed from the list.')).toBeVisible();
    expect(asked.map((a) => a.route).filter((route) => !route.startsWith('GET'))).toEqual([
      'POST /v1/remotes/lab/clean',
      'DELETE /v1/remotes/lab'
    ]);
  });

  it('has tasks work there when a person says so, and no more when they take it back', async () => {
    let prefer = ['sandbox'];
    serve({
      'GET /v1/remotes': [lab],
      'GET /v1/settings/runtimes': () => ({ prefer }),
      'POST /v1/settings/runtimes': (body: unknown) => {
        ({ prefer } = body as { prefer: string[] });
        return body;
      }
    });
    render(OtherComputers);
    const box = await screen.findByRole('checkbox', { name: /Use lab/ });
    await userEvent.click(box);
    await waitFor(() => expect(prefer).toEqual(['remote:lab', 'sandbox']));
    await waitFor(() => expect(box).toBeChecked());
    await userEvent.click(box);
    await waitFor(() => expect(prefer).toEqual(['sandbox']));
  });
});
