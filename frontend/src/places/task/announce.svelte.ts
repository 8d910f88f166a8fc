/** Says each new stage of a task to a screen reader. A task that was over when it was opened is no news. */
import type { Question, Task } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';
import { isFinal, type Stage } from '$lib/model/stage';
import { announcer } from '$lib/ui/announcer.svelte';

interface Seen {
  task: Task;
  question: Question | undefined;
  /** It waits with its plan. */
  asking: boolean;
  stage: Stage;
}

/** Call it while a component is set up; undefined is a task of which too little is known. */
export function announceStages(see: () => Seen | undefined): void {
  let told: string | undefined;
  $effect(() => {
    const seen = see();
    if (!seen) return;
    const { task, question, asking, stage } = seen;
    const over = isFinal(task.state);
    const now = over
      ? task.state
      : question
        ? `question ${question.id}`
        : asking
          ? 'plan'
          : stage === 'working'
            ? 'working'
            : 'opening';
    const news = told !== undefined || !over;
    if (now === told) return;
    told = now;
    if (!news || now === 'opening') return;
    const words = i18n.m.task.announce;
    if (now === 'done') announcer.say(words.done({ n: task.results?.length ?? 0 }));
    else if (now === 'plan' || now === 'working' || now === 'failed' || now === 'cancelled')
      announcer.say(words[now]);
    else announcer.say(i18n.m.questions.announce);
  });
}
