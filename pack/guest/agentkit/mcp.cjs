// An MCP server for an AI program that is not pi: it has the tools of one of the person's own MCP
// servers that they allowed, as servers.cjs beside this has them for pi, and as there the host calls
// them. One starts it with the server's name; it speaks on its standard input and output, and ends
// with its input.
"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { createInterface } = require("node:readline");
const { call, GATEWAY, LIST } = require(join(__dirname, "servers.cjs"));

const VERSION = "2025-06-18"; // of the protocol, where the client names none

/** serve answers messages until the input ends; the program puts `server` and "_" before a tool's name. */
function serve(server, all, gateway, input, output) {
  const tools = new Map(all.filter((t) => t.server === server).map((t) => [t.name.slice(server.length + 1), t]));
  const open = new Map(); // calls by their ids
  const methods = {
    initialize: (p) => ({ protocolVersion: String(p.protocolVersion ?? VERSION), capabilities: { tools: {} }, serverInfo: { name: server, version: "1" } }),
    ping: () => ({}),
    "tools/list": () => ({ tools: [...tools].map(([name, t]) => ({ name, description: t.description, inputSchema: t.parameters })) }),
    "tools/call": async (p, id) => {
      const tool = tools.get(p.name);
      if (!tool) throw new Error("there is no such tool");
      const stop = new AbortController();
      open.set(id, stop);
      try {
        return { content: [{ type: "text", text: await call(gateway, tool, p.arguments, stop.signal) }] };
      } catch (error) {
        return { content: [{ type: "text", text: error.message }], isError: true };
      } finally {
        open.delete(id);
      }
    },
  };
  const answer = (id, rest) => output.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...rest })}\n`);
  const lines = createInterface({ input, terminal: false });
  lines.on("line", async (line) => {
    let m;
    try {
      m = JSON.parse(line);
    } catch {
      return;
    }
    if (m?.method === "notifications/cancelled") open.get(m.params?.requestId)?.abort();
    if (typeof m?.method !== "string" || m.id === undefined || m.id === null) return;
    if (!Object.hasOwn(methods, m.method)) return answer(m.id, { error: { code: -32601, message: "there is no such method" } });
    try {
      answer(m.id, { result: await methods[m.method](m.params ?? {}, m.id) });
    } catch (error) {
      answer(m.id, { error: { code: -32602, message: error.message } });
    }
  });
  lines.on("close", () => open.forEach((stop) => stop.abort()));
}

module.exports = { serve };
if (require.main === module) serve(process.argv[2], JSON.parse(readFileSync(join(__dirname, LIST), "utf8")), GATEWAY, process.stdin, process.stdout);
