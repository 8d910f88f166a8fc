import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { refuse, serve } from '../../test/controller';
import Privacy from './Privacy.svelte';

const OFF = 'piwork sends no reports and no measurements.';

describe('what is sent about piwork', () => {
  it('is nothing only where that is so, and can be stopped and begun', async () => {
    let sent = { endpoint: 'https://collector.example.org' };
    const asked = serve({
      'GET /v1/models': { list: [] },
      'GET /v1/settings/telemetry': () => sent,
      'PUT /v1/settings/telemetry': (body: unknown) => (sent = body as typeof sent)
    });
    render(Privacy);
    expect(await screen.findByText('https://collector.example.org')).toBeVisible();
    expect(screen.queryByText(OFF)).toBeNull();
    expect(screen.getByText(/Names, paths, messages/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Stop sending' }));
    expect(await screen.findByText(OFF)).toBeVisible();
    expect(screen.getByText('Nothing is sent anymore.')).toBeVisible();
    await userEvent.click(screen.getByText('Send measurements to a server of your own'));
    await userEvent.type(screen.getByLabelText('Address'), 'http://127.0.0.1:4318{Enter}');
    expect(await screen.findByText('http://127.0.0.1:4318')).toBeVisible();
    expect(asked.filter(({ route }) => route.startsWith('PUT')).map(({ body }) => body)).toEqual([
      { endpoint: '' },
      { endpoint: 'http://127.0.0.1:4318' }
    ]);
  });

  it('is not said to be nothing where nobody knows, or where it could not be stopped', async () => {
    let known = false;
    serve({
      'GET /v1/models': { list: [] },
      'GET /v1/settings/telemetry': () =>
        known ? { endpoint: 'https://x' } : refuse({ code: 'disk-full' }, 507),
      'PUT /v1/settings/telemetry': refuse({ code: 'disk-full' }, 507)
    });
    const { unmount } = render(Privacy);
    await screen.findByRole('alert');
    expect(screen.queryByText(OFF)).toBeNull();
    unmount();
    known = true;
    render(Privacy);
    await userEvent.click(await screen.findByRole('button', { name: 'Stop sending' }));
    await screen.findByRole('alert');
    await waitFor(() => expect(screen.getByText('https://x')).toBeVisible());
    expect(screen.queryByText(OFF)).toBeNull();
  });
});
