/**
 * Keeps a file of a task under a name. In the window the person says where, and the controller writes it there, so
 * that no bytes go through the page; a browser downloads it.
 */
import { api, files } from '$lib/api/client';
import { inWindow } from '$lib/api/transport';

const KEEP_MS = 60_000; // the browser has read its copy long before

/** A file that a task has: what the controller calls it, and its bytes. */
export interface Kept {
  from: string;
  bytes: () => Promise<Blob>;
}

/** What a task made, everything that is known of a task, and one side of a change. */
export const kept = {
  result: (task: string, index: number): Kept => ({
    from: `/v1/tasks/${task}/results/${index}`,
    bytes: () => files.result(task, index)
  }),
  whole: (task: string): Kept => ({
    from: `/v1/tasks/${task}/export`,
    bytes: () => files.task(task)
  }),
  side: (task: string, change: string, side: 'before' | 'after'): Kept => ({
    from: `/v1/tasks/${task}/changes/${change}/${side}`,
    bytes: () => files.change(task, change, side)
  })
};

/** Where it is kept now, or in a browser its name; empty: the person chose no place. */
export async function saveAs(file: Kept, name: string, title: string): Promise<string> {
  if (inWindow()) return api.saveAs({ title, name: plain(name), from: file.from }).then(({ path }) => path);
  download(await file.bytes(), name);
  return name;
}

// As the controller takes the names that it offers.
function plain(name: string): string {
  // eslint-disable-next-line no-control-regex
  return name.replace(/[/\\\x00-\x1f]/g, ' ').slice(0, 200) || 'piwork';
}

function download(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS);
}
