// Pictures that go with a person's own words, and what is typed while a task starts.
import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask } from '$lib/state/ask.svelte';
import { computer } from '$lib/state/computer.svelte';
import { models } from '$lib/state/models.svelte';
import { where } from '$lib/state/place.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { chore, report, serve, task } from '../../test/controller';
import AskOptions from './AskOptions.svelte';
import Home from './Home.svelte';

const picture = (name: string) => new File([new Uint8Array([1])], name, { type: 'image/png' });
const begun = { ...task, id: '0193-9', kind: 'ai', state: 'queued' };
const choose = (...files: File[]) =>
  userEvent.upload(document.querySelector('input[type=file]') as HTMLInputElement, files);
const names = () => ask.pictures.map(({ name }) => name);

/** Files are read when the test wants. */
function hold() {
  const held: (() => void)[] = [];
  const real = FileReader.prototype.readAsDataURL;
  vi.spyOn(FileReader.prototype, 'readAsDataURL').mockImplementation(function (this: FileReader, file) {
    held.push(() => real.call(this, file));
  });
  return held;
}
const unreadable = () =>
  vi.spyOn(FileReader.prototype, 'readAsDataURL').mockImplementation(function (this: FileReader) {
    queueMicrotask(() => this.onerror?.(new ProgressEvent('error') as ProgressEvent<FileReader>));
  });

beforeEach(() => {
  models.known = { default: 'a/one', chosen: false, list: [{ id: 'a/one', name: 'One', provider: 'a' }] };
});
afterEach(() => vi.restoreAllMocks());

describe('pictures', () => {
  it('that cannot be read are said, and can be chosen again', async () => {
    unreadable();
    render(AskOptions);
    await choose(picture('a.png'));
    expect(await screen.findByRole('alert')).toHaveTextContent('a.png can’t be read.');
    expect(document.querySelector<HTMLInputElement>('input[type=file]')?.value).toBe('');
    vi.restoreAllMocks();
    await choose(picture('a.png'));
    await waitFor(() => expect(names()).toEqual(['a.png']));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it('are all there, however quickly they are chosen, but not one that was removed', async () => {
    render(AskOptions);
    await choose(picture('a.png'));
    await waitFor(() => expect(names()).toEqual(['a.png']));
    const held = hold();
    await choose(picture('b.png'));
    await choose(picture('c.png'));
    await userEvent.click(screen.getByRole('button', { name: 'Remove a.png' }));
    held[0]?.();
    await waitFor(() => expect(held).toHaveLength(2));
    held[1]?.();
    await waitFor(() => expect(names()).toEqual(['b.png', 'c.png']));
  });

  it('go with the task that is started while they are read', async () => {
    const asked = serve({ 'POST /v1/tasks': begun });
    const held = hold();
    render(AskOptions);
    ask.prompt = 'What is this?';
    await choose(picture('a.png'));
    const started = ask.start();
    held[0]?.();
    await started;
    expect(asked[0]?.body).toMatchObject({ images: [{ name: 'a.png' }] });
    expect(names()).toEqual([]);
  });

  it('that cannot be read hold the task that was started meanwhile', async () => {
    const asked = serve({ 'POST /v1/tasks': begun });
    let fail: () => void = () => undefined;
    vi.spyOn(FileReader.prototype, 'readAsDataURL').mockImplementation(function (this: FileReader) {
      fail = () => this.onerror?.(new ProgressEvent('error') as ProgressEvent<FileReader>);
    });
    render(AskOptions);
    ask.prompt = 'What is this?';
    await choose(picture('a.png'));
    const started = ask.start();
    fail();
    expect(await started).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await screen.findByRole('alert')).toBeVisible();
    await ask.start(); // it was said: the task goes without it
    expect(asked).toHaveLength(1);
  });
});

describe('while a task starts', () => {
  function home() {
    let begin: (answer: unknown) => void = () => undefined;
    const answer = new Promise((resolve) => (begin = resolve));
    serve({ 'POST /v1/tasks': () => answer });
    computer.report = report;
    tasks.chores = [chore];
    tasks.list = [];
    where.go({ name: 'home' });
    render(Home);
    return () => begin(begun);
  }
  const field = () => screen.getByRole('textbox', { name: 'In your own words' });

  it('what is typed stays', async () => {
    const begin = home();
    await userEvent.type(field(), 'Sort them{Enter}');
    await userEvent.type(field(), ' by year');
    begin();
    await waitFor(() => expect(where.current).toEqual({ name: 'task', id: '0193-9' }));
    expect(ask.prompt).toBe('Sort them by year');
  });

  it('who goes elsewhere stays there', async () => {
    const begin = home();
    await userEvent.type(field(), 'Sort them{Enter}');
    where.go({ name: 'settings' });
    begin();
    await waitFor(() => expect(ask.busy).toBeUndefined());
    expect(where.current).toEqual({ name: 'settings' });
  });
});
