import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { refuse, serve } from '../../test/controller';
import SignIn from './SignIn.svelte';

const begun = { id: 'l1', url: 'https://login.example/device', needs: 'nothing', userCode: 'ABCD-EFGH' };
const open = (provider: string) =>
  render(SignIn, { key: { provider, name: 'Ada', has: false }, onchange: () => undefined });

describe('signing in', () => {
  it.each([
    ['anthropic', {}],
    ['github-copilot', {}],
    ['openai-codex', {}],
    ['radius', {}]
  ])('at %s takes the usual way', async (provider, body) => {
    const asked = serve({ [`POST /v1/keys/${provider}/login`]: begun, 'DELETE /v1/logins/l1': null });
    open(provider);
    await userEvent.click(screen.getByRole('button', { name: 'Sign in to Ada' }));
    expect(await screen.findByText('ABCD-EFGH')).toBeVisible();
    expect(asked[0]?.body).toEqual(body);
  });

  it.each(['openai-codex', 'radius'])('asks for a code on another device, at %s', async (provider) => {
    const asked = serve({ [`POST /v1/keys/${provider}/login`]: begun, 'DELETE /v1/logins/l1': null });
    open(provider);
    await userEvent.click(screen.getByText('Sign in on another device'));
    await userEvent.click(screen.getByRole('button', { name: 'Sign in with a code' }));
    expect(await screen.findByText('ABCD-EFGH')).toBeVisible();
    expect(asked[0]?.body).toEqual({ device: true });
    await userEvent.click(screen.getByRole('button', { name: 'Don’t sign in' }));
    await waitFor(() => expect(asked.at(-1)?.route).toBe('DELETE /v1/logins/l1'));
  });

  it('goes to a company’s own GitHub, and says when there is none', async () => {
    const asked = serve({
      'POST /v1/keys/github-copilot/login': refuse({ code: 'login-failed', cause: 'domain' })
    });
    open('github-copilot');
    await userEvent.click(screen.getByText('Your company has its own GitHub'));
    await userEvent.type(screen.getByLabelText('Address'), ' company.ghe.com ');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in to Ada' }));
    expect(await screen.findByRole('alert')).toHaveTextContent(/company\.ghe\.com/);
    expect(asked[0]?.body).toEqual({ domain: 'company.ghe.com' });
  });
});
