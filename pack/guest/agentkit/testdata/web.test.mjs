import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import web from "../web.cjs";

/** offered are the tools of the extension, for a host that answers as told. */
async function offered(t, answer) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push({ method: request.method, path: request.url, body: JSON.parse(body) });
    const [status, text] = (await answer(request, response)) ?? [];
    if (status) response.writeHead(status, { "Content-Type": "application/json" }).end(typeof text === "string" ? text : JSON.stringify(text));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (server.closeAllConnections(), server.close()));
  const tools = {};
  web.register({ registerTool: (tool) => (tools[tool.name] = tool) }, `http://127.0.0.1:${server.address().port}`);
  return { asked, fetch: (url, signal) => tools.web_fetch.execute("c", { url }, signal), search: (query) => tools.web_search.execute("c", { query }) };
}

const text = (result) => result.content[0].text;

test("reads a page", async (t) => {
  const { asked, fetch } = await offered(t, () => [200, { url: "https://example.org/end", status: 200, type: "text/html", title: "Tïtle", text: "Hello." }]);
  assert.equal(text(await fetch("https://example.org/ä")), "Tïtle\nhttps://example.org/end\n\nHello.");
  assert.deepEqual(asked, [{ method: "POST", path: "/piwork/fetch", body: { url: "https://example.org/ä" } }]);
});

test("says what is odd about a page", async (t) => {
  const { fetch } = await offered(t, () => [200, { url: "http://a.org/", status: 404, text: "", truncated: true }]);
  assert.equal(text(await fetch("http://a.org/")), "http://a.org/ (status 404)\n\n[The page has no text.]\n\n[The page is longer; the rest was not fetched.]");
});

test("keeps all of a long page in a file", async (t) => {
  const long = "<ü>".repeat(60000);
  const { fetch } = await offered(t, () => [200, { url: "http://a.org/", status: 200, text: long }]);
  const got = text(await fetch("http://a.org/"));
  assert.ok(got.length < 50000);
  assert.equal(readFileSync(/in (\S+page\.txt)\.\]$/.exec(got)[1], "utf8"), long);
});

test("searches", async (t) => {
  const { asked, search } = await offered(t, () => [200, { results: [{ title: "One", url: "http://a.org/", text: "About." }, { title: "Two", url: "http://b.org/" }] }]);
  assert.equal(text(await search("a b")), "1. One\nhttp://a.org/\nAbout.\n\n2. Two\nhttp://b.org/");
  assert.deepEqual(asked, [{ method: "POST", path: "/piwork/search", body: { query: "a b" } }]);
});

test("says that nothing was found", async (t) => {
  const { search } = await offered(t, () => [200, { results: [] }]);
  assert.equal(text(await search("a")), "Nothing was found.");
});

test("fails with the words of the host", async (t) => {
  for (const [answer, want] of [
    [[403, { error: { code: "denied", message: "The person did not allow it." } }], /did not allow/],
    [[502, "<html>"], /cannot be read/],
    [[500, {}], /status 500/],
    [[500, "null"], /status 500/],
    [[200, "x".repeat(3 << 20)], /too long/],
  ]) {
    const { fetch } = await offered(t, () => answer);
    await assert.rejects(fetch("http://a.org/"), want);
  }
});

test("ends with its signal, and with an answer that is cut", async (t) => {
  const stop = new AbortController();
  const gone = new Promise((done) => (globalThis.gone = done));
  const waits = await offered(t, (request, response) => {
    response.on("close", globalThis.gone);
    stop.abort();
  });
  await assert.rejects(waits.fetch("http://a.org/", stop.signal), { name: "AbortError" });
  await gone; // the host hears of it
  const cut = await offered(t, (request, response) => {
    response.writeHead(200, { "Content-Length": 100 }).write("{");
    setImmediate(() => response.destroy());
  });
  await assert.rejects(cut.fetch("http://a.org/"));
});

test("has the tools that the host knows", () => {
  const names = [];
  web({ registerTool: (tool) => names.push(tool.name) });
  assert.deepEqual(names, ["web_fetch", "web_search"]);
});
