import { render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import type { Change, Task } from '$lib/api/types';
import { serve, task } from '../../test/controller';
import Changes from './Changes.svelte';
import FileLine from './FileLine.svelte';

// A mark that turns the direction of writing: shown as it stands, the name would end in "exe.jpg".
const name = 'b\u202egpj.exe';
const seen = 'b⟨202E⟩gpj.exe';

describe('a name with marks of direction', () => {
  it('is shown with them, and turns nothing around it', () => {
    render(FileLine, { path: name, remark: `New name: ${name}` });
    expect(screen.getByText(seen)).toHaveProperty('tagName', 'BDI');
    expect(screen.getByText(`New name: ${seen}`)).toBeVisible();
  });

  it('is so among the changes of a task, also where it was moved from', () => {
    serve({});
    const done: Task = { ...task, state: 'done' };
    const moved: Change = { id: 'c1', folder: 'f1', path: 'a.jpg', from: name, effect: 'move' };
    const made: Change = { id: 'c2', folder: 'f1', path: name, effect: 'create' };
    const { container } = render(Changes, { task: done, changes: [moved, made] });
    expect(container.textContent).toContain(seen);
    expect(container.innerHTML).not.toContain('\u202e');
  });
});
