/** Der erste Start, vom Willkommen bis zur ersten erledigten Aufgabe; behaltene Aufgaben; Ablegen auf dem Fenster. */
export const start = {
  steps: {
    label: 'Der Weg zur ersten Aufgabe',
    welcome: 'Willkommen',
    check: 'Dieser Computer',
    runtime: 'Der Arbeitsraum',
    first: 'Erste Aufgabe',
    done: 'erledigt',
    skipped: 'ausgelassen',
    now: 'jetzt',
    open: 'kommt noch'
  },

  welcome: {
    title: 'Willkommen bei piwork',
    lead: 'piwork nimmt Ihnen mühsame Arbeit an Ihren Dateien ab, und alles lässt sich zurücknehmen.',
    plan: 'Sie sehen, was geschehen wird',
    planMore: 'Zuerst kommt ein Plan. Vor Ihrem Ja ändert sich nichts.',
    room: 'piwork sieht nur, was Sie auswählen',
    roomMore:
      'Gearbeitet wird in einem geschlossenen Arbeitsraum auf diesem Computer, der nur die Ordner sieht, die Sie ausgewählt haben.',
    undo: 'Sie können es zurücknehmen',
    undoMore:
      'Alles, was sich ändert, wird aufgelistet und lässt sich zurücknehmen, einzeln oder alles auf einmal.',
    go: 'Diesen Computer vorbereiten',
    goDownload: (size: string) => `Dafür werden einmalig ${size} heruntergeladen; die Herkunft wird geprüft.`,
    goUnknown: 'Woraus der Arbeitsraum besteht, wird einmal heruntergeladen und seine Signatur geprüft.',
    goFound: (name: string) =>
      `Dafür dient die Datei ${name}, die neben piwork liegt. Es wird nichts heruntergeladen.`,
    goReady: 'Alles Nötige ist schon da.',
    goFile: 'Woraus der Arbeitsraum besteht, kommt aus einer Datei. Sie wählen sie gleich.'
  },

  runtime: {
    title: 'Der Arbeitsraum wird geholt',
    lead: 'Das geschieht einmal. Sie können den Computer währenddessen benutzen.',
    leadAsk: 'Eines fehlt noch: woraus der geschlossene Arbeitsraum besteht.',
    heading: 'Woraus der Arbeitsraum besteht'
  },

  check: {
    admin:
      'Dafür ist einmal ein Administrator dieses Computers nötig. Sind Sie das nicht selbst, zeigen Sie ihm diese Seite.',
    runs: 'piwork kann das von Ihrem System erledigen lassen. Es fragt selbst nach einem Administrator und führt genau das aus, was hier steht; piwork sieht kein Passwort.',
    runsTyped: 'Selbst erledigen',
    runsNow: 'Vom System erledigen lassen',
    runsWaits: 'Das System fragt …',
    runsDeclined: 'Nichts wurde geändert.',
    foreseen:
      'Das ist nur zu sehen, ausprobiert wurde noch nichts. Sie können weitermachen und es herausfinden.',
    goOn: 'Trotzdem weiter',
    copyReport: 'Bericht kopieren',
    copied: 'Der Bericht ist kopiert.',
    copyFailed: 'Er ließ sich nicht kopieren.'
  },

  first: {
    title: 'Bereit. Ausprobieren?',
    lead: 'Alles funktioniert. Probieren Sie es zuerst mit Beispielbildern; Ihre eigenen Dateien bleiben unberührt.',
    card: 'Aus diesen 5 Beispielbildern ein PDF erstellen',
    cardMore: 'piwork legt sie in einen eigenen Ordner. Zuerst sehen Sie den Plan.',
    show: 'Zeigen Sie es mir',
    showing: 'Die Bilder werden geholt …',
    waits: 'Ihre erste Aufgabe hat begonnen.',
    toPlan: 'Damit weitermachen',
    own: 'Einen eigenen Ordner verwenden'
  },

  slow: {
    title: 'Der langsame Modus ist eingeschaltet',
    text: 'Alles funktioniert genauso und ist genauso sicher, dauert aber länger.',
    opens: (time: string) => `Das Öffnen des Arbeitsraums dauert hier ${time}.`,
    factor: (n: number) => `Auf diesem Computer dauert es etwa ${n}-mal so lange.`
  },

  home: {
    saved: 'Von Ihnen gemerkt',
    savedOn: (chore: string, folder: string) => (folder ? `${chore}, ${folder}` : chore),
    savedStart: 'Plan zeigen',
    savedRemove: (name: string) => `${name} entfernen`,
    quick: 'Wählen Sie eine Aufgabe',
    all: (n: number) => `Alle ${n} Aufgaben`,
    fewer: 'Weniger Aufgaben',
    noChores: 'Es gibt keine Aufgaben. Vielleicht hat die Laufzeitumgebung eine andere Version.',
    chosen: (chore: string, folder: string) => (folder ? `${chore}, in ${folder}` : chore),
    options: 'Optionen',
    optionsOf: (chore: string) => `Optionen von ${chore}`,
    keep: 'Für das nächste Mal merken',
    keepName: 'Name',
    keepHint: 'Unter diesem Namen finden Sie es auf der Startseite.',
    keepNow: 'Merken',
    keeping: 'Wird gemerkt …',
    kept: (name: string) => `${name} ist gemerkt. Nächstes Mal finden Sie es hier.`,
    keepNot: 'Nicht merken'
  },

  drop: {
    here: 'Ordner oder Dateien hier ablegen',
    onWindow: 'Loslassen, um es hier zu verwenden',
    onWindowMore: 'Nichts wird verschoben oder kopiert. piwork fragt, was damit geschehen soll.',
    file: (name: string, folder: string) =>
      `Sie haben ${name} abgelegt. piwork arbeitet mit Ordnern und würde alles in ${folder} sehen.`,
    files: (n: number, folder: string) =>
      `Sie haben ${n} Dateien abgelegt. piwork arbeitet mit Ordnern und würde alles in ${folder} sehen.`
  }
};
