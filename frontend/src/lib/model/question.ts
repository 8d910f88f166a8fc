/** What a task asks in the middle of its work. */
import type { Params, Question, Task, ApiEvent } from '$lib/api/types';
import { number, text } from '$lib/i18n/params';

/**
 * The question that a task waits with: of several that have no answer the one that was asked first, so that
 * none takes the place of another under the pointer. What was asked before the task began anew is over, and
 * its ids are used again.
 */
export function openQuestion(task: Task, timeline: readonly ApiEvent[]): Question | undefined {
  if (task.state !== 'waiting') return undefined;
  const open = new Map<string, Question>();
  for (const event of timeline) {
    if (event.kind === 'question') open.set(event.data.id, event.data);
    else if (event.kind === 'decision') open.delete(event.data.id);
    else if (event.kind === 'state' && event.data.state !== 'running' && event.data.state !== 'waiting')
      open.clear();
  }
  return open.values().next().value;
}

/** Whether a yes needs care: where nobody said that there is little risk, there may be much. */
export const isRisky = (question: Question) => question.risk !== 'none' && question.risk !== 'low';

/** What a question is about, as the catalogue has words for it. */
type Topic =
  | 'deleteMany'
  | 'changeMany'
  | 'delete'
  | 'change'
  | 'startup'
  | 'git'
  | 'hidden'
  | 'programs'
  | 'undoSpace'
  | 'undoMemory'
  | 'unpack'
  | 'other';

const RULES = ['startup', 'git', 'hidden', 'programs'] as const;

export interface QuestionView {
  topic: Topic;
  /** Which words its buttons have. */
  verb: 'delete' | 'change' | 'undoSpace' | 'unpack' | 'other';
  folder: string;
  /** How many files it is about, how many of them are not listed, and how many were done before. */
  count: number;
  unlisted: number;
  done: number;
  /** How many more an answer for once covers, where the question is about a number. */
  next: number | undefined;
  /** Bytes that are kept for undo, and how many more would be. */
  kept: number;
  more: number;
  /** How many times as large a file becomes. */
  times: number;
}

export function viewQuestion(question: Question): QuestionView {
  const params: Params = question.text.params ?? {};
  const count = number(params, 'count') ?? question.items.length;
  const topic = topicOf(question.text.code, text(params, 'topic'));
  return {
    topic,
    verb: verbOf(topic),
    folder: text(params, 'name'),
    count,
    unlisted: Math.max(0, count - question.items.length),
    done: number(params, 'done') ?? 0,
    next: number(params, 'next'),
    kept: number(params, 'bytes') ?? 0,
    more: number(params, 'more') ?? 0,
    times: number(params, 'times') ?? 0
  };
}

function verbOf(topic: Topic): QuestionView['verb'] {
  if (topic === 'undoSpace' || topic === 'undoMemory') return 'undoSpace';
  if (topic === 'unpack') return 'unpack';
  if (topic.startsWith('delete')) return 'delete';
  return topic.startsWith('change') ? 'change' : 'other';
}

function topicOf(code: string, topic: string): Topic {
  switch (code) {
    case 'guard-delete-many':
      return 'deleteMany';
    case 'guard-change-many':
      return 'changeMany';
    case 'guard-delete':
      return 'delete';
    case 'guard-change':
      return 'change';
    case 'undo-space':
      return 'undoSpace';
    case 'unpack-grows':
      return 'unpack';
    case 'undo-memory':
      return 'undoMemory';
    default:
      return RULES.find((rule) => rule === topic) ?? 'other';
  }
}

const RULE_TOPICS = ['delete', 'change', ...RULES] as const;

/** What a rule is about, as the catalogue has words for it. */
export function ruleTopic(topic: string): (typeof RULE_TOPICS)[number] | 'undoSpace' | 'command' | 'other' {
  if (topic === 'command' || topic.startsWith('command/')) return 'command';
  if (topic === 'undo-space' || topic === 'undo-memory') return 'undoSpace';
  return RULE_TOPICS.find((known) => known === topic) ?? 'other';
}
