// What each SDK can do, against a real piwork. The same stands in ../python/test_piwork.py and in ../sdk_vm_test.go.
// PIWORK_BIN is the program; with PIWORK_URL and PIWORK_TOKEN it is HTTP. With `node --conditions=browser` it is the
// package as browsers have it.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { sentences } from './src/client.ts';
import { Piwork, PiworkError, type RunOptions } from 'piwork';

const { PIWORK_URL: url, PIWORK_TOKEN: token, PIWORK_BIN: program, PIWORK_TEST_RUNTIME: runtime, PIWORK_TEST_DIR: dir = '', PIWORK_TEST_FOLDER: named } = process.env;
const open = (language?: string) => new Piwork({ ...(url ? { url, token } : { program }), language });
const where: RunOptions = { runtime };
const inBrowser = import.meta.resolve('piwork').endsWith('/browser.ts');
const piwork = open();
after(() => piwork.close());

test('first program', async () => {
  const folder = named ?? mkdtempSync(join(dir, 'ts'));
  const inside = `/folders/${basename(folder)}`;
  const task = await piwork.run(['sh', '-c', `echo hi; sort -r > ${inside}/sorted.txt </dev/null`], { ...where, folders: { [folder]: 'rw' } });
  const kinds = [];
  for await (const event of task) kinds.push(event.kind);
  assert.deepEqual([kinds.at(0), kinds.at(-1), kinds.includes('output')], ['state', 'state', true]);
  assert.equal((await task.wait()).state, 'done');
  assert.deepEqual((await task.changes()).map(({ path, effect }) => [path, effect]), [['sorted.txt', 'create']]);
  assert(readdirSync(folder).includes('sorted.txt'));
  assert.equal((await task.undo()).undone.length, 1);
  assert(!readdirSync(folder).includes('sorted.txt'));
});

test('output and status', async () => {
  const task = await piwork.run(['sh', '-c', 'seq 20000; exit 3'], where);
  assert.deepEqual((await task.output()).trim().split('\n'), Array.from({ length: 20000 }, (_, n) => String(n + 1)));
  assert.equal((await task.wait()).exitCode, 3);
});

test('refused', async () => {
  const refused = (code: string, status: number) => (error: unknown) => error instanceof PiworkError && error.code === code && error.status === status && error.message.includes('(argv: ') === (code === 'bad-request');
  await assert.rejects(piwork.getTask('none'), refused('not-found', 404));
  await assert.rejects(piwork.start({ kind: 'exec', argv: [], folders: [] }), refused('bad-request', 400));
});

test('refused in German', async () => {
  const other = open('de');
  await assert.rejects(other.getTask('none'), /gibt es nicht/);
  await other.close();
});

test('a problem in sentences', () => {
  const wrong = { title: 'Wrong', detail: 'See.', details: 'why' };
  assert.deepEqual([sentences({ ...wrong, code: 'bad-request' }), sentences(wrong)], ['Wrong. See. (why)', 'Wrong. See.']);
  const said = [sentences({ title: 'It failed', detail: 'Try again.' }), sentences({ title: 'Which?', detail: 'Say it.' }), sentences({ title: 'Gone' }), sentences({})];
  assert.deepEqual(said, ['It failed. Try again.', 'Which? Say it.', 'Gone', '']);
});

test('no program', async () => {
  const none = () => new Piwork({ program: 'piwork-that-is-not-there' });
  if (inBrowser) return assert.throws(none, /new Piwork\(\{ url, token/);
  const other = none();
  for (let i = 0; i < 2; i++) await assert.rejects(other.getTask('none'), /cannot start piwork-that-is-not-there: .*new Piwork\(\{ program/);
  await other.close();
});

test('cancel', async () => {
  const task = await piwork.run(['sleep', '1000'], where);
  for await (const event of task) if (event.kind === 'step' && (event.data as { step: string }).step === 'run') break;
  await task.cancel();
  assert.equal((await piwork.getTask(task.id)).state, 'cancelled');
});

test('pages', async () => {
  const started = await Promise.all([0, 1, 2].map(() => piwork.run(['true'], where)));
  for (const task of started) await task.wait();
  assert.equal((await piwork.listTasks({ limit: 1 })).length, 1);
  const seen: string[] = [];
  for await (const { id } of piwork.allTasks({ limit: 2 })) seen.push(id);
  assert.equal(new Set(seen).size, seen.length);
  assert(started.every(({ id }) => seen.includes(id)));
});

test('while it still is what was read', async () => {
  const task = await piwork.run(['true'], where);
  const seen = await task.wait();
  assert.equal((await piwork.whileStill(seen).renameTask(task.id, { title: 'a' })).title, 'a');
  await assert.rejects(piwork.whileStill(seen).renameTask(task.id, { title: 'b' }), (error: unknown) => error instanceof PiworkError && error.code === 'changed' && error.status === 412);
  assert.equal((await piwork.getTask(task.id)).title, 'a');
  assert.throws(() => piwork.whileStill({}), PiworkError);
});

test('close ends tasks', async () => {
  const other = open();
  const task = await other.run(['sleep', '1000'], where);
  await other.close();
  let state = '';
  while (!['done', 'failed', 'cancelled'].includes(state)) {
    ({ state } = await piwork.getTask(task.id));
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.equal(state, 'cancelled');
});

test('at once', async () => {
  const tasks = await Promise.all([0, 1, 2, 3].map((n) => piwork.run(['echo', String(n)], where)));
  assert.deepEqual(await Promise.all(tasks.map((task) => task.output())), ['0\n', '1\n', '2\n', '3\n']);
});
