import type { Catalogue } from '../catalogue';

const things = (n: number) => (n === 1 ? '1 Änderung' : `${n} Änderungen`);
const lines = (n: number) => (n === 1 ? '1 Zeile' : `${n} Zeilen`);
const rows = (n: number) => (n === 1 ? '1 Zeile' : `${n} Zeilen`);

export const changes: Catalogue['changes'] = {
  title: 'Was geändert wurde',
  back: 'Zurück zur Aufgabe',
  look: 'Änderungen ansehen',
  none: 'In Ihren Ordnern wurde nichts geändert.',
  running: 'Die Aufgabe arbeitet noch. Zurückgenommen werden kann, wenn sie zu Ende ist.',
  things,

  filterLabel: 'Anzeigen',
  filters: {
    all: 'Alle',
    create: 'Neu',
    change: 'Geändert',
    move: 'Verschoben',
    delete: 'Gelöscht',
    undone: 'Zurückgenommen'
  },
  filterCount: (name, n) => `${name} (${n})`,
  noneHere: 'Davon gibt es nichts.',
  find: 'Datei suchen',
  list: 'Geänderte Dateien',
  folder: (name, n) => `${name}, ${things(n)}`,
  choose: (name) => `${name} auswählen`,
  chooseAll: 'Alle gezeigten auswählen',
  chosen: (n) => `${n} ausgewählt`,
  keys: 'Die Pfeiltasten gehen von Zeile zu Zeile, die Leertaste wählt aus, Enter zeigt, was geändert wurde.',

  undoAll: 'Alles zurücknehmen',
  undoChosen: (n) => `${things(n)} zurücknehmen`,
  redoAll: 'Alles wiederbringen',
  redoChosen: (n) => `${things(n)} wiederbringen`,
  redoing: 'Wird wiedergebracht …',
  redoToast: 'Wiederbringen',
  redone: (n) => (n === 1 ? '1 Änderung ist wieder da.' : `${n} Änderungen sind wieder da.`),
  redoConflicts: (n) =>
    n === 1
      ? '1 Änderung wurde nicht wiedergebracht, weil dort jetzt etwas von Ihnen ist:'
      : `${n} Änderungen wurden nicht wiedergebracht, weil dort jetzt etwas von Ihnen ist:`,

  waits: 'Wartet auf Sie',
  waitsTitle: 'Im Ordner wurde noch nichts geändert',
  waitsText: (n) =>
    n === 1
      ? '1 Änderung wartet auf Ihr Ja. Sehen Sie sie an, dann kommt sie in den Ordner oder wird verworfen.'
      : `${n} Änderungen warten auf Ihr Ja. Sehen Sie sie an, dann kommen sie in den Ordner, alle oder einige, oder werden verworfen.`,
  applyAll: 'Alles in den Ordner übernehmen',
  applyChosen: (n) => `${things(n)} in den Ordner übernehmen`,
  applying: 'Wird übernommen …',
  applied: (n) =>
    n === 1
      ? '1 Änderung ist jetzt im Ordner. Sie kann noch zurückgenommen werden.'
      : `${n} Änderungen sind jetzt im Ordner. Sie können noch zurückgenommen werden.`,
  discardAll: 'Alles verwerfen',
  discardChosen: (n) => `${things(n)} verwerfen`,
  discarding: 'Wird verworfen …',
  discarded: (n) => (n === 1 ? '1 Änderung wurde verworfen.' : `${n} Änderungen wurden verworfen.`),
  discardTitle: (n) => `${things(n)} verwerfen?`,
  discardText:
    'Der Ordner bleibt, wie er ist. Was die Aufgabe gemacht hat, ist dann weg und kommt nicht wieder.',
  discardYes: 'Verwerfen',
  discardNo: 'Vorerst behalten',

  conflictTitle: (n) => (n === 1 ? '1 Datei ist jetzt Ihre' : `${n} Dateien sind jetzt Ihre`),
  conflictText:
    'Was Ihnen gehört, blieb, wie es ist. Hier können Sie sagen, was dort stehen soll; was ersetzt wird, kann wiedergebracht werden.',
  conflictTextApply:
    'Was geändert wurde, seit die Aufgabe es gesehen hat, blieb, wie es ist. Hier können Sie sagen, was dort stehen soll.',
  conflictEach: (name) => `Was soll aus ${name} werden?`,
  answers: { keep: 'Meine lassen', restore: 'Wie vor der Aufgabe', both: 'Beide behalten' },
  answersApply: { keep: 'Meine lassen', restore: 'Die der Aufgabe', both: 'Beide behalten' },
  answerAll: 'Für alle',
  answerDo: 'So machen',
  answering: 'Einen Moment …',
  besideAs: (name) => `die andere heißt jetzt ${name}`,
  leave: 'Später entscheiden',

  pane: 'Was sich darin geändert hat',
  paneNone: 'Wählen Sie eine Zeile, um zu sehen, was sich darin geändert hat.',
  loading: 'Die Datei wird angesehen …',
  closePane: 'Schließen',
  save: { before: 'So speichern, wie sie war', after: 'So speichern, wie die Aufgabe sie ließ' },
  saving: 'Wird gespeichert …',
  before: 'Vorher',
  after: 'Nachher',
  kinds: { file: 'Datei', dir: 'Ordner', symlink: 'Verknüpfung' },
  facts: {
    moved: (before, after) => `War ${before}, ist jetzt ${after}.`,
    mode: (before, after) => `Wer sie lesen und ändern darf, ist anders (${before}, jetzt ${after}).`,
    time: (before, after) => `Ihr Datum war ${before}, jetzt ${after}.`,
    target: (before, after) => `Die Verknüpfung führt zu ${after}, vorher zu ${before}.`,
    attributes: () => 'Ihre weiteren Eigenschaften sind andere.',
    encoding: (before, after) => `Die Buchstaben sind anders gespeichert (${before}, jetzt ${after}).`,
    'line-ends': (before, after) => `Die Zeilenenden sind andere (${before}, jetzt ${after}).`,
    'same-content': () => 'Was darin steht, ist gleich.'
  },
  newFolder: 'Ein neuer Ordner.',
  goneFolder: 'Der Ordner wurde gelöscht.',
  newLink: (to) => `Eine neue Verknüpfung, die zu ${to} führt.`,
  goneLink: (to) => `Eine Verknüpfung, die zu ${to} führte, wurde gelöscht.`,
  missing: {
    'not-kept': 'Wie es vorher war, ist nicht mehr aufgehoben.',
    gone: 'Was die Aufgabe hinterließ, ist nicht mehr da: Sie haben es seitdem geändert.',
    unreadable: 'Es konnte nicht gelesen werden.'
  },
  other: 'Diese Art von Datei kann hier nicht gezeigt werden.',
  sizes: (before, after) => `Vorher ${before}, jetzt ${after}.`,
  sizeOne: (size) => `Sie hat ${size}.`,

  textSum: (added, removed) => `${lines(added)} neu, ${lines(removed)} weg`,
  noLines: 'Keine Zeile ist anders.',
  part: (size) => `Eine große Datei: ${size} davon wurden verglichen, ab dem ersten Unterschied.`,
  cut: 'Es gibt mehr, als hier gezeigt wird.',
  hunk: (line) => `Ab Zeile ${line}`,
  added: 'neu',
  removed: 'weg',
  noEnd: 'ohne Zeilenende',
  lineOld: 'Zeile vorher',
  lineNew: 'Zeile jetzt',
  lineText: 'Inhalt',

  asTable: 'Tabelle',
  asText: 'Textform',
  view: 'Ansicht',
  tableSum: (changed, added, removed) =>
    `${rows(changed)} geändert, ${rows(added)} neu, ${rows(removed)} weg`,
  gap: (n) => (n === 1 ? '1 gleiche Zeile' : `${n} gleiche Zeilen`),
  was: (value) => `war ${value}`,
  empty: 'leer',
  row: 'Zeile',

  picture: (width, height, size) => `${width} × ${height}, ${size}`,
  pictureBig: 'Dieses Bild ist zu groß, um hier gezeigt zu werden.',
  sideBySide: 'Nebeneinander',
  over: 'Übereinander',
  slider: 'Wie viel vom Bild vorher zu sehen ist',

  space: (size) => `${size} sind aufgehoben, um Änderungen zurückzunehmen.`,
  spaceUntil: (size, day) => `${size} sind aufgehoben, um Änderungen zurückzunehmen, bis ${day}.`,
  spaceGone: 'Was zum Zurücknehmen dieser Änderungen nötig war, ist nicht mehr aufgehoben.',
  forget: 'Diesen Platz freigeben',
  forgetTitle: 'Diesen Platz freigeben?',
  forgetText: (size) =>
    `${size} werden frei. Die Änderungen bleiben, wie sie sind, und bleiben aufgelistet; zurückgenommen werden können sie nicht mehr.`,
  forgetYes: 'Auf das Zurücknehmen verzichten',
  forgetNo: 'Aufheben',
  forgetting: 'Wird frei …',

  keepTitle: 'Zurücknehmen',
  keepLegend: 'Änderungen können zurückgenommen werden',
  keepDays: (n) => `${n} Tage lang`,
  keepForever: 'für immer',
  keepSpace: (size, tasks) =>
    tasks === 1 ? `${size} sind für 1 Aufgabe aufgehoben.` : `${size} sind für ${tasks} Aufgaben aufgehoben.`,
  keepHint: 'Danach bleibt die Liste der Änderungen; nur zurückgenommen werden können sie nicht mehr.',
  keepSpaceLegend: 'Dafür darf eine Aufgabe ungefragt aufheben',
  keepTitleShorter: (n) => `Nur ${n} Tage lang aufheben?`,
  keepTextShorter: 'Was ältere Aufgaben geändert haben, kann dann nicht mehr zurückgenommen werden.',
  keepYes: 'Kürzer aufheben',
  keepNo: 'So lassen',

  modeLegend: 'Was darf die Aufgabe mit dem Ordner machen?',
  modes: {
    ro: { name: 'Nur ansehen', about: 'Sie kann den Ordner lesen und nichts ändern.' },
    rw: { name: 'Ändern', about: 'Sie ändert den Ordner. Alles kann zurückgenommen werden.' },
    review: {
      name: 'Mir erst zeigen',
      about: 'Sie arbeitet an einer Kopie. Sie sehen ihre Änderungen an und sagen, was in den Ordner kommt.'
    }
  }
};
