import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Models } from '$lib/api/types';
import { computer } from '$lib/state/computer.svelte';
import { ask } from '$lib/state/ask.svelte';
import { draft } from '$lib/state/draft.svelte';
import { models } from '$lib/state/models.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { chore, refuse, report, serve, task } from '../../test/controller';
import './AskOptions.svelte'; // loaded when it is needed, which is at once here
import Home from './Home.svelte';

const known: Models = {
  default: 'a/one',
  chosen: false,
  list: [
    { id: 'a/one', name: 'One', provider: 'a', thinks: true },
    { id: 'b/two', name: 'Two', provider: 'b', images: true },
    { id: 'c/three', name: 'Three', provider: 'c', images: false }
  ]
};

beforeEach(() => {
  computer.report = report;
  tasks.chores = [chore];
  tasks.list = [];
  models.known = known;
});

const field = () => screen.getByRole('textbox', { name: 'In your own words' });
const internet = (name: string) =>
  within(screen.getByRole('group', { name: 'Internet' })).getByRole('radio', { name });

describe('own words', () => {
  it('start a task that asks before it reaches anything', async () => {
    const asked = serve({ 'POST /v1/tasks': { ...task, id: '0193-9', kind: 'ai', state: 'queued' } });
    render(Home);
    await userEvent.type(screen.getByRole('textbox', { name: 'Folder' }), '/home/anna/Sea{Enter}');
    await userEvent.type(field(), 'Sort them');
    expect(screen.queryByRole('button', { name: 'Show plan' })).toBeNull();
    expect(screen.getByRole('radio', { name: 'Asks first' })).toBeChecked();
    await userEvent.click(screen.getByRole('button', { name: 'Start' }));
    await waitFor(() => expect(location.hash).toBe('#/tasks/0193-9'));
    expect(asked.at(-1)?.body).toEqual({
      kind: 'ai',
      prompt: 'Sort them',
      folders: [{ path: '/home/anna/Sea', mode: 'review' }],
      network: 'restricted',
      detached: true
    });
  });

  it('take what was chosen for one task not to the next', async () => {
    serve({ 'POST /v1/tasks': { ...task, id: '0193-9', kind: 'ai', state: 'queued' } });
    ask.prompt = 'Sort them';
    ask.network = 'on';
    ask.chosen = ['github'];
    ask.cache = true;
    await ask.start();
    expect([ask.network, ask.chosen, ask.cache]).toEqual(['restricted', [], false]);
  });

  describe('with services', () => {
    const begun = { ...task, id: '0193-9', kind: 'ai', state: 'queued' };
    const service = { hosts: [{ host: 'api.github.com', rules: ['GET /**'] }] };
    const services = [
      { ...service, name: 'github', secret: 'set' },
      { ...service, name: 'npm', secret: 'missing' }
    ];

    beforeEach(() => {
      ask.chosen = [];
      ask.network = 'restricted';
    });

    it('use those that have their secret, and only over a network', async () => {
      const asked = serve({ 'POST /v1/tasks': begun, 'GET /v1/services': services });
      render(Home);
      await userEvent.type(field(), 'Look');
      await userEvent.click(screen.getByText('More options'));
      await userEvent.click(await screen.findByRole('checkbox', { name: 'github' }));
      expect(screen.queryByRole('checkbox', { name: 'npm' })).toBeNull();
      await userEvent.click(internet('Off'));
      expect(screen.getByRole('checkbox', { name: 'github' })).toBeDisabled();
      expect(screen.getByText(/Services need the internet/)).toBeVisible();
      await userEvent.click(internet('Asks first'));
      expect(screen.getByRole('checkbox', { name: 'github' })).toBeChecked();
      await userEvent.click(screen.getByRole('button', { name: 'Start' }));
      await waitFor(() => expect(asked.find((one) => one.route === 'POST /v1/tasks')).toBeDefined());
      expect(asked.find((one) => one.route === 'POST /v1/tasks')?.body).toMatchObject({
        services: ['github']
      });
    });

    it('use none that was not chosen', async () => {
      const asked = serve({ 'POST /v1/tasks': begun, 'GET /v1/services': services });
      render(Home);
      await userEvent.type(field(), 'Look');
      await userEvent.click(screen.getByText('More options'));
      await screen.findByRole('checkbox', { name: 'github' });
      await userEvent.click(screen.getByRole('button', { name: 'Start' }));
      await waitFor(() => expect(asked.find((one) => one.route === 'POST /v1/tasks')).toBeDefined());
      expect(asked.find((one) => one.route === 'POST /v1/tasks')?.body).not.toHaveProperty('services');
    });
  });

  describe('by another AI program', () => {
    const pi = { name: 'pi', title: 'pi', installed: true, thinks: true, providers: ['a', 'b', 'c'] };
    const other = { name: 'opencode', title: 'opencode', addOn: 'opencode', thinks: false, providers: ['b'] };
    const begun = { ...task, id: '0193-9', kind: 'ai', state: 'queued' };

    it('are not offered what is not installed', async () => {
      serve({ 'GET /v1/programs': [pi, { ...other, installed: false }] });
      render(Home);
      await userEvent.type(field(), 'Look');
      await userEvent.click(screen.getByText('More options'));
      await waitFor(() => expect(models.programs.known).toHaveLength(2));
      expect(screen.queryByLabelText('AI program')).toBeNull();
    });

    it('start with it, and with a model that it can use', async () => {
      const asked = serve({
        'POST /v1/tasks': begun,
        'GET /v1/programs': [pi, { ...other, installed: true }]
      });
      render(Home);
      await userEvent.type(field(), 'Look');
      await userEvent.click(screen.getByText('More options'));
      expect(screen.getByRole('group', { name: 'Thinking time' })).toBeVisible();
      await userEvent.click(screen.getByRole('radio', { name: 'Short' }));
      await userEvent.selectOptions(await screen.findByLabelText('AI program'), 'opencode');
      const offered = [...screen.getByLabelText<HTMLSelectElement>('Model').options].map((one) => one.value);
      expect(offered).toEqual(['b/two']);
      expect(screen.queryByRole('group', { name: 'Thinking time' })).toBeNull();
      await userEvent.click(screen.getByRole('button', { name: 'Start' }));
      await waitFor(() => expect(location.hash).toBe('#/tasks/0193-9'));
      const body = asked.find((one) => one.route === 'POST /v1/tasks')?.body;
      expect(body).toMatchObject({ program: 'opencode', model: 'b/two' });
      expect(body).not.toHaveProperty('thinking');
    });

    it('start with the usual one again once that is chosen', async () => {
      const asked = serve({
        'POST /v1/tasks': begun,
        'GET /v1/programs': [pi, { ...other, installed: true }]
      });
      render(Home);
      await userEvent.type(field(), 'Look');
      await userEvent.click(screen.getByText('More options'));
      const program = await screen.findByLabelText('AI program');
      await userEvent.selectOptions(program, 'opencode');
      await userEvent.selectOptions(program, 'pi');
      expect([...screen.getByLabelText<HTMLSelectElement>('Model').options]).toHaveLength(4);
      await userEvent.click(screen.getByRole('button', { name: 'Start' }));
      await waitFor(() => expect(location.hash).toBe('#/tasks/0193-9'));
      expect(asked.find((one) => one.route === 'POST /v1/tasks')?.body).not.toHaveProperty('program');
    });

    it('say that it can use none of the models', async () => {
      serve({ 'GET /v1/programs': [pi, { ...other, installed: true, providers: [] }] });
      render(Home);
      await userEvent.type(field(), 'Look');
      await userEvent.click(screen.getByText('More options'));
      await userEvent.selectOptions(await screen.findByLabelText('AI program'), 'opencode');
      expect(screen.getByText(/opencode can use none of your models/)).toBeVisible();
    });
  });

  it('go with more folders, a model, a limit, and pictures', async () => {
    const asked = serve({ 'POST /v1/tasks': { ...task, id: '0193-9', kind: 'ai', state: 'queued' } });
    render(Home);
    await userEvent.type(screen.getByRole('textbox', { name: 'Folder' }), '/a{Enter}');
    await userEvent.type(field(), 'Look');
    await userEvent.click(screen.getByRole('button', { name: 'Add another folder' }));
    await userEvent.type(screen.getByLabelText('Another folder'), '/b/c{Enter}');
    await userEvent.click(screen.getAllByRole('radio', { name: 'Read only' }).at(-1) as HTMLElement);
    await userEvent.click(screen.getByText('More options'));
    await userEvent.click(screen.getByRole('checkbox', { name: /^Keep what it downloads/ }));
    await userEvent.selectOptions(screen.getByLabelText('Model'), 'Two');
    await userEvent.type(screen.getByLabelText(/^Spending limit/), '1,50');
    await userEvent.click(internet('Off'));
    const picture = new File([new Uint8Array([1, 2, 3])], 'a.png', { type: 'image/png' });
    await userEvent.upload(document.querySelector('input[type=file]') as HTMLInputElement, picture);
    expect(await screen.findByRole('button', { name: 'Remove a.png' })).toBeVisible();
    for (const [model, words] of [
      ['b/two', /^Supports pictures\.$/],
      ['c/three', /^This model doesn’t support pictures/],
      ['a/one', /^This model may not support pictures/]
    ] as const) {
      await userEvent.selectOptions(screen.getByLabelText('Model'), model);
      expect(screen.getByText(words)).toBeVisible();
      expect(screen.queryAllByText(/^This model (may not|doesn’t) support pictures/)).toHaveLength(
        model === 'b/two' ? 0 : 1
      );
    }
    await userEvent.selectOptions(screen.getByLabelText('Model'), 'b/two');
    await userEvent.click(screen.getByRole('button', { name: 'Start' }));
    await waitFor(() => expect(asked.length).toBe(1));
    expect(asked[0]?.body).toEqual({
      kind: 'ai',
      prompt: 'Look',
      folders: [
        { path: '/a', mode: 'review' },
        { path: '/b/c', mode: 'ro' }
      ],
      network: 'off',
      model: 'b/two',
      budget: 1_500_000,
      images: [{ name: 'a.png', data: 'AQID' }],
      cache: '.',
      detached: true
    });
  });

  it('begin with review, unless another choice was made for this folder', async () => {
    const asked = serve({
      'GET /v1/folders': [{ path: '/home/anna/Sea', mode: 'rw' }],
      'POST /v1/tasks': { ...task, id: '0193-9', kind: 'ai', state: 'queued' }
    });
    render(Home);
    await userEvent.type(screen.getByRole('textbox', { name: 'Folder' }), '/home/anna/Notes{Enter}');
    const chosen = () =>
      screen.getAllByRole<HTMLInputElement>('radio', { checked: true }).map((r) => r.value);
    expect(chosen()).toContain('rw'); // a chore shows its plan first
    await userEvent.type(field(), 'Sort them');
    expect(chosen()).toContain('review');
    await userEvent.type(field(), '{Enter}');
    await waitFor(() => expect(asked).toHaveLength(1));
    expect(asked[0]?.body).toMatchObject({ folders: [{ path: '/home/anna/Notes', mode: 'review' }] });
    draft.use('/home/anna/Sea');
    await userEvent.type(field(), 'Once more');
    expect(chosen()).toContain('rw');
    await userEvent.type(field(), '{Enter}');
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[1]?.body).toMatchObject({ folders: [{ path: '/home/anna/Sea', mode: 'rw' }] });
  });

  it('do not begin with a limit that is no amount: nobody takes it for none', async () => {
    const asked = serve({ 'POST /v1/tasks': { ...task, id: '0193-9', kind: 'ai', state: 'queued' } });
    ask.budget = 'five dollars';
    render(Home);
    await userEvent.type(field(), 'Look{Enter}');
    const limit = screen.getByLabelText(/^Spending limit/);
    await waitFor(() => expect(limit).toHaveFocus());
    expect(limit).toBeInvalid();
    expect(limit).toHaveAccessibleDescription(/^Enter an amount like 5 or 0\.50/);
    expect(asked).toEqual([]);
    await userEvent.clear(limit);
    await userEvent.type(limit, '$5');
    expect(limit).toBeValid();
    await userEvent.click(screen.getByRole('button', { name: 'Start' }));
    await waitFor(() => expect(asked).toHaveLength(1));
    expect(asked[0]?.body).toMatchObject({ budget: 5_000_000 });
  });

  it('stay written when a chore is chosen, and when it does not begin', async () => {
    serve({
      'POST /v1/tasks': refuse({ code: 'no-model', fix: [{ kind: 'action', code: 'keys' }] })
    });
    render(Home);
    await userEvent.type(field(), 'Sort them');
    await userEvent.click(screen.getByRole('button', { name: 'Choose a chore instead' }));
    expect(screen.getByRole('button', { name: 'Show plan' })).toBeVisible();
    expect(field()).toHaveValue('Sort them');
    await userEvent.click(screen.getByRole('button', { name: 'Start with your own words' }));
    await userEvent.click(screen.getByRole('button', { name: 'Start' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('No model is set up');
    expect(field()).toHaveValue('Sort them');
    await userEvent.click(screen.getByRole('button', { name: 'Open models and keys' }));
    expect(location.hash).toBe('#/settings');
  });

  it('need a model, which is said calmly below the chores', () => {
    models.known = { default: '', chosen: false, list: [] };
    render(Home);
    expect(screen.queryByRole('textbox', { name: 'In your own words' })).toBeNull();
    expect(
      screen.getByText(/piwork needs a key for an AI service or a model on this computer/)
    ).toBeVisible();
    expect(screen.getByRole('link', { name: 'Set up a model' })).toHaveAttribute('href', '#/settings');
  });
});
