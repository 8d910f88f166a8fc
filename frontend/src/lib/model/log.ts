/** A log as lines. What stands in it came from anywhere: signs that steer a terminal or turn the text around are made visible. */
import { hasWords } from './find';

export interface LogLine {
  key: string;
  text: string;
  /** It says that something is wrong. */
  grave: boolean;
}

const GRAVE = /\b(?:warn(?:ing)?|err(?:or)?|fatal|panic|fail(?:ed|ure)?|oops|segfault)\b/i;
// eslint-disable-next-line no-control-regex -- they are what is looked for
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
// eslint-disable-next-line no-control-regex -- colours of a terminal
const COLOURS = /\u001b\[[0-9;]*m/g;

export function linesOf(text: string, query: string, onlyGrave: boolean): LogLine[] {
  const wanted = query.trim();
  return text
    .split(/\r?\n/)
    .map((line, i) => {
      const shown = line.replace(COLOURS, '').replace(STEERING, '\ufffd');
      return { key: String(i), text: shown, grave: GRAVE.test(shown) };
    })
    .filter(
      (line) => line.text !== '' && (!onlyGrave || line.grave) && (!wanted || hasWords(wanted, [line.text]))
    );
}
