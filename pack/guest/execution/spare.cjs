'use strict';
// Preloaded into a Node process that waits for a program (package execution,
// spare_linux.go). It blocks on the control socket until the order comes, makes
// the process what `node …` would have been, takes every trace of itself away
// and returns; then Node runs its own main script.
//
// process.argv[1] is a link that the agent makes to the script of the order, so
// Node's own loader resolves, names and runs it as usual. For -e, -p and standard
// input Node's own scripts for them are run, with the options of the order.
//
// Frames on the socket, both ways: length as 4 bytes, big endian, then JSON.
const { isMainThread, getEnvironmentData, setEnvironmentData } = require('worker_threads');
const workerData = 'piwork.spare'; // workers have this process's options, so they load this file too
if (isMainThread) {
  waitForProgram(module);
} else {
  hide(module, reachInternals());
  process.execArgv.splice(0, Infinity, ...getEnvironmentData(workerData));
}

function waitForProgram(self) {
  const fs = require('fs');
  const path = require('path');
  const v8 = require('v8');
  const { Module } = self.constructor;
  const control = Number(process.env.PIWORK_SPARE);
  const internals = reachInternals();
  // What nearly every program loads.
  for (const id of ['child_process', 'crypto', 'events', 'fs/promises', 'http', 'https', 'module', 'net', 'os', 'readline',
    'stream', 'string_decoder', 'timers', 'tls', 'tty', 'url', 'util', 'zlib']) require(id);
  void process.stdout;
  void process.stderr;
  if (typeof globalThis.gc === 'function') globalThis.gc();

  send({ ready: true });
  const order = receive();
  if (order === null) process.exit(0);
  const refusal = become(order);
  send(refusal === undefined ? { taken: true } : { refused: refusal });
  if (refusal !== undefined) process.exit(0);
  fs.closeSync(control);

  function send(message) {
    const body = Buffer.from(JSON.stringify(message));
    const frame = Buffer.alloc(4 + body.length);
    frame.writeUInt32BE(body.length);
    body.copy(frame, 4);
    for (let at = 0; at < frame.length;) at += fs.writeSync(control, frame, at);
  }

  function receive() {
    const head = fill(Buffer.alloc(4));
    if (head === null) return null;
    const body = fill(Buffer.alloc(head.readUInt32BE()));
    return body === null ? null : JSON.parse(body.toString());
  }

  function fill(buffer) {
    for (let at = 0; at < buffer.length;) {
      const n = fs.readSync(control, buffer, { offset: at });
      if (n === 0) return null;
      at += n;
    }
    return buffer;
  }

  // become returns why it cannot, and has changed nothing that matters then.
  function become(order) {
    try {
      process.chdir(order.cwd);
      if (order.mode === 'script' && !fs.statSync(order.script).isFile()) return 'no file';
    } catch (error) {
      return String(error.code);
    }
    for (const key of Object.keys(process.env)) delete process.env[key];
    for (const [key, value] of order.env) process.env[key] = value;
    process.argv.splice(1, Infinity, ...order.argv);
    process.execArgv.splice(0, Infinity, ...order.execArgv);
    setEnvironmentData(workerData, order.execArgv);
    refresh(order);
    hide(self, internals);
    if (order.mode !== 'script') runInstead(order);
    return undefined;
  }

  // refresh renews what a saved process would share with its copies. OpenSSL
  // seeds itself anew when it sees the clock jump (see spare_linux.go).
  function refresh(order) {
    v8.setFlagsFromString('--random-seed=' + order.seed);
    Math.random();
    v8.setFlagsFromString('--random-seed=0');
    for (let i = 0; i < order.skip; i++) new WeakSet().add({}); // draws from the isolate's generator
    const { milestones, constants } = internals.performance;
    milestones[constants.NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN_TIMESTAMP] = (Date.now() - performance.now()) * 1000;
  }

  // runInstead has Node's main script of another kind run in the place of the
  // one for files: alone on the stack, as Node itself calls it.
  function runInstead(order) {
    const over = { __proto__: null };
    let id = 'internal/main/eval_stdin';
    if (order.mode === 'eval') {
      id = 'internal/main/eval_string';
      over['--eval'] = order.code;
      over['--print'] = order.print;
      alias('_eval', order.code);
      if (order.print) alias('_print_eval', true);
    }
    const main = internals.compile(id, over);
    const runMain = Module.runMain;
    Module.runMain = () => {
      Module.runMain = runMain;
      internals.callLater(main);
    };
  }

  function alias(name, value) {
    Object.defineProperty(process, name, { __proto__: null, writable: false, configurable: true, enumerable: true, value });
  }
}

// hide takes away what a program could see of this file.
function hide(self, internals) {
  const { Module } = self.constructor;
  internals.conceal();
  Module.builtinModules = Object.freeze(Module.builtinModules.filter((id) => !id.startsWith('internal/')));
  delete Module._cache[self.filename];
  for (const key of Object.keys(Module._pathCache)) {
    if (Module._pathCache[key] === self.filename) delete Module._pathCache[key];
  }
  internals.requires.length = 0; // the value of --require, and process._preload_modules
}

// reachInternals collects what is needed of Node's internals (--expose-internals).
// Where this Node has them otherwise it throws, and nothing is kept waiting.
function reachInternals() {
  const emitWarning = process.emitWarning; // "for internal testing only"
  process.emitWarning = () => {};
  const { internalBinding, primordials } = require('internal/test/binding');
  process.emitWarning = emitWarning;
  delete globalThis.internalBinding;
  delete globalThis.primordials;
  const options = require('internal/options');
  const builtins = internalBinding('builtins');
  const { FSReqCallback, access } = internalBinding('fs');
  const performance = internalBinding('performance');
  const BuiltinModule = require('internal/modules/helpers').loadBuiltinModule('fs').constructor;
  const loaded = {};
  for (const id of ['internal/process/execution', 'internal/modules/helpers', 'internal/util', 'internal/options']) loaded[id] = require(id);
  const publicIds = builtins.builtinIds.filter((id) => !id.startsWith('internal/') && BuiltinModule.canBeRequiredByUsers(id));
  const wanted = {
    compileFunction: builtins.compileFunction, getOptionValue: options.getOptionValue, FSReqCallback, access,
    setRealmAllowRequireByUsers: BuiltinModule.setRealmAllowRequireByUsers, evalScript: loaded['internal/process/execution'].evalScript,
    readStdin: loaded['internal/process/execution'].readStdin,
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (typeof value !== 'function') throw new Error(`this Node has no ${name}`);
  }
  const requires = options.getOptionValue('--require');
  if (!Array.isArray(requires) || requires.length !== 1 || !(performance.milestones instanceof Float64Array)) {
    throw new Error('this Node keeps its options otherwise');
  }
  return {
    performance, requires,
    conceal() { BuiltinModule.setRealmAllowRequireByUsers(publicIds); },
    compile(id, over) {
      const main = builtins.compileFunction(id);
      const own = {
        __proto__: null,
        'internal/process/pre_execution': { prepareMainThreadExecution() {}, markBootstrapComplete() {} },
        'internal/options': { ...options, getOptionValue: (name) => (name in over ? over[name] : options.getOptionValue(name)) },
      };
      const within = (id) => own[id] ?? loaded[id];
      return main.bind(undefined, process, within, internalBinding, primordials); // a bound function is no frame
    },
    // callLater calls from the event loop's C++ side: no JavaScript stands below.
    callLater(call) {
      const request = new FSReqCallback();
      request.oncomplete = call;
      access('/', 0, request);
    },
  };
}
