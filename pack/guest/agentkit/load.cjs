// Loads what pi loads whenever it is started in a task, into a Node that waits for
// it (package execution, Kit). process.argv[1] is pi's program.
//
// Only loads: what pi does, it does when it is called. While its modules are
// loaded they keep what the variables say and look at the command line for colours,
// neither of which a task changes, and draw no randomness but the marks that stand
// for escaped signs within patterns of names (braces).
"use strict";
const { realpathSync, readdirSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { setFlagsFromString } = require("node:v8");

const bundle = dirname(realpathSync(process.argv[1]));
const chunks = join(bundle, "chunks");

// All functions are compiled now, not when they are first called: in a restored
// machine without acceleration V8's own compiler is code that never ran there.
setFlagsFromString("--no-lazy");

// What pi's program is made of, as other programs would use it.
require(join(bundle, "index.js"));

// What it loads later: for extensions, and to speak to the gateway. One that a
// version has under another name is loaded when it is needed.
const later = /^(virtual-modules|jiti-static-loader|anthropic-messages|openai-completions|openai-responses)-[A-Z0-9]+\.js$/;
for (const name of readdirSync(chunks).sort()) if (later.test(name)) require(join(chunks, name));
createRequire(join(chunks, "index.js"))("jiti");

setFlagsFromString("--lazy");
