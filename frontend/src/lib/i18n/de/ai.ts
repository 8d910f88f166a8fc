import type { Catalogue } from '../catalogue';

const files = (n: number) => (n === 1 ? '1 Datei' : `${n} Dateien`);

/** Aufgaben in eigenen Worten: wie man sie stellt, was sie sagen und tun, und die Modelle, die sie erledigen. */
export const ai: Catalogue['ai'] = {
  ask: {
    lead: 'Sagen Sie es in eigenen Worten oder wählen Sie eine Arbeit. Gearbeitet wird in einem geschlossenen Arbeitsraum auf diesem Computer, und was sich ändert, lässt sich zurücknehmen.',
    label: 'In eigenen Worten',
    hint: 'Zum Beispiel: Ordne die Briefe in diesem Ordner nach Absender und mache eine Liste davon.',
    start: 'Beginnen',
    starting: 'Beginnt …',
    choreInstead: 'Lieber eine Arbeit wählen',
    wordsInstead: 'Mit den eigenen Worten beginnen',
    needWords: 'Schreiben Sie zuerst, was getan werden soll.',
    folderOptional: 'Der Ordner (es geht auch ohne)',
    moreFolders: 'Weitere Ordner',
    addFolder: 'Noch einen Ordner dazunehmen',
    folderPath: 'Ort eines weiteren Ordners',
    useFolder: 'Dazunehmen',
    removeFolder: (name) => `${name} wegnehmen`,
    modeOf: (name) => `Was mit ${name} geschehen darf`,
    options: 'Weitere Möglichkeiten',
    model: 'Modell',
    modelDefault: (name) => `${name} (wie in den Einstellungen)`,
    modelLocal: 'auf diesem Computer',
    thinking: 'Wie lange es nachdenkt',
    thinkingLevels: {
      auto: 'Wie es das Modell tut',
      off: 'Gar nicht',
      low: 'Kurz',
      medium: 'Länger',
      high: 'Lange'
    },
    budget: 'Anhalten, wenn es so viel gekostet hat (US-Dollar)',
    budgetHint: 'Leer: keine Grenze.',
    network: 'Das Internet',
    networks: {
      off: { name: 'Aus', about: 'Nichts wird erreicht.' },
      restricted: {
        name: 'Fragt vorher',
        about: 'Erreicht wird, was Sie erlauben; nach allem anderen wird gefragt.'
      },
      on: { name: 'An', about: 'Alles wird erreicht außer Ihrem Heimnetz.' }
    },
    pictures: 'Bilder',
    addPictures: 'Bilder dazunehmen',
    removePicture: (name) => `${name} wegnehmen`,
    pictureTooMany: 'Mehr als 16 Bilder gehen nicht mit einer Nachricht.',
    pictureTooLarge: 'Diese Bilder sind zusammen zu groß: Mehr als 40 MB gehen nicht mit einer Nachricht.',
    pictureUnknown:
      'Es ist nicht bekannt, ob dieses Modell Bilder ansehen kann. Wenn nicht, sieht es sie nicht.',
    pictureUnseen: 'Dieses Modell kann keine Bilder ansehen. Es wird sie nicht sehen.',
    noKeyTitle: 'Oder in eigenen Worten',
    noKey:
      'Für eigene Worte braucht piwork einen Schlüssel eines KI-Dienstes oder ein Modell auf diesem Computer. Die Arbeiten oben brauchen beides nicht.',
    noKeyButton: 'Ein Modell einrichten'
  },

  able: {
    pictures: 'sieht Bilder an',
    noPictures: 'kann keine Bilder ansehen',
    thinks: 'denkt so lange nach, wie Sie wählen',
    context: (n: string) => `liest bis zu ${n} Token auf einmal`
  },

  talk: {
    title: 'Gespräch',
    you: 'Sie',
    assistant: 'Antwort',
    earlier: (n) => (n === 1 ? '1 früheren Eintrag zeigen' : `${n} frühere Einträge zeigen`),
    thinking: 'Was es dachte',
    writing: 'Schreibt …',
    working: 'Arbeitet …',
    how: { steer: 'dazwischen gesagt', followUp: 'für danach' },
    attached: (names) => `Mit ${names}`,
    raw: 'Rohes Ereignis zeigen',
    rawHide: 'Rohes Ereignis verbergen',
    rawLoading: 'Wird gelesen …',
    output: 'Ausgabe',
    diff: 'Was geändert wurde',
    newMessage: 'Eine neue Antwort ist da.',
    model: 'Modell'
  },

  tool: {
    read: (what) => `${what} gelesen`,
    readMany: (n) => `${files(n)} gelesen`,
    write: (what) => `${what} geschrieben`,
    edit: (what) => `${what} geändert`,
    run: (what) => `Befehl ausgeführt: ${what}`,
    list: (what) => `${what} durchgesehen`,
    search: (what) => `Nach ${what} gesucht`,
    fetch: (what) => `${what} geöffnet`,
    other: (what) => `${what} benutzt`,
    started: 'läuft',
    failed: 'ging nicht',
    took: (time) => time
  },

  notices: {
    'chore-done': 'Was keine KI braucht, ist getan.',
    compacting: 'Es fasst frühere Nachrichten zusammen, wie gewünscht.',
    short: 'Das Gespräch ist kurz genug: Es gibt nichts zusammenzufassen.',
    compacted: 'Frühere Nachrichten wurden zusammengefasst, damit Platz ist.',
    'not-compact': 'Frühere Nachrichten ließen sich nicht zusammenfassen.',
    retry: 'Das Modell antwortete nicht. Es wird noch einmal versucht.',
    failed: 'Das Modell antwortete nicht.',
    aborted: 'Sie haben es angehalten.',
    resumed: 'Es geht weiter, wo es stand.',
    'lost-work': 'Was im Arbeitsraum lag und nicht in Ihren Ordnern, ist weg.',
    budget: 'Angehalten: Was es kosten durfte, ist verbraucht.',
    model: 'Es geht mit anderen Einstellungen des Modells weiter.',
    notify: 'Es sagt:',
    extension: 'Ein Teil des KI-Programms ging nicht.',
    unreadable: 'Etwas, das es sagte, war nicht zu lesen.',
    'network-refused': 'Zu einer Adresse wurde es nicht durchgelassen.',
    'network-failed': 'Eine Adresse war nicht zu erreichen.',
    'link-ended': 'Der Weg zum Modell oder ins Internet ist unterbrochen.',
    'provider-waits': 'Der Dienst bittet, einen Augenblick zu warten.',
    'results-left': 'Es hat mehr Dateien gemacht, als aufbewahrt werden.'
  },
  noticeOther: 'Etwas geschah, wofür diese Version keine Worte hat.',
  noticeHost: (text, host) => `${text} (${host})`,

  composer: {
    label: 'Etwas dazu sagen',
    labelOver: 'Um noch etwas bitten',
    hint: 'Die Eingabetaste sendet, mit der Umschalttaste beginnt sie eine neue Zeile.',
    send: 'Senden',
    sending: 'Wird gesendet …',
    how: 'Wann es ankommt',
    steer: 'Gleich',
    followUp: 'Wenn es fertig ist',
    queue: 'Wartet darauf, gehört zu werden',
    queueSteer: 'als Nächstes',
    queueFollow: 'wenn es fertig ist',
    takeBack: 'Zurücknehmen',
    takeBackOf: (said) => `Zurücknehmen: ${said}`,
    resume: 'Weitermachen',
    resuming: 'Geht weiter …',
    resumeText: 'Es kann weitergehen, wo es stand. Was bisher gemacht und geändert wurde, ist da.'
  },

  tune: {
    change: 'Ändern',
    changeModel: 'Das Modell ändern',
    title: 'Modell dieser Aufgabe',
    holds: {
      beginning: 'Damit beginnt es.',
      answer: 'Es gilt von der nächsten Antwort an.',
      message: 'Es gilt, wenn Sie um noch etwas bitten.'
    },
    more: 'Modelle anderer Dienste lassen sich wählen, wenn die Aufgabe vorbei ist.',
    hint: 'Ein Modell, das es nicht kann, richtet sich nicht danach.',
    budget: (amount) => `Es darf wie bisher insgesamt ${amount} kosten.`,
    use: 'So nehmen',
    using: 'Wird geändert …',
    leave: 'Lassen, wie es ist',
    goesOn: (model) => `Es geht mit ${model} weiter.`,
    otherwise: 'Diesem Modell lässt sich nicht sagen, so lange nachzudenken, wie Sie es gewählt haben.',
    thinks: {
      off: 'Es antwortet, ohne vorher nachzudenken.',
      minimal: 'Es denkt kurz nach.',
      low: 'Es denkt kurz nach.',
      medium: 'Es denkt länger nach.',
      high: 'Es denkt lange nach.'
    }
  },

  compact: {
    button: 'Früheres zusammenfassen',
    about:
      'Das Modell schreibt eine Zusammenfassung und arbeitet damit weiter. Ein langes Gespräch wird dadurch billiger, und Sie sehen hier weiterhin jede Nachricht.',
    beginning: 'Beginnt …'
  },

  usage: {
    title: 'Was sie verbraucht hat',
    cost: 'Kosten',
    free: 'nichts',
    cents: 'weniger als 1 Cent',
    unknown: 'für dieses Modell nicht bekannt',
    partly: (cost) => `${cost}, und ein Teil, dessen Preis nicht bekannt ist`,
    of: (cost, budget) => `${cost} von ${budget}`,
    input: 'Gelesen',
    output: 'Geschrieben',
    tokens: (n) => `${n} Token`,
    cached: (n) => `${n} davon von vorher`
  },

  questions: {
    network: (host) => `Es will ${host} erreichen.`,
    networkText:
      'Es wartet auf Sie. Was dorthin geht, verlässt diesen Computer, womöglich auch Inhalte der Ordner, die Sie gewählt haben.',
    networkAddress: 'Es nannte keinen Namen, nur diese Adresse.',
    networkProgram: (name) => `Nach eigener Angabe ist es das Programm „${name}“.`,
    networkPort: (port) => `Anschluss ${port}`,
    networkPattern: (pattern) => `Was Sie für länger entscheiden, gilt für ${pattern}.`,
    webFetch: (host) => `Es will eine Seite von ${host} lesen.`,
    webFetchText:
      'Schon die Adresse verlässt diesen Computer und lässt sich nicht zurückholen. Sehen Sie nach, ob sie etwas über Sie verrät.',
    webSearch: (host) => `Es will mit ${host} im Internet suchen.`,
    webSearchText: 'Wonach gesucht wird, verlässt diesen Computer und lässt sich nicht zurückholen.',
    webRedirect: 'Die vorher verlangte Seite schickt es dorthin.',
    once: 'Dieses Mal',
    task: 'In dieser Aufgabe',
    always: 'Immer',
    deny: 'Jetzt nicht',
    never: 'Nie',
    command: 'Es will einen Befehl ausführen.',
    commandTool: (tool) => `Es will ${tool} benutzen.`,
    commandText:
      'Es wartet auf Sie. Der Befehl läuft im geschlossenen Arbeitsraum. Was er in Ihren Ordnern ändert, lässt sich zurücknehmen; was er anderswohin sendet, nicht.',
    commandEffects: 'Was der Befehl tut',
    effects: {
      delete: 'löscht Dateien',
      overwrite: 'überschreibt Dateien',
      change: 'ändert Dateien an Ort und Stelle',
      move: 'verschiebt Dateien',
      write: 'macht neue Dateien',
      system: 'ändert den Arbeitsraum selbst',
      install: 'installiert Programme im Arbeitsraum',
      network: 'sendet etwas über das Internet',
      unknown: 'ist aus seinen Worten nicht zu sagen'
    },
    commandAllow: 'Ausführen lassen',
    commandTask: 'Solche Befehle in dieser Aufgabe ausführen lassen',
    commandDeny: 'Nicht ausführen',
    confirm: 'Es fragt Sie:',
    confirmYes: 'Zustimmen',
    confirmNo: 'Ablehnen',
    extensionAsks:
      'Das fragt ein Teil des KI-Programms, nicht piwork. Schreiben Sie hier keine Passwörter hin.',
    extensionSend: 'Diese Antwort schicken',
    extensionNone: 'Nicht antworten'
  },

  login: {
    begin: 'Anmelden',
    beginName: (name: string) => `Bei ${name} anmelden`,
    again: 'Neu anmelden',
    beginning: 'Beginnt…',
    lead: (name: string) =>
      `Melden Sie sich auf der Seite von ${name} an. piwork bekommt eine eigene Anmeldung, die Sie dort jederzeit beenden können.`,
    terms: (name: string) =>
      `Mit der Anmeldung stimmt Ihr Konto bei ${name} den Bedingungen der Modelle zu, die piwork dort benutzen kann.`,
    page: (name: string) => `Die Seite von ${name} öffnen`,
    userCode: 'Die Seite fragt nach diesem Code:',
    userCodeLabel: 'Code für die Seite',
    code: 'Code, den die Seite zeigt',
    codeHint: 'Kopieren Sie ihn von der Seite, sobald Sie dort angemeldet sind.',
    send: 'Diesen Code nehmen',
    sending: 'Wird angesehen…',
    waiting: 'Wartet, bis Sie dort angemeldet sind.',
    agreeing:
      'Sie sind angemeldet. Ihr Konto stimmt jetzt den Bedingungen der Modelle dort zu; das dauert einige Sekunden.',
    leave: 'Nicht anmelden',
    done: (name: string) => `Sie sind bei ${name} angemeldet.`
  },

  keyPlace: {
    title: 'Wo Schlüssel aufgehoben werden',
    legend: 'Aufheben',
    stores: { keychain: 'Im Schlüsselbund dieses Computers', file: 'In einer Datei mit Kennsatz' },
    hints: {
      keychain: 'Das System öffnet ihn, wenn Sie sich anmelden.',
      file: 'Sie ist verschlüsselt; nach jedem Start von piwork öffnet der Kennsatz sie.'
    },
    noKeychain: 'Auf diesem Computer wurde kein Schlüsselbund gefunden.',
    locked: 'Die Schlüssel sind verschlossen. Aufgaben in eigenen Worten brauchen sie.',
    passphrase: 'Kennsatz',
    passphraseHint:
      'Wer ihn vergisst, muss die Schlüssel neu eingeben: ohne ihn kann niemand die Datei öffnen.',
    unlockHint: 'Die Datei bleibt offen, bis piwork endet.',
    unlock: 'Aufschließen',
    use: 'Die Schlüssel dorthin bringen',
    working: 'Einen Moment…',
    unlocked: 'Die Schlüssel sind offen.',
    moved: {
      keychain: 'Die Schlüssel liegen jetzt im Schlüsselbund.',
      file: 'Die Schlüssel liegen jetzt in der Datei.'
    },
    change: 'Den Kennsatz ändern',
    now: 'Bisheriger Kennsatz',
    next: 'Neuer Kennsatz',
    nextAgain: 'Den neuen noch einmal',
    differ: 'Er ist nicht derselbe wie der neue darüber.',
    changeIt: 'Ändern',
    changed: 'Von nun an öffnet der neue Kennsatz die Datei.'
  },

  models: {
    title: 'Modelle und Schlüssel',
    lead: 'Ein Modell erledigt, worum Sie in eigenen Worten bitten. Ein Schlüssel wird von diesem Computer aufbewahrt, nie wieder gezeigt und kommt nie in den Arbeitsraum.',
    none: 'Noch gibt es keinen Schlüssel, und auf diesem Computer wurde kein Modell gefunden.',
    yours: 'Eingerichtet',
    add: 'Einen Schlüssel dazunehmen',
    provider: 'Dienst',
    custom: 'Ein anderer Server',
    key: 'Schlüssel',
    keyHint: 'Er wird beim Speichern aufbewahrt und lässt sich danach nicht mehr ansehen.',
    keyHintCustom: 'Leer für einen Server, der keinen braucht.',
    name: 'Name',
    nameHint: 'Wie Sie ihn nennen wollen.',
    url: 'Adresse',
    urlHint: 'Wie es in seiner Anleitung steht, zum Beispiel http://localhost:8080/v1',
    protocol: 'Was er spricht',
    protocols: { openai: 'Wie OpenAI', anthropic: 'Wie Anthropic', google: 'Wie Google' },
    save: 'Speichern',
    saving: 'Wird gespeichert …',
    saved: (name) => `Der Schlüssel von ${name} ist aufbewahrt.`,
    savedServer: (name) => `${name} ist eingerichtet.`,
    test: 'Prüfen',
    testName: (name) => `${name} prüfen`,
    testing: 'Fragt …',
    works: (n) => (n === 0 ? 'Es geht.' : n === 1 ? 'Es geht: 1 Modell.' : `Es geht: ${n} Modelle.`),
    worksNot: 'Es geht nicht.',
    remove: 'Entfernen',
    removeName: (name) => `${name} entfernen`,
    removeTitle: (name) => `Den Schlüssel von ${name} entfernen?`,
    removeText:
      'piwork vergisst ihn. Der Dienst kennt ihn weiter: Einen Schlüssel, den niemand braucht, beendet man am besten auch dort.',
    removeYes: 'Entfernen',
    removeNo: 'Behalten',
    removed: (name) => `${name} ist entfernt.`,
    kinds: { key: 'ein Schlüssel', login: 'eine Anmeldung', none: 'braucht keinen Schlüssel' },
    places: {
      keychain: 'im Schlüsselbund dieses Computers',
      file: 'in einer verschlossenen Datei',
      environment: 'von der Umgebung gegeben'
    },
    ending: (ending) => `endet auf ${ending}`,
    local: 'auf diesem Computer gefunden',
    expires: (day) => `bis ${day}`,
    default: 'Modell für neue Aufgaben',
    defaultAuto: 'Von piwork gewählt',
    able: {
      title: 'Was Modelle eigener Dienste können',
      lead: 'Wo ein Dienst es nicht sagt, können Sie es sagen. Es gilt für Aufgaben, die von jetzt an beginnen oder weitergehen.',
      model: 'Welches Modell',
      images: 'Sieht Bilder an',
      thinks: 'Denkt so lange nach, wie Sie wählen',
      answers: { auto: 'Soweit bekannt', yes: 'Ja, das kann es', no: 'Nein, das kann es nicht' }
    },
    defaultHint: 'Jede Aufgabe kann ein anderes haben.',
    reasons: {
      'no-key': 'Es gibt keinen Schlüssel.',
      'key-store': 'Der Ort, an dem Schlüssel aufbewahrt werden, lässt sich nicht benutzen.',
      'login-ended': 'Die Anmeldung ist zu Ende. Es braucht eine neue.',
      'key-refused': 'Der Dienst nimmt diesen Schlüssel nicht. Sehen Sie nach, ob er ganz kopiert wurde.',
      'no-credit': 'Auf dem Konto ist kein Geld mehr.',
      denied: 'Der Schlüssel ist nicht dafür.',
      limited: 'Im Augenblick zu viele Anfragen. Versuchen Sie es später noch einmal.',
      overloaded: 'Der Dienst hat zu viel zu tun oder ist kaputt. Versuchen Sie es später noch einmal.',
      unreachable: 'Es gibt keine Verbindung dorthin.',
      proxy: 'Der Proxy dieses Netzes ließ es nicht durch.',
      tls: 'Seinem Zertifikat wird auf diesem Computer nicht vertraut.',
      stalled: 'Er begann zu antworten und hörte auf.',
      redirect: 'Er schickt anderswohin, wohin kein Schlüssel mitgeht.',
      'bad-answer': 'Er antwortet etwas, das keine Antwort ist.',
      'not-provider': 'An dieser Adresse antwortet etwas anderes.'
    }
  },

  network: {
    title: 'Das Internet',
    lead: 'Was Aufgaben erreichen dürfen, die vorher fragen. Ihr Heimnetz und dieser Computer werden nie erreicht, außer Sie nennen sie.',
    presets: 'Zusammen erlaubt',
    preset: {
      npm: 'Pakete für JavaScript',
      python: 'Pakete für Python',
      rust: 'Pakete für Rust',
      go: 'Pakete für Go',
      debian: 'Pakete von Debian',
      github: 'GitHub',
      wikipedia: 'Wikipedia'
    },
    rules: 'Namen',
    none: 'Noch haben Sie keinen genannt.',
    may: (name) => `${name} darf erreicht werden`,
    mayNot: (name) => `${name} darf nicht erreicht werden`,
    inTask: 'solange eine Aufgabe läuft',
    add: 'Ein Name',
    addHint: 'Zum Beispiel example.org, oder *.example.org für alles darunter.',
    allow: 'Erlauben',
    deny: 'Nie erlauben',
    remove: 'Zurücknehmen',
    working: 'Einen Augenblick …',
    allowed: (name) => `${name} ist jetzt erlaubt.`,
    denied: (name) => `${name} ist jetzt nicht erlaubt.`
  }
};
