// Passes HTTP on to piwork with a token, for clients that can send none: node bearer.mjs URL TOKEN
// Prints its own address. A Host or an Origin that is another one's stays as it is: such are refused, which is checked, too.
import { createServer, request } from 'node:http';

const [url, token] = process.argv.slice(2);
const server = createServer((from, to) => {
  const headers = { ...from.headers, authorization: `Bearer ${token}` };
  const own = `127.0.0.1:${server.address().port}`;
  if (headers.host === own) headers.host = new URL(url).host;
  if (headers.origin === `http://${own}`) headers.origin = new URL(url).origin;
  const on = request(new URL(from.url, url), { method: from.method, headers }, (answer) => {
    to.writeHead(answer.statusCode, answer.headers);
    answer.pipe(to);
  });
  on.on('error', () => to.destroy());
  to.on('close', () => on.destroy());
  from.pipe(on);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
