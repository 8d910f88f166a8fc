// The computer, and the way to the first chore.
import { reports } from '../fixtures/computers.mjs';
import { at } from '../fixtures/records.mjs';

/** @param {import('../world.mjs').World} world @param {import('../world.mjs').Setting} setting @returns {import('../world.mjs').Routes} */
export function setupRoutes(world, { guide = 'over' }) {
  let welcomed = guide !== 'fresh';
  let first = guide === 'over' ? 'done' : 'open';
  let unproven = false;
  const over = guide === 'over';

  function status() {
    if (!world.status) {
      for (const check of reports.ready.checks.slice(0, 2)) world.emit('', 'check', check);
      return /** @type {Promise<never>} */ (new Promise(() => undefined));
    }
    return { body: { ...world.status, time: at(0) } };
  }

  /** As app/setup/wizard does, in short. */
  function wizard() {
    const { status } = world;
    const problems = status && !status.ready ? status.problems : [];
    /** @param {boolean} check */
    const own = (check) =>
      problems.flatMap((p, i) =>
        (p.code === 'accel-unavailable') === check && p.severity === 'blocking' ? [i] : []
      );
    const ready = status?.ready === true;
    const foreseen = status !== undefined && !ready && !status.pack.verified;
    const admin = problems.some((p) =>
      p.fix.some((f) => /^(load-kvm|kvm-|windows-feature|hypervisor-start)/.test(f.code))
    );
    /** @type {any[]} */
    const steps = [
      { id: 'welcome', state: welcomed ? 'done' : 'open', problems: [], acts: ['done'] },
      {
        id: 'check',
        state: status && own(true).length === 0 ? 'done' : unproven && foreseen ? 'skipped' : 'open',
        problems: own(true),
        acts: foreseen ? ['skip'] : [],
        ...(own(true).length > 0 && admin ? { admin } : {})
      },
      {
        id: 'runtime',
        state: ready || (status?.pack.verified && own(false).length === 0) ? 'done' : 'open',
        problems: own(false),
        acts: []
      },
      { id: 'first', state: first, problems: [], acts: ['done', 'skip'] }
    ];
    const instead = status && !ready && status.pack.verified && world.places.weaker?.sandbox === 'always';
    if (instead) for (const step of steps.slice(1, 3)) if (step.state === 'open') step.state = 'skipped';
    const now = steps.find((step) => step.state === 'open');
    for (const step of steps) if (step !== now) step.acts = [];
    if (now) now.state = 'now';
    return {
      steps,
      done: !now,
      again: over && now !== undefined,
      ...(instead ? { instead: 'sandbox' } : {})
    };
  }

  return {
    'GET /v1/status': status,
    'POST /v1/status/check': status,
    'POST /v1/status/mend': () => {
      world.status = structuredClone(reports.ready);
      return { body: { declined: false, report: world.status } };
    },
    'GET /v1/wizard': () => ({ body: wizard() }),
    'POST /v1/wizard/{step}': ({ params, body }) => {
      if (params.step === 'welcome') welcomed = true;
      if (params.step === 'check') unproven = true;
      if (params.step === 'first') first = body.act === 'skip' ? 'skipped' : 'done';
      return { body: wizard() };
    },
    'POST /v1/samples': () => ({
      body: { path: '/home/anna/.cache/piwork/samples/Sample photos', files: 5 }
    }),
    'POST /v1/settings/slow-mode': ({ body }) => {
      world.status = structuredClone(body.on ? reports.slow : reports['linux-broken']);
      return { body: world.status };
    }
  };
}
