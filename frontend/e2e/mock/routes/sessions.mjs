// A shell in the workroom of a task, as far as a picture of it needs one: it repeats what is typed.
import { at } from '../fixtures/records.mjs';
import { notFound, refusal } from '../world.mjs';

/** @typedef {import('../../../src/lib/api/types').Session} Session */

const WAIT_MS = 300; // an answer without output; the window asks again
const PROMPT = '\x1b[32m/folders/Letters\x1b[0m$ ';
const GREETING = [
  `${PROMPT}ls -l`,
  '\x1b[1;34mInsurance\x1b[0m  Letters by sender.md  \x1b[31mscan 12.pdf\x1b[0m',
  `${PROMPT}wc -w *.md`,
  '  412 Letters by sender.md',
  PROMPT
].join('\r\n');

/** @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function sessionRoutes({ terminal }) {
  /** @type {Session | undefined} */
  let session;
  let [output, writer] = ['', ''];
  let ring = () => {};

  const say = (/** @type {string} */ text) => {
    output += text;
    ring();
  };
  const seen = () => ({
    .../** @type {Session} */ (session),
    output: Buffer.byteLength(output),
    kept: Buffer.byteLength(output),
    readers: 1,
    writer: writer !== ''
  });
  const open = (/** @type {string} */ task) => {
    session = {
      id: 's1',
      task,
      shell: true,
      terminal: true,
      size: { columns: 80, rows: 24 },
      state: 'idle',
      created: at(0),
      output: 0,
      kept: 0,
      readers: 0,
      writer: false
    };
    output = GREETING;
    if (terminal === 'watched') writer = 'another window';
  };
  const end = (/** @type {number} */ exitCode, /** @type {Session['reason']} */ reason) => {
    if (session)
      Object.assign(session, {
        state: 'terminated',
        reason,
        ending: { ended: at(0), exitCode, wallMs: 1000, cpuMs: 10 }
      });
    ring();
  };
  /** @param {(ask: import('../world.mjs').Ask) => import('../world.mjs').Answer | Promise<import('../world.mjs').Answer>} work @returns {import('../world.mjs').Route} */
  const ofSession = (work) => (ask) => (session?.id === ask.params.session ? work(ask) : notFound);

  return {
    'POST /v1/tasks/{id}/sessions': ({ params }) => {
      open(params.id ?? '');
      return { status: 201, body: seen() };
    },
    'GET /v1/sessions': () => ({ body: session ? [seen()] : [] }),
    'GET /v1/sessions/{session}/output': ofSession(async ({ query }) => {
      const from = Number(query.get('from') ?? 0);
      const bytes = () => Buffer.from(output).subarray(from);
      if (bytes().length === 0 && session?.state !== 'terminated')
        await new Promise((resolve) => {
          ring = () => resolve(undefined);
          setTimeout(ring, WAIT_MS);
        });
      return {
        body: {
          session: seen(),
          at: from,
          data: bytes().toString('base64'),
          turn: 1,
          writes: writer === query.get('client')
        }
      };
    }),
    'POST /v1/sessions/{session}/input': ofSession(({ body }) => {
      if (writer && writer !== body.client && !body.take)
        return refusal(409, 'session-busy', { cause: 'writer' });
      writer = body.client;
      const text = Buffer.from(body.data ?? '', 'base64').toString();
      if (text === '\x04') end(0, 'exited');
      else if (text) say(text.replaceAll('\r', `\r\n${PROMPT}`));
      return { body: seen() };
    }),
    'POST /v1/sessions/{session}/resize': ofSession(({ body }) => {
      if (session) session.size = body;
      return { body: seen() };
    }),
    'DELETE /v1/sessions/{session}': ofSession(() => {
      end(129, 'closed');
      return { body: seen() };
    })
  };
}
