// Tools that read the web for an AI program whose machine has no network: the host
// does it (app/webtool), after it asked the person. They reach it where the model
// is reached, on the machine's own address.
"use strict"; // CommonJS: pi's loader runs it as it is, and translates nothing
const { mkdtempSync, writeFileSync } = require("node:fs");
const http = require("node:http");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const GATEWAY = "http://127.0.0.1:8377"; // wire.GatewayAddr

// An answer has at most 200 KiB of text, every byte of which may stand as \u00XX.
const MAX_ANSWER = 2 << 20; // bytes
const MAX_SHOWN = 40 << 10; // characters of a page that the model is shown

/**
 * post asks the host, and returns what it answers with. There is no time limit, for
 * a person may be away overnight: only the signal ends it.
 */
function post(gateway, path, asked, signal) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(asked);
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const request = http.request(gateway + path, { method: "POST", agent: false, headers, signal }, (answer) => {
      const parts = [];
      let size = 0;
      answer.on("data", (part) => {
        if ((size += part.length) > MAX_ANSWER) answer.destroy(new Error("the answer is too long"));
        else parts.push(part);
      });
      answer.on("error", reject);
      answer.on("end", () => {
        try {
          resolve(read(answer.statusCode, Buffer.concat(parts).toString("utf8")));
        } catch (error) {
          reject(error);
        }
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** read is the answer, or throws what the host says instead of one. */
function read(status, text) {
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error("the answer cannot be read");
  }
  if (status !== 200) throw new Error(String(answer?.error?.message ?? `status ${status}`));
  return answer;
}

/** shown is a text as the model gets it: of a long one the beginning, and where all of it is. */
function shown(text, more, what = "page") {
  if (text.length <= MAX_SHOWN) return text + (more ? "\n\n[The page is longer; the rest was not fetched.]" : "");
  const file = join(mkdtempSync(join(tmpdir(), "web-")), `${what}.txt`);
  writeFileSync(file, text);
  return `${text.slice(0, MAX_SHOWN)}\n\n[The ${what} is longer: ${text.length} characters of it are in ${file}.]`;
}

const result = (text) => ({ content: [{ type: "text", text }], details: undefined });

/** register adds the tools; which of them the model is offered is chosen with --tools. */
function register(pi, gateway) {
  pi.registerTool({
    name: "web_fetch",
    label: "Read a web page",
    description: "Read one page of the web, as text. The person is asked whether the address may be opened, so ask only for pages that the work needs.",
    parameters: {
      type: "object",
      properties: { url: { type: "string", description: "Address of the page, with https:// or http://" } },
      required: ["url"],
      additionalProperties: false,
    },
    async execute(id, { url }, signal) {
      const page = await post(gateway, "/piwork/fetch", { url }, signal);
      const head = [page.title, page.url + (page.status === 200 ? "" : ` (status ${page.status})`)].filter(Boolean).join("\n");
      return result(`${head}\n\n${shown(page.text || "[The page has no text.]", page.truncated)}`);
    },
  });
  pi.registerTool({
    name: "web_search",
    label: "Search the web",
    description: "Search the web for a few words; gives titles, addresses and short texts. The person is asked whether the words may be sent.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "What to search for, at most 400 characters" } },
      required: ["query"],
      additionalProperties: false,
    },
    async execute(id, { query }, signal) {
      const { results } = await post(gateway, "/piwork/search", { query }, signal);
      if (!results.length) return result("Nothing was found.");
      return result(results.map((r, i) => [`${i + 1}. ${r.title}`, r.url, r.text].filter(Boolean).join("\n")).join("\n\n"));
    },
  });
}

module.exports = (pi) => register(pi, GATEWAY);
module.exports.register = register;
module.exports.post = post;
module.exports.shown = shown;
