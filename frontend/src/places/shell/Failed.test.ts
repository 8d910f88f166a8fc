import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Problem } from '$lib/api/types';
import { refuse, said, serve } from '../../test/controller';
import Failed from './Failed.svelte';

const gone: Problem = {
  code: 'place-gone',
  params: { path: '/media/disk/piwork' },
  severity: 'blocking',
  cause: '',
  fix: [],
  details: 'no such file'
};

describe('a window without a controller', () => {
  it('says why, and starts the program anew', async () => {
    const asked = serve({ 'POST /again': null });
    render(Failed, { problem: said(gone) });
    expect(screen.getByRole('heading', { level: 1, name: 'piwork can’t start' })).toBeVisible();
    expect(screen.getByText(/\/media\/disk\/piwork/)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Check again' }));
    expect(asked.map(({ route }) => route)).toEqual(['POST /again']);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('says so when it cannot be started from here', async () => {
    serve({ 'POST /again': () => refuse({ code: 'internal' }) });
    render(Failed, { problem: gone });
    await userEvent.click(screen.getByRole('button', { name: 'Check again' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Close this window');
  });
});
