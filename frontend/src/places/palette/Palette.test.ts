import { readFileSync } from 'node:fs';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { overlay } from '$lib/state/overlay.svelte';
import { prefs } from '$lib/state/prefs.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { tools } from '$lib/state/tools.svelte';
import { chore, refuse, said, serve, task } from '../../test/controller';
import { commands, matching } from './commands';
import Palette from './Palette.svelte';
import Shortcuts from './Shortcuts.svelte';

beforeEach(() => {
  overlay.open = 'palette';
  tasks.chores = [chore];
  tasks.list = said([
    { ...task, id: '0193-1', title: 'Letters of the club', titled: true, state: 'done' as const },
    { ...task, id: '0193-2', title: 'Club house', titled: true, state: 'running' as const }
  ]);
});

describe('the palette', () => {
  it('puts what begins with the words first, and finds folders and results too', () => {
    const words = (query: string) => matching(commands(), query).map((one) => one.words);
    expect(words('club')).toEqual(['Club house', 'Letters of the club', 'Stop “Club house”']);
    expect(words('sea')).toContain('Letters of the club'); // its folder
    expect(words('priv')).toEqual(['Privacy']);
    expect(words('pdf')).toContain('Pictures → PDF');
    expect(words('qqq')).toEqual([]);
  });

  it('goes to a tool by its name or by that of programs, and has none before one writes', async () => {
    serve({ 'GET /v1/tools': JSON.parse(readFileSync('../app/api/testdata/tools.json', 'utf8')) });
    render(Palette);
    await waitFor(() => expect(tools.known).toBeDefined());
    const found = (query: string) => matching(commands(), query).filter((one) => one.group === 'tools');
    expect(found('')).toEqual([]);
    expect(found('merge pdfs').map((one) => one.words)).toEqual(['Merge PDFs']);
    found('file.hash')[0]?.run();
    expect(location.hash).toBe('#/tools/file.hash');
  });

  it('is a field with a list that the arrows go through', async () => {
    render(Palette);
    const field = await screen.findByRole('combobox', { name: 'What are you looking for?' });
    await waitFor(() => expect(field).toHaveFocus());
    await userEvent.type(field, 'club');
    const options = within(screen.getByRole('listbox')).getAllByRole('option');
    expect(options).toHaveLength(3);
    expect(field.getAttribute('aria-activedescendant')).toBe(options[0]?.id);
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}');
    expect(options[1]).toHaveAttribute('aria-selected', 'true');
    await userEvent.keyboard('{Enter}');
    expect(location.hash).toBe('#/tasks/0193-1');
    expect(overlay.open).toBeUndefined();
  });

  it('stays, and says what hindered an action', async () => {
    const asked = serve({ 'POST /v1/tasks/0193-2/cancel': refuse({ code: 'shutting-down' }, 503) });
    render(Palette);
    await userEvent.type(await screen.findByRole('combobox'), 'stop club');
    await userEvent.keyboard('{Enter}');
    expect(await screen.findByRole('alert')).toBeVisible();
    expect(asked.filter(({ route }) => route.startsWith('POST'))).toHaveLength(1);
    expect(overlay.open).toBe('palette');
  });
});

describe('the list of shortcuts', () => {
  it('has a switch for the key that is one sign alone', async () => {
    render(Shortcuts);
    expect(await screen.findByText('?')).toBeVisible();
    await userEvent.click(screen.getByRole('checkbox', { name: 'The ? key opens this list' }));
    expect(prefs.signs).toBe(false);
    expect(screen.queryByText('?')).toBeNull();
    expect(screen.getByText('F1')).toBeVisible();
    await userEvent.click(screen.getByRole('checkbox'));
    expect(prefs.signs).toBe(true);
  });
});
