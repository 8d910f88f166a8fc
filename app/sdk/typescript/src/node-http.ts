import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { Answer, type Request } from './http.ts';

/** Sends a request. That is not done by fetch: what came just before a break would be dropped with it. */
export function send({ url, body, ...options }: Request): Promise<Answer> {
  return new Promise((done, fail) => {
    const begin = url.startsWith('https:') ? secure : plain;
    const asked = begin(url, { ...options, agent: false }, (response) => {
      const answer = new Answer(response.statusCode ?? 0, (name) => {
        const value = response.headers[name.toLowerCase()];
        return typeof value === 'string' ? value : value?.join(', ');
      });
      response.on('data', (piece: Uint8Array) => {
        const room = answer.put(piece);
        if (!room) return;
        response.pause();
        void room.then(() => response.resume());
      });
      response.on('end', () => answer.end());
      response.on('error', (error) => answer.fail(error));
      done(answer);
    });
    asked.on('error', fail);
    asked.end(body);
  });
}
