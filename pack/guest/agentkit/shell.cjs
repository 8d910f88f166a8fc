#!/usr/bin/node
// What an AI program takes for a shell: `piwork-shell -c COMMAND` has the host run the command in
// the directory where this was started, as pi's tool does (commands.cjs beside this), so that what
// is judged, and shown to the person, is what runs. It prints what the command prints, and ends as
// it does; when it is ended, so is the command.
"use strict";
const { run, GATEWAY } = require("./commands.cjs");

/** start does what the arguments ask for, and resolves to the exit status. */
async function start(gateway, argv, directory, out) {
  if (argv.length !== 2 || argv[0] !== "-c") {
    out.write("piwork-shell: only -c COMMAND is run here\n");
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.once(signal, () => stop.abort());
  try {
    const { exitCode } = await run(gateway, argv[1], { directory, onData: (data) => out.write(data), signal: stop.signal });
    return exitCode;
  } catch (error) {
    out.write(`${error.message}\n`);
    return 126;
  }
}

module.exports = { start };
if (require.main === module) {
  // Not process.exit: what was printed would be cut off.
  start(GATEWAY, process.argv.slice(2), process.cwd(), process.stdout).then((status) => (process.exitCode = status));
}
