import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { test } from "node:test";
import shell from "../shell.cjs";

/** host answers commands as told, and keeps what it was asked. */
async function host(t, answer) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push(JSON.parse(body));
    await answer(response, request);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (server.closeAllConnections(), server.close()));
  return { asked, address: `http://127.0.0.1:${server.address().port}` };
}

const lines = (response, ...list) => response.writeHead(200).end(list.map((l) => JSON.stringify(l) + "\n").join(""));
const data = (text) => ({ data: Buffer.from(text).toString("base64") });

/** start is the shell with its arguments. */
async function start(address, ...argv) {
  let out = "";
  const status = await shell.start(address, argv, "/folders/Trip", { write: (d) => (out += d) });
  return { status, out };
}

test("has the host run a command where it was started", async (t) => {
  const { asked, address } = await host(t, (r) => lines(r, data("a\n"), data("b\n"), { exit: 3 }));
  assert.deepEqual(await start(address, "-c", "rm 'x y'"), { status: 3, out: "a\nb\n" });
  assert.deepEqual(asked, [{ command: "rm 'x y'", directory: "/folders/Trip" }]);
});

test("says why a command did not run", async (t) => {
  const { address } = await host(t, (r) => r.writeHead(403).end('{"error":{"message":"The person did not allow it."}}\n'));
  assert.deepEqual(await start(address, "-c", "rm x"), { status: 126, out: "The person did not allow it.\n" });
});

test("runs nothing else", async (t) => {
  const { asked, address } = await host(t, (r) => lines(r, { exit: 0 }));
  for (const argv of [[], ["-l", "-c", "x"], ["-c"], ["script.sh", "x"], ["-c", "x", "y"]]) {
    assert.equal((await start(address, ...argv)).status, 2);
  }
  assert.deepEqual(asked, []);
});

test("gives its command up when it is ended", async (t) => {
  let gone;
  const ended = new Promise((done) => (gone = done));
  let began;
  const begins = new Promise((done) => (began = done));
  const { address } = await host(t, (response, request) => {
    response.writeHead(200).write(JSON.stringify(data("began\n")) + "\n");
    request.socket.on("close", gone);
    began();
  });
  const code = `require(${JSON.stringify(new URL("../shell.cjs", import.meta.url).pathname)}).start(${JSON.stringify(address)}, ["-c", "sleep 9"], "/", process.stdout).then((s) => (process.exitCode = s))`;
  const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
  await begins;
  child.kill("SIGTERM");
  await ended;
  assert.equal(await new Promise((done) => child.on("exit", done)), 126);
});
