import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import ts from 'typescript-eslint';

// As in svelte.config.js, without its functions: the cache needs a configuration that can be written down.
const svelteConfig = { compilerOptions: { runes: true } };

export default defineConfig(
  { ignores: ['dist', 'node_modules', '.svelte-check', 'src/**/*.gen.ts'] },
  js.configs.recommended,
  ts.configs.strict,
  svelte.configs.recommended,
  { rules: { 'max-lines': ['error', 450] } },
  {
    files: ['src/**', 'public/**'],
    languageOptions: { globals: globals.browser },
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Requests go through lib/api/transport.ts.' },
        { name: 'EventSource', message: 'Events come from lib/api/events.ts.' }
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Literal[value=/^https?:/]',
          message: 'The window loads nothing from a network.'
        }
      ],
      'svelte/no-at-html-tags': 'error',
      'svelte/no-target-blank': 'error',
      'svelte/button-has-type': 'error',
      'svelte/require-each-key': 'error',
      'no-console': 'error'
    }
  },
  { files: ['**/*.test.ts'], rules: { 'no-restricted-syntax': 'off' } },
  { files: ['src/lib/api/transport.ts'], rules: { 'no-restricted-globals': 'off' } },
  { files: ['scripts/**', 'e2e/**', '*.js', '*.ts'], languageOptions: { globals: globals.node } },
  // What these hand to the page runs there.
  {
    files: ['e2e/**'],
    languageOptions: {
      globals: {
        document: 'readonly',
        location: 'readonly',
        window: 'readonly',
        HTMLInputElement: 'readonly',
        MutationObserver: 'readonly'
      }
    }
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig }
    }
  }
);
