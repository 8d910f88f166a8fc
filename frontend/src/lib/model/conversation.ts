/** The timeline of an AI task as a conversation: what was said, and what was done in between. */
import type { ApiEvent, MessageData, NoticeData, QueueData, Task, ToolData, Usage } from '$lib/api/types';

/** What is done with a tool, and how the controller says it. */
export type SaidTool = ToolData & { said: string };

export type TalkEntry = { key: string; time: string } & (
  | { kind: 'message'; message: MessageData }
  | { kind: 'tools'; tools: SaidTool[] }
  | { kind: 'notice'; notice: NoticeData; said: string }
  | { kind: 'decided'; said: string }
);

// They say only that work began or ended; that is in sight anyway.
const SILENT = new Set(['turn', 'settled']);

export function conversationOf(timeline: readonly ApiEvent[]): TalkEntry[] {
  const entries: TalkEntry[] = [];
  const messages = new Map<string, number>();
  const tools = new Map<string, { at: number; index: number }>();
  for (const event of timeline) {
    const { time, said = '' } = event;
    const at = entries.length;
    switch (event.kind) {
      case 'message': {
        const { data } = event;
        const entry: TalkEntry = { key: `m${data.id}`, time, kind: 'message', message: data };
        const known = messages.get(data.id);
        if (known === undefined) {
          messages.set(data.id, at);
          entries.push(entry);
        } else entries[known] = { ...entry, time: entries[known]?.time ?? time };
        break;
      }
      case 'tool': {
        const data = { ...event.data, said };
        const known = tools.get(data.id);
        const entry = entries[known?.at ?? at - 1];
        if (known && entry?.kind === 'tools') {
          entry.tools[known.index] = data;
        } else if (entry?.kind === 'tools' && groups(entry.tools, data)) {
          tools.set(data.id, { at: at - 1, index: entry.tools.push(data) - 1 });
        } else {
          tools.set(data.id, { at, index: 0 });
          entries.push({ key: `t${data.id}`, time, kind: 'tools', tools: [data] });
        }
        break;
      }
      case 'notice':
        if (!SILENT.has(event.data.code))
          entries.push({ key: `n${at}-${event.time}`, time, kind: 'notice', notice: event.data, said });
        break;
      case 'decision':
        entries.push({ key: `d${at}-${event.data.id}`, time, kind: 'decided', said });
        break;
    }
  }
  return entries;
}

/** What the person said and the agent does not have yet, after what it has. */
export function waitingOf(task: Task, timeline: readonly ApiEvent[]): TalkEntry[] {
  const heard = new Set<string | undefined>();
  for (const event of timeline) if (event.kind === 'message') heard.add(event.data.pending);
  return (task.ai?.pending ?? [])
    .filter((message) => !heard.has(message.id))
    .map((message) => ({
      key: `p${message.id}`,
      time: task.created,
      kind: 'message',
      message: {
        id: message.id,
        role: 'user',
        text: message.text,
        how: message.how,
        images: (message.images ?? []).map((name) => name.replace(/^[0-9a-f]{8}-\d+-/, ''))
      }
    }));
}

/** Files that are read one after the other are one line. */
function groups(tools: readonly ToolData[], next: ToolData): boolean {
  return next.verb === 'read' && tools.every((tool) => tool.verb === 'read');
}

/** Messages that wait to be heard. */
export function queueOf(timeline: readonly ApiEvent[]): QueueData {
  const last = timeline.findLast((event) => event.kind === 'queue');
  return last?.data ?? { steering: [], followUp: [] };
}

/** What a task used so far, as its timeline knows it before its record does. */
export function usageOf(timeline: readonly ApiEvent[]): Usage | undefined {
  return timeline.findLast((event) => event.kind === 'usage')?.data;
}

const SAID = new Set<ApiEvent['kind']>(['message', 'tool', 'usage', 'notice', 'queue']);

/** Whether an event is whole in itself: nothing has to be read again to know what it says. */
export function isSaid(event: ApiEvent): boolean {
  return SAID.has(event.kind);
}

const LOOKS = new Set(['read', 'list', 'search', 'fetch']);

/** Whether files may be other ones after this. */
export function mayChange(event: ApiEvent): boolean {
  return event.kind === 'tool' && event.data.state !== 'started' && !LOOKS.has(event.data.verb);
}

/** Whether the record has another model after this. */
export function isTuned(event: ApiEvent): boolean {
  return event.kind === 'notice' && event.data.code === 'model';
}

const FEW = 200; // as many as can arrive while a timeline is read

/**
 * A timeline that was just read, with what arrived meanwhile: an event is there
 * already when the same was read, of the same moment, whose number is another
 * one. The same said again later is more news.
 */
export function joinTimeline(read: readonly ApiEvent[], arrived: readonly ApiEvent[]): ApiEvent[] {
  if (arrived.length === 0) return [...read];
  const known = new Set(read.slice(-FEW - arrived.length).map(identity));
  return [...read, ...arrived.filter((event) => !known.has(identity(event)))];
}

function identity(event: ApiEvent): string {
  return `${event.kind} ${event.time} ${JSON.stringify(event.data)}`;
}
