import { readFileSync } from 'node:fs';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AddOnInfo, Task, ToolInfo } from '$lib/api/types';
import { taskTitle } from '$lib/model/stage';
import { runtime } from '$lib/state/runtime.svelte';
import { tools } from '$lib/state/tools.svelte';
import { refuse, said, serve, task } from '../../test/controller';
import Tool from './Tool.svelte';
import Tools from './Tools.svelte';

const catalogue = JSON.parse(readFileSync('../app/api/testdata/tools.json', 'utf8')) as ToolInfo[];
const begun = { ...task, id: '0193-9', kind: 'tool', state: 'queued' };
const office: AddOnInfo = { name: 'office', version: '1', installed: false, usable: true, bytes: 0 };

beforeEach(() => {
  tools.known = undefined;
  tools.failure = undefined;
  tools.query = '';
});
afterEach(() => delete window.runtime);

/** Opens a tool; answers come from the catalogue and from what is given. */
async function open(name: string, answers: Record<string, unknown> = {}) {
  const asked = serve({ 'GET /v1/tools': catalogue, [`POST /v1/tools/${name}`]: begun, ...answers });
  render(Tool, { name });
  await screen.findByRole('button', { name: 'Do it' });
  return () => asked.filter(({ route }) => route.startsWith('POST /v1/tools'));
}
const run = () => userEvent.click(screen.getByRole('button', { name: 'Do it' }));
const give = (path: string) =>
  userEvent.type(screen.getByRole('textbox', { name: /^File/ }), `${path}{Enter}`);

describe('the list of tools', () => {
  it('has every operation once, and finds one by a word', async () => {
    serve({ 'GET /v1/tools': catalogue });
    render(Tools);
    await screen.findByText('Convert pictures');
    expect(screen.getAllByRole('listitem')).toHaveLength(catalogue.length);
    await userEvent.type(screen.getByRole('searchbox', { name: 'Find a tool' }), 'combines');
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      '#/tools/image.convert',
      '#/tools/pdf.merge',
      '#/tools/table.merge'
    ]);
    expect(screen.getByText('3 tools')).toBeInTheDocument();
    await userEvent.type(screen.getByRole('searchbox'), ' nothing');
    expect(screen.getByText('No matching tools.')).toBeVisible();
  });

  it('says which need an add-on that is not there', async () => {
    runtime.addOns = [office];
    serve({ 'GET /v1/tools': catalogue });
    render(Tools);
    const link = await screen.findByRole('link', { name: /^Convert documents/ });
    expect(within(link).getByText(/needs the add-on Office documents/)).toBeVisible();
    expect(
      within(screen.getByRole('link', { name: /^Convert pictures/ })).queryByText(/needs the add-on/)
    ).toBeNull();
  });

  it('says why it could not be had, and asks again', async () => {
    let fine = false;
    serve({ 'GET /v1/tools': () => (fine ? catalogue : refuse({ code: 'shutting-down' }, 503)) });
    render(Tools);
    const again = await screen.findByRole('button', { name: 'Check again' });
    fine = true;
    await userEvent.click(again);
    await screen.findByText('Convert pictures');
  });
});

describe('a tool', () => {
  it('starts a task with what was chosen, and what was left alone is not sent', async () => {
    const asked = await open('image.convert');
    await give('/home/anna/Sea/a.heic');
    await userEvent.click(screen.getByRole('radio', { name: 'JPEG' }));
    const quality = screen.getByLabelText('Quality');
    await userEvent.clear(quality);
    await userEvent.type(quality, '70');
    await run();
    await waitFor(() => expect(location.hash).toBe('#/tasks/0193-9'));
    expect(asked()).toEqual([
      {
        route: 'POST /v1/tools/image.convert',
        body: { in: ['/home/anna/Sea/a.heic'], params: { format: 'jpeg', quality: 70 } }
      }
    ]);
  });

  it('puts the result beside the first file, under a name that can be changed', async () => {
    const asked = await open('pdf.merge');
    await give('/home/anna/May.pdf');
    await give('/home/anna/June.pdf');
    await userEvent.click(screen.getByRole('button', { name: 'Move June.pdf up' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Into a folder' }));
    expect(
      within(screen.getByRole('region', { name: 'Where the result goes' })).getByText('/home/anna')
    ).toBeVisible();
    const name = screen.getByLabelText('Name of the new file');
    expect(name).toHaveValue('June 2.pdf');
    await userEvent.clear(name);
    await run();
    expect(screen.getByText('The result needs a name.')).toBeVisible();
    await userEvent.type(name, 'Spring.pdf');
    await run();
    await waitFor(() => expect(asked()).toHaveLength(1));
    expect(asked()[0]?.body).toEqual({
      in: ['/home/anna/June.pdf', '/home/anna/May.pdf'],
      params: {},
      out: '/home/anna/Spring.pdf'
    });
  });

  it('says what is missing and what does not fit instead of asking', async () => {
    const asked = await open('pdf.split');
    await run();
    expect(screen.getByText('Choose what it should work on first.')).toBeVisible();
    await give('/home/anna/May.pdf');
    expect(screen.queryByRole('textbox', { name: /^File/ })).toBeNull(); // it takes one
    const every = screen.getByLabelText('Pages per part');
    await userEvent.clear(every);
    await userEvent.type(every, '0');
    expect(every).toHaveAttribute('aria-invalid', 'true');
    expect(every).toHaveAccessibleDescription('At least 1.');
    await run();
    expect(screen.getByText('Check “Pages per part”.')).toBeVisible();
    expect(asked()).toEqual([]);
  });

  it('takes lists, a line for each', async () => {
    const asked = await open('pdf.split');
    await give('/home/anna/May.pdf');
    await userEvent.type(screen.getByLabelText('Ranges'), '1-3{Enter}{Enter} 7-z ');
    await run();
    await waitFor(() => expect(asked()).toHaveLength(1));
    expect(asked()[0]?.body).toMatchObject({ params: { ranges: ['1-3', '7-z'] } });
  });

  it('masks a password, needs it where nothing goes without, and forgets it', async () => {
    const asked = await open('pdf.protect');
    await give('/home/anna/May.pdf');
    await run();
    expect(screen.getByText('Type the password first.')).toBeVisible();
    const password = screen.getByLabelText('Password');
    expect(password).toHaveAttribute('type', 'password');
    await userEvent.type(password, 'geheim');
    await run();
    await waitFor(() => expect(asked()).toHaveLength(1));
    expect(asked()[0]?.body).toMatchObject({ params: { password: 'geheim' } });
    await waitFor(() => expect(password).toHaveValue(''));
  });

  it('leads to the add-on that it needs, and does not ask in vain', async () => {
    runtime.addOns = [office];
    const asked = await open('text.convert');
    expect(screen.getByRole('link', { name: 'See the add-on' })).toHaveAttribute(
      'href',
      '#/settings/runtime'
    );
    await give('/home/anna/a.docx');
    await run();
    expect(asked()).toEqual([]);
  });

  it('says in words what the controller found wrong', async () => {
    const asked = await open('pdf.info', {
      'POST /v1/tools/pdf.info': refuse({ code: 'input-missing', params: { path: '/home/anna/gone.pdf' } })
    });
    await give('/home/anna/gone.pdf');
    await run();
    expect(await screen.findByRole('alert')).toHaveTextContent('gone.pdf');
    expect(asked()).toHaveLength(1);
    expect(screen.queryByText('Where the result goes')).toBeNull(); // it only tells
  });

  it('uses the dialogs of the system in its own window, and what is dropped there', async () => {
    let drop: (paths: string[]) => void = () => undefined;
    window.runtime = {
      EventsOn: () => () => undefined,
      OnFileDrop: (take) => (drop = (paths) => take(0, 0, paths)),
      OnFileDropOff: () => undefined
    };
    const asked = await open('archive.create', {
      'POST /v1/native/pick-files': { paths: ['/home/anna/a.txt', '/home/anna/c.txt'] },
      'POST /v1/native/pick-folder': { path: '/home/anna/Letters' }
    });
    await userEvent.click(screen.getByRole('button', { name: 'Choose files' }));
    await userEvent.click(screen.getByRole('button', { name: 'Choose a folder' }));
    drop(['/home/anna/b.txt', '/home/anna/a.txt']);
    await screen.findByText('b.txt');
    await userEvent.click(screen.getByRole('button', { name: 'Remove a.txt' }));
    await run();
    await waitFor(() => expect(asked()).toHaveLength(1));
    expect(asked()[0]?.body).toEqual({
      in: ['/home/anna/c.txt', '/home/anna/Letters', '/home/anna/b.txt'],
      params: {}
    });
  });

  it('takes no more than the operation does', async () => {
    let drop: (paths: string[]) => void = () => undefined;
    window.runtime = {
      EventsOn: () => () => undefined,
      OnFileDrop: (take) => (drop = (paths) => take(0, 0, paths)),
      OnFileDropOff: () => undefined
    };
    await open('archive.extract');
    drop(['/home/anna/a.zip', '/home/anna/b.zip']);
    expect(await screen.findByText(/It takes one file/)).toBeVisible();
    expect(screen.queryByText('b.zip')).toBeNull();
  });

  it('gives its task a name in this language, unless the person gave one', () => {
    const one: Task = { ...task, kind: 'tool', title: 'pdf.merge: Sea', params: { op: 'pdf.merge' } };
    const called = (more: Partial<Task>) => taskTitle(said({ ...one, ...more }));
    expect(called({})).toBe('Merge PDFs: Sea');
    expect(called({ title: 'pdf.merge', folders: [] })).toBe('Merge PDFs');
    expect(called({ title: 'Spring', titled: true })).toBe('Spring');
    expect(called({ title: 'brand.new: Sea', params: { op: 'brand.new' } })).toBe('brand.new: Sea');
  });

  it('is not there when no operation has its name', async () => {
    serve({ 'GET /v1/tools': catalogue });
    render(Tool, { name: 'brand.new' });
    expect(await screen.findByRole('heading', { level: 1, name: 'This tool doesn’t exist' })).toBeVisible();
  });

  it('keeps what was set while one looks at another place, but no password', async () => {
    await open('pdf.protect');
    await give('/home/anna/a.pdf');
    await userEvent.type(screen.getByLabelText('Password'), 'secret');
    cleanup();
    const sent = await open('pdf.protect');
    expect(screen.getByText('a.pdf')).toBeVisible();
    expect(screen.getByLabelText('Password')).toHaveValue('');
    await userEvent.type(screen.getByLabelText('Password'), 'other');
    await run();
    await waitFor(() => expect(sent()).toHaveLength(1));
    cleanup();
    await open('pdf.protect');
    expect(screen.queryByText('a.pdf')).toBeNull();
  });

  it('works where a person says, once', async () => {
    const status = (kind: string) => ({ kind, isolation: 'namespace', works: true, allowance: 'ask' });
    const verdict = (kind: string, reason: string) => ({ kind, reason, taken: false });
    const about: unknown[] = [];
    const begun = await open('image.convert', {
      'GET /v1/runtimes': [status('vm'), status('sandbox')],
      'POST /v1/runtimes/explain': (body: unknown) => {
        about.push(body);
        return {
          kind: 'vm',
          ask: false,
          verdicts: [verdict('vm', 'strongest'), verdict('sandbox', 'weaker')]
        };
      }
    });
    await give('/home/anna/a.jpg');
    expect(screen.getByText(/closed workroom/)).toBeVisible();
    await userEvent.click(screen.getByText('More options'));
    await userEvent.selectOptions(
      await screen.findByRole('combobox', { name: 'Where the task works' }),
      'Sandbox'
    );
    expect(screen.queryByText(/closed workroom/)).toBeNull();
    await run();
    expect(about).toEqual([{ work: 'tool', folders: true, changes: false, addOns: false }]);
    expect(begun().map(({ body }) => (body as { runtime?: string }).runtime)).toEqual(['sandbox']);
  });
});
