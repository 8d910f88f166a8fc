/** What a screen reader says about a change that the eye sees somewhere else. */
class Announcer {
  text = $state('');
  say(text: string): void {
    this.text = text;
  }
}
export const announcer = new Announcer();
