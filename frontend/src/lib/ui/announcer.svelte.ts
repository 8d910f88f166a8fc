/** What a screen reader says about a change that the eye sees somewhere else. */
const AGAIN = '\u00a0'; // the same words twice are two pieces of news

class Announcer {
  text = $state('');
  say(text: string): void {
    this.text = text !== '' && text === this.text ? text + AGAIN : text;
  }
}
export const announcer = new Announcer();
