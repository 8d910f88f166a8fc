import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import folder from "../folder.cjs";

/** offered is the tool of the extension, for a host that answers as told. */
async function offered(t, status, answer) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push({ method: request.method, path: request.url, body: JSON.parse(body) });
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (server.closeAllConnections(), server.close()));
  let tool;
  folder.register({ registerTool: (one) => (tool = one) }, `http://127.0.0.1:${server.address().port}`);
  assert.equal(tool.name, "ask_for_folder");
  return { asked, ask: (params) => tool.execute("c", params) };
}

test("says which folder the person gave", async (t) => {
  const { asked, ask } = await offered(t, 200, { path: "/folders/Lëtters", mode: "review" });
  const got = await ask({ reason: "For the letters", path: "Letters" });
  assert.equal(got.content[0].text, "The person gave the folder: /folders/Lëtters. It can be changed; the changes wait until the person agrees to them.");
  assert.deepEqual(asked, [{ method: "POST", path: "/piwork/folder", body: { reason: "For the letters", path: "Letters" } }]);
});

test("says that the person declined", async (t) => {
  const { ask } = await offered(t, 403, { error: { message: "The person chose no folder." } });
  await assert.rejects(ask({ reason: "x" }), /The person chose no folder\./);
});
