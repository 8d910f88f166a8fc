import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { createRawSnippet, flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Problem } from '$lib/api/types';
import { said } from '../../test/controller';
import Button from './Button.svelte';
import Choices from './Choices.svelte';
import PathField from './PathField.svelte';
import ProblemCard from './ProblemCard.svelte';
import ProgressBar from './ProgressBar.svelte';
import Select from './Select.svelte';
import Some from './Some.svelte';
import Waiting from './Waiting.svelte';

const words = (text: string) => createRawSnippet(() => ({ render: () => `<span>${text}</span>` }));
afterEach(() => vi.useRealTimers());

describe('Button', () => {
  it('says what is under way, keeps the focus, and cannot be pressed meanwhile', async () => {
    const onclick = vi.fn();
    const { rerender } = render(Button, { children: words('Make the PDF'), onclick });
    await userEvent.click(screen.getByRole('button', { name: 'Make the PDF' }));
    expect(onclick).toHaveBeenCalledTimes(1);
    await rerender({ busy: 'Starting…' });
    const button = screen.getByRole('button', { name: 'Starting…' });
    expect(button).toHaveFocus();
    expect(button).toHaveAttribute('aria-disabled', 'true');
    await userEvent.click(button);
    expect(onclick).toHaveBeenCalledTimes(1);
  });

  it('takes the second click of a double click for none: it may be about what took its place', async () => {
    const onclick = vi.fn();
    render(Button, { children: words('Allow'), onclick });
    await userEvent.dblClick(screen.getByRole('button', { name: 'Allow' }));
    expect(onclick).toHaveBeenCalledTimes(1);
    screen.getByRole('button', { name: 'Allow' }).focus();
    await userEvent.keyboard('{Enter}{Enter}');
    expect(onclick).toHaveBeenCalledTimes(3);
  });

  it('can be pressed while it is off, so that it can say why', async () => {
    const onclick = vi.fn();
    render(Button, { children: words('Show'), off: true, onclick });
    await userEvent.click(screen.getByRole('button', { name: 'Show' }));
    expect(onclick).toHaveBeenCalled();
  });
});

describe('a choice that is refused', () => {
  const options = ['a', 'b'].map((value) => ({ value, words: value }));
  const refused = () => Promise.resolve();

  it('of a few is not shown as chosen', async () => {
    render(Choices, { legend: 'Which', options, value: 'a', onchange: refused });
    await userEvent.click(screen.getByRole('radio', { name: 'b' }));
    await waitFor(() => expect(screen.getByRole('radio', { name: 'a' })).toBeChecked());
    expect(screen.getByRole('radio', { name: 'b' })).not.toBeChecked();
  });

  it('of many is not shown as chosen', async () => {
    render(Select, { label: 'Which', options, value: 'a', onchange: refused });
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Which' }), 'b');
    await waitFor(() => expect(screen.getByRole('combobox', { name: 'Which' })).toHaveValue('a'));
  });
});

describe('ProblemCard', () => {
  const problem: Problem = {
    code: 'accel-unavailable',
    severity: 'blocking',
    cause: 'kvm-permission',
    params: { accel: 'kvm' },
    fix: ['kvm-group', 'check-again', 'slow-mode', 'code-from-the-future'].map((code) => ({
      kind: 'action',
      code,
      ...(code === 'kvm-group' ? { command: 'sudo usermod -aG kvm "$USER"' } : {})
    })),
    restart: 'session',
    details: 'open /dev/kvm: permission denied'
  };

  it('says what happened, what it means, and what to do', async () => {
    const again = vi.fn();
    render(ProblemCard, { problem: said(problem), actions: { 'check-again': again } });
    expect(screen.getByRole('heading', { name: 'Your account can’t use acceleration' })).toBeVisible();
    expect(
      screen.getByText(/^Only accounts in the group “kvm” can\. Tasks can’t have a workroom until/)
    ).toBeVisible();
    expect(screen.getByText('sudo usermod -aG kvm "$USER"')).toBeVisible();
    expect(screen.getByText('Then log out and in again.')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Check again' }));
    expect(again).toHaveBeenCalled();
    // What nothing here can do is no button, and what is not known is not shown.
    expect(screen.queryByRole('button', { name: /^Work slowly/ })).toBeNull();
    expect(screen.queryByText(/future/)).toBeNull();
  });

  it('numbers the steps that follow each other, and says once that it needs a restart', () => {
    const { rerender } = render(ProblemCard, {
      problem: said<Problem>({
        ...problem,
        cause: 'whpx-feature',
        fix: [{ kind: 'command', code: 'windows-feature', command: 'dism /online' }],
        restart: 'computer'
      })
    });
    expect(screen.getByRole('list', { name: 'What you can do' }).querySelectorAll('ol > li')).toHaveLength(2);
    expect(screen.getByText('Or in a terminal, as administrator:')).toBeVisible();
    expect(screen.getByText(/^Then restart the computer/)).toBeVisible();
    void rerender({
      problem: said<Problem>({
        ...problem,
        cause: 'whpx-restart',
        fix: [{ kind: 'link', code: 'restart-computer' }],
        restart: 'computer'
      })
    });
    flushSync();
    expect(screen.getByText('Restart the computer.')).toBeVisible();
    expect(screen.queryByText(/^Then /)).toBeNull();
  });

  it('folds the evidence, with the codes in it', () => {
    render(ProblemCard, { problem });
    const details = screen.getByText('Details').closest('details');
    expect(details).not.toHaveAttribute('open');
    expect(details).toHaveTextContent('accel-unavailable / kvm-permission open /dev/kvm: permission denied');
  });

  it('shows a problem that it does not know', () => {
    render(ProblemCard, { problem: { ...problem, code: 'brand-new', cause: '', fix: [] } });
    expect(screen.getByRole('heading')).toHaveTextContent('Unexpected error');
    expect(screen.getByText('The details say what was tried.')).toBeVisible();
    expect(screen.getByText(/brand-new/)).toBeInTheDocument();
  });

  it('says that nobody answers, which no controller can say', () => {
    render(ProblemCard, { problem: { ...problem, code: 'unreachable', cause: '', fix: [] } });
    expect(screen.getByRole('heading')).toHaveTextContent('piwork isn’t responding');
    expect(screen.getByText(/Your files aren’t affected\.$/)).toBeVisible();
  });

  it('keeps the steps of a controller that has no words for them, where they are more than words', async () => {
    const again = vi.fn();
    const fix: Problem['fix'] = [
      { kind: 'link', code: 'only-words' },
      { kind: 'command', code: 'kvm-group', command: 'sudo usermod' },
      { kind: 'action', code: 'check-again' },
      { kind: 'action', code: 'constructor' }
    ];
    render(ProblemCard, { problem: { ...problem, fix }, actions: { 'check-again': again } });
    expect(screen.getByRole('heading')).toHaveTextContent('Unexpected error');
    expect(screen.getByText('sudo usermod')).toBeVisible();
    expect(screen.queryByText(/only-words|constructor/)).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'check-again' }));
    expect(again).toHaveBeenCalled();
  });

  it('says a step of one line as a sentence', () => {
    const fix: Problem['fix'] = [{ kind: 'link', code: 'close-other' }];
    render(ProblemCard, { problem: said<Problem>({ ...problem, params: { holder: 'virtualbox' }, fix }) });
    expect(
      screen.getByText('Shut down every virtual computer in VirtualBox, then check again.')
    ).toBeVisible();
    expect(screen.queryByRole('list', { name: 'What you can do' })?.querySelector('ol')).toBeNull();
  });
});

describe('Waiting', () => {
  function wait(props: { heard?: number } = {}) {
    vi.useFakeTimers({ now: 1_000_000 });
    const stalled = createRawSnippet(() => ({ render: () => '<button>Stop</button>' }));
    render(Waiting, {
      word: 'Opening.',
      reason: 'It is made fresh.',
      since: 1_000_000,
      patience: 60_000,
      stalled,
      ...props
    });
    return (ms: number) => {
      vi.advanceTimersByTime(ms);
      flushSync();
    };
  }

  it('says a word after 2 s, a reason after 10 s, and offers a choice after a stall', () => {
    const pass = wait();
    expect(screen.queryByText('Opening.')).toBeNull();
    pass(2000);
    expect(screen.getByRole('status')).toHaveTextContent('Opening.');
    expect(screen.queryByText('It is made fresh.')).toBeNull();
    pass(8000);
    expect(screen.getByText('It is made fresh.')).toBeVisible();
    expect(screen.getByText('10 seconds so far')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull();
    pass(50_000);
    expect(screen.getByRole('button', { name: 'Stop' })).toBeVisible();
  });

  it('is no stall while there are signs of life', () => {
    const pass = wait({ heard: 1_050_000 });
    pass(100_000);
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull();
    pass(10_000);
    expect(screen.getByRole('button', { name: 'Stop' })).toBeVisible();
  });
});

it('ProgressBar speaks in words', () => {
  render(ProgressBar, { done: 3, total: 12, label: 'Progress', words: '3 of 12 pictures' });
  const bar = screen.getByRole('progressbar', { name: 'Progress' });
  expect(bar).toHaveAttribute('aria-valuetext', '3 of 12 pictures');
  expect(bar).toHaveAttribute('aria-valuenow', '3');
});

it('Choices are radio buttons with a name', async () => {
  const onchange = vi.fn();
  const options = [
    { value: 'a', words: 'by name' },
    { value: 'b', words: 'by date' }
  ];
  render(Choices, { legend: 'Order', options, value: 'a', onchange });
  expect(screen.getByRole('group', { name: 'Order' })).toBeVisible();
  expect(screen.getByRole('radio', { name: 'by name' })).toBeChecked();
  await userEvent.click(screen.getByRole('radio', { name: 'by date' }));
  expect(onchange).toHaveBeenCalledWith('b');
});

it('PathField sends what was written, by button or by key, and nothing when it is empty', async () => {
  const onsubmit = vi.fn();
  render(PathField, { label: 'Place', hint: 'For example', submit: 'Use', onsubmit });
  await userEvent.click(screen.getByRole('button', { name: 'Use' }));
  expect(onsubmit).not.toHaveBeenCalled();
  await userEvent.type(screen.getByLabelText('Place'), '  /home/anna/Sea {Enter}');
  await userEvent.click(screen.getByRole('button', { name: 'Use' }));
  expect(onsubmit.mock.calls).toEqual([['/home/anna/Sea'], ['/home/anna/Sea']]);
});

it('Some never shows too many at once', async () => {
  const row = createRawSnippet((item: () => unknown) => ({ render: () => `<span>${String(item())}</span>` }));
  const items = Array.from({ length: 1200 }, (_, i) => i);
  render(Some, { items, key: (i: unknown) => String(i), few: 3, label: 'Files', row });
  await userEvent.click(screen.getByRole('button', { name: 'Show 500 more' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(503);
  await userEvent.click(screen.getByRole('button', { name: 'Show 500 more' }));
  expect(screen.getByRole('button', { name: 'Show 197 more' })).toBeVisible();
});

it('Some shows the first lines, and the others when asked', async () => {
  const row = createRawSnippet((item: () => unknown) => ({
    render: () => `<span>file ${String(item())}</span>`
  }));
  const items = Array.from({ length: 9 }, (_, i) => i);
  render(Some, { items, key: (i: unknown) => String(i), few: 3, label: 'Files', row });
  expect(screen.getAllByRole('listitem')).toHaveLength(3);
  const more = screen.getByRole('button', { name: 'Show 6 more' });
  expect(more).toHaveAttribute('aria-expanded', 'false');
  await userEvent.click(more);
  expect(screen.getAllByRole('listitem')).toHaveLength(9);
  await userEvent.click(screen.getByRole('button', { name: 'Show fewer' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(3);
});
