// Servers that only this computer reaches.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Has it listen, and says on which port. @param {import('node:net').Server} server */
export async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Ends it, whoever still talks to it. @param {import('node:http').Server} server */
export async function end(server) {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** A port that nobody listens on. */
export async function freePort() {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}
