import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import App from './App.svelte';
import './places/palette/Palette.svelte'; // what is loaded late is there at once
import './places/task/Task.svelte';
import { i18n } from '$lib/i18n/index.svelte';
import { chosen } from '$lib/state/chosen.svelte';
import { computer } from '$lib/state/computer.svelte';
import { prefs } from '$lib/state/prefs.svelte';
import { chore, refuse, report, serve, task } from './test/controller';

let emit: (data: unknown) => void;

beforeEach(() => {
  window.runtime = {
    EventsOn: (_name, take) => {
      emit = take;
      return () => undefined;
    }
  };
});
afterEach(async () => {
  delete window.runtime;
  prefs.setTheme('system');
  await prefs.setLanguage('en');
});

const done = { ...task, id: '0192-1', state: 'done', title: 'My own title', titled: true };
const answers = {
  'GET /v1/status': report,
  'GET /v1/tasks': [task, done],
  'GET /v1/chores': [chore],
  [`GET /v1/tasks/${task.id}`]: task,
  [`GET /v1/tasks/${task.id}/timeline`]: [],
  [`GET /v1/tasks/${task.id}/changes`]: []
};

async function open() {
  render(App);
  await screen.findByRole('heading', { level: 1, name: 'What would you like to do?' });
}
// jsdom has no layout: the column and the bar of a narrow window are both there.
const nav = () => within(screen.getByRole('navigation', { name: 'Tasks' }));

describe('the window', () => {
  it('has landmarks, a way past the tasks, and one main heading', async () => {
    serve(answers);
    await open();
    expect(screen.getByRole('main')).toBeVisible();
    expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1);
    await userEvent.click(screen.getByText('Skip to the content'));
    expect(screen.getByRole('main')).toHaveFocus();
  });

  it('reads what pages of the settings show again once a controller is there again', async () => {
    serve(answers);
    const again = vi.spyOn(chosen, 'again');
    await open();
    expect(again).not.toHaveBeenCalled();
    emit({ v: 1, seq: 0, time: '', task: '', kind: 'lost', data: {} });
    expect(await screen.findAllByText(i18n.m.shell.lost)).not.toHaveLength(0);
    emit({ v: 1, seq: 0, time: '', task: '', kind: 'reset', data: {} });
    expect(again).toHaveBeenCalledTimes(1);
    expect(computer.connection).toBe('open');
  });

  it('hears of it when somebody else finds that the computer cannot work, and that it can again', async () => {
    serve(answers);
    await open();
    const broken = { ...report, ready: false };
    emit({ v: 1, seq: 1, time: '', task: '', kind: 'status', data: broken });
    await waitFor(() =>
      expect(screen.queryByRole('heading', { level: 1, name: 'What would you like to do?' })).toBeNull()
    );
    computer.since = Date.now(); // what was asked for here knows more
    emit({ v: 1, seq: 2, time: '', task: '', kind: 'status', data: report });
    expect(computer.report).toEqual(broken);
    computer.since = undefined;
    emit({ v: 1, seq: 3, time: '', task: '', kind: 'status', data: report });
    expect(computer.report).toEqual(report);
  });

  it('has the model of the task that is shown changed from the palette', async () => {
    const usage = { requests: 0, input: 0, output: 0 };
    const talk = {
      ...task,
      kind: 'ai',
      state: 'done',
      title: 'Sort the letters',
      titled: true,
      ai: { model: 'there/x', usage }
    };
    serve({
      ...answers,
      'GET /v1/tasks': [talk],
      [`GET /v1/tasks/${task.id}`]: talk,
      'GET /v1/models': { default: 'there/x', chosen: false, list: [] }
    });
    await open();
    const palette = async () => {
      await userEvent.keyboard('{Control>}k{/Control}');
      const field = await screen.findByRole('combobox', { name: 'What are you looking for?' });
      await waitFor(() => expect(field).toHaveFocus());
      await userEvent.keyboard('change the model');
    };
    await palette();
    expect(screen.queryByRole('option', { name: /Change model/ })).toBeNull(); // of which task?
    await userEvent.keyboard('{Escape}');
    await userEvent.click(nav().getByRole('link', { name: /^Sort the letters/ }));
    await screen.findByRole('button', { name: 'Change model' });
    await palette();
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(screen.getByRole('combobox', { name: 'Model' })).toHaveFocus());
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.getByRole('button', { name: 'Change model' })).toHaveFocus());
  });

  it('lists tasks with their states, and goes to one', async () => {
    serve(answers);
    await open();
    expect(nav().getByRole('link', { name: /^Sea → PDF, waiting for you/ })).toBeVisible();
    expect(nav().getByRole('link', { name: /^My own title, done/ })).toBeVisible();
    await userEvent.click(nav().getByRole('link', { name: /^Sea → PDF/ }));
    location.hash = `#/tasks/${task.id}`; // jsdom follows no links
    const heading = await screen.findByRole('heading', { level: 1, name: 'Sea → PDF' });
    await waitFor(() => expect(heading).toHaveFocus());
    expect(nav().getByRole('link', { name: /^Sea → PDF/ })).toHaveAttribute('aria-current', 'page');
    await waitFor(() => expect(document.title).toBe('Sea → PDF – piwork'));
  });

  it('says the state of the computer in one word', async () => {
    serve(answers);
    await open();
    expect(screen.getAllByRole('link', { name: 'This computer: Ready' })[0]).toBeVisible();
  });

  it('reads everything again after a gap in the events', async () => {
    serve(answers);
    await open();
    const asked = serve({ ...answers, 'GET /v1/tasks': [{ ...task, state: 'done' }] });
    emit({ v: 1, seq: 10, time: '', task: '', kind: 'state', data: {} });
    expect(asked).toHaveLength(0);
    emit({ v: 1, seq: 12, time: '', task: '', kind: 'state', data: {} });
    expect(await nav().findByRole('link', { name: /^Sea → PDF, done/ })).toBeVisible();
    expect(asked.map((a) => a.route)).toContain('GET /v1/status');
  });

  it('shows what was chosen in another window', async () => {
    serve({ ...answers, 'GET /v1/settings/window': { close: 'ask', notify: true } });
    await open();
    const asked = serve({
      ...answers,
      'GET /v1/settings/window': { close: 'ask', notify: true, theme: 'dark', language: 'de' }
    });
    emit({ v: 1, seq: 10, time: '', task: '', kind: 'settings', data: {} });
    emit({ v: 1, seq: 11, time: '', task: '', kind: 'settings', data: {} });
    await screen.findByRole('heading', { level: 1, name: 'Was möchten Sie tun?' });
    expect(document.documentElement.dataset.theme).toBe('dark');
    expect(asked.filter(({ route }) => route.startsWith('PUT'))).toEqual([]); // or two windows never come to rest
  });

  it('asks no more what was answered in another window', async () => {
    const question = {
      id: 'q1',
      task: task.id,
      kind: 'command',
      items: [],
      text: { code: 'agent-select', params: { title: 'Which list?' } },
      choices: [{ label: 'Old' }]
    };
    const line = {
      v: 1,
      seq: 1,
      time: '2026-01-02T03:04:05Z',
      task: task.id,
      kind: 'question',
      data: question
    };
    const decision = { id: 'q1', answer: 'allow', scope: 'once', by: 'person', time: '' };
    serve({ ...answers, [`GET /v1/tasks/${task.id}/timeline`]: [line] });
    location.hash = `#/tasks/${task.id}`;
    render(App);
    await screen.findByRole('group', { name: 'Which list?' });
    const answered = { ...line, seq: 2, kind: 'decision', data: decision };
    serve({
      ...answers,
      'GET /v1/tasks': [{ ...task, state: 'running' }],
      [`GET /v1/tasks/${task.id}`]: { ...task, state: 'running' },
      [`GET /v1/tasks/${task.id}/timeline`]: [line, answered]
    });
    emit({ ...answered, seq: 10 });
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Which list?' })).toBeNull());
  });

  it('opens another window by key', async () => {
    serve(answers);
    await open();
    const asked = serve({ ...answers, 'POST /v1/window/new': null });
    await userEvent.keyboard('{Control>}n{/Control}');
    await waitFor(() => expect(asked).toContainEqual({ route: 'POST /v1/window/new', body: { task: '' } }));
  });

  it('shows a task that was started elsewhere', async () => {
    serve(answers);
    await open();
    const fresh = { ...task, id: '0194-1', title: 'From the command line', titled: true, state: 'running' };
    serve({ ...answers, 'GET /v1/tasks/0194-1': fresh });
    emit({ v: 1, seq: 10, time: '', task: '0194-1', kind: 'state', data: { state: 'running' } });
    const links = await waitFor(() => {
      const all = nav().getAllByRole('link', { name: /working|waiting for you/ });
      expect(all).toHaveLength(2);
      return all;
    });
    expect(links[0]).toHaveAccessibleName(/From the command line/); // newest first
  });
});

describe('settings', () => {
  const at = (section: string) => {
    serve(answers);
    location.hash = `#/settings/${section}`;
  };

  it('change the language at once and remember it', async () => {
    at('appearance');
    render(App);
    await screen.findByRole('heading', { level: 1, name: 'Appearance and language' });
    await userEvent.click(screen.getByRole('radio', { name: 'Deutsch' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Darstellung und Sprache' })).toBeVisible();
    expect(document.documentElement.lang).toBe('de');
    await waitFor(() => expect(localStorage.getItem('piwork.language')).toBe('de'));
    expect(i18n.locale).toBe('de');
  });

  it('change the language of what the controller says, which is asked for again', async () => {
    at('computer');
    const missing = { code: 'pack-missing', severity: 'blocking', cause: '', fix: [] };
    const asked = serve({ ...answers, 'GET /v1/status': { ...report, ready: false, problems: [missing] } });
    const listening = vi.fn(() => () => undefined);
    window.runtime = { EventsOn: listening };
    render(App);
    await screen.findByRole('heading', { name: 'The runtime isn’t installed yet' });
    const before = asked.length;
    await prefs.setLanguage('de');
    await screen.findByRole('heading', { name: /^Die Laufzeitumgebung ist noch nicht installiert/ });
    expect(asked.slice(before).map(({ route }) => route)).toContain('GET /v1/tasks');
    expect(listening).toHaveBeenCalledTimes(2);
  });

  it('change the appearance at once and remember it', async () => {
    at('appearance');
    render(App);
    await userEvent.click(await screen.findByRole('radio', { name: 'Dark' }));
    expect(document.documentElement.dataset.theme).toBe('dark');
    expect(localStorage.getItem('piwork.theme')).toBe('dark');
    await userEvent.click(screen.getByRole('radio', { name: 'Light' }));
    expect(document.documentElement.dataset.theme).toBe('light');
  });

  it('tell what runs', async () => {
    at('computer');
    render(App);
    expect(await screen.findByText('Fast (KVM), verified with a test workroom')).toBeVisible();
    expect(screen.getByText('valid')).toBeVisible();
  });

  it('says when no other window can be opened, until that is closed', async () => {
    serve({ ...answers, 'POST /v1/window/new': refuse({ code: 'internal' }) });
    await open();
    const user = userEvent.setup();
    await user.keyboard('{Control>}');
    await user.click(nav().getByRole('link', { name: /^My own title/ }));
    await user.keyboard('{/Control}');
    const said = await screen.findByRole('alert');
    await user.click(within(said).getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
