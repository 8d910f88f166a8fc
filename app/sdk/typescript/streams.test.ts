// Streams that break, as ../sdktest has them. The same stands in ../python/test_streams.py, in
// ../swift/Tests/PiworkTests/StreamsTests.swift and in ../piwork/streams_test.go.
// PIWORK_TEST_STREAMS is the address of the server that plays them. With `node --conditions=browser` it is the package as
// browsers have it: there are no pipes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { again } from './src/client.ts';
import { Piwork, PiworkError } from 'piwork';

interface Row {
  name: string;
  stream: 'events' | 'agent' | 'watch' | 'output' | 'request';
  program: string;
  language: string;
  heard: number[];
  output: string;
  asked: string[];
  status: number;
  code: string;
  error: string;
}

const inBrowser = import.meta.resolve('piwork').endsWith('/browser.ts');
const url = process.env.PIWORK_TEST_STREAMS ?? '';
const get = async <T>(path: string, token = ''): Promise<T> => (await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } })).json() as Promise<T>;

async function play(row: Row, piwork: Piwork): Promise<{ heard: number[]; output: string; error: unknown }> {
  const heard: number[] = [];
  let output = '';
  try {
    if (row.stream === 'output') output = await (await piwork.run(['x'], { detached: true })).output();
    else if (row.stream === 'request') await piwork.getTask('none');
    else if (row.stream === 'watch') for await (const _ of piwork.watchFiles('x', { path: '/x' })) heard.push(heard.length + 1);
    else for await (const event of row.stream === 'agent' ? piwork.streamAgentEvents('x') : piwork.streamEvents()) heard.push((event as { seq: number }).seq);
  } catch (error) {
    return { heard, output, error };
  } finally {
    await piwork.close();
  }
  return { heard, output, error: undefined };
}

test('streams go on', async (t) => {
  const rows = await get<Row[]>('/table');
  const played = rows.flatMap((row, number) => {
    if (inBrowser && row.program) return [];
    const token = `${number}.${randomUUID()}`;
    return { row, token, result: play(row, new Piwork({ ...(row.program ? { program: row.program } : { url, token }), language: row.language })) };
  }); // at once: they wait before they try again
  for (const { row, token, result } of played) {
    await t.test(row.name, async () => {
      const { heard, output, error } = await result;
      assert.deepEqual([heard, output], [row.heard, row.output], String(error));
      if (!row.program) assert.deepEqual(await get('/asked', token), row.asked);
      if (!row.status && !row.error) return assert.equal(error, undefined);
      assert(error instanceof PiworkError, String(error));
      assert.deepEqual([error.status, error.code], [row.status, row.code], error.message);
      assert(error.message.includes(row.error), error.message);
    });
  }
});

test('languages', async () => {
  for (const language of ['de\n', 'de\r\nX-Y: z', 'de_DE', 'dé', 'de'.repeat(51)]) {
    for (const way of inBrowser ? [{ url }] : [{ url }, {}]) assert.throws(() => new Piwork({ ...way, language }), /is not a language/);
  }
  await new Piwork({ url, language: 'de-AT, en;q=0.5, *;q=0.1' }).close();
});

test('closed while it waits', async (t) => {
  t.mock.property(again, 'pause', 3600);
  const token = `0.${randomUUID()}`;
  const piwork = new Piwork({ url, token });
  const events = piwork.streamEvents()[Symbol.asyncIterator]();
  for (let i = 0; i < 2; i++) await events.next();
  const third = assert.rejects(events.next(), /piwork was closed/);
  await new Promise((done) => setImmediate(done)); // whether it waits by then or not
  await piwork.close();
  await third;
  assert.deepEqual(await get('/asked', token), ['']);
});

test('closed while it stands', async () => {
  const token = `stands.${randomUUID()}`;
  const piwork = new Piwork({ url, token });
  const events = piwork.streamEvents()[Symbol.asyncIterator]();
  await events.next();
  const second = assert.rejects(events.next(), /piwork was closed/);
  await piwork.close();
  await second;
  assert.deepEqual(await get('/asked', token), ['']);
});

test('left while it stands', async () => {
  const token = `stands.${randomUUID()}`;
  const piwork = new Piwork({ url, token });
  for await (const _ of piwork.streamEvents()) break;
  assert.deepEqual(await get('/asked', token), ['']);
  await piwork.close();
});

test('silence is a break', async (t) => {
  t.mock.property(again, 'silence', 0.05);
  t.mock.property(again, 'pause', 0.001);
  const token = `stands.${randomUUID()}`;
  const piwork = new Piwork({ url, token });
  const heard = async () => {
    for await (const _ of piwork.streamEvents());
  };
  await assert.rejects(heard(), /does not answer: timed out/);
  assert.deepEqual(await get('/asked', token), ['', '1', '1', '1', '1', '1']);
  await piwork.close();
});
