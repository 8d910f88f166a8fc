// pi's tool for commands, which the host runs: it judges the command, asks the person
// where that is needed, and then has the machine run exactly what it judged. So there
// is no yes in this machine that a program here could forge: without the host's own,
// nothing runs. The host is reached where the model is, on the machine's own address.
"use strict"; // CommonJS: pi's loader runs it as it is, and translates nothing
const { realpathSync } = require("node:fs");
const http = require("node:http");
const { dirname, join } = require("node:path");

const GATEWAY = "http://127.0.0.1:8377"; // wire.GatewayAddr
const PATH = "/piwork/command"; // agentkit.PathCommand

const MAX_LINE = 1 << 20; // characters

/**
 * run has the host run a command: pi's BashOperations.exec. The answer is lines of JSON:
 * {data} are bytes of output, and the last is {exit}, {ended} or {error}. There is no
 * time limit of its own, for a person may be away overnight. Without a directory it is where the
 * task works.
 */
function run(gateway, command, { directory, onData, signal, timeout }) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ command, directory, timeout });
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const fail = (error) => reject(signal?.aborted ? new Error("aborted") : error); // pi's own word for it
    const request = http.request(gateway + PATH, { method: "POST", agent: false, headers, signal }, (answer) => {
      let rest = "";
      const line = (text) => {
        const said = JSON.parse(text);
        if (typeof said.data === "string") onData(Buffer.from(said.data, "base64"));
        else if (said.ended === "timeout") fail(new Error(`timeout:${timeout}`));
        else if (typeof said.exit === "number") resolve({ exitCode: said.exit });
        else fail(new Error(String(said.error?.message ?? "the answer cannot be read")));
      };
      answer.setEncoding("utf8");
      answer.on("data", (part) => {
        const lines = (rest + part).split("\n");
        rest = lines.pop();
        try {
          if (rest.length > MAX_LINE) throw new Error("the answer is too long");
          for (const text of lines) line(text);
        } catch (error) {
          answer.destroy(error);
        }
      });
      const cut = () => fail(new Error("the end of the command is not known"));
      answer.on("error", (error) => (error.code === "ECONNRESET" ? cut() : fail(error)));
      answer.on("end", () => {
        try {
          if (rest) line(rest);
        } catch (error) {
          fail(error);
        }
        cut();
      });
    });
    request.on("error", fail);
    request.end(body);
  });
}

/** register puts the tool in the place of pi's own. */
function register(pi, gateway, createBashToolDefinition) {
  const operations = { exec: (command, cwd, options) => run(gateway, command, options) };
  pi.registerTool(createBashToolDefinition(process.cwd(), { operations, exposeSessionEnvironment: false }));
  pi.on("user_bash", () => ({ operations }));
}

// pi's own maker of the tool, from the program that runs: what is not translated finds no
// other name of it.
module.exports = (pi) => register(pi, GATEWAY, require(join(dirname(realpathSync(process.argv[1])), "index.js")).createBashToolDefinition);
module.exports.register = register;
module.exports.run = run;
module.exports.GATEWAY = GATEWAY;
