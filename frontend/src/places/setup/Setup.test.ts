// Every computer that is not ready, as app/setup reports it (its golden file): for all three systems, in both languages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import type { Report, RuntimeStatus } from '$lib/api/types';
import { i18n, useLocale } from '$lib/i18n/index.svelte';
import { computer } from '$lib/state/computer.svelte';
import { refuse, report, said, serve } from '../../test/controller';
import Setup from './Setup.svelte';

const computers = JSON.parse(
  readFileSync(join(process.cwd(), '../app/setup/testdata/computers.json'), 'utf8')
) as Record<string, Report>;

afterEach(() => useLocale('en'));

const show = (name: string) => {
  computer.report = said(computers[name]);
  return render(Setup, { onstart: () => undefined });
};

/** A kind of place, as far as it matters here. */
const kindOf = (kind: string, more: Partial<RuntimeStatus>) => ({
  kind,
  title: kind === 'sandbox' ? 'Sandbox' : 'Workroom',

  isolation: 'namespace',
  works: false,
  allowance: 'ask',
  ...more
});

describe.each(Object.keys(computers))('%s', (name) => {
  const problem = computers[name]?.problems[0];

  it.each(['en', 'de'] as const)('says what is wrong and what to do, in %s', async (locale) => {
    await useLocale(locale);
    const { container } = show(name);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(i18n.m.setup.titleBlocked);
    const card = screen.getAllByRole('article');
    expect(card).toHaveLength(1); // one cause, one card
    const { title, detail } = said(problem) ?? {};
    expect(within(card[0] as HTMLElement).getByRole('heading')).toHaveTextContent(title || 'no title');
    expect(card[0]).toHaveTextContent(detail || 'no detail');
    expect(said(problem, 'en')?.detail === detail).toBe(locale === 'en');
    expect(container.textContent).not.toMatch(/undefined|null|NaN|\[object|\(\)/);
    // Every step is there: a button, or a sentence with what is to be typed.
    for (const { code, command, runs, kind, title, steps } of said(problem)?.fix ?? []) {
      const lines = runs ? [title] : (steps ?? [title]); // where it is run, they are folded
      if (kind !== 'action') for (const line of lines) expect(card[0]).toHaveTextContent(line || 'no words');
      const line = runs ?? command; // where it is run, what is typed is folded
      if (line)
        expect(within(card[0] as HTMLElement).getAllByText(line, { normalizer: (s) => s })[0]).toBeVisible();
      if (code === 'slow-mode' || code === 'check-again')
        expect(screen.getByRole('button', { name: title || 'no title' })).toBeVisible();
    }
  });
});

describe('what can be done', () => {
  it('checks again', async () => {
    const asked = serve({ 'POST /v1/status/check': report });
    show('windows-feature');
    await userEvent.click(screen.getByRole('button', { name: 'Check again' }));
    expect(asked).toEqual([{ route: 'POST /v1/status/check' }]);
    expect(await screen.findByRole('heading', { name: 'This computer is ready' })).toBeVisible();
  });

  it('shows each check as soon as it is known, and which one is under way', async () => {
    let answer: (known: Report) => void = () => undefined;
    serve({ 'POST /v1/status/check': () => new Promise<Report>((known) => (answer = known)) });
    show('linux-firmware');
    await userEvent.click(screen.getByRole('button', { name: 'Check again' }));
    const lines = () =>
      within(screen.getByRole('region', { name: 'Checking' }))
        .getAllByRole('listitem')
        .map((line) => line.textContent?.replace(/\s+/g, ' ').trim());
    expect(lines()[0]).toMatch(/checking$/);
    expect(lines()[1]).toMatch(/pending$/);
    computer.checkEvent({ code: 'pack-installed', state: 'passed', tookMs: 1 });
    computer.checkEvent({ code: 'pack-verified', state: 'passed', tookMs: 1300 });
    await waitFor(() => expect(lines()[1]).toMatch(/passed, took 1 second$/));
    expect(lines()[0]).toBe('Runtime installed');
    expect(lines()[2]).toMatch(/checking$/);
    expect(lines().at(-1)).toMatch(/pending$/);
    answer(report);
    expect(await screen.findByRole('heading', { name: 'This computer is ready' })).toBeVisible();
    computer.checkEvent({ code: 'pack-verified', state: 'failed', tookMs: 1 }); // late: of a look that is over
    expect(computer.found.find(({ code }) => code === 'pack-verified')?.state).toBe('passed');
  });

  it('has the system ask for an administrator, and shows before what is run', async () => {
    const declined = { declined: true, report: computers['linux-group'] };
    let answers: unknown = declined;
    const asked = serve({ 'POST /v1/status/mend': () => answers });
    show('linux-group');
    expect(screen.getByText('usermod -aG kvm anna')).toBeVisible();
    expect(screen.getByText('sudo usermod -aG kvm "$USER"')).toBeInTheDocument(); // folded: to type it oneself
    const button = screen.getByRole('button', { name: 'Let the system do it' });
    await userEvent.click(button);
    expect(await screen.findByText('Not allowed; the system’s settings are unchanged.')).toBeVisible();
    expect(screen.queryByRole('alert')).toBeNull(); // who says no has made no mistake
    answers = refuse({ code: 'not-mended', details: 'no agent' });
    await userEvent.click(button);
    expect(await screen.findByRole('alert')).toHaveTextContent('The system didn’t make the change');
    answers = { declined: false, report };
    await userEvent.click(button);
    expect(await screen.findByRole('heading', { name: 'This computer is ready' })).toBeVisible();
    expect(asked).toEqual(Array(3).fill({ route: 'POST /v1/status/mend', body: { fix: 'kvm-group' } }));
  });

  it('offers nothing to run that piwork does not run', () => {
    show('linux-firmware');
    expect(screen.queryByRole('button', { name: 'Let the system do it' })).toBeNull();
  });

  it('works slowly, and says before how long that takes here', async () => {
    const asked = serve({
      'POST /v1/settings/slow-mode': { ...report, accel: { ...report.accel, slowMode: true } }
    });
    show('linux-broken');
    expect(screen.getByText(/Opening a workroom takes (1.5|2) seconds in slow mode/)).toBeVisible();
    await userEvent.click(
      screen.getByRole('button', { name: /^Work slowly \(workrooms open in (1.5|2) s\)$/ })
    );
    expect(asked[0]?.route).toBe('POST /v1/settings/slow-mode');
  });

  it('offers a sandbox where there can be no workroom, says what is weaker, and allows it by one button', async () => {
    const asked = serve({
      'GET /v1/runtimes': [
        kindOf('vm', { works: false, isolation: 'hardware' }),
        kindOf('sandbox', { works: true })
      ],
      'GET /v1/settings/runtimes': { prefer: ['sandbox'], weaker: { container: 'never' } },
      'POST /v1/settings/runtimes': {},
      'GET /v1/wizard': { steps: [], done: true, instead: 'sandbox' }
    });
    show('linux-firmware');
    expect(asked).toEqual([]);
    await userEvent.click(screen.getByText('Work without a workroom'));
    expect(await screen.findByText('Sandbox instead of a workroom')).toBeVisible();
    expect(screen.getByText(/Tasks can work there/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Work there' }));
    await waitFor(() =>
      expect(asked.find(({ route }) => route === 'POST /v1/settings/runtimes')?.body).toEqual({
        prefer: ['sandbox'],
        rootless: [],
        weaker: { container: 'never', sandbox: 'always' }
      })
    );
  });

  it('says why there is no sandbox either, and what helps; and offers none that a person refused', async () => {
    const problem = {
      code: 'vm-failed',
      cause: 'sandbox-apparmor',
      severity: 'error' as const,
      title: 'AppArmor',
      detail: 'It does not allow them.',
      fix: [{ kind: 'command' as const, code: 'allow-sandbox', title: 'Allow it.', command: 'sudo sysctl' }]
    };
    serve({ 'GET /v1/runtimes': [kindOf('vm', {}), kindOf('sandbox', { problem })] });
    const { unmount } = show('linux-firmware');
    await userEvent.click(screen.getByText('Work without a workroom'));
    expect(await screen.findByText('sudo sysctl')).toBeVisible();
    unmount();
    serve({
      'GET /v1/runtimes': [kindOf('vm', {}), kindOf('sandbox', { works: true, allowance: 'never' })]
    });
    show('linux-firmware');
    await userEvent.click(screen.getByText('Work without a workroom'));
    expect(await screen.findByText('Nothing else works on this computer either.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Work there' })).toBeNull();
  });

  it('does not offer to work slowly where that does not work either', () => {
    show('not-even-slowly');
    expect(screen.queryByRole('button', { name: /^Work slowly/ })).toBeNull();
  });

  it('enables virtualization by steps in order, with the key and the way for this computer', () => {
    show('windows-firmware');
    const steps = within(screen.getByRole('list', { name: 'What you can do' })).getAllByRole('listitem');
    expect(steps[1]).toHaveTextContent('F2, Del');
    expect(steps[2]).toHaveTextContent('Advanced > CPU Configuration > SVM Mode');
    expect(screen.queryByText(/^Then /)).toBeNull(); // the first step is a restart
  });

  it('installs the runtime', () => {
    show('no-runtime-at-all');
    expect(screen.getByRole('heading', { name: 'The runtime isn’t installed yet' })).toBeVisible();
    expect(screen.getByLabelText('File')).toBeVisible();
  });

  it('shows one line that failed, and none after it that was looked at', () => {
    show('linux-firmware');
    const lines = within(screen.getByRole('region', { name: 'Checks' })).getAllByRole('listitem');
    expect(lines.map((line) => line.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
      'Runtime installed',
      'Runtime signature and files passed',
      'Virtualization in the processor available',
      'Virtualization in the firmware off',
      'Virtualization in the system not checked yet',
      'Acceleration for piwork not checked yet',
      'Opening a workroom failed'
    ]);
  });
});
