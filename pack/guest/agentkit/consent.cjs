// Asks the person before pi runs a command that does more than read.
//
// This is a courtesy, not a boundary: it runs beside the commands, in the same
// machine, and a command can do what its text does not say. What a task may do
// to folders and whom it may reach is guarded by the host, outside of this
// machine, whatever is answered here.

"use strict"; // CommonJS: pi's loader runs it as it is, and translates nothing
const { asks, effectsOf } = require("./effects.cjs");

// Tools of pi that only read, those that change single files, which the host's
// guards ask about, and those of web.cjs, about which the host asks itself.
const FREE = new Set(["read", "grep", "find", "ls", "write", "edit", "web_fetch", "web_search"]);

const MAX_COMMAND = 16384;

module.exports = function consent(pi) {
  if (process.env.PIWORK_CONSENT === "auto") return;
  pi.on("tool_call", async (event, ctx) => {
    if (FREE.has(event.toolName)) return undefined;
    const command = event.toolName === "bash" ? String(event.input?.command ?? "") : JSON.stringify(event.input ?? {});
    const { effects, targets } = event.toolName === "bash" ? effectsOf(command, ctx.cwd) : { effects: ["unknown"], targets: [] };
    if (!asks(effects)) return undefined;
    const message = JSON.stringify({
      v: 1,
      call: event.toolCallId,
      tool: event.toolName,
      command: command.slice(0, MAX_COMMAND),
      effects,
      targets,
    });
    // No time limit: a person may be away overnight. An abort ends it.
    const yes = await ctx.ui.confirm("piwork.command", message, { signal: ctx.signal });
    return yes ? undefined : { block: true, reason: "The person did not allow this command. Do not try the same another way; say what you wanted to do and ask." };
  });
};
