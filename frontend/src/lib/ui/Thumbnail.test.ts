import { render, waitFor } from '@testing-library/svelte';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import Thumbnail from './Thumbnail.svelte';

let appear: (() => void)[];

beforeEach(() => {
  appear = [];
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(take: (seen: { isIntersecting: boolean }[]) => void) {
        appear.push(() => take([{ isIntersecting: true }]));
      }
      observe = () => undefined;
      disconnect = () => undefined;
    }
  );
  vi.stubGlobal(
    'URL',
    Object.assign(URL, { createObjectURL: (b: Blob) => `blob:${b.type}`, revokeObjectURL: vi.fn() })
  );
});

const bytes = () => Promise.resolve(new Blob(['x']));

describe('a small picture', () => {
  it('is read when it comes into sight, by the kind of its name', async () => {
    const read = vi.fn(bytes);
    const { container, unmount } = render(Thumbnail, { path: 'a.JPG', size: 10, of: '1', read });
    expect(read).not.toHaveBeenCalled();
    appear[0]?.();
    await waitFor(() => expect(container.querySelector('img')).toHaveAttribute('src', 'blob:image/jpeg'));
    unmount();
    expect(URL.revokeObjectURL).toHaveBeenCalledWith('blob:image/jpeg');
  });

  it('is not made of what is large or no picture, and a failure leaves the sign', async () => {
    for (const [path, size] of [
      ['a.jpg', 50_000_000],
      ['a.pdf', 10],
      ['gone.png', 0]
    ] as const)
      render(Thumbnail, { path, size, of: path, read: bytes });
    expect(appear).toHaveLength(0);
    const { container } = render(Thumbnail, {
      path: 'a.png',
      size: 5,
      of: 'a',
      read: () => Promise.reject(Error())
    });
    const next = vi.fn(bytes);
    render(Thumbnail, { path: 'b.png', size: 5, of: 'b', read: next });
    for (const one of appear) one();
    await waitFor(() => expect(next).toHaveBeenCalled()); // one that fails does not hold up the others
    expect(container.querySelector('img')).toBeNull();
    expect(container.querySelector('svg')).toBeVisible();
  });
});
