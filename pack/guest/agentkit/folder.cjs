// pi's tool for another folder: the host asks the person, who chooses one or does not.
"use strict"; // CommonJS: pi's loader runs it as it is, and translates nothing
const { join } = require("node:path");
const { post } = require(join(__dirname, "web.cjs"));

const GATEWAY = "http://127.0.0.1:8377"; // wire.GatewayAddr
const PATH = "/piwork/folder"; // agentkit.PathFolder

const HOW = {
  ro: "It can be read, not changed.",
  rw: "It can be changed.",
  review: "It can be changed; the changes wait until the person agrees to them.",
};

/** register adds the tool. */
function register(pi, gateway) {
  pi.registerTool({
    name: "ask_for_folder",
    label: "Ask for a folder",
    description:
      "Ask the person for one more folder of their computer, where the work needs files that are in none of /folders. They choose the folder, which then appears in /folders, or decline. Ask once, and only for what the request needs.",
    parameters: {
      type: "object",
      properties: {
        reason: { type: "string", description: "What the folder is needed for: one sentence for the person, in their language, at most 300 characters" },
        path: { type: "string", description: "Which folder it may be, as the person named it; leave it out when you do not know" },
      },
      required: ["reason"],
      additionalProperties: false,
    },
    async execute(id, { reason, path }, signal) {
      const { path: at, mode } = await post(gateway, PATH, { reason, path }, signal);
      return { content: [{ type: "text", text: `The person gave the folder: ${at}. ${HOW[mode] ?? ""}`.trim() }], details: undefined };
    },
  });
}

module.exports = (pi) => register(pi, GATEWAY);
module.exports.register = register;
