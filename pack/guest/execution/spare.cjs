'use strict';
// Preloaded into a Node process that waits for a program (package execution,
// spare_linux.go). It takes every trace of itself away, blocks on the control
// socket until the order comes, makes the process what `node …` would have been
// and returns; then Node runs its own main script.
//
// process.argv[1] is a link that the agent makes to the script of the order, so
// Node's own loader resolves, names and runs it as usual. For -e, -p and standard
// input Node's own scripts for them are run, with the options of the order.
//
// What comes after the order is what a person waits for, in a restored machine
// with code that never ran there before: it is kept short, and functions in
// parentheses are compiled beforehand.
//
// Frames on the socket, both ways: length as 4 bytes, big endian, then JSON from
// here and words with NUL between them from the agent (nodeOrder).
const { isMainThread, getEnvironmentData, setEnvironmentData } = require('worker_threads');
const workerData = 'piwork.spare'; // workers have this process's options, so they load this file too
const control = 5;
if (isMainThread) {
  waitForProgram(module);
} else {
  hide(module, reachInternals());
  process.execArgv.splice(0, Infinity, ...getEnvironmentData(workerData));
}

function waitForProgram(self) {
  const fs = require('fs');
  const v8 = require('v8');
  const { Module } = self.constructor;
  const internals = reachInternals();
  // What nearly every program loads.
  for (const id of ['child_process', 'crypto', 'events', 'fs/promises', 'http', 'https', 'module', 'net', 'os', 'readline',
    'stream', 'string_decoder', 'timers', 'tls', 'tty', 'url', 'util', 'zlib']) require(id);
  void process.stdout;
  void process.stderr;
  setEnvironmentData(workerData, []);
  const mains = { eval: internals.compile('internal/main/eval_string'), stdin: internals.compile('internal/main/eval_stdin') };
  const taken = frame({ taken: true });

  const send = (function send(bytes) {
    for (let at = 0; at < bytes.length;) at += fs.writeSync(control, bytes, at);
  });

  const fill = (function fill(buffer) {
    for (let at = 0; at < buffer.length;) {
      const n = fs.readSync(control, buffer, at, buffer.length - at, null);
      if (n === 0) return null;
      at += n;
    }
    return buffer;
  });

  const receive = (function receive() {
    const head = fill(Buffer.alloc(4));
    const body = head && fill(Buffer.alloc(head.readUInt32BE(0)));
    if (body === null) return null;
    const words = body.utf8Slice(0, body.length).split('\0');
    let at = 0;
    const list = (function () { const end = at + 1 + Number(words[at]), part = words.slice(at + 1, end); at = end; return part; });
    const [mode, script, code, print, cwd, seed, skip] = list();
    return { mode, script, code, print: print !== '', cwd, seed, skip: Number(skip), argv: list(), execArgv: list(), env: list() };
  });

  // become returns why it cannot, and has changed nothing that matters then.
  const become = (function become(order) {
    try {
      if (order.cwd) process.chdir(order.cwd);
      if (order.script && !fs.statSync(order.script).isFile()) return 'no file';
    } catch (error) {
      return String(error.code);
    }
    if (order.env.length > 0) {
      for (const key of Object.keys(process.env)) delete process.env[key];
      for (let i = 0; i < order.env.length; i += 2) process.env[order.env[i]] = order.env[i + 1];
    }
    process.argv.length = 1;
    for (const word of order.argv) process.argv.push(word);
    process.execArgv.length = 0;
    for (const word of order.execArgv) process.execArgv.push(word);
    if (order.execArgv.length > 0) setEnvironmentData(workerData, order.execArgv);
    refresh(order);
    if (!order.script) runInstead(order);
    return undefined;
  });

  // refresh renews what a saved process would share with its copies. OpenSSL
  // seeds itself anew when it sees the clock jump (see spare_linux.go).
  const refresh = (function refresh(order) {
    v8.setFlagsFromString('--random-seed=' + order.seed);
    Math.random();
    v8.setFlagsFromString('--random-seed=0');
    for (let i = 0; i < order.skip; i++) Symbol(); // each draws its hash from the isolate's generator
    internals.timeOrigin(Date.now() - performance.now());
  });

  // runInstead has Node's main script of another kind run in the place of the
  // one for files: alone on the stack, as Node itself calls it.
  const runInstead = (function runInstead(order) {
    const { main, over } = mains[order.mode];
    if (order.mode === 'eval') {
      over['--eval'] = order.code;
      over['--print'] = order.print;
      alias('_eval', order.code);
      if (order.print) alias('_print_eval', true);
    }
    const runMain = Module.runMain;
    Module.runMain = (function () {
      Module.runMain = runMain;
      internals.callLater(main);
    });
  });

  const alias = (function alias(name, value) {
    Object.defineProperty(process, name, { __proto__: null, writable: false, configurable: true, enumerable: true, value });
  });

  rehearse(self, internals, mains, v8);
  hide(self, internals);
  loadKit(self);
  endSoon(internals); // last: Node cleans up in reverse
  collect(v8);
  send(frame({ ready: true }));
  const order = receive();
  if (order === null) process.exit(0);
  const refusal = become(order);
  if (refusal !== undefined) {
    send(frame({ refused: refusal }));
    process.exit(0);
  }
  send(taken);
  fs.closeSync(control);
}

// endSoon loads what ends the process right after its program, where there is
// such an add-on (pack/guest/nodeexit).
function endSoon(internals) {
  const addon = require('path').join(__dirname, 'exit.node');
  if (require('fs').existsSync(addon)) process.dlopen({ exports: { exit: internals.exit } }, addon);
}

// loadKit loads what the program will, where it is known (Kit).
function loadKit(self) {
  const file = require('path').join(__dirname, 'kit.cjs');
  if (!require('fs').existsSync(file)) return;
  // V8 seeds Math.random once, when it is first drawn from: that must be the order's
  // seed (refresh). crypto.randomInt would keep bytes for later.
  const { random } = Math;
  const { randomBytes } = require('crypto');
  Math.random = () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
  require(file);
  Math.random = random;
  forget(self, file);
}

// forget takes away that this file loaded another.
function forget(self, file) {
  const { Module } = self.constructor;
  self.children.length = 0;
  delete Module._cache[file];
  for (const key of Object.keys(Module._pathCache)) if (Module._pathCache[key] === file) delete Module._pathCache[key];
}

// rehearse runs once what will run for the order, so that functions are compiled
// and modules loaded, and takes the effects away.
function rehearse(self, internals, mains, v8) {
  const fs = require('fs');
  const before = new Set(Reflect.ownKeys(globalThis)); // only names: asking for more would load what is lazy
  mains.eval.over['--eval'] = 'void 0';
  for (let i = 0; i < 3; i++) { // V8 compiles regular expressions again when they are used again
    mains.eval.main();
    /^/.exec(''); // as in Node's main script for files
  }
  for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) delete globalThis[key];

  const file = require('path').join(__dirname, 'empty.cjs');
  require(file);
  forget(self, file);

  v8.setFlagsFromString('--random-seed=0');
  internals.timeOrigin(Date.now() - performance.now());
  process.chdir(process.cwd());
  fs.closeSync(fs.openSync('/dev/null'));
  fs.statSync('/').isFile();
  process.stdout.write('');
  process.stderr.write('');
  require('util').format('%s %o', 1, { a: [1, 'b'] });
}

// collect: a heap that was just collected is not collected while somebody waits.
function collect(v8) {
  v8.setFlagsFromString('--expose-gc');
  require('vm').runInNewContext('gc')();
  v8.setFlagsFromString('--no-expose-gc');
}

function frame(message) {
  const body = Buffer.from(JSON.stringify(message));
  const bytes = Buffer.alloc(4 + body.length);
  bytes.writeUInt32BE(body.length);
  body.copy(bytes, 4);
  return bytes;
}

// hide takes away what a program could see of this file.
function hide(self, internals) {
  const { Module } = self.constructor;
  internals.conceal();
  Module.builtinModules = Object.freeze(Module.builtinModules.filter((id) => !id.startsWith('internal/')));
  forget(self, self.filename);
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
  const { Pipe, constants: { SOCKET } } = internalBinding('pipe_wrap');
  const exit = process[internalBinding('util').privateSymbols.exit_info_private_symbol]; // exiting, code, has a code
  const { milestones, constants: { NODE_PERFORMANCE_MILESTONE_TIME_ORIGIN_TIMESTAMP: timestamp } } = internalBinding('performance');
  const BuiltinModule = require('internal/modules/helpers').loadBuiltinModule('fs').constructor;
  const loaded = {};
  for (const id of ['internal/process/execution', 'internal/modules/helpers', 'internal/util', 'internal/options']) loaded[id] = require(id);
  const publicIds = builtins.builtinIds.filter((id) => !id.startsWith('internal/') && BuiltinModule.canBeRequiredByUsers(id));
  const wanted = {
    compileFunction: builtins.compileFunction, getOptionValue: options.getOptionValue, Pipe,
    setRealmAllowRequireByUsers: BuiltinModule.setRealmAllowRequireByUsers, evalScript: loaded['internal/process/execution'].evalScript,
    readStdin: loaded['internal/process/execution'].readStdin,
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (typeof value !== 'function') throw new Error(`this Node has no ${name}`);
  }
  const requires = options.getOptionValue('--require');
  if (!Array.isArray(requires) || requires.length > 1 || !(milestones instanceof Float64Array) || !(exit instanceof Int32Array)) {
    throw new Error('this Node keeps its options otherwise');
  }
  return {
    requires, exit,
    timeOrigin: (function timeOrigin(ms) { milestones[timestamp] = ms * 1000; }),
    conceal() { BuiltinModule.setRealmAllowRequireByUsers(publicIds); },
    // compile returns one of Node's main scripts and the options that it will
    // find changed.
    compile(id) {
      const over = { __proto__: null };
      const own = {
        __proto__: null,
        'internal/process/pre_execution': { prepareMainThreadExecution() {}, markBootstrapComplete() {} },
        'internal/options': { ...options, getOptionValue: (function (name) { return name in over ? over[name] : options.getOptionValue(name); }) },
      };
      const within = (function (id) { return own[id] ?? loaded[id]; });
      // A bound function is no frame.
      return { over, main: builtins.compileFunction(id).bind(undefined, process, within, internalBinding, primordials) };
    },
    // callLater calls from the event loop's C++ side: no JavaScript stands below.
    callLater: (function callLater(call) { new Pipe(SOCKET).close(call); }),
  };
}
