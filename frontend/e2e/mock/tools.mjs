// The operations on files: the list is the controller's own (app/api/testdata), what comes of them is invented.
import { readFileSync } from 'node:fs';

/** @typedef {import('../../src/lib/api/types').Task} Task */

/** @type {import('../../src/lib/api/types').ToolInfo[]} */
export const catalogue = JSON.parse(
  readFileSync(new URL('../../../app/api/testdata/tools.json', import.meta.url), 'utf8')
);

/** @param {string} path */
const parts = (path) => {
  const all = path.split('/');
  const name = all.pop() ?? '';
  return { folder: all.join('/'), parent: all.pop() ?? '', name };
};

/**
 * The task that an operation is, as long as nothing came of it.
 * @param {string} op @param {any} body @returns {Task}
 */
export function taskOf(op, body) {
  const { folder, parent } = parts(body.in[0]);
  return {
    v: 1,
    id: crypto.randomUUID(),
    kind: 'tool',
    title: `${op}: ${parent}`,
    state: 'queued',
    created: new Date().toISOString(),
    folders: [{ id: 'f1', path: folder, name: parent, mode: body.out ? 'rw' : 'ro' }],
    network: 'off',
    runtime: 'vm',
    pack: '0.1.0',
    params: { op, in: body.in, params: body.params }
  };
}

/** What it made or found. @param {Task} t @param {any} body @returns {Partial<Task>} */
export function outcomeOf(t, body) {
  const op = catalogue.find((one) => one.name === t.params?.op);
  const guest = (/** @type {string} */ path) => `/folders/${parts(path).parent}/${parts(path).name}`;
  if (op?.out === 'none')
    return {
      info: body.in.map((/** @type {string} */ path, /** @type {number} */ i) => ({
        path: guest(path),
        format: 'jpeg',
        width: 4032,
        height: 3024,
        orientation: 1,
        alpha: false,
        frames: 1,
        taken: `2026-06-0${1 + (i % 9)}T11:20:00Z`,
        size: 2_400_000 + i * 310_000,
        sha256: 'ab'.repeat(32)
      }))
    };
  const name = body.out ? parts(body.out).name : `${parts(body.in[0]).name.replace(/\.[^.]+$/, '')}.pdf`;
  const result = { path: name, size: 1_840_000, sha256: 'cd'.repeat(32) };
  return { results: [body.out ? { ...result, folder: 'f1' } : result] };
}
