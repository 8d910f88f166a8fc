import { render, screen, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import type { ApiEvent } from '$lib/api/types';
import { entriesOf } from '$lib/model/timeline';
import { said } from '../../test/controller';
import Timeline from './Timeline.svelte';

const result = (i: number) =>
  ({
    v: 1,
    seq: i + 1,
    time: '2026-01-02T03:04:05Z',
    task: 't',
    kind: 'result',
    data: { folder: 'f1', path: `made/${i}.pdf`, size: 1, sha256: '' }
  }) as ApiEvent;

describe('the timeline', () => {
  it('with 10,000 entries has only those in sight, and knows how many there are', () => {
    const timeline = said(Array.from({ length: 10_000 }, (_, i) => result(i)));
    expect(entriesOf(timeline)).toHaveLength(10_000);
    render(Timeline, { timeline, open: true });
    const lines = within(screen.getByRole('list', { name: 'Activity' })).getAllByRole('listitem');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.length).toBeLessThan(100);
    expect(lines[0]).toHaveAttribute('aria-setsize', '10000');
    expect(screen.getByText('Created “0.pdf”')).toBeVisible();
    expect(screen.queryByText('Created “9999.pdf”')).toBeNull();
  });

  it('with few shows all of them', () => {
    render(Timeline, { timeline: Array.from({ length: 20 }, (_, i) => result(i)), open: true });
    expect(screen.getAllByRole('listitem')).toHaveLength(20);
  });
});
