/** Builds what says answers in the controller's words, once for all tests; what it said stays until it says otherwise. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';

const CACHE = 'node_modules/.cache';

export default function build(project: TestProject) {
  const program = `${CACHE}/words`;
  execFileSync('go', ['build', '-o', `frontend/${program}`, './frontend/e2e/mock/words'], { cwd: '..' });
  const name = `said-${createHash('sha256').update(readFileSync(program)).digest('hex').slice(0, 16)}`;
  for (const old of readdirSync(CACHE))
    if (old.startsWith('said-') && old !== name) rmSync(`${CACHE}/${old}`, { recursive: true });
  mkdirSync(`${CACHE}/${name}`, { recursive: true });
  project.provide('said', `${CACHE}/${name}`);
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Where it stays. */
    said: string;
  }
}
