import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { asks, effectsOf } from "../effects.cjs";
import consent from "../consent.cjs";

const cases = readFileSync(new URL("cases.tsv", import.meta.url), "utf8").split("\n").filter((l) => l && !l.startsWith("#"));

for (const c of cases) {
  const [want, json] = c.split("\t");
  let command = JSON.parse(json);
  let cwd = "/folders/Trip";
  const at = /^@(\S+) ([^]*)$/.exec(command);
  if (at) [, cwd, command] = at;
  test(json, () => {
    const { effects } = effectsOf(command, cwd);
    assert.equal(effects.join(" ") || "-", want);
    assert.equal(asks(effects), want !== "-" && want !== "write");
  });
}

test("odd input", () => {
  for (const odd of [undefined, null, 5, {}, "\0", "(".repeat(10000), "$(".repeat(10000), "`".repeat(9999), "<<".repeat(999), "a <<X\n".repeat(999)]) {
    const { effects, targets } = effectsOf(odd);
    assert.ok(Array.isArray(effects) && targets.length <= 50);
  }
});

/** run gives the extension one tool call and returns what it decided and asked. */
async function run(mode, event, answer) {
  let handler;
  const asked = [];
  process.env.PIWORK_CONSENT = mode;
  consent({ on: (name, h) => name === "tool_call" && (handler = h) });
  const ctx = { cwd: "/folders/Trip", signal: "signal", ui: { confirm: async (...a) => (asked.push(a), answer) } };
  return { result: await handler?.(event, ctx), asked };
}

const rm = { toolName: "bash", toolCallId: "c1", input: { command: "rm a" } };

test("asks, and blocks without a yes", async () => {
  const no = await run("ask", rm, false);
  assert.equal(no.result.block, true);
  const [title, message, options] = no.asked[0];
  assert.equal(title, "piwork.command");
  assert.deepEqual(JSON.parse(message), { v: 1, call: "c1", tool: "bash", command: "rm a", effects: ["delete"], targets: ["a"] });
  assert.equal(options.signal, "signal");
  assert.equal((await run("ask", rm, true)).result, undefined);
  assert.equal((await run("", rm, undefined)).result.block, true);
});

test("never asks about what only reads", async () => {
  for (const toolName of ["read", "grep", "find", "ls", "write", "edit"]) {
    const { result, asked } = await run("ask", { toolName, toolCallId: "c", input: { path: "a" } }, false);
    assert.equal(result, undefined);
    assert.equal(asked.length, 0);
  }
  assert.equal((await run("ask", { ...rm, input: { command: "ls" } }, false)).asked.length, 0);
});

test("asks about tools that it does not know", async () => {
  const { asked } = await run("ask", { toolName: "new", toolCallId: "c", input: { x: 1 } }, false);
  assert.deepEqual(JSON.parse(asked[0][1]).effects, ["unknown"]);
});

test("never asks when told so", async () => {
  const { result, asked } = await run("auto", rm, false);
  assert.equal(result, undefined);
  assert.equal(asked.length, 0);
});
