const tasks = (n: number) => (n === 1 ? '1 Aufgabe' : `${n} Aufgaben`);

/** Die Liste der Aufgaben, was sich mit einer tun lässt, Vorschau, Palette und das Schließen des Fensters. */
export const list = {
  loading: 'Einen Moment …',

  find: 'Aufgabe suchen',
  clear: 'Wieder alle Aufgaben zeigen',
  filter: 'Welche Aufgaben',
  filters: {
    all: 'Alle',
    active: 'In Arbeit',
    waiting: 'Braucht Sie',
    done: 'Fertig',
    stopped: 'Nicht fertig'
  },
  none: 'Keine Aufgabe passt.',
  found: (n: number) => `${tasks(n)} gefunden.`,
  more: (n: number) => `${n} weitere zeigen`,
  step: (words: string, done: number, total: number) => `${words}, ${done} von ${total}`,
  rename: 'Umbenennen',
  renameLabel: 'Name der Aufgabe',
  renameSave: 'Namen speichern',
  renameUndo: 'Nicht umbenennen',
  renamed: 'Die Aufgabe hat einen neuen Namen.',
  again: 'Noch einmal ausführen',
  starting: 'Wird gestartet …',
  export: 'Alles in einer Datei speichern',
  exporting: 'Wird zusammengestellt …',
  exported: (name: string) => `${name} ist gespeichert.`,
  newWindow: 'In einem eigenen Fenster öffnen',
  stop: 'Anhalten',
  remove: 'Die Aufgabe löschen',
  removeTitle: (title: string) => `„${title}“ löschen?`,
  removeText: 'Gelöscht werden die Aufgabe, ihr Plan und ihr Gespräch.',
  removeResults: (n: number) =>
    n === 1
      ? 'Auch 1 Ergebnis, das in keinem Ihrer Ordner liegt.'
      : `Auch ${n} Ergebnisse, die in keinem Ihrer Ordner liegen.`,
  removeUndo: (n: number) =>
    n === 1
      ? 'Die eine Änderung der Aufgabe lässt sich nicht mehr zurücknehmen.'
      : `Die ${n} Änderungen der Aufgabe lassen sich nicht mehr zurücknehmen.`,
  removeStays: 'Ihre Ordner bleiben, wie sie jetzt sind.',
  removeYes: 'Löschen',
  removeNo: 'Behalten',

  loosened: 'Mehr erlaubt',
  loosenedTitle: 'Was in dieser Aufgabe erlaubt wurde',
  loosenedCodes: {
    'network-on': 'Die Aufgabe darf das ganze Internet erreichen.',
    'no-asking': 'Die Aufgabe führt Befehle aus, ohne zu fragen.',
    preset: 'Die Aufgabe darf Gruppen von Adressen erreichen, die Sie erlaubt haben.',
    'allowed-always': 'Die Aufgabe darf, was Sie auf Dauer erlaubt haben.'
  } as Record<string, string>,
  loosenedOther: 'Die Aufgabe darf noch etwas, das Sie erlaubt haben.',
  loosenedBack: 'Zurücknehmen',
  loosenedTaking: 'Wird zurückgenommen …',
  loosenedNone: 'Jetzt ist nur noch erlaubt, was jede Aufgabe darf.',

  preview: {
    look: 'Ansehen',
    lookAt: (name: string) => `${name} ansehen`,
    title: (name: string) => name,
    close: 'Schließen',
    previous: 'Das vorige',
    next: 'Das nächste',
    place: (n: number, of: number) => `${n} von ${of}`,
    loading: 'Wird gelesen …',
    open: 'Öffnen',
    saveAs: 'Speichern unter …',
    saved: (path: string) => `Gespeichert als ${path}.`,
    savedHere: 'Gespeichert.',
    show: 'Im Ordner zeigen',
    none: 'Diese Art von Datei wird hier nicht gezeigt. Öffnen Sie sie in ihrem eigenen Programm.',
    noViewer: 'Dieses Fenster kann keine PDF-Dateien zeigen. Öffnen Sie sie in ihrem eigenen Programm.',
    damaged: 'Die Datei ließ sich nicht zeigen; vielleicht ist sie beschädigt.',
    cut: (size: string) => `Nur der Anfang wird gezeigt, ${size}.`,
    rows: (n: string, columns: number) => `${n} Zeilen, ${columns} Spalten`,
    rowsCut: (n: number) => `Die ersten ${n} Zeilen werden gezeigt.`,
    empty: 'Die Datei ist leer.',
    frame: (name: string) => `Inhalt von ${name}`,
    framed:
      'Abgeschottet gezeigt: Nichts darin wird ausgeführt oder nachgeladen. Im Browser sieht es vielleicht besser aus.',
    rendered: 'Als Seite',
    source: 'Als Text',
    view: 'Ansicht'
  },

  palette: {
    title: 'Etwas suchen oder tun',
    label: 'Was suchen Sie?',
    hint: 'Die Pfeiltasten wählen, die Eingabetaste öffnet, Esc schließt.',
    none: 'Nichts passt.',
    found: (n: number) => (n === 1 ? '1 Treffer' : `${n} Treffer`),
    groups: {
      tasks: 'Aufgaben',
      chores: 'Aufgaben aus der Liste',
      tools: 'Werkzeuge',
      places: 'Orte',
      actions: 'Was Sie tun können'
    },
    open: 'Etwas suchen oder tun',
    theme: 'Zwischen hell und dunkel wechseln',
    shortcuts: 'Die Tastenkürzel zeigen',
    newWindow: 'Ein zweites Fenster öffnen',
    stopTask: (title: string) => `„${title}“ anhalten`,
    checkComputer: 'Diesen Computer noch einmal prüfen',
    language: (name: string) => `Sprache: ${name}`
  },

  shortcuts: {
    title: 'Tastenkürzel',
    close: 'Schließen',
    signs: 'Die Taste ? allein öffnet diese Liste',
    or: 'oder',
    then: 'dann',
    groups: { everywhere: 'Überall', task: 'In einer Aufgabe', lists: 'In Listen und Dialogen' },
    items: {
      palette: 'Eine Aufgabe, einen Ort oder eine Aktion suchen',
      home: 'Etwas Neues beginnen',
      find: 'Aufgabe suchen',
      settings: 'Einstellungen',
      help: 'Diese Kürzel zeigen',
      rename: 'Die Aufgabe umbenennen',
      next: 'Die nächste Aufgabe',
      previous: 'Die Aufgabe davor',
      tell: 'Etwas dazu sagen',
      lines: 'Von Zeile zu Zeile',
      ends: 'Zur ersten und zur letzten Zeile',
      press: 'Drücken oder öffnen, was ausgewählt ist',
      close: 'Einen Dialog schließen, ein Feld lassen, wie es war'
    },
    keys: { ctrl: 'Strg', enter: 'Eingabe', escape: 'Esc', home: 'Pos1', end: 'Ende' }
  },

  closing: {
    title: (n: number) => (n === 1 ? 'Eine Aufgabe läuft noch' : `${n} Aufgaben laufen noch`),
    text: (n: number): string =>
      n === 1
        ? 'Die Aufgabe kann im Hintergrund weiterlaufen und sich melden, wenn sie fertig ist. Wird sie angehalten, bleibt erhalten, was sie bisher getan hat, und lässt sich zurücknehmen.'
        : 'Die Aufgaben können im Hintergrund weiterlaufen und sich melden, wenn sie fertig sind. Werden sie angehalten, bleibt erhalten, was sie bisher getan haben, und lässt sich zurücknehmen.',
    background: 'Im Hintergrund fortsetzen',
    stop: 'Anhalten und schließen',
    stay: 'Das Fenster offen lassen',
    remember: 'Künftig immer so',
    rememberHint: 'Das lässt sich in den Einstellungen unter „Mitteilungen und Schließen“ ändern.',
    working: 'Wird geschlossen …'
  },

  notify: {
    done: 'Fertig',
    failed: 'Es hat nicht geklappt',
    waiting: 'Es braucht Sie'
  }
};
