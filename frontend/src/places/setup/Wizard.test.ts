// The way from the first start to the first chore, as home shows it: three clicks, and it goes on wherever it was left.
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Problem, Report, UpdateState, Wizard, WizardStep, WizardStepId } from '$lib/api/types';
import { useLocale } from '$lib/i18n/index.svelte';
import { computer } from '$lib/state/computer.svelte';
import { runtime } from '$lib/state/runtime.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { guide } from '$lib/state/wizard.svelte';
import { chore, report, serve, task, said } from '../../test/controller';
import Home from '../home/Home.svelte';
import './Setup.svelte'; // loaded when it is needed, which is at once here
import { reportText } from './report';

const IDS: readonly WizardStepId[] = ['welcome', 'check', 'runtime', 'first'];

/** A wizard at one of its steps, or behind its end. */
function at(now: WizardStepId | 'over', more: Partial<WizardStep> = {}): Wizard {
  const place = now === 'over' ? IDS.length : IDS.indexOf(now);
  return {
    done: now === 'over',
    steps: IDS.map((id, i) => ({
      id,
      state: i < place ? 'done' : i === place ? 'now' : 'open',
      acts: [],
      problems: [],
      ...(i === place ? more : {})
    }))
  };
}

const missing: Problem = {
  code: 'pack-missing',
  severity: 'blocking',
  cause: 'pack-missing',
  fix: [{ kind: 'action', code: 'install-pack' }]
};
const bare: Report = {
  ...report,
  ready: false,
  pack: { installed: false, verified: false, developer: false },
  checks: [{ code: 'pack-installed', state: 'failed', tookMs: 1 }],
  problems: [missing]
};
const offered: UpdateState = {
  phase: 'available',
  what: 'runtime',
  channel: 'stable',
  current: '',
  version: '0.1.0',
  done: 0,
  total: 173_000_000,
  reused: 0,
  rate: 0,
  eta: -1,
  checked: '2026-01-02T03:04:05Z',
  settings: { auto: true, urls: [] }
};

const title = () => screen.findByRole('heading', { level: 1 });

beforeEach(async () => {
  await useLocale('en');
  tasks.chores = [chore];
  tasks.list = [];
});

describe('the way to the first chore', () => {
  it('greets once, says what is downloaded, and then downloads it by itself', async () => {
    computer.report = said(bare);
    runtime.update = offered;
    guide.known = at('welcome', { acts: ['done'] });
    const asked = serve({
      'GET /v1/wizard': () => guide.known,
      'POST /v1/wizard/welcome': at('runtime', { problems: [0] }),
      'POST /v1/update/start': {
        ...offered,
        phase: 'downloading',
        done: 1_000_000,
        rate: 5_000_000,
        eta: 34
      }
    });
    render(Home);
    expect(await title()).toHaveTextContent('Welcome to piwork');
    const go = screen.getByRole('button', { name: 'Get this computer ready' });
    expect(go).toHaveAccessibleDescription('Downloads 173 MB once and checks the signature.');
    await userEvent.click(go);
    expect(await screen.findByText(/1 MB of 173 MB/)).toBeVisible();
    expect(await title()).toHaveTextContent('Getting the runtime');
    expect(screen.getByRole('button', { name: 'Pause' })).toBeVisible();
    expect(asked).toEqual([
      { route: 'POST /v1/wizard/welcome', body: { act: 'done' } },
      { route: 'POST /v1/update/start', body: undefined }
    ]);
    const path = screen.getByRole('list', { name: 'Steps to your first chore' });
    expect(within(path).getByText('Runtime').closest('li')).toHaveAttribute('aria-current', 'step');
  });

  it('uses a file that lies beside piwork instead, and says so before', async () => {
    const file = '/media/anna/STICK/piwork-bundle.tar';
    computer.report = said({ ...bare, problems: [{ ...missing, params: { found: file } }] });
    runtime.update = offered;
    guide.known = at('welcome', { acts: ['done'] });
    const asked = serve({
      'GET /v1/wizard': () => guide.known,
      'POST /v1/wizard/welcome': at('runtime', { problems: [0] }),
      'POST /v1/packs/install': { version: '0.1.0' },
      'POST /v1/status/check': report
    });
    render(Home);
    const go = await screen.findByRole('button', { name: 'Get this computer ready' });
    expect(go).toHaveAccessibleDescription(/Uses the file piwork-bundle.tar/);
    await userEvent.click(go);
    await waitFor(() => expect(asked.map((one) => one.route)).toContain('POST /v1/packs/install'));
    expect(asked.find((one) => one.route === 'POST /v1/packs/install')?.body).toEqual({ file });
    expect(asked.map((one) => one.route)).not.toContain('POST /v1/update/start');
  });

  it('does not begin again what was paused or went wrong', async () => {
    computer.report = said(bare);
    runtime.update = { ...offered, phase: 'paused', done: 60_000_000 };
    guide.known = at('runtime', { problems: [0] });
    const asked = serve({ 'GET /v1/wizard': guide.known });
    render(Home);
    expect(await screen.findByRole('button', { name: 'Resume' })).toBeVisible();
    runtime.update = { ...offered, phase: 'failed', problem: { ...missing, code: 'update-offline' } };
    expect(await screen.findByRole('button', { name: /^Download the runtime/ })).toBeVisible();
    expect(asked).toEqual([]);
  });

  it('lets go on when something was only seen, and says that an administrator is needed', async () => {
    const seen: Problem = {
      code: 'accel-unavailable',
      severity: 'blocking',
      cause: 'kvm-permission',
      params: { accel: 'kvm', foreseen: true },
      fix: [{ kind: 'command', code: 'kvm-group', command: 'sudo usermod -aG kvm "$USER"' }]
    };
    computer.report = said({ ...bare, problems: [missing, seen] });
    runtime.update = offered;
    guide.known = at('check', { problems: [1], acts: ['skip'], admin: true });
    const asked = serve({
      'GET /v1/wizard': () => guide.known,
      'POST /v1/wizard/check': at('check', { problems: [1], acts: [] })
    });
    render(Home);
    expect(await screen.findByRole('heading', { name: 'Your account can’t use acceleration' })).toBeVisible();
    expect(screen.getAllByRole('article')).toHaveLength(1); // that of this step only
    expect(screen.getByText(/This needs an administrator of this computer, once/)).toBeVisible();
    expect(screen.getByText(/nothing could be tried yet/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Continue anyway' }));
    expect(asked).toEqual([{ route: 'POST /v1/wizard/check', body: { act: 'skip' } }]);
  });

  it('tries a first chore on samples: its plan is one click away', async () => {
    computer.report = report;
    guide.known = at('first', { acts: ['done', 'skip'] });
    const path = '/home/anna/.cache/piwork/samples/Sample photos';
    const asked = serve({
      'GET /v1/wizard': guide.known,
      'POST /v1/samples': { path, files: 5 },
      'POST /v1/tasks': { ...task, id: '0193-9', state: 'queued' }
    });
    render(Home);
    await userEvent.click(await screen.findByRole('button', { name: 'Show me' }));
    await waitFor(() => expect(location.hash).toBe('#/tasks/0193-9'));
    expect(asked[0]).toEqual({ route: 'POST /v1/samples', body: { language: 'en' } });
    expect(asked[1]?.body).toMatchObject({ chore: 'pictures-to-pdf', folders: [{ path }] });
  });

  it('leads back to a first chore that waits, and can be left for a folder of one’s own', async () => {
    computer.report = report;
    tasks.list = [task];
    guide.known = at('first', { acts: ['done', 'skip'] });
    serve({ 'GET /v1/wizard': () => guide.known, 'POST /v1/wizard/first': at('over') });
    render(Home);
    expect(await screen.findByRole('link', { name: 'Continue' })).toHaveAttribute('href', '#/tasks/0193-1');
    await userEvent.click(screen.getByRole('button', { name: 'Use my own folder' }));
    await waitFor(async () => expect(await title()).toHaveTextContent('What would you like to do?'));
  });

  it('does not greet whoever went this way before, whatever broke since', async () => {
    computer.report = said(bare);
    runtime.update = offered;
    guide.known = { ...at('runtime', { problems: [0] }), again: true };
    const known = guide.known;
    const answer = vi.fn(() => known);
    const asked = serve({ 'GET /v1/wizard': answer });
    render(Home);
    expect(await title()).toHaveTextContent('This computer isn’t ready yet');
    await waitFor(() => expect(answer).toHaveBeenCalled());
    expect(answer.mock.calls.length).toBeLessThan(5); // an answer is no reason to ask again
    expect(screen.queryByRole('list', { name: 'Steps to your first chore' })).toBeNull();
    expect(asked).toEqual([]); // nothing is downloaded without a word
  });
});

describe('the report', () => {
  it('is copied as text that somebody can help with', async () => {
    const copied = vi.fn().mockResolvedValue(true);
    window.runtime = { EventsOn: () => () => undefined, ClipboardSetText: copied };
    computer.report = said({ ...bare, problems: [{ ...missing, details: 'no such directory' }] });
    serve({});
    render(Home);
    await userEvent.click(await screen.findByRole('button', { name: 'Copy report' }));
    expect(await screen.findByText('Report copied.')).toBeVisible();
    expect(copied).toHaveBeenCalledWith(reportText(computer.report));
    expect(reportText(computer.report)).toMatch(
      /piwork 0\.1\.0, linux\/amd64[\s\S]*pack-missing[\s\S]*no such directory/
    );
    delete window.runtime;
  });
});

describe('the slow mode', () => {
  it('is said where work begins, with what it means here', async () => {
    const slow = {
      code: 'slow-mode',
      severity: 'warning' as const,
      cause: 'settings',
      params: { slowFactor: 11 },
      fix: []
    };
    computer.report = said({
      ...report,
      accel: { ...report.accel, kind: 'tcg', slowMode: true, chosenBy: 'settings' },
      problems: [slow]
    });
    guide.known = at('over');
    const asked = serve({ 'GET /v1/wizard': guide.known, 'POST /v1/settings/slow-mode': report });
    render(Home);
    expect(screen.getByText(/About 11 times slower on this computer/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Turn slow mode off' }));
    expect(asked[0]).toEqual({ route: 'POST /v1/settings/slow-mode', body: { on: false } });
  });
});
