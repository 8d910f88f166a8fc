import { expect, it } from 'vitest';
import { fetches } from './server';

it('knows the programs that fetch a server', () => {
  for (const [command, program] of [
    ['npx', 'npx'],
    [' /usr/bin/npx ', 'npx'],
    ['C:\\node\\npx.cmd', 'npx'],
    ['uvx', 'uvx'],
    ['docker', 'docker'],
    ['node', undefined],
    ['npx-like', undefined],
    ['', undefined]
  ] as const)
    expect(fetches('program', command, ''), command).toBe(program);
  expect(fetches('address', 'npx', '')).toBeUndefined();
});

it('finds them in what other programs write', () => {
  const config = (servers: unknown, name = 'mcpServers') =>
    fetches('json', '', JSON.stringify({ [name]: servers }));
  expect(config({ a: { command: 'node' }, b: { command: 'uvx' } })).toBe('uvx');
  expect(config({ a: { command: 'docker' } }, 'servers')).toBe('docker');
  for (const odd of [
    { a: null },
    { a: { command: 1 } },
    { a: 'npx' },
    [],
    null,
    'npx',
    { a: { url: 'https://x' } }
  ])
    expect(config(odd), JSON.stringify(odd)).toBeUndefined();
  expect(fetches('json', '', '{"mcpServers": {"a": {"command": "npx"')).toBeUndefined();
});
