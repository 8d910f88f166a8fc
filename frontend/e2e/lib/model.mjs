// A model whose answers a test decides: the part of OpenAI's Chat Completions that the AI program uses.
import { createServer } from 'node:http';
import { end, listen } from './ports.mjs';

/**
 * @typedef {{ name: string, input: Record<string, unknown> }} Call
 * @typedef {{ parts?: string[], calls?: Call[], before?: Promise<void> }} Turn
 * before is waited for between the first part and the rest.
 */

export class ScriptedModel {
  static names = ['scripted-1', 'scripted-2'];
  /** What it was asked, in order. @type {any[]} */
  asked = [];
  /** @type {Turn[]} */
  #turns = [];
  #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  /** What it says next. @param {Turn[]} turns */
  says(...turns) {
    this.#turns.push(...turns);
  }

  /** Everything the next question said, as text. */
  get last() {
    return JSON.stringify(this.asked.at(-1)?.messages ?? []);
  }

  async start() {
    return `http://127.0.0.1:${await listen(this.#server)}/v1`;
  }

  stop() {
    return end(this.#server);
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async #answer(request, response) {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      const data = ScriptedModel.names.map((id) => ({ id, object: 'model' }));
      response.end(JSON.stringify({ object: 'list', data }));
      return;
    }
    /** @type {Buffer[]} */
    const body = [];
    for await (const part of request) body.push(part);
    const asked = JSON.parse(Buffer.concat(body).toString());
    this.asked.push(asked);
    const turn = this.#turns.shift() ?? { parts: ['There is no more.'] };
    response.setHeader('content-type', 'text/event-stream');
    const write = (/** @type {object} */ chunk) => {
      const about = { id: 'c1', object: 'chat.completion.chunk', created: 0, model: asked.model };
      response.write(`data: ${JSON.stringify({ ...about, ...chunk })}\n\n`);
    };
    const send = (/** @type {object} */ delta, /** @type {string | null} */ reason = null) =>
      write({ choices: [{ index: 0, delta, finish_reason: reason }] });
    send({ role: 'assistant', content: '' });
    for (const [i, content] of (turn.parts ?? []).entries()) {
      send({ content });
      if (i === 0) await turn.before;
    }
    for (const [index, call] of (turn.calls ?? []).entries())
      send({
        tool_calls: [
          {
            index,
            id: `call_${this.asked.length}_${index}`,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.input) }
          }
        ]
      });
    send({}, turn.calls ? 'tool_calls' : 'stop');
    write({ choices: [], usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 } });
    response.end('data: [DONE]\n\n');
  }
}
