import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vitest/config';

// PIWORK_API names a running controller (or the mock of e2e/mock) for `npm run dev`.
const api = process.env.PIWORK_API;

export default defineConfig({
  plugins: [tailwindcss(), svelte()],
  resolve: {
    alias: {
      $lib: fileURLToPath(new URL('./src/lib', import.meta.url)),
      $sdk: fileURLToPath(new URL('../app/sdk/typescript/src', import.meta.url))
    },
    ...(process.env.VITEST ? { conditions: ['browser'] } : {})
  },
  build: {
    target: ['safari16.4', 'chrome111'],
    outDir: 'dist',
    emptyOutDir: true,
    // Everything is a file of its own origin: the content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }
  },
  ...(api ? { server: { proxy: { '/v1': api } } } : {}),
  test: {
    environment: 'jsdom',
    // All files share their modules and a window: to load these for each takes longer than its tests. So each test
    // begins with reset (src/test/controller.ts), and closes what it opens.
    pool: 'threads',
    isolate: false,
    include: ['src/**/*.test.ts'],
    globalSetup: ['src/test/words.setup.ts'],
    setupFiles: ['src/test/setup.ts'],
    restoreMocks: true,
    testTimeout: 60_000
  }
});
