/** What a screen reader says about a change that the eye sees somewhere else. */
import { untrack } from 'svelte';

const AGAIN = '\u00a0'; // the same words twice are two pieces of news

class Announcer {
  text = $state('');

  /** In an effect, too: who says something does not listen. */
  say(text: string): void {
    const before = untrack(() => this.text);
    this.text = text !== '' && text === before ? text + AGAIN : text;
  }
}
export const announcer = new Announcer();
