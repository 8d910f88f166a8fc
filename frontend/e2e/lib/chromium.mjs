// A headless Chromium that stays on this computer: it makes no request of its own.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
];

/** Where the browser is: $CHROMIUM, else the first of the places where Debian and others put it. */
export function chromiumPath() {
  const places = [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome'
  ];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error('no Chromium: install it, or name it in CHROMIUM');
  return found;
}

export function launch() {
  return chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
}
