/** What a person writes of an MCP server, as the controller takes it. */

/** The host that an address leads to, as a person reads it. */
export function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}

/** A name as the controller takes one. */
export const nameOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 24)
    .replace(/-+$/, '');

/** The lines of a text, without those that are empty. */
export const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Programs that fetch a server from the internet whenever it starts: piwork starts none of them. */
const FETCHERS = ['npx', 'bunx', 'uvx', 'uv', 'pipx', 'docker', 'podman'];

/** The one of them that a command is. */
function fetcherOf(command: unknown): string | undefined {
  const program =
    typeof command === 'string' ? command.trim().split(/[/\\]/).at(-1)?.toLowerCase() : undefined;
  const name = program?.replace(/\.(cmd|exe)$/, '');
  return FETCHERS.find((one) => one === name);
}

/** The first of them that servers of JSON, as other programs write it, begin with. */
function fetcherIn(config: string): string | undefined {
  try {
    const { mcpServers, servers } = JSON.parse(config) as Record<
      string,
      Record<string, { command?: unknown }>
    >;
    for (const { command } of Object.values(mcpServers ?? servers ?? {})) {
      const fetcher = fetcherOf(command);
      if (fetcher) return fetcher;
    }
  } catch {
    // It is not all there yet.
  }
  return undefined;
}

/** The first program of what a person writes that fetches a server. */
export const fetches = (way: string, command: string, config: string): string | undefined =>
  way === 'program' ? fetcherOf(command) : way === 'json' ? fetcherIn(config) : undefined;
