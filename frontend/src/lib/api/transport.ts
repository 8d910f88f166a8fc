/**
 * The one way to the controller. In the window, requests and pages share an
 * origin inside the program and events come through Wails; in a browser, the
 * same requests go to a loopback server with a bearer token and events come as
 * a stream. Nothing above this file knows the difference.
 */
import { createParser } from 'eventsource-parser';

interface WailsRuntime {
  EventsOn(name: string, take: (data: unknown) => void): () => void;
  OnFileDrop?(take: (x: number, y: number, paths: string[]) => void, useDropTarget: boolean): void;
  OnFileDropOff?(): void;
  BrowserOpenURL?(url: string): void;
  ClipboardSetText?(text: string): Promise<boolean>;
}

declare global {
  interface Window {
    runtime?: WailsRuntime;
  }
}

const TOKEN = 'piwork.token';

/** Whether this page runs in piwork's own window: then there are native dialogs and dropped paths. */
export function inWindow(): boolean {
  return window.runtime !== undefined;
}

/**
 * Takes the token out of the address (`#token=…`), where it stands once when a
 * browser is sent here, so that it is in no history and no bookmark.
 */
export function takeToken(): void {
  const match = /^#token=([\w.~+/=-]+)(?:;(\/[\w/-]*))?$/.exec(location.hash);
  if (!match?.[1]) return;
  sessionStorage.setItem(TOKEN, match[1]);
  history.replaceState(null, '', location.pathname + location.search + (match[2] ? `#${match[2]}` : ''));
}

/** The address of a place for another page of this browser, which has a memory of its own. */
export function addressFor(place: string): string {
  const token = sessionStorage.getItem(TOKEN);
  const hash = token ? `#token=${token};${place.slice(1)}` : place;
  return location.origin + location.pathname + hash;
}

/** Adds who asks, and the language that words are wanted in. */
function withHead(request: Request): Request {
  request.headers.set('Accept-Language', document.documentElement.lang);
  const token = inWindow() ? null : sessionStorage.getItem(TOKEN);
  if (token) request.headers.set('Authorization', `Bearer ${token}`);
  return request;
}

const QUICK_MS = 60_000; // in which what is only read is answered
const ALIVE_MS = 15_000; // in which a controller that is there answers
const ALIVE = '/v1/settings/window'; // costs it nothing

/** What takes as long as it takes: acts, and reading that goes through many files or opens a workroom. */
function mayTakeLong(request: Request): boolean {
  const { pathname } = new URL(request.url);
  return (
    request.method !== 'GET' ||
    /^\/v1\/(status|storage|diagnostics|audit\/verify)$/.test(pathname) ||
    /^\/v1\/tasks\/[^/]+\/(changes|results|export)/.test(pathname)
  );
}

/**
 * Sends a request; it rejects when there is no answer. Whoever asks for what may
 * take long waits for as long as the controller answers anything at all: to
 * give up earlier would end an act in its middle.
 */
export async function send(request: Request): Promise<Response> {
  const end = new AbortController();
  const stop = () => end.abort(request.signal.reason);
  request.signal.addEventListener('abort', stop);
  if (request.signal.aborted) stop();
  const watch = mayTakeLong(request) ? whileAlive(end) : endAfter(end, QUICK_MS);
  try {
    return await fetch(withHead(request), { signal: end.signal });
  } finally {
    watch();
  }
}

/** Ends a request when the time is over; returns how not to. */
function endAfter(end: AbortController, ms: number): () => void {
  const timer = setTimeout(() => end.abort(new Error(`no answer within ${ms / 1000} s`)), ms);
  return () => clearTimeout(timer);
}

/** Ends a request when the controller answers nothing; returns how to look no more. */
function whileAlive(end: AbortController): () => void {
  let over = false;
  let timer: ReturnType<typeof setTimeout>;
  const look = async () => {
    const probe = new AbortController();
    const forget = endAfter(probe, ALIVE_MS);
    try {
      await fetch(withHead(new Request(new URL(ALIVE, location.origin))), { signal: probe.signal });
    } catch (cause) {
      if (!over) end.abort(cause);
    } finally {
      forget();
    }
    next();
  };
  const next = () => {
    if (!over && !end.signal.aborted) timer = setTimeout(() => void look(), ALIVE_MS);
  };
  next();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}

export interface Carrier {
  /** The stream stands from now on: what happened before may have been missed. */
  open(): void;
  /** One event, as sent. */
  event(data: unknown): void;
  /** The stream broke; another attempt follows by itself. */
  lost(): void;
  /** This page may not listen, and no attempt follows. */
  refused(): void;
}

/** Listens to events until the function it returns is called. */
export function listen(carrier: Carrier): () => void {
  if (window.runtime) {
    const stop = window.runtime.EventsOn('api:event', (data) => carrier.event(data));
    carrier.open();
    return stop;
  }
  const end = new AbortController();
  void follow(carrier, end.signal);
  return () => end.abort();
}

// The state is read after the stream stands, so that nothing of the past is asked for.
const ONLY_NEW = Number.MAX_SAFE_INTEGER;
const RETRY_MS = [300, 1000, 2000, 5000];

async function follow(carrier: Carrier, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const response = await send(
        new Request(new URL(`/v1/events?after=${ONLY_NEW}`, location.origin), {
          headers: { Accept: 'text/event-stream' },
          cache: 'no-store',
          signal
        })
      );
      if (response.status === 401 || response.status === 403) {
        carrier.refused();
        return;
      }
      if (response.ok && response.body) {
        carrier.open();
        failures = 0;
        await drain(response.body, carrier, signal);
      }
    } catch {
      // No server, a cut stream or the end that was asked for: the loop decides.
    }
    if (signal.aborted) return;
    carrier.lost();
    await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 5000, signal);
  }
}

const STALL_MS = 60_000; // a stream that stands says more often that it does

/** Hands on what comes until the stream ends, or nothing comes any more. */
async function drain(body: ReadableStream<Uint8Array>, carrier: Carrier, signal: AbortSignal): Promise<void> {
  const reader = body.getReader();
  const text = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => carrier.event(parsed(data)) });
  while (!signal.aborted) {
    const stalled = setTimeout(() => void reader.cancel(), STALL_MS); // then read says that it is done
    const { done, value } = await reader.read().finally(() => clearTimeout(stalled));
    if (done) return;
    parser.feed(text.decode(value, { stream: true }));
  }
}

/** What cannot be read is no event; the number of the next one tells that it is missing. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Hands over the paths of what is dropped on the window. A browser tells no paths, so there it does nothing. */
export function onPathsDropped(take: (paths: string[]) => void): () => void {
  const runtime = window.runtime;
  if (!runtime?.OnFileDrop) return () => undefined;
  runtime.OnFileDrop((_x, _y, paths) => take(paths), false); // anywhere on the window
  return () => runtime.OnFileDropOff?.();
}

/** Copies text for the person to paste elsewhere; it rejects where that is not allowed. */
export async function copyText(text: string): Promise<void> {
  const runtime = window.runtime;
  if (runtime?.ClipboardSetText) await runtime.ClipboardSetText(text);
  else await navigator.clipboard.writeText(text);
}

/**
 * Opens an address in the person's browser; false: there is no way but that of the page itself. Piwork's own window
 * never takes that way: it would show a stranger's page.
 */
export function openOutside(address: string): boolean {
  const open = window.runtime?.BrowserOpenURL;
  if (!open) return false;
  const plain = withoutShellSigns(address);
  if (plain) open(plain);
  return true;
}

/**
 * Writes an address without the signs for which Wails silently opens nothing, because they mean something to a shell:
 * as %28 in place of a parenthesis. In the name of a host they cannot be written otherwise, and a page that compares
 * what stands behind # letter for letter may show another place.
 */
function withoutShellSigns(address: string): string | undefined {
  try {
    const { href, hostname } = new URL(address);
    if (/[[\]]/.test(hostname)) return undefined;
    const hex = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
    return href.replace(/[;|`$\\<>*{}[\]()~! ]/g, hex);
  } catch {
    return undefined; // no address
  }
}
