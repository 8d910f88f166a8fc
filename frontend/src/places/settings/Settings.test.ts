import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { computer } from '$lib/state/computer.svelte';
import { refuse, report, serve } from '../../test/controller';
import Settings from './Settings.svelte';

const keeping = { settings: { days: 90, spaceMb: 10_000, writeMb: 4_295 }, bytes: 5, tasks: 0 };
const created = '2026-01-02T03:04:05Z';
const rules = [
  { id: 'r1', topic: 'hidden', answer: 'deny', created },
  { id: 'r2', topic: 'change', answer: 'allow', folder: '/home/sam/Pictures', created },
  { id: 'r3', topic: 'undo-space', answer: 'allow', task: 'x', created },
  { id: 'r4', topic: 'later', answer: 'allow', created }
];

beforeEach(() => {
  computer.report = report;
});

const written = {
  'GET /v1/policy': { files: [], rules: [], text: '' },
  'GET /v1/policy/proposals': []
};

describe('what was decided for longer', () => {
  it('is listed in words, and taken back', async () => {
    let left = rules;
    const asked = serve({
      ...written,
      'GET /v1/rules': () => left,
      'DELETE /v1/rules/r2': () => {
        left = left.filter((rule) => rule.id !== 'r2');
        return null;
      }
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Your decisions' });
    for (const words of [
      'Tasks can’t change your hidden files, everywhere',
      'Tasks can change your files, in “/home/sam/Pictures”',
      'Tasks can use more space for undo, while one task runs',
      'Tasks can do something this version doesn’t know, everywhere'
    ]) {
      expect(within(list).getByText(words)).toBeVisible();
    }
    await userEvent.click(within(list).getByRole('button', { name: /^Ask me again: .*Pictures/ }));
    expect(asked.map((a) => a.route)).toContain('DELETE /v1/rules/r2');
    expect(within(list).queryByText(/Pictures/)).toBeNull();
    expect(within(list).getByRole('heading')).toHaveFocus();
  });

  it('says when there is nothing, and when it cannot be taken back', async () => {
    serve({ ...written, 'GET /v1/rules': [] });
    const { unmount } = render(Settings, { section: 'rules' });
    expect(await screen.findByText(/No lasting decisions yet/)).toBeVisible();
    unmount();
    serve({
      ...written,
      'GET /v1/rules': rules,
      'DELETE /v1/rules/r1': () => refuse({ code: 'internal' })
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Your decisions' });
    await userEvent.click(within(list).getByRole('button', { name: /hidden/ }));
    expect(await within(list).findByRole('alert')).toBeVisible();
    expect(within(list).getByText(/hidden/)).toBeVisible();
  });
});

describe('how undo is kept', () => {
  it('is chosen by days and by room', async () => {
    const asked = serve({
      'GET /v1/settings/undo': keeping,
      'POST /v1/settings/undo': (body: unknown) => ({
        ...keeping,
        settings: { ...keeping.settings, ...(body as object) }
      })
    });
    render(Settings, { section: 'folders' });
    const room = await screen.findByRole('group', { name: 'Undo data a task can keep without asking' });
    expect(within(room).getByRole('radio', { name: '10 GB' })).toBeChecked();
    await userEvent.click(within(room).getByRole('radio', { name: '50 GB' }));
    expect(asked.at(-1)).toEqual({ route: 'POST /v1/settings/undo', body: { days: 90, spaceMb: 50_000 } });
    const written = screen.getByRole('group', {
      name: 'Data a task can write beyond its plan without asking'
    });
    expect(within(written).getByRole('radio', { name: '4.3 GB' })).toBeChecked();
    await userEvent.click(within(written).getByRole('radio', { name: '20 GB' }));
    expect(asked.at(-1)).toEqual({ route: 'POST /v1/settings/undo', body: { days: 90, writeMb: 20_000 } });
    await userEvent.click(screen.getByRole('radio', { name: '30 days' }));
    expect(asked.at(-1)).toEqual({ route: 'POST /v1/settings/undo', body: { days: 30 } });
  });
});
