const files = (n: number) => (n === 1 ? '1 Datei' : `${n} Dateien`);

/** Die Abschnitte der Einstellungen. */
export const settingsPages = {
  nav: 'Abschnitte der Einstellungen',
  choose: 'Abschnitt',
  sections: {
    models: 'Modelle und Schlüssel',
    folders: 'Ordner und Berechtigungen',
    network: 'Das Internet',
    computer: 'Dieser Computer',
    runtime: 'Laufzeitumgebung',
    resources: 'Arbeitsspeicher und Tempo',
    storage: 'Speicherplatz',
    appearance: 'Aussehen und Sprache',
    window: 'Mitteilungen und Schließen',
    privacy: 'Privatsphäre',
    help: 'Hilfe',
    about: 'Über piwork'
  },

  resources: {
    lead: 'Jede Aufgabe arbeitet in einem eigenen Arbeitsraum mit einem Teil dieses Computers. Mehr Arbeitsspeicher erlaubt größere Dateien; weniger Aufgaben zugleich lassen mehr für Ihre anderen Programme übrig.',
    host: (memory: string, cpus: number) =>
      cpus === 1
        ? `Dieser Computer hat ${memory} Arbeitsspeicher und 1 Prozessor.`
        : `Dieser Computer hat ${memory} Arbeitsspeicher und ${cpus} Prozessoren.`,
    now: (running: number, queued: number) =>
      running + queued === 0
        ? 'Gerade läuft keine Aufgabe.'
        : queued === 0
          ? `Gerade in Arbeit: ${running}.`
          : `Gerade in Arbeit: ${running}; es warten noch: ${queued}.`,
    memory: 'Arbeitsspeicher für jede Aufgabe',
    cpus: 'Prozessoren für jede Aufgabe',
    atOnce: 'Aufgaben gleichzeitig',
    total: 'Arbeitsspeicher für alle Aufgaben zusammen',
    auto: 'Von piwork gewählt',
    autoIs: (value: string) => `Von piwork gewählt (${value})`,
    instant: 'Einen Arbeitsraum bereithalten',
    instantHint:
      'Eine Aufgabe beginnt dann sofort; das kostet etwas Arbeitsspeicher, auch wenn nichts läuft.',
    saved: 'Gespeichert. Es gilt ab der nächsten Aufgabe.'
  },

  storage: {
    lead: 'Was piwork auf diesem Computer aufbewahrt. Ihre eigenen Dateien gehören nicht dazu und werden nie aufgeräumt.',
    what: {
      runtime: { name: 'Laufzeitumgebung', about: 'woraus der Arbeitsraum besteht' },
      addons: { name: 'Erweiterungen', about: 'weitere Werkzeuge für den Arbeitsraum' },
      templates: {
        name: 'Vorbereitete Starts',
        about: 'lassen einen Arbeitsraum sofort öffnen; entstehen bei Bedarf neu'
      },
      downloads: { name: 'Heruntergeladenes', about: 'was für Updates geholt wurde' },
      tasks: { name: 'Aufgaben', about: 'Gespräche, Pläne und Ergebnisse' },
      journals: {
        name: 'Zum Zurücknehmen aufbewahrt',
        about: 'wie Ihre Dateien waren, bevor Aufgaben sie änderten'
      },
      logs: { name: 'Protokolle', about: 'was piwork über seine Arbeit aufgezeichnet hat' }
    } as Record<string, { name: string; about: string }>,
    otherName: 'Anderes',
    total: (size: string) => `${size} zusammen`,
    nothing: 'nichts',
    inUse: 'in Gebrauch',
    pick: (name: string) => `${name} aufräumen`,
    clean: (size: string) => `${size} aufräumen`,
    cleanNone: 'Wählen Sie, was aufgeräumt wird',
    cleaning: 'Wird aufgeräumt …',
    freed: (size: string) => `${size} sind wieder frei.`,
    confirmTitle: (size: string) => `${size} aufräumen?`,
    confirmText:
      'Ihre eigenen Dateien bleiben. Was hier aufgeräumt wird, entsteht bei Bedarf neu oder wird neu geholt.',
    confirmJournals:
      'Ihre eigenen Dateien bleiben, wie sie jetzt sind, aber Änderungen früherer Aufgaben lassen sich nicht mehr zurücknehmen.',
    confirmYes: 'Aufräumen',
    confirmNo: 'Behalten',
    where: 'Wo es liegt',
    move: {
      title: 'Wo piwork seine Daten aufbewahrt',
      lead: 'Ihre eigenen Dateien und die Einstellungen bleiben, wo sie sind.',
      open: 'An einen anderen Ort verschieben …',
      choose: 'Ordner für die Daten von piwork wählen',
      hint: 'Der ganze Pfad eines Ordners auf einer Festplatte dieses Computers. Darin wird ein Ordner „piwork“ angelegt.',
      look: 'Prüfen',
      looking: 'Wird geprüft …',
      plan: (size: string, to: string, free: string) =>
        `${size} werden nach ${to} kopiert, wo ${free} frei sind. Bis das fertig ist, kann keine Aufgabe beginnen. Erst wenn alles dort ist, wird es hier entfernt.`,
      begin: 'Daten verschieben',
      stay: 'Hier lassen',
      moving: 'Die Daten werden verschoben.',
      copied: (done: string, all: string) => `${done} von ${all}`,
      cancel: 'Das Verschieben abbrechen',
      cancelled: 'Abgebrochen. Alles ist, wie es war.',
      done: (to: string) => `Fertig. Die Daten von piwork sind jetzt in ${to}.`,
      fixed: (name: string) =>
        `Die Umgebungsvariable ${name} legt den Ort fest, deshalb lässt er sich hier nicht ändern.`
    }
  },

  appearance: {
    motion: 'Bewegung',
    motions: { system: 'Wie das System', less: 'So wenig wie möglich' },
    motionHint: 'Nichts gleitet oder dreht sich; was geschieht, steht in Worten da.'
  },

  window: {
    close: 'Wenn Sie das Fenster schließen, während eine Aufgabe läuft',
    closes: {
      ask: 'Mich fragen',
      background: 'Im Hintergrund fortsetzen',
      stop: 'Anhalten'
    },
    closeHint:
      'Eine Aufgabe im Hintergrund läuft weiter und meldet sich, wenn sie fertig ist oder Sie braucht.',
    notify: 'Mitteilen, wenn eine Aufgabe fertig ist oder mich braucht',
    notifyHint:
      'Ihr System zeigt es, solange das Fenster nicht vorn ist. Darin steht der Name der Aufgabe, nie der Inhalt von Dateien.',
    denied:
      'Dieser Browser lässt piwork keine Mitteilungen zeigen. Das lässt sich in den Einstellungen des Browsers erlauben.',
    saved: 'Gespeichert.',
    onlyWindow: 'Das betrifft das eigene Fenster von piwork; hier ist es in einem Browser offen.'
  },

  privacy: {
    lead: 'Was diesen Computer verlässt, und wann. Alles andere bleibt hier.',
    chores: {
      title: 'Aufgaben aus der Liste',
      text: 'Nichts. Sie werden von Programmen im Arbeitsraum erledigt, ganz ohne Internet.'
    },
    words: {
      title: 'Aufgaben in eigenen Worten',
      text: 'Was Sie schreiben, und die Teile Ihrer Dateien, die das Modell sehen muss, gehen an den Dienst, dessen Modell Sie gewählt haben. Mit einem Modell auf diesem Computer bleibt alles hier.',
      to: (name: string) => `Jetzt gewählt: ${name}.`,
      local: (name: string) => `Jetzt gewählt: ${name}, auf diesem Computer.`,
      none: 'Es ist kein Modell eingerichtet.'
    },
    internet: {
      title: 'Das Internet',
      text: 'Eine Aufgabe erreicht nur Adressen, die Sie erlaubt haben. Was sie dorthin sendet, kann Teile der Ordner enthalten, die Sie ihr gegeben haben.'
    },
    keys: {
      title: 'Schlüssel',
      text: 'Dieser Computer bewahrt sie auf und sendet sie nur an ihren eigenen Dienst. In den Arbeitsraum kommen sie nie.'
    },
    updates: {
      title: 'Updates',
      on: 'piwork fragt einmal am Tag, ob es Updates gibt. Das verrät die Adresse dieses Computers und die benutzte Version, sonst nichts.',
      off: 'piwork fragt nur nach Updates, wenn Sie es wollen.'
    },
    telemetry: {
      title: 'Berichte',
      text: 'piwork zählt nichts und meldet nichts. Ein Bericht für Helfende ist eine Datei, die Sie erst ansehen und dann selbst verschicken.'
    },
    see: 'Ansehen und ändern'
  },

  help: {
    shortcuts: 'Tastenkürzel',
    shortcutsText: 'Alles in diesem Fenster geht auch mit der Tastatur.',
    shortcutsOpen: 'Zeigen',
    health: 'Wie es piwork geht',
    healthOk: 'piwork antwortet.',
    healthUp: (time: string) => `Es läuft seit ${time}.`,
    healthComputer: 'Dieser Computer',
    healthRuntime: 'Laufzeitumgebung',
    healthTasks: 'Aufgaben in Arbeit',
    healthAudit: 'Aufzeichnung dessen, was getan wurde',
    auditOk: 'unversehrt',
    auditBad: 'beschädigt',
    auditLook: 'Prüfen',
    auditLooking: 'Wird geprüft …',
    healthLink: 'Diesen Computer ansehen',

    report: 'Ein Bericht für Helfende',
    reportText:
      'Eine Datei für jemanden, der Ihnen hilft: Versionen, Prüfungen und was schiefging. Inhalte Ihrer Dateien und Schlüssel stehen nie darin. Sehen Sie den Bericht zuerst an; genau das wird geschrieben.',
    reportShow: 'Zeigen, was darin stünde',
    reportMaking: 'Wird zusammengestellt …',
    reportFiles: (n: number, size: string) => `${files(n)}, ${size}`,
    reportSave: 'Den Bericht speichern',
    reportSaving: 'Wird gespeichert …',
    reportSaved: (path: string) => `Der Bericht liegt in ${path}. Nichts wurde verschickt.`,
    reportPath: 'Ort des Berichts',
    reportPathHint: 'Zum Beispiel /home/ich/piwork-bericht.zip',
    reportContent: (name: string) => `Inhalt von ${name}`,

    logs: 'Protokolle',
    logsText: 'Was piwork über seine Arbeit aufgezeichnet hat.',
    logsNone: 'Es wurde nichts aufgezeichnet.',
    logsShow: 'Die Protokolle zeigen',
    logsFile: 'Protokoll',
    logsTail: (size: string) => `Die letzten ${size}`,
    logsFind: 'Darin suchen',
    logsLines: (n: number) => (n === 1 ? '1 Zeile' : `${n} Zeilen`),
    logsLevel: 'Was gezeigt wird',
    logsLevels: { all: 'Alles', warn: 'Warnungen und Fehler' },
    logsAgain: 'Neu einlesen',
    logsEmpty: 'Keine Zeile enthält diese Wörter.',
    logsCopy: 'Diese Zeilen kopieren',
    logsCopied: 'Kopiert'
  },

  about: {
    lead: 'piwork arbeitet mit Ihren Dateien in einem geschlossenen Arbeitsraum auf diesem Computer.',
    version: 'Version',
    system: 'System',
    runtime: 'Laufzeitumgebung',
    licence: 'piwork ist freie Software unter der MIT-Lizenz.',
    licences: 'Woraus piwork besteht',
    licencesText:
      'Diese Programme und Bibliotheken sind Teil von piwork oder seiner Laufzeitumgebung. Danke an alle, die sie geschrieben haben.',
    licencesFind: 'Einen Namen oder eine Lizenz suchen',
    licencesNone: 'Nichts heißt so.',
    licencesCount: (n: number) => (n === 1 ? '1 Teil' : `${n} Teile`),
    source: 'Quelle',
    show: 'Die Lizenz zeigen'
  }
};
