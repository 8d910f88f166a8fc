/** A plan as a list that a person reads in ten seconds. */
import type { Effect, Folder, Plan, Problem, Task } from '$lib/api/types';
import { text } from '$lib/i18n/params';

export interface Place {
  /** Of the folder, as the person knows it; empty when the path lies in none. */
  folder: string;
  /** Relative to the folder. */
  path: string;
}

export interface PlannedOutput extends Place {
  effect: Effect;
  /** How much it becomes, where that is known before. */
  makes?: Plan['operations'][number]['makes'];
}

/** Files that all go to one place. */
interface MoveGroup {
  folder: string;
  /** Where they go, relative to the folder; empty for the folder itself. */
  to: string;
  /** They stay where they are, and get other names. */
  renames: boolean;
  items: { from: string; name: string; size?: number }[];
  size: number;
}

export interface PlanView {
  inputs: (Place & { size?: number })[];
  /** The strongest effect first, without moves. */
  outputs: PlannedOutput[];
  /** By where they go. */
  moves: MoveGroup[];
  counts: Record<Effect, number>;
  skipped: (Place & { problem: Problem })[];
  /** Nothing that is there now is touched. */
  safe: boolean;
}

/** From how many times as large on piwork asks before it unpacks (manyTimes of app/chore). */
export const ASKED_TIMES = 1000;

const ROOT = '/folders/';

/** Turns a path in the workroom into one that the person knows. */
export function placeOf(path: string, folders: readonly Folder[]): Place {
  if (!path.startsWith(ROOT)) return { folder: '', path };
  const rest = path.slice(ROOT.length);
  const folder = folders.find((f) => rest === f.name || rest.startsWith(`${f.name}/`));
  return folder
    ? { folder: folder.name, path: rest.slice(folder.name.length + 1) }
    : { folder: '', path: rest };
}

const STRENGTH: Record<Effect, number> = { delete: 3, change: 2, move: 1, create: 0 };

export function viewPlan(plan: Plan, folders: readonly Folder[]): PlanView {
  const counts: Record<Effect, number> = { create: 0, move: 0, change: 0, delete: 0 };
  for (const operation of plan.operations) counts[operation.effect]++;
  return {
    inputs: inputsOf(plan).map((input) => ({
      ...placeOf(input.path, folders),
      ...(input.size === undefined ? {} : { size: input.size })
    })),
    outputs: plan.operations
      .filter((operation) => operation.effect !== 'move')
      .map((operation) => ({
        ...placeOf(operation.out, folders),
        effect: operation.effect,
        makes: operation.makes
      }))
      .sort((a, b) => STRENGTH[b.effect] - STRENGTH[a.effect]),
    moves: moveGroups(plan, folders),
    counts,
    skipped: (plan.skipped ?? []).map((problem) => ({
      ...placeOf(text(problem.params ?? {}, 'path'), folders),
      problem
    })),
    safe: counts.change + counts.move + counts.delete === 0
  };
}

/** What a plan reads, each file once, without what it makes itself on the way. */
function inputsOf(plan: Plan): Plan['operations'][number]['in'] {
  const made = new Set(plan.operations.map((operation) => operation.out));
  const seen = new Set<string>();
  return plan.operations
    .filter((operation) => operation.effect !== 'create' || !operation.in.some(({ path }) => made.has(path)))
    .flatMap((operation) => operation.in)
    .filter(({ path }) => seen.size < seen.add(path).size);
}

function dirName(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function moveGroups(plan: Plan, folders: readonly Folder[]): MoveGroup[] {
  const groups = new Map<string, MoveGroup>();
  for (const operation of plan.operations) {
    const input = operation.in[0];
    if (operation.effect !== 'move' || input === undefined) continue;
    const from = placeOf(input.path, folders);
    const to = placeOf(operation.out, folders);
    const renames = dirName(from.path) === dirName(to.path) && from.folder === to.folder;
    const key = `${renames} ${to.folder}/${dirName(to.path)}`;
    const group = groups.get(key) ?? {
      folder: to.folder,
      to: dirName(to.path),
      renames,
      items: [],
      size: 0
    };
    groups.set(key, group);
    group.items.push({
      from: from.path,
      name: to.path.slice(dirName(to.path).length).replace(/^\//, ''),
      ...(input.size === undefined ? {} : { size: input.size })
    });
    group.size += input.size ?? 0;
  }
  return [...groups.values()];
}

/** What a task left out, each file or entry of an archive once: by its plan, and what turned out while it worked. */
export function leftOut(plan: Plan | undefined, task: Task): Problem[] {
  const seen = new Set<unknown>();
  return [...(plan?.skipped ?? []), ...(task.problems ?? [])].filter(({ params }) => {
    if (params?.path === undefined) return true;
    const key = JSON.stringify([params.path, params.entry ?? null]);
    return seen.size < seen.add(key).size;
  });
}
