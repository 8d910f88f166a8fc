import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { computer } from '$lib/state/computer.svelte';
import { i18n } from '$lib/i18n/index.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { refuse, report, said, serve, task as known } from '../../test/controller';
import Settings from './Settings.svelte';

const created = '2026-01-02T03:04:05Z';
const LETTERS = 'forbid (principal, action == Action::"write", resource in Path::"/home/sam/Letters");';
const rule = { id: 'letters', layer: 'yours', line: 1, effect: 'deny', cedar: LETTERS };
const own = {
  id: 'work-in-a-machine',
  layer: 'default',
  line: 1,
  effect: 'allow',
  cedar: 'permit (principal, action == Action::"startRuntime", resource == Runtime::"vm");'
};
const files = [
  { layer: 'managed', path: '/etc/piwork/policy.cedar', there: false },
  { layer: 'yours', path: '/home/sam/policy.cedar', there: true }
];
const policy = { files, rules: [rule, own], text: `${LETTERS}\n` };
const empty = { files, rules: [own], text: '' };
const exception =
  'principal in Agent::"pi" && principal in Person::"you" && action == Action::"write" && resource is Path && resource.path == "/home/sam/Letters/a.txt" && context.runtime == "vm"';
const proposal = {
  id: 'p1',
  task: '0198c3',
  created,
  about: { action: 'write', path: '/home/sam/Letters/a.txt', agent: 'pi' },
  rule: 'letters',
  was: LETTERS,
  cedar: LETTERS.replace(';', ` unless { ${exception} };`),
  then: 'allow'
};
const nothing = {
  'GET /v1/policy': empty,
  'GET /v1/policy/proposals': [],
  'GET /v1/policy/exceptions': [],
  'GET /v1/rules': []
};

beforeEach(() => {
  computer.report = report;
});

describe('rules that are written', () => {
  it('are said by who wrote them', async () => {
    serve({ ...nothing, 'GET /v1/policy': policy });
    render(Settings, { section: 'rules' });
    const yours = await screen.findByRole('region', { name: 'Your rules' });
    expect(within(yours).getByText('Refuse: change files in /home/sam/Letters.')).toBeVisible();
    expect(within(yours).getByText(/\/home\/sam\/policy\.cedar/)).toBeVisible();
    const piwork = screen.getByRole('region', { name: 'What piwork does anyway' });
    expect(within(piwork).getByText('A task works in a workroom.')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'Your administrator’s rules' })).toBeNull();
  });

  it('say where a file has a mistake, and are not written then', async () => {
    const fault = { layer: 'yours', path: '/home/sam/policy.cedar', code: 'syntax', line: 3, message: 'x' };
    serve({ ...nothing, 'GET /v1/policy': { ...empty, files: [files[0], { ...files[1], fault }] } });
    render(Settings, { section: 'rules' });
    expect(await screen.findByRole('alert')).toHaveTextContent('Line 3 of the rules');
    expect(screen.queryByRole('checkbox')).toBeNull();
  });

  it('say which rule may not do what it seems to, and count all the same', async () => {
    const doubt = 'context.risk is never "medium": there are none, low, high';
    serve({ ...nothing, 'GET /v1/policy': { ...policy, rules: [{ ...rule, line: 7, doubt }, own] } });
    render(Settings, { section: 'rules' });
    expect(await screen.findByRole('alert')).toHaveTextContent('Correct line 7.');
    expect(screen.getByText(doubt)).toBeInTheDocument();
    expect(screen.getByRole('checkbox')).toBeEnabled();
  });

  it('have files change only where a task is kept apart, by one box', async () => {
    let now: { files: typeof files; rules: object[]; text: string } = policy;
    const asked = serve({
      ...nothing,
      'GET /v1/policy': () => now,
      'PUT /v1/policy': (body: unknown) => {
        const { text } = body as { text: string };
        const cedar = /@id\("change-files-only[^;]*;/.exec(text)?.[0];
        const apart = cedar ? [{ ...rule, id: 'change-files-only-kept-apart', cedar }] : [];
        now = { files, rules: [rule, ...apart, own], text };
        return now;
      }
    });
    render(Settings, { section: 'rules' });
    const box = await screen.findByRole('checkbox', { name: /only in a workroom/ });
    expect(box).not.toBeChecked();
    await userEvent.click(box);
    await waitFor(() => expect(box).toBeChecked());
    const written = () => asked.findLast(({ route }) => route === 'PUT /v1/policy')?.body;
    const sent = written() as { text: string; before: string };
    expect(sent.before).toBe(policy.text);
    expect(sent.text).toContain(LETTERS);
    expect(sent.text).toContain('unless { ["vm", "container"].contains(context.runtime) };');
    await userEvent.click(box);
    await waitFor(() => expect(box).not.toBeChecked());
    expect((written() as { text: string }).text).toBe(`${LETTERS}\n`);
  });

  it('show what holds where they could not be written, and where an administrator decided', async () => {
    serve({ ...nothing, 'PUT /v1/policy': () => refuse({ code: 'policy-changed' }, 409) });
    const { unmount } = render(Settings, { section: 'rules' });
    const box = await screen.findByRole('checkbox', { name: /only in a workroom/ });
    await userEvent.click(box);
    expect(await screen.findByRole('alert')).toBeVisible();
    expect(box).not.toBeChecked();
    unmount();
    const apart = { ...rule, id: 'change-files-only-kept-apart', layer: 'managed' };
    serve({ ...nothing, 'GET /v1/policy': { ...empty, rules: [apart, own] } });
    render(Settings, { section: 'rules' });
    const fixed = await screen.findByRole('checkbox', { name: /only in a workroom/ });
    expect(fixed).toBeChecked();
    expect(fixed).toBeDisabled();
  });
});

describe('what AIs were refused', () => {
  it('is said as what it would allow, and allowed by a yes alone', async () => {
    let left = [proposal];
    const asked = serve({
      ...nothing,
      'GET /v1/policy': policy,
      'GET /v1/policy/proposals': () => left,
      'POST /v1/policy/proposals/p1/accept': () => {
        left = [];
        return { ...policy, rules: [{ ...rule, cedar: proposal.cedar }, own] };
      }
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Refused to AIs' });
    const said =
      'Allow: change files at /home/sam/Letters/a.txt, for the AI program pi, for your own tasks, if the place is a workroom.';
    expect(within(list).getByText(said)).toBeVisible();
    expect(within(list).getByRole('link', { name: 'Open the task' })).toHaveAttribute(
      'href',
      '#/tasks/0198c3'
    );
    expect(asked.every(({ route }) => route.startsWith('GET '))).toBe(true);
    await userEvent.click(within(list).getByRole('button', { name: `Allow this: ${said}` }));
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Refused to AIs' })).toBeNull());
    const yours = screen.getByRole('region', { name: 'Your rules' });
    expect(
      within(yours).getByText(/; except: change files at \/home\/sam\/Letters\/a\.txt, for the AI program pi/)
    ).toBeVisible();
  });

  it('is allowed for as long as the person chooses, and carefully without a choice', async () => {
    const asked = serve({
      ...nothing,
      'GET /v1/policy/proposals': [
        { ...proposal, careful: 'task' },
        { ...proposal, id: 'p2', careful: 'hour' }
      ],
      'POST /v1/policy/proposals/p1/accept': policy,
      'POST /v1/policy/proposals/p2/accept': policy
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Refused to AIs' });
    const [first, second] = within(list).getAllByLabelText('How long') as [HTMLElement, HTMLElement];
    expect(first).toHaveValue('task');
    expect(second).toHaveValue('hour');
    await userEvent.selectOptions(second, 'For a week');
    const [one] = within(list).getAllByRole('button', { name: /^Allow this/ }) as [HTMLElement];
    await userEvent.click(one);
    await waitFor(() =>
      expect(asked).toContainEqual({ route: 'POST /v1/policy/proposals/p1/accept', body: { holds: 'task' } })
    );
    const [, other] = within(list).getAllByRole('button', { name: /^Allow this/ }) as [
      HTMLElement,
      HTMLElement
    ];
    await waitFor(() => expect(other).toBeEnabled());
    await userEvent.click(other);
    await waitFor(() =>
      expect(asked).toContainEqual({ route: 'POST /v1/policy/proposals/p2/accept', body: { holds: 'week' } })
    );
  });

  it('stays refused, and says when it cannot be allowed any more', async () => {
    let left = [proposal, { ...proposal, id: 'p2' }];
    const asked = serve({
      ...nothing,
      'GET /v1/policy/proposals': () => left,
      'DELETE /v1/policy/proposals/p1': () => {
        left = left.slice(1);
        return null;
      },
      'POST /v1/policy/proposals/p2/accept': () => {
        left = [];
        return refuse({ code: 'policy-changed' }, 409);
      }
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Refused to AIs' });
    await userEvent.click(within(list).getAllByRole('button', { name: /^Keep refusing/ })[0] as HTMLElement);
    await waitFor(() => expect(within(list).getAllByRole('button', { name: /^Allow this/ })).toHaveLength(1));
    expect(asked.map(({ route }) => route)).toContain('DELETE /v1/policy/proposals/p1');
    await userEvent.click(within(list).getByRole('button', { name: /^Allow this/ }));
    expect(await within(list).findByRole('alert')).toBeVisible();
    expect(within(list).queryByRole('button', { name: /^Allow this/ })).toBeNull();
  });
});

describe('exceptions', () => {
  const until = '2100-05-06T07:08:09Z';
  const all = [
    { id: 'ab1', rule: 'letters', cedar: exception, since: created, until },
    { id: 'ab2', rule: 'letters', cedar: exception.replace('a.txt', 'b.txt'), task: '0198c3' },
    { id: 'ab3', rule: 'letters', cedar: exception.replace('a.txt', 'c.txt'), until: created, ended: true },
    { id: 'ab4', rule: 'letters', cedar: exception.replace('a.txt', 'd.txt'), edited: true }
  ];
  const saidOf = (file: string) =>
    `Exception to your rule “letters”: change files at /home/sam/Letters/${file}, for the AI program pi, for your own tasks, if the place is a workroom.`;

  it('are said with their ends, and taken back by one click', async () => {
    let left = all;
    const asked = serve({
      ...nothing,
      'GET /v1/policy': policy,
      'GET /v1/policy/exceptions': () => left,
      'DELETE /v1/policy/exceptions/ab1': () => {
        left = left.slice(1);
        return null;
      }
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Exceptions to your rules' });
    expect(within(list).getByText(saidOf('a.txt'))).toBeVisible();
    expect(within(list).getByText(new RegExp(`until ${i18n.f.day(until)}`))).toBeVisible();
    expect(within(list).getByRole('link', { name: 'one task' })).toHaveAttribute('href', '#/tasks/0198c3');
    expect(within(list).getByText(/has ended/)).toBeVisible();
    expect(await within(list).findByText(/remove it in your file, \/home\/sam\/policy\.cedar/)).toBeVisible();
    expect(within(list).queryByRole('button', { name: `Take back: ${saidOf('d.txt')}` })).toBeNull();
    await userEvent.click(within(list).getByRole('button', { name: `Take back: ${saidOf('a.txt')}` }));
    await waitFor(() => expect(within(list).queryByText(saidOf('a.txt'))).toBeNull());
    expect(asked.filter(({ route }) => route === 'GET /v1/policy')).toHaveLength(2);
  });

  it('that were changed by hand meanwhile say what to do instead', async () => {
    serve({
      ...nothing,
      'GET /v1/policy/exceptions': all.slice(0, 1),
      'DELETE /v1/policy/exceptions/ab1': () =>
        refuse(
          { code: 'exception-changed', params: { rule: 'letters', path: '/home/sam/policy.cedar' } },
          409
        )
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Exceptions to your rules' });
    await userEvent.click(within(list).getByRole('button', { name: /^Take back/ }));
    expect(await within(list).findByRole('alert')).toHaveTextContent('edit /home/sam/policy.cedar');
  });
});

describe('a decision', () => {
  const rules = [
    { id: 'r1', topic: 'git', answer: 'allow', created, narrows: 'folder' },
    {
      id: 'r2',
      topic: 'network/*.a.example',
      answer: 'allow',
      created,
      narrows: 'host',
      expires: '2100-05-06T07:08:09Z'
    },
    { id: 'r3', topic: 'delete', answer: 'deny', created, client: 'nightly' }
  ];

  it('gets an end, and none', async () => {
    const asked = serve({
      ...nothing,
      'GET /v1/rules': rules,
      'PUT /v1/rules/r1/end': rules[0],
      'PUT /v1/rules/r2/end': rules[1]
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Your decisions' });
    expect(within(list).getByText(new RegExp(`until ${i18n.f.day('2100-05-06T07:08:09Z')}`))).toBeVisible();
    expect(within(list).getAllByText(/decided by “nightly”/)).toHaveLength(1);
    const [first, second] = within(list).getAllByLabelText('Ends');
    const before = Date.now();
    await userEvent.selectOptions(first as HTMLElement, 'In a week');
    await waitFor(() => expect(asked.some(({ route }) => route === 'PUT /v1/rules/r1/end')).toBe(true));
    const { expires } = asked.find(({ route }) => route === 'PUT /v1/rules/r1/end')?.body as {
      expires: string;
    };
    expect(Math.abs(Date.parse(expires) - before - 7 * 86_400_000)).toBeLessThan(60_000);
    await userEvent.selectOptions(second as HTMLElement, 'Never');
    await waitFor(() =>
      expect(asked.find(({ route }) => route === 'PUT /v1/rules/r2/end')?.body).toEqual({})
    );
  });

  it('is narrowed to one task that runs, if it still is what was seen', async () => {
    tasks.list = [
      { ...known, id: 't1', state: 'running', called: 'Sort the letters' },
      { ...known, id: 't2', state: 'done', called: 'Over' }
    ];
    let now = rules[0];
    const asked = serve({
      ...nothing,
      'GET /v1/rules': () => [now, rules[2]],
      'GET /v1/rules/r1': () =>
        new Response(JSON.stringify(said(now)), {
          headers: { 'Content-Type': 'application/json', ETag: '"one"' }
        }),
      'PUT /v1/rules/r1/scope': () => {
        now = { ...rules[0], task: 't9', narrows: undefined } as unknown as (typeof rules)[0];
        return refuse({ code: 'changed' }, 412);
      }
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Your decisions' });
    const [fold] = within(list).getAllByText('Change') as [HTMLElement];
    await userEvent.click(fold);
    await waitFor(() => expect(asked.map(({ route }) => route)).toContain('GET /v1/rules/r1'));
    const tasksOf = within(list).getAllByLabelText('Only in one task that runs');
    expect(tasksOf).toHaveLength(1); // what is refused is not narrowed
    expect(within(tasksOf[0] as HTMLElement).queryByText('Over')).toBeNull();
    await userEvent.selectOptions(tasksOf[0] as HTMLElement, 'Sort the letters');
    await waitFor(() =>
      expect(asked).toContainEqual({
        route: 'PUT /v1/rules/r1/scope',
        body: { task: 't1' },
        match: '"one"'
      })
    );
    expect(await within(list).findByRole('alert')).toHaveTextContent('Someone changed this in the meantime');
    await waitFor(() => expect(within(list).queryByLabelText('Only in one task that runs')).toBeNull());
  });

  it('is narrowed to what it may be narrowed to', async () => {
    const asked = serve({
      ...nothing,
      'GET /v1/rules': rules,
      'PUT /v1/rules/r1/scope': rules[0],
      'PUT /v1/rules/r2/scope': () => refuse({ code: 'bad-request', params: { field: 'host' } }, 400)
    });
    render(Settings, { section: 'rules' });
    const list = await screen.findByRole('region', { name: 'Your decisions' });
    expect(within(list).getAllByText('Change')).toHaveLength(3);
    for (const fold of within(list).getAllByText('Change')) await userEvent.click(fold);
    await userEvent.click(within(list).getByRole('button', { name: 'Allow it in one folder only' }));
    await userEvent.type(within(list).getByLabelText('Folder'), '/home/sam/Code');
    await userEvent.click(within(list).getAllByRole('button', { name: 'Allow only this' })[0] as HTMLElement);
    await waitFor(() =>
      expect(asked).toContainEqual({ route: 'PUT /v1/rules/r1/scope', body: { folder: '/home/sam/Code' } })
    );
    await userEvent.type(within(list).getByLabelText('Only for this address'), 'b.example{Enter}');
    expect(await within(list).findByRole('alert')).toBeVisible();
    expect(asked).toContainEqual({ route: 'PUT /v1/rules/r2/scope', body: { host: 'b.example' } });
  });
});
