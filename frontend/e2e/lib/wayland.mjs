// A Wayland compositor without a screen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.mjs';

/**
 * Starts it; stop ends it.
 * @param {string} dir for its socket @param {NodeJS.ProcessEnv} base
 */
export async function startWayland(dir, base) {
  const runtime = join(dir, 'wayland');
  const socket = 'wayland-e2e';
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...base, XDG_RUNTIME_DIR: runtime };
  delete env.DISPLAY; // or a window could go there
  const weston = spawn(
    'weston',
    ['--backend=headless-backend.so', `--socket=${socket}`, '--no-config', '--idle-time=0'],
    { env, stdio: 'ignore' }
  );
  const ended = once(weston, 'exit');
  await until('weston listens', () => existsSync(join(runtime, socket)) || weston.exitCode !== null);
  if (weston.exitCode !== null) throw new Error(`weston ended with ${weston.exitCode}`);
  return {
    env: { ...env, WAYLAND_DISPLAY: socket, GDK_BACKEND: 'wayland' },
    async stop() {
      weston.kill('SIGTERM');
      await ended;
    }
  };
}
