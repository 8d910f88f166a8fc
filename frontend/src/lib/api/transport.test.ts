import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addressFor, copyText, listen, onPathsDropped, openOutside, send, takeToken } from './transport';

beforeEach(() => {
  sessionStorage.clear();
  history.replaceState(null, '', '/');
  delete window.runtime;
});
afterEach(() => vi.useRealTimers());

function heard(): Request[] {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    requests.push(request);
    return Promise.resolve(new Response('{}'));
  });
  return requests;
}

describe('the token', () => {
  it('is taken out of the address and goes with every request', async () => {
    history.replaceState(null, '', '/#token=Ab_9-x');
    takeToken();
    expect(location.hash).toBe('');
    const requests = heard();
    await send(new Request('http://localhost/api/status'));
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer Ab_9-x');
  });

  it('survives a reload, and a place in the address is no token', async () => {
    history.replaceState(null, '', '/#token=abc');
    takeToken();
    history.replaceState(null, '', '/#/settings');
    takeToken();
    expect(location.hash).toBe('#/settings');
    const requests = heard();
    await send(new Request('http://localhost/api/status'));
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer abc');
  });

  it('goes along to another page, and what comes after it is a place', async () => {
    history.replaceState(null, '', '/#token=ab/c==');
    takeToken();
    const next = new URL(addressFor('#/tasks/0193-1'));
    sessionStorage.clear();
    history.replaceState(null, '', next.pathname + next.hash);
    takeToken();
    expect(location.hash).toBe('#/tasks/0193-1');
    const requests = heard();
    await send(new Request('http://localhost/api/status'));
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer ab/c==');
  });

  it('is not used in the window', async () => {
    sessionStorage.setItem('piwork.token', 'abc');
    window.runtime = { EventsOn: () => () => undefined };
    const requests = heard();
    await send(new Request('http://localhost/api/status'));
    expect(requests[0]?.headers.has('Authorization')).toBe(false);
  });
});

describe('an address that is opened in the browser', () => {
  it('is written so that the window opens it, whatever signs it has', () => {
    expect(openOutside('https://de.example/')).toBe(false);
    const opened: string[] = [];
    window.runtime = { EventsOn: () => () => undefined, BrowserOpenURL: (url) => opened.push(url) };
    const all = [
      'https://de.example/wiki/Foo_(bar)~!*;$?a[]=1&b=2#x(y)',
      'https://de.example/%28?q=a|b',
      'mailto:anna@example.org'
    ];
    for (const one of all) expect(openOutside(one)).toBe(true);
    expect(opened).toEqual([
      'https://de.example/wiki/Foo_%28bar%29%7E%21%2A%3B%24?a%5B%5D=1&b=2#x%28y%29',
      'https://de.example/%28?q=a%7Cb',
      'mailto:anna@example.org'
    ]);
    for (const none of ['http://[::1]:8080/', 'no address']) expect(openOutside(none)).toBe(true); // and nothing else does
    expect(opened).toHaveLength(3);
  });
});

describe('the language', () => {
  afterEach(() => void (document.documentElement.lang = 'en'));

  it('of the window goes with every request, in the window and in a browser', async () => {
    const requests = heard();
    for (const lang of ['en', 'de']) {
      document.documentElement.lang = lang;
      await send(new Request('http://localhost/api/status'));
    }
    window.runtime = { EventsOn: () => () => undefined };
    await send(new Request('http://localhost/api/tasks', { method: 'POST' }));
    const asked = requests.map((request) => request.headers.get('Accept-Language'));
    expect(asked).toEqual(['en', 'de', 'de']);
  });

  it('goes with the events', async () => {
    document.documentElement.lang = 'de';
    const requests = heard();
    const stop = listen({ open: vi.fn(), event: vi.fn(), lost: vi.fn(), refused: vi.fn() });
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    stop();
    expect(new URL(requests[0]?.url ?? '').pathname).toBe('/v1/events');
    expect(requests[0]?.headers.get('Accept-Language')).toBe('de');
  });
});

describe('events in a browser', () => {
  function stream() {
    let control: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (c) => void (control = c) });
    return {
      response: new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }),
      write: (text: string) => control?.enqueue(new TextEncoder().encode(text)),
      cut: () => control?.close()
    };
  }

  it('come as a stream, which is opened again when it breaks', async () => {
    vi.useFakeTimers();
    const first = stream();
    const second = stream();
    const answers = [first.response, second.response];
    const fetched = vi.fn((request: Request) => {
      expect(new URL(request.url).pathname).toBe('/v1/events');
      const answer = answers.shift();
      return answer ? Promise.resolve(answer) : Promise.reject(new TypeError('no server'));
    });
    vi.stubGlobal('fetch', fetched);
    const carrier = { open: vi.fn(), event: vi.fn(), lost: vi.fn(), refused: vi.fn() };
    const stop = listen(carrier);
    await vi.waitFor(() => expect(carrier.open).toHaveBeenCalledTimes(1));
    first.write('data: {"seq":1,');
    first.write('"kind":"state"}\n\n');
    await vi.waitFor(() => expect(carrier.event).toHaveBeenCalledWith({ seq: 1, kind: 'state' }));
    first.cut();
    await vi.waitFor(() => expect(carrier.lost).toHaveBeenCalledTimes(1));
    await vi.advanceTimersByTimeAsync(1000);
    expect(carrier.open).toHaveBeenCalledTimes(2);
    second.cut();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(carrier.lost.mock.calls.length).toBeGreaterThan(2);
    stop();
    const tries = fetched.mock.calls.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetched.mock.calls.length).toBe(tries);
  });

  it('go on after one that cannot be read', async () => {
    const only = stream();
    vi.stubGlobal('fetch', () => Promise.resolve(only.response));
    const carrier = { open: vi.fn(), event: vi.fn(), lost: vi.fn(), refused: vi.fn() };
    const stop = listen(carrier);
    only.write('data: {"seq":1,\n\n');
    only.write('data: {"seq":2}\n\n');
    await vi.waitFor(() => expect(carrier.event).toHaveBeenCalledWith({ seq: 2 }));
    expect(carrier.lost).not.toHaveBeenCalled();
    stop();
  });

  it('are asked for anew when a stream says nothing any more', async () => {
    vi.useFakeTimers();
    const silent = stream();
    const answers = [silent.response, stream().response];
    vi.stubGlobal('fetch', () => Promise.resolve(answers.shift()));
    const carrier = { open: vi.fn(), event: vi.fn(), lost: vi.fn(), refused: vi.fn() };
    const stop = listen(carrier);
    await vi.advanceTimersByTimeAsync(40_000);
    silent.write(': still here\n\n');
    await vi.advanceTimersByTimeAsync(40_000);
    expect(carrier.lost).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(carrier.lost).toHaveBeenCalledTimes(1);
    expect(carrier.open).toHaveBeenCalledTimes(2);
    stop();
  });

  it('are not awaited from an answer that is an error', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 503 })));
    const carrier = { open: vi.fn(), event: vi.fn(), lost: vi.fn(), refused: vi.fn() };
    const stop = listen(carrier);
    await vi.waitFor(() => expect(carrier.lost).toHaveBeenCalled());
    expect(carrier.open).not.toHaveBeenCalled();
    stop();
  });
});

describe.each([401, 403])('a page that may not listen (%d)', (status) => {
  it('does not try again', async () => {
    vi.useFakeTimers();
    const fetched = vi.fn(() => Promise.resolve(new Response('', { status })));
    vi.stubGlobal('fetch', fetched);
    const carrier = { open: vi.fn(), event: vi.fn(), lost: vi.fn(), refused: vi.fn() };
    listen(carrier);
    await vi.waitFor(() => expect(carrier.refused).toHaveBeenCalledTimes(1));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(carrier.lost).not.toHaveBeenCalled();
  });
});

describe('a request without an answer', () => {
  /** Answers nothing at `silent`, and all else. */
  function answering(silent: string[]) {
    vi.useFakeTimers();
    vi.stubGlobal(
      'fetch',
      (request: Request, init: RequestInit) =>
        new Promise((resolve, reject) => {
          if (!silent.includes(new URL(request.url).pathname)) resolve(new Response('{}'));
          init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
        })
    );
  }
  async function outcome(method: string, path: string, ms: number) {
    const end = vi.fn();
    send(new Request(`http://localhost${path}`, { method })).then(end, end);
    await vi.advanceTimersByTimeAsync(ms);
    return end.mock.calls.length;
  }

  it('ends after a time when it only reads', async () => {
    answering(['/v1/tasks']);
    expect(await outcome('GET', '/v1/tasks', 50_000)).toBe(0);
    expect(await outcome('GET', '/v1/tasks', 70_000)).toBe(1);
  });

  it('may take long when it is an act, as long as the controller is there', async () => {
    answering(['/v1/tasks/t/undo']);
    expect(await outcome('POST', '/v1/tasks/t/undo', 3_600_000)).toBe(0);
  });

  it('ends when the controller answers nothing at all', async () => {
    answering(['/v1/tasks/t/undo', '/v1/settings/window']);
    expect(await outcome('POST', '/v1/tasks/t/undo', 40_000)).toBe(1);
  });
});

describe('native acts', () => {
  it('hands over the paths that are dropped on the window, and stops', () => {
    let drop: (x: number, y: number, paths: string[]) => void = () => undefined;
    const off = vi.fn();
    window.runtime = {
      EventsOn: () => () => undefined,
      OnFileDrop: (take) => (drop = take),
      OnFileDropOff: off
    };
    const take = vi.fn();
    const stop = onPathsDropped(take);
    drop(1, 2, ['/home/anna/Sea']);
    expect(take).toHaveBeenCalledWith(['/home/anna/Sea']);
    stop();
    expect(off).toHaveBeenCalled();
  });

  it('copies through the window where there is one', async () => {
    const set = vi.fn(() => Promise.resolve(true));
    window.runtime = { EventsOn: () => () => undefined, ClipboardSetText: set };
    await copyText('x');
    expect(set).toHaveBeenCalledWith('x');
  });
});
