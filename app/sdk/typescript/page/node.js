// What the tests of this package need of Node, for a page in a browser (../../chromium_vm_test.go).
globalThis.process = { env: await (await fetch('/env')).json() };

const [tests, afterwards] = [[], []];
export const test = (name, run) => void tests.push({ name, run });
export const after = (run) => void afterwards.push(run);

/** Runs what was registered, one after the other; what failed, in words. */
export async function play() {
  const failed = [];
  for (const { name, run } of tests) {
    try {
      await run();
    } catch (error) {
      failed.push(`${name}: ${error?.stack ?? error}`);
    }
  }
  for (const run of afterwards) await run();
  return tests.length > 0 ? failed : ['there are no tests'];
}

function assert(is, why = 'it is false') {
  if (!is) throw new Error(why);
}

const text = (value) => JSON.stringify(value) ?? 'undefined';

function wrong(error, expected) {
  if (expected instanceof RegExp ? expected.test(String(error)) : expected.prototype ? error instanceof expected : expected(error)) return;
  throw new Error(`another error: ${error}, not ${expected}`);
}

export default Object.assign(assert, {
  equal: (got, want, why = '') => assert(Object.is(got, want), `${text(got)}, not ${text(want)} ${why}`),
  deepEqual: (got, want, why = '') => assert(text(got) === text(want), `${text(got)}, not ${text(want)} ${why}`),
  throws(run, expected) {
    try {
      run();
    } catch (error) {
      return wrong(error, expected);
    }
    throw new Error('it throws nothing');
  },
  rejects: (promise, expected) => promise.then(() => assert(false, 'it does not reject'), (error) => wrong(error, expected))
});

export const basename = (path) => path.split('/').at(-1);
export const join = (...parts) => parts.join('/');
export const mkdtempSync = () => assert(false, 'a page makes no directory');
export function readdirSync(path) {
  const asked = new XMLHttpRequest();
  asked.open('GET', `/dir?path=${encodeURIComponent(path)}`, false);
  asked.send();
  return JSON.parse(asked.responseText);
}
