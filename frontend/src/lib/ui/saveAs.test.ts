import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Result } from '$lib/api/types';
import { Opener } from '$lib/state/opener.svelte';
import { refuse, serve } from '../../test/controller';
import { kept, saveAs } from './saveAs';

afterEach(() => {
  delete window.runtime;
  vi.restoreAllMocks();
});

const openWindow = () => (window.runtime = { EventsOn: () => () => undefined });

describe('keeping a file elsewhere', () => {
  it('has the controller write it, so that no bytes go through the page', async () => {
    openWindow();
    const asked = serve({ 'POST /v1/native/save-as': { path: '/home/anna/a b.pdf' } });
    expect(await saveAs(kept.result('t1', 2), 'a/b.pdf', 'Save it')).toBe('/home/anna/a b.pdf');
    await saveAs(kept.whole('t1'), 'all.zip', '');
    await saveAs(kept.side('t1', 'c3', 'before'), 'x', '');
    expect(asked.map((a) => a.route)).toEqual(Array(3).fill('POST /v1/native/save-as'));
    expect(asked.map((a) => a.body)).toEqual([
      { title: 'Save it', name: 'a b.pdf', from: '/v1/tasks/t1/results/2' },
      { title: '', name: 'all.zip', from: '/v1/tasks/t1/export' },
      { title: '', name: 'x', from: '/v1/tasks/t1/changes/c3/before' }
    ]);
  });

  it('downloads it in a browser', async () => {
    const clicked: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      clicked.push(`${this.download} ${this.href}`);
    });
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => {} }));
    const asked = serve({ 'GET /v1/tasks/t1/results/0': new Response('bytes') });
    expect(await saveAs(kept.result('t1', 0), 'a.pdf', '')).toBe('a.pdf');
    expect(clicked).toEqual(['a.pdf blob:1']);
    expect(asked.map((a) => a.route)).toEqual(['GET /v1/tasks/t1/results/0']);
  });
});

describe('a result', () => {
  const result: Result = { folder: 'f1', path: 'made/a.pdf', size: 3 };

  it('is opened, shown in its folder and saved by the window; what is not chosen is not saved', async () => {
    openWindow();
    let path = '';
    const asked = serve({
      'POST /v1/native/open': { how: 'opened' },
      'POST /v1/native/save-as': () => ({ path })
    });
    const opener = new Opener();
    await opener.open('t1', 0, result);
    await opener.show('t1', 0);
    expect(asked.map((a) => a.body)).toEqual([
      { task: 't1', index: 0, reveal: false },
      { task: 't1', index: 0, reveal: true }
    ]);
    await opener.save('t1', 0, result);
    expect(opener.saved).toBe('');
    path = '/home/anna/a.pdf';
    await opener.save('t1', 0, result);
    expect(opener.saved).toBe('Saved as /home/anna/a.pdf.');
    serve({ 'POST /v1/native/save-as': refuse({ code: 'not-found' }, 404) });
    await opener.save('t1', 0, result);
    expect(opener.saved).toBe('');
    expect(opener.failure?.code).toBe('not-found');
  });
});
