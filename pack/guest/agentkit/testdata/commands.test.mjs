import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import commands from "../commands.cjs";

/** offered is the tool of the extension, for a host that answers as told. pi's own maker of tools is stood in for. */
async function offered(t, answer) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push({ method: request.method, path: request.url, body: JSON.parse(body) });
    await answer(response, request);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (server.closeAllConnections(), server.close()));
  let made;
  const handlers = {};
  const pi = { registerTool: (tool) => (made = tool), on: (name, handler) => (handlers[name] = handler) };
  commands.register(pi, `http://127.0.0.1:${server.address().port}`, (cwd, options) => ({ name: "bash", cwd, ...options }));
  assert.equal(made.exposeSessionEnvironment, false);
  const exec = async (command, more = {}) => {
    let out = "";
    const result = await made.operations.exec(command, "/folders/Trip", { onData: (data) => (out += data), env: { SECRET: "1" }, ...more });
    return { ...result, out };
  };
  return { asked, exec, handlers, made };
}

const lines = (response, ...list) => response.writeHead(200).end(list.map((l) => JSON.stringify(l) + "\n").join(""));
const data = (text) => ({ data: Buffer.from(text).toString("base64") });

test("has the host run a command, and runs nothing itself", async (t) => {
  const { asked, exec, handlers, made } = await offered(t, (response) => lines(response, data("one\n"), data("zwölf\n"), { exit: 3 }));
  assert.deepEqual(await exec("rm 'ä b'", { timeout: 5 }), { exitCode: 3, out: "one\nzwölf\n" });
  assert.deepEqual(asked, [{ method: "POST", path: "/piwork/command", body: { command: "rm 'ä b'", timeout: 5 } }]);
  assert.equal(made.name, "bash");
  assert.equal(handlers.user_bash().operations, made.operations); // commands that come by another way too
});

test("takes an answer in any pieces", async (t) => {
  const { exec } = await offered(t, async (response) => {
    for (const c of JSON.stringify(data("x".repeat(300))) + '\n{"exit":0}\n') {
      response.write(c);
      if (c === "\n") await new Promise(setImmediate);
    }
    response.end();
  });
  assert.deepEqual(await exec("yes"), { exitCode: 0, out: "x".repeat(300) });
});

test("says why a command did not run", async (t) => {
  for (const [answer, want] of [
    [(r) => r.writeHead(403).end('{"error":{"message":"The person did not allow it."}}\n'), /did not allow/],
    [(r) => lines(r, data("a"), { ended: "timeout", exit: 143 }), /^Error: timeout:7$/],
    [(r) => lines(r, data("a")), /end of the command is not known/],
    [(r) => lines(r, { error: {} }), /cannot be read/],
    [(r) => r.writeHead(503).end('{"error":{"code":"busy","message":"too many"}}'), /too many/],
    [(r) => r.end("<html>"), SyntaxError],
    [(r) => r.end("x".repeat(3 << 20)), /too long/],
    [(r) => (r.writeHead(200, { "Content-Length": 100 }).write("{"), setImmediate(() => r.destroy())), /end of the command is not known/],
  ]) {
    const { exec } = await offered(t, answer);
    await assert.rejects(exec("ls", { timeout: 7 }), want);
  }
});

test("ends with its signal", async (t) => {
  const stop = new AbortController();
  let gone;
  const heard = new Promise((done) => (gone = done));
  const { exec } = await offered(t, (response) => {
    response.on("close", gone);
    response.write(JSON.stringify(data("a")) + "\n");
    stop.abort();
    return heard;
  });
  await assert.rejects(exec("sleep 100", { signal: stop.signal }), { message: "aborted" });
  await heard; // the host hears of it
});
