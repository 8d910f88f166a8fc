/** Says each new stage of a task to a screen reader. A task that was over when it was opened is no news. */
import { i18n } from '$lib/i18n/index.svelte';
import { announcer } from '$lib/ui/announcer.svelte';
import type { TaskPage } from './page.svelte';

/** Call it while a component is set up. */
export function announceStages(see: () => TaskPage): void {
  let told: string | undefined;
  $effect(() => {
    const { task, detail, over, question, asking, stage } = see();
    if (!task || !detail) return; // too little is known
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
