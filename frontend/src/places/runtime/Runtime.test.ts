import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AddOnInfo, PackInfo, UpdateState } from '$lib/api/types';
import { runtime } from '$lib/state/runtime.svelte';
import { computer } from '$lib/state/computer.svelte';
import { refuse, report, serve, said } from '../../test/controller';
import UpdateNotice from '../shell/UpdateNotice.svelte';
import Home from '../home/Home.svelte';
import '../setup/Setup.svelte'; // loaded when it is needed, which is at once here
import Runtime from './Runtime.svelte';

const newest: UpdateState = {
  phase: 'up-to-date',
  what: 'runtime',
  channel: 'stable',
  current: '1.0.0',
  done: 0,
  total: 0,
  reused: 0,
  rate: 0,
  eta: -1,
  settings: { auto: true, urls: [] }
};
const newer: UpdateState = {
  ...newest,
  phase: 'available',
  version: '1.1.0',
  total: 30e6,
  reused: 140e6,
  notes: 'Faster.'
};
const pack = (version: string, more: Partial<PackInfo> = {}): PackInfo => ({
  name: 'piwork-runtime',
  version,
  os: 'linux',
  arch: 'amd64',
  guestArch: 'amd64',
  built: '2026-01-02T03:04:05Z',
  files: 10,
  bytes: 640e6,
  signedBy: 'release',
  developer: false,
  installed: true,
  current: false,
  ...more
});
const media: AddOnInfo = { name: 'media', installed: true, usable: true, bytes: 90e6 };
const office: AddOnInfo = { name: 'office', installed: false, usable: true, download: 300e6 };

const answers = {
  'GET /v1/update': newest,
  'GET /v1/packs': [pack('1.0.0', { current: true }), pack('0.9.0', { previous: true })],
  'GET /v1/addons': [media, office],
  'GET /v1/status': report
};

beforeEach(() => {
  localStorage.clear();
});

async function open(more: Record<string, unknown> = {}) {
  const asked = serve({ ...answers, ...more });
  render(Runtime);
  await screen.findByRole('heading', { level: 1, name: 'Runtime' });
  await waitFor(() => expect(runtime.packs).toBeDefined());
  asked.length = 0;
  return asked;
}

describe('the runtime’s page', () => {
  it('says what is in use, and looks for something newer', async () => {
    const asked = await open({ 'POST /v1/update/check': newer });
    expect(screen.getByText('Version 1.0.0 is up to date')).toBeVisible();
    expect(screen.getByText('in use')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Check now' }));
    expect(await screen.findByText('Version 1.1.0 is ready to install')).toBeVisible();
    expect(screen.getByText('30 MB to download; 140 MB already here')).toBeVisible();
    expect(asked.map((a) => a.route)).toEqual(['POST /v1/update/check']);
  });

  it('downloads, pauses, goes on, and says when the new version is in use', async () => {
    const loading: UpdateState = { ...newer, phase: 'downloading', done: 12e6, rate: 3e6, eta: 6 };
    const asked = await open({
      'GET /v1/update': newer,
      'POST /v1/update/start': loading,
      'POST /v1/update/pause': { ...loading, phase: 'paused', rate: 0, eta: -1 }
    });
    await userEvent.click(screen.getByRole('button', { name: 'Update now' }));
    expect(await screen.findByText('Downloading version 1.1.0')).toBeVisible();
    expect(screen.getByText('12 MB of 30 MB · 3 MB per second · about 10 seconds left')).toBeVisible();
    expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', String(12e6));
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
    const resume = await screen.findByRole('button', { name: 'Resume' });
    expect(resume).toHaveFocus(); // the same button
    await userEvent.click(resume);
    await screen.findByRole('button', { name: 'Pause' });
    expect(asked.map((a) => a.route)).toEqual([
      'POST /v1/update/start',
      'POST /v1/update/pause',
      'POST /v1/update/start'
    ]);
    runtime.event({ ...loading, phase: 'trying' });
    expect(await screen.findByText('Version 1.0.0 stays in use until the test passes.')).toBeVisible();
    const after = serve({ ...answers, 'GET /v1/update': { ...newest, current: '1.1.0' } });
    runtime.event({ ...newest, current: '1.1.0', version: '1.1.0' });
    expect(await screen.findByText('Version 1.1.0 is up to date')).toBeVisible();
    await waitFor(() =>
      expect(after.map((a) => a.route).sort()).toEqual(['GET /v1/addons', 'GET /v1/packs', 'GET /v1/status'])
    );
  });

  it('says why it did not work, and tries again', async () => {
    const asked = await open({
      'GET /v1/update': {
        ...newest,
        phase: 'failed',
        problem: {
          code: 'download-failed',
          severity: 'error',
          cause: 'proxy-auth',
          params: { proxy: 'proxy.example:3128' },
          fix: [
            { kind: 'action', code: 'update-settings' },
            { kind: 'action', code: 'update-now' }
          ]
        }
      },
      'POST /v1/update/start': { ...newer, phase: 'checking' }
    });
    expect(screen.getByText(/The proxy proxy.example:3128 needs another name and password/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Open update settings' }));
    expect(screen.getByLabelText('Channel addresses, one per line')).toHaveFocus();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(asked.map((a) => a.route)).toEqual(['POST /v1/update/start']);
  });

  it('goes back to the version before by one click', async () => {
    const asked = await open({ 'POST /v1/packs/rollback': pack('0.9.0', { current: true }) });
    await userEvent.click(screen.getByRole('button', { name: 'Go back to 0.9.0' }));
    await waitFor(() => expect(runtime.busy).toBeUndefined());
    expect(asked[0]?.route).toBe('POST /v1/packs/rollback');
    expect(asked.map((a) => a.route)).toContain('GET /v1/packs');
  });

  it('removes a version only after a question, and says when it may not', async () => {
    const asked = await open({
      'DELETE /v1/packs/0.9.0': refuse({ code: 'pack-in-use', cause: 'task' }, 409)
    });
    await userEvent.click(screen.getByRole('button', { name: 'Remove version 0.9.0' }));
    const dialog = await screen.findByRole('alertdialog');
    expect(dialog).toHaveTextContent('This frees 640 MB');
    expect(asked).toHaveLength(0);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    expect(await screen.findByText('A task is using this version')).toBeInTheDocument();
    expect(asked.map((a) => a.route)).toEqual(['DELETE /v1/packs/0.9.0']);
  });

  it('offers no removal of what is in use', async () => {
    await open();
    expect(screen.queryByRole('button', { name: 'Remove version 1.0.0' })).toBeNull();
  });

  it('installs and removes add-ons', async () => {
    const asked = await open({
      'POST /v1/addons/office': { ...newest, phase: 'downloading', what: 'office', total: 300e6 },
      'DELETE /v1/addons/media': null
    });
    await userEvent.click(screen.getByRole('button', { name: 'Remove Sound and video' }));
    await waitFor(() => expect(runtime.busy).toBeUndefined());
    await userEvent.click(screen.getByRole('button', { name: 'Install Office documents' }));
    expect(await screen.findByText('Downloading the add-on Office documents')).toBeVisible();
    const routes = asked.map((a) => a.route);
    expect(routes).toContain('DELETE /v1/addons/media');
    expect(routes).toContain('POST /v1/addons/office');
  });

  it('keeps the choices about updates', async () => {
    const asked = await open({
      'POST /v1/settings/updates': (body: unknown) => ({ ...newest, settings: body })
    });
    await userEvent.click(screen.getByRole('radio', { name: 'Only when I ask' }));
    expect(asked[0]?.body).toEqual({ auto: false, urls: [] });
    await userEvent.click(screen.getByText('Address, proxy, certificates'));
    await userEvent.type(
      screen.getByLabelText('Channel addresses, one per line'),
      'https://a.example{Enter} https://b.example '
    );
    await userEvent.type(screen.getByLabelText('Proxy'), 'http://p.example:3128');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Saved.')).toBeVisible();
    expect(asked[1]?.body).toEqual({
      auto: false,
      urls: ['https://a.example', 'https://b.example'],
      proxy: 'http://p.example:3128'
    });
  });
});

describe('choices about updates', () => {
  it('are not said to be saved when another act was under way, or when they were refused', async () => {
    let answer: ((value: unknown) => void) | undefined;
    const asked = await open({
      'POST /v1/update/check': () => new Promise((resolve) => (answer = resolve)),
      'POST /v1/settings/updates': refuse({ code: 'bad-request' })
    });
    const posts = () => asked.filter((a) => a.route === 'POST /v1/settings/updates').length;
    await userEvent.click(screen.getByText('Address, proxy, certificates'));
    void runtime.check();
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    answer?.(newest);
    await waitFor(() => expect(runtime.busy).toBeUndefined());
    expect(posts()).toBe(0);
    expect(screen.queryByText('Saved.')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(posts()).toBe(1));
    await waitFor(() => expect(runtime.busy).toBeUndefined());
    expect(screen.queryByText('Saved.')).toBeNull();
  });
});

describe('the quiet notice', () => {
  const words = () => screen.queryByRole('link')?.textContent?.trim();

  it('tells of an update, of a new version, and of a way back; each can be closed', async () => {
    render(UpdateNotice);
    runtime.event(newest);
    expect(words()).toBeUndefined(); // what is here from the start is no news
    runtime.event(newer);
    await waitFor(() => expect(words()).toBe('Update 1.1.0 is ready'));
    await userEvent.click(screen.getByRole('button', { name: 'Close this notice' }));
    expect(words()).toBeUndefined();
    serve(answers);
    runtime.event({ ...newest, current: '1.1.0' });
    await waitFor(() => expect(words()).toBe('Updated to version 1.1.0'));
    await userEvent.click(screen.getByRole('button', { name: 'Close this notice' }));
    expect(words()).toBeUndefined();
    const problem = { code: 'rolled-back', severity: 'warning' as const, cause: '', fix: [] };
    runtime.event({ ...newest, current: '1.0.0', problem });
    await waitFor(() => expect(words()).toBe('Went back to version 1.0.0'));
    await userEvent.click(screen.getByRole('button', { name: 'Close this notice' }));
    expect(words()).toBeUndefined();
  });
});

describe('home without a runtime', () => {
  const missing = {
    ...report,
    ready: false,
    problems: [
      {
        code: 'pack-missing',
        severity: 'blocking' as const,
        cause: '',
        fix: [{ kind: 'action' as const, code: 'install-pack' }]
      }
    ]
  };

  it('downloads it, and looks at the computer again when it is there', async () => {
    computer.report = said(missing);
    const fresh: UpdateState = { ...newer, current: '', total: 170e6, reused: 0 };
    runtime.update = fresh;
    const asked = serve({
      'POST /v1/update/start': { ...fresh, phase: 'downloading', done: 17e6 },
      'POST /v1/status/check': report
    });
    render(Home);
    await userEvent.click(await screen.findByRole('button', { name: 'Download the runtime (170 MB)' }));
    expect(await screen.findByText('17 MB of 170 MB')).toBeVisible();
    expect(screen.queryByRole('heading', { name: 'The runtime is not installed yet' })).toBeNull();
    expect(runtime.notice).toBeUndefined(); // home says it all
    runtime.event({ ...newest, current: '1.1.0' });
    expect(await screen.findByRole('heading', { name: 'This computer is ready' })).toBeVisible();
    expect(asked.map((a) => a.route)).toEqual(['POST /v1/update/start', 'POST /v1/status/check']);
  });

  it('says why the download stopped, beside the file as the other way', async () => {
    computer.report = said(missing);
    runtime.update = said<UpdateState>({
      ...newest,
      current: '',
      phase: 'failed',
      problem: {
        code: 'download-failed',
        severity: 'error',
        cause: 'stalled',
        fix: [{ kind: 'action', code: 'update-now' }]
      }
    });
    render(Home);
    expect(await screen.findByRole('alert')).toHaveTextContent('No more data arrived.');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible();
    await userEvent.click(screen.getByText('I have a file'));
    expect(screen.getByLabelText('File')).toBeVisible();
  });

  it('offers the file that lies beside piwork by itself', async () => {
    const found = '/media/anna/STICK/piwork-bundle-linux-amd64-1.0.0.tar';
    computer.report = said({
      ...missing,
      problems: missing.problems.map((problem) => ({ ...problem, params: { found } }))
    });
    const asked = serve({
      'POST /v1/packs/install': { version: '1.0.0' },
      'POST /v1/status/check': report
    });
    render(Home);
    expect(await screen.findByText(/piwork-bundle-linux-amd64-1.0.0.tar/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Install this file' }));
    expect(await screen.findByRole('heading', { name: 'This computer is ready' })).toBeVisible();
    expect(asked[0]).toEqual({ route: 'POST /v1/packs/install', body: { file: found } });
  });
});
