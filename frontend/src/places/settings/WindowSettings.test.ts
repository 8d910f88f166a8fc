import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { serve } from '../../test/controller';
import WindowSettings from './WindowSettings.svelte';

const answers = { 'GET /v1/settings/window': { close: 'ask', notify: true } };
const box = () => screen.findByRole('checkbox', { name: 'Start piwork in the background when you log in' });

describe('starting at login', () => {
  it('is turned on, and off again', async () => {
    let on = false;
    const asked = serve({
      ...answers,
      'GET /v1/settings/at-login': () => ({ on, possible: true }),
      'PUT /v1/settings/at-login': (body: unknown) => {
        on = (body as { on: boolean }).on;
        return { on, possible: true };
      }
    });
    render(WindowSettings);
    expect(await box()).not.toBeChecked();
    await userEvent.click(await box());
    await waitFor(async () => expect(await box()).toBeChecked());
    await userEvent.click(await box());
    await waitFor(async () => expect(await box()).not.toBeChecked());
    expect(asked.filter(({ route }) => route.startsWith('PUT'))).toEqual([
      { route: 'PUT /v1/settings/at-login', body: { on: true } },
      { route: 'PUT /v1/settings/at-login', body: { on: false } }
    ]);
  });

  it('stays as it was when the system refuses, and says why', async () => {
    serve({
      ...answers,
      'GET /v1/settings/at-login': { on: false, possible: true },
      'PUT /v1/settings/at-login': () =>
        new Response(
          JSON.stringify({ code: 'at-login', title: 'This computer doesn’t start piwork at login', fix: [] }),
          {
            status: 500,
            headers: { 'Content-Type': 'application/problem+json' }
          }
        )
    });
    render(WindowSettings);
    await userEvent.click(await box());
    expect(await screen.findByText('This computer doesn’t start piwork at login')).toBeVisible();
    expect(await box()).not.toBeChecked();
  });

  it('is not offered where the system has no such thing', async () => {
    serve({ ...answers, 'GET /v1/settings/at-login': { on: false, possible: false } });
    render(WindowSettings);
    await screen.findByRole('radio', { name: 'Ask me' });
    expect(screen.queryByRole('checkbox', { name: /log in/ })).toBeNull();
  });
});
