/** Builds what says answers in the controller's words, once for all tests. */
import { execFileSync } from 'node:child_process';

export default function build() {
  execFileSync('go', ['build', '-o', 'frontend/node_modules/.cache/words', './frontend/e2e/mock/words'], {
    cwd: '..'
  });
}
