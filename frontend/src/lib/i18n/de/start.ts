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
    lead: 'Es nimmt Ihnen mühsame Arbeit an Ihren Dateien ab, und alles lässt sich zurücknehmen.',
    plan: 'Sie sehen, was es tun wird',
    planMore: 'Zuerst kommt ein Plan. Vor Ihrem Ja ändert sich nichts.',
    room: 'Es sieht nur, was Sie wählen',
    roomMore:
      'Gearbeitet wird in einem geschlossenen Arbeitsraum auf diesem Computer, der nur die gewählten Ordner sieht.',
    undo: 'Sie können es zurücknehmen',
    undoMore:
      'Alles, was sich ändert, wird aufgelistet und lässt sich zurücknehmen, einzeln oder auf einmal.',
    go: 'Diesen Computer vorbereiten',
    goDownload: (size: string) => `Dafür werden einmal ${size} geladen. Woher sie stammen, wird geprüft.`,
    goUnknown: 'Woraus der Arbeitsraum besteht, wird einmal geladen und seine Unterschrift geprüft.',
    goFound: (name: string) =>
      `Dafür dient die Datei ${name}, die neben piwork liegt. Es wird nichts geladen.`,
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
      'Dem muss einmal jemand zustimmen, der diesen Computer verwaltet. Sind Sie das nicht, zeigen Sie dieser Person diese Seite.',
    runs: 'piwork kann das Ihr System tun lassen. Es fragt selbst nach jemandem, der diesen Computer verwaltet, und führt genau das aus, was hier steht; piwork sieht kein Passwort.',
    runsTyped: 'Selbst eintippen',
    runsNow: 'Vom System tun lassen',
    runsWaits: 'Das System fragt…',
    runsDeclined: 'Nichts wurde geändert.',
    foreseen:
      'Das wurde nur gesehen, versucht wurde noch nichts. Sie können weitermachen und es herausfinden.',
    goOn: 'Trotzdem weiter',
    copyReport: 'Bericht kopieren',
    copied: 'Der Bericht ist kopiert.',
    copyFailed: 'Er ließ sich nicht kopieren.'
  },

  first: {
    title: 'Bereit. Ausprobieren?',
    lead: 'Der Arbeitsraum öffnet sich. So fühlt es sich an, ohne dass etwas von Ihnen dabei ist.',
    card: 'Aus diesen 5 Beispielbildern ein PDF machen',
    cardMore: 'piwork legt sie in einen eigenen Ordner. Zuerst sehen Sie den Plan.',
    show: 'Zeigen',
    showing: 'Die Bilder werden geholt …',
    waits: 'Ihre erste Aufgabe hat begonnen.',
    toPlan: 'Damit weitermachen',
    own: 'Einen eigenen Ordner nehmen'
  },

  slow: {
    title: 'Der langsame Modus ist an',
    text: 'Alles geht und ist genauso sicher, dauert aber länger.',
    opens: (time: string) => `Den Arbeitsraum zu öffnen dauert hier ${time}.`,
    factor: (n: number) => `Auf diesem Computer etwa ${n}-mal langsamer.`
  },

  home: {
    saved: 'Von Ihnen behalten',
    savedOn: (chore: string, folder: string) => (folder ? `${chore}, ${folder}` : chore),
    savedStart: 'Plan zeigen',
    savedRemove: (name: string) => `${name} vergessen`,
    quick: 'Wählen Sie eine Aufgabe',
    often: 'Zuletzt benutzt',
    all: (n: number) => `Alle ${n} Aufgaben`,
    fewer: 'Weniger Aufgaben',
    noChores: 'Es gibt keine Aufgaben. Vielleicht ist die Laufzeit von einer anderen Version.',
    chosen: (chore: string, folder: string) => (folder ? `${chore}, in ${folder}` : chore),
    options: 'Einzelheiten',
    optionsOf: (chore: string) => `Einzelheiten von ${chore}`,
    keep: 'Für das nächste Mal behalten',
    keepName: 'Name',
    keepHint: 'Unter diesem Namen steht es auf der ersten Seite.',
    keepNow: 'Behalten',
    keeping: 'Wird behalten …',
    kept: (name: string) => `${name} ist behalten. Nächstes Mal steht es hier.`,
    keepNot: 'Nicht behalten'
  },

  drop: {
    here: 'Ordner oder Dateien hier ablegen',
    onWindow: 'Loslassen, um es hier zu benutzen',
    onWindowMore: 'Nichts wird verschoben oder kopiert. piwork fragt, was damit geschehen soll.',
    file: (name: string, folder: string) =>
      `Sie haben ${name} abgelegt. piwork arbeitet mit Ordnern und würde alles in ${folder} sehen.`,
    files: (n: number, folder: string) =>
      `Sie haben ${n} Dateien abgelegt. piwork arbeitet mit Ordnern und würde alles in ${folder} sehen.`
  }
};
