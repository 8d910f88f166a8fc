import type { Catalogue } from '../catalogue';

const things = (n: number) => (n === 1 ? '1 Änderung' : `${n} Änderungen`);
const lines = (n: number) => (n === 1 ? '1 Zeile' : `${n} Zeilen`);
const rows = (n: number) => (n === 1 ? '1 Zeile' : `${n} Zeilen`);

export const changes: Catalogue['changes'] = {
  title: 'Was geändert wurde',
  back: 'Zurück zur Aufgabe',
  look: 'Änderungen ansehen',
  none: 'In Ihren Ordnern wurde nichts geändert.',
  running: 'Die Aufgabe arbeitet noch. Zurücknehmen können Sie, wenn sie zu Ende ist.',
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
  keys: 'Die Pfeiltasten gehen von Zeile zu Zeile, die Leertaste wählt aus, die Eingabetaste zeigt, was geändert wurde.',

  undoAll: 'Alles zurücknehmen',
  undoChosen: (n) => `${things(n)} zurücknehmen`,
  redoAll: 'Alles erneut anwenden',
  redoChosen: (n) => `${things(n)} erneut anwenden`,
  redoing: 'Wird erneut angewendet …',
  redoToast: 'Erneut anwenden',
  redone: (n) => (n === 1 ? '1 Änderung ist wieder da.' : `${n} Änderungen sind wieder da.`),

  waits: 'wartet auf Sie',
  waitsTitle: 'Im Ordner wurde noch nichts geändert',
  waitsTitleSome: (n) =>
    n === 1 ? '1 Änderung ist noch nicht im Ordner' : `${n} Änderungen sind noch nicht im Ordner`,
  waitsText: (n) =>
    n === 1
      ? '1 Änderung wartet auf Ihr Ja. Sehen Sie sie an; dann übernehmen Sie sie in den Ordner oder verwerfen sie.'
      : `${n} Änderungen warten auf Ihr Ja. Sehen Sie sie an; dann übernehmen Sie alle oder einige in den Ordner, oder Sie verwerfen sie.`,
  applyAll: 'Alles in den Ordner übernehmen',
  applyChosen: (n) => `${things(n)} übernehmen`,
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
    'Der Ordner bleibt, wie er ist. Was die Aufgabe erstellt hat, ist dann weg und lässt sich nicht wiederherstellen.',
  discardYes: 'Verwerfen',
  discardNo: 'Vorerst behalten',

  conflictTitle: (n) => (n === 1 ? '1 Datei ist jetzt Ihre' : `${n} Dateien sind jetzt Ihre`),
  conflictText:
    'Was Ihnen gehört, blieb unberührt. Hier können Sie sagen, was dort liegen soll; was ersetzt wird, lässt sich wiederherstellen.',
  conflictTextApply:
    'Was sich geändert hat, seit die Aufgabe es gesehen hat, blieb unberührt. Hier können Sie sagen, was dort liegen soll.',
  conflictEach: (name) => `Was soll aus ${name} werden?`,
  answers: { keep: 'Meine behalten', restore: 'Wie vor der Aufgabe', both: 'Beide behalten' },
  answersApply: { keep: 'Meine behalten', restore: 'Die der Aufgabe', both: 'Beide behalten' },
  answerAll: 'Für alle',
  answerDo: 'So ausführen',
  answering: 'Einen Moment …',
  besideAs: (name) => `die andere heißt jetzt ${name}`,
  leave: 'Später entscheiden',
  loading: 'Die Datei wird gelesen …',
  closePane: 'Schließen',
  save: { before: 'Stand von vorher speichern', after: 'Stand nach der Aufgabe speichern' },
  saving: 'Wird gespeichert …',
  before: 'Vorher',
  after: 'Nachher',
  facts: {
    moved: (before, after) => `War ${before}, ist jetzt ${after}.`,
    mode: (before, after) => `Wer sie lesen und ändern darf, hat sich geändert (${before}, jetzt ${after}).`,
    time: (before, after) => `Ihr Datum war ${before}, jetzt ${after}.`,
    target: (before, after) => `Die Verknüpfung führt zu ${after}, vorher zu ${before}.`,
    attributes: () => 'Andere Eigenschaften haben sich geändert.',
    encoding: (before, after) => `Die Buchstaben sind anders gespeichert (${before}, jetzt ${after}).`,
    'line-ends': (before, after) => `Die Zeilenenden sind anders (${before}, jetzt ${after}).`,
    'same-content': () => 'Der Inhalt ist gleich.'
  },
  newFolder: 'Ein neuer Ordner.',
  goneFolder: 'Der Ordner wurde gelöscht.',
  newLink: (to) => `Eine neue Verknüpfung, die zu ${to} führt.`,
  goneLink: (to) => `Eine Verknüpfung, die zu ${to} führte, wurde gelöscht.`,
  missing: {
    'not-kept': 'Der Stand von vorher wird nicht mehr aufbewahrt.',
    gone: 'Was die Aufgabe hinterließ, ist nicht mehr da: Sie haben es seitdem geändert.',
    unreadable: 'Es konnte nicht gelesen werden.'
  },
  other: 'Diese Art von Datei kann hier nicht gezeigt werden.',
  sizes: (before, after) => `Vorher ${before}, jetzt ${after}.`,
  sizeOne: (size) => `Größe: ${size}.`,

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

  asTable: 'Als Tabelle',
  asText: 'Als Text',
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

  space: (size) => `${size} werden aufbewahrt, um Änderungen zurücknehmen zu können.`,
  spaceUntil: (size, day) => `${size} werden bis ${day} aufbewahrt, um Änderungen zurücknehmen zu können.`,
  spaceGone: 'Was zum Zurücknehmen dieser Änderungen nötig war, wird nicht mehr aufbewahrt.',
  forget: 'Diesen Platz freigeben',
  forgetTitle: 'Diesen Platz freigeben?',
  forgetText: (size) =>
    `${size} werden frei. Die Änderungen bleiben, wie sie sind, und bleiben aufgelistet; zurückgenommen werden können sie nicht mehr.`,
  forgetYes: 'Auf das Zurücknehmen verzichten',
  forgetNo: 'Aufbewahren',
  forgetting: 'Wird freigegeben …',

  keepTitle: 'Zurücknehmen',
  keepLegend: 'Wie lange Änderungen zurückgenommen werden können',
  keepDays: (n) => `${n} Tage`,
  keepForever: 'Unbegrenzt',
  keepSpace: (size, tasks) =>
    tasks === 1
      ? `${size} werden für 1 Aufgabe aufbewahrt.`
      : `${size} werden für ${tasks} Aufgaben aufbewahrt.`,
  keepHint: 'Danach bleibt die Liste der Änderungen; nur zurückgenommen werden können sie nicht mehr.',
  keepSpaceLegend: 'Dafür darf eine Aufgabe ungefragt aufbewahren',
  keepTitleShorter: (n) => `Nur ${n} Tage lang aufbewahren?`,
  keepTextShorter: 'Was ältere Aufgaben geändert haben, kann dann nicht mehr zurückgenommen werden.',
  keepYes: 'Kürzer aufbewahren',
  keepNo: 'Nichts ändern',

  modeLegend: 'Was darf mit dem Ordner geschehen?',
  modes: {
    ro: { name: 'Nur ansehen', about: 'Der Ordner kann gelesen, aber nicht geändert werden.' },
    rw: { name: 'Ändern', about: 'Der Ordner wird geändert. Alles kann zurückgenommen werden.' },
    review: {
      name: 'Mir erst zeigen',
      about:
        'Gearbeitet wird an einer Kopie. Sie sehen die Änderungen an und entscheiden, was in den Ordner kommt.'
    }
  }
};
