import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
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

  it('that was left is over, whatever is still answered', async () => {
    let arrive: (answer: unknown) => void = () => undefined;
    const answer = new Promise((resolve) => (arrive = resolve));
    const asked = serve({
      'POST /v1/keys/radius/login': begun,
      'GET /v1/logins/l1': () => answer,
      'DELETE /v1/logins/l1': null
    });
    open('radius');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in to Ada' }));
    await waitFor(() => expect(asked.at(-1)?.route).toBe('GET /v1/logins/l1'));
    await userEvent.click(screen.getByRole('button', { name: 'Don’t sign in' }));
    await waitFor(() => expect(asked.at(-1)?.route).toBe('DELETE /v1/logins/l1'));
    arrive(refuse({ code: 'not-found' }, 404));
    await new Promise((later) => setTimeout(later, 50));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('that is left while it begins opens no page, and is given up', async () => {
    let arrive: (answer: unknown) => void = () => undefined;
    const answer = new Promise((resolve) => (arrive = resolve));
    const BrowserOpenURL = vi.fn();
    window.runtime = { EventsOn: () => () => undefined, BrowserOpenURL };
    const asked = serve({ 'POST /v1/keys/radius/login': () => answer, 'DELETE /v1/logins/l1': null });
    const { unmount } = open('radius');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in to Ada' }));
    unmount();
    arrive(begun);
    await waitFor(() => expect(asked.at(-1)?.route).toBe('DELETE /v1/logins/l1'));
    expect(BrowserOpenURL).not.toHaveBeenCalled();
  });
});
