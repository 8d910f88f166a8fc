import type { Catalogue } from '../catalogue';

const files = (n: number) => (n === 1 ? '1 Datei' : `${n} Dateien`);

/** Aufgaben in eigenen Worten: wie man sie stellt, was sie sagen und tun, und die Modelle, die sie erledigen. */
export const ai: Catalogue['ai'] = {
  ask: {
    lead: 'Sagen Sie es in eigenen Worten oder wählen Sie eine Aufgabe aus der Liste. Gearbeitet wird in einem geschlossenen Arbeitsraum auf diesem Computer, und was sich ändert, lässt sich zurücknehmen.',
    label: 'In eigenen Worten',
    hint: 'Zum Beispiel: Ordne die Briefe in diesem Ordner nach Absender und erstelle eine Liste davon.',
    start: 'Starten',
    starting: 'Wird gestartet …',
    choreInstead: 'Lieber eine Aufgabe aus der Liste wählen',
    wordsInstead: 'Mit den eigenen Worten beginnen',
    folderOptional: 'Der Ordner (es geht auch ohne)',
    moreFolders: 'Weitere Ordner',
    addFolder: 'Noch einen Ordner hinzufügen',
    folderPath: 'Ort eines weiteren Ordners',
    useFolder: 'Hinzufügen',
    removeFolder: (name) => `${name} entfernen`,
    modeOf: (name) => `Was mit ${name} geschehen darf`,
    options: 'Weitere Optionen',
    model: 'Modell',
    modelDefault: (name) => `${name} (wie in den Einstellungen)`,
    modelLocal: 'auf diesem Computer',
    thinking: 'Wie lange es nachdenkt',
    thinkingLevels: {
      auto: 'Wie vom Modell vorgesehen',
      off: 'Gar nicht',
      low: 'Kurz',
      medium: 'Länger',
      high: 'Lange'
    },
    budget: 'Anhalten, wenn es so viel gekostet hat (US-Dollar)',
    budgetHint: 'Leer: keine Grenze.',
    budgetWrong:
      'Das ist kein Betrag in US-Dollar. Schreiben Sie 5 oder 0,50, oder nichts: dann gibt es keine Grenze.',
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
    addPictures: 'Bilder hinzufügen',
    removePicture: (name) => `${name} entfernen`,
    pictureTooMany: 'Eine Nachricht kann höchstens 16 Bilder enthalten.',
    pictureTooLarge: 'Diese Bilder sind zusammen zu groß: Eine Nachricht kann höchstens 40 MB enthalten.',
    pictureUnknown:
      'Es ist nicht bekannt, ob dieses Modell Bilder ansehen kann. Wenn nicht, sieht es sie nicht.',
    pictureUnseen: 'Dieses Modell kann keine Bilder ansehen. Es wird sie nicht sehen.',
    noKeyTitle: 'Oder in eigenen Worten',
    noKey:
      'Für eigene Worte braucht piwork einen Schlüssel eines KI-Dienstes oder ein Modell auf diesem Computer. Die Aufgaben oben brauchen beides nicht.',
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
    raw: 'Technische Einzelheiten zeigen',
    rawHide: 'Technische Einzelheiten verbergen',
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
    failed: 'hat nicht geklappt',
    took: (time) => time
  },

  notices: {
    'chore-done': 'Was keine KI braucht, ist erledigt.',
    compacting: 'Frühere Nachrichten werden zusammengefasst, wie Sie es wünschten.',
    short: 'Das Gespräch ist kurz genug: Es gibt nichts zusammenzufassen.',
    compacted: 'Frühere Nachrichten wurden zusammengefasst, damit Platz ist.',
    'not-compact': 'Frühere Nachrichten ließen sich nicht zusammenfassen.',
    retry: 'Das Modell antwortete nicht. Es wird noch einmal versucht.',
    failed: 'Das Modell antwortete nicht.',
    aborted: 'Von Ihnen angehalten.',
    resumed: 'Es geht dort weiter, wo es stehen blieb.',
    'lost-work': 'Was nur im Arbeitsraum lag und nicht in Ihren Ordnern, ist weg.',
    budget: 'Angehalten: Was es kosten durfte, ist verbraucht.',
    model: 'Es geht mit anderen Einstellungen des Modells weiter.',
    notify: 'Mitteilung:',
    extension: 'Ein Teil des KI-Programms hat nicht funktioniert.',
    unreadable: 'Eine Mitteilung des KI-Programms war nicht zu lesen.',
    'network-refused': 'Eine Adresse wurde nicht freigegeben.',
    'network-failed': 'Eine Adresse war nicht zu erreichen.',
    'link-ended': 'Die Verbindung zum Modell oder ins Internet ist unterbrochen.',
    'foreign-message':
      'Eine Nachricht in Ihrem Namen, die Sie nicht geschrieben haben: Sie stammt von einem Teil des KI-Programms.',
    'questions-refused': 'Alles Weitere, was die Aufgabe fragt, wird abgelehnt, ohne Sie zu fragen.',
    'provider-waits': 'Der Dienst bittet, einen Moment zu warten.',
    'results-left': 'Es entstanden mehr Dateien, als aufbewahrt werden.',
    'pictures-left': 'Ohne die Bilder gesendet: Von diesem Modell ist nicht bekannt, dass es Bilder ansieht.'
  },
  noticeOther: 'Es ist etwas geschehen, das diese Version nicht kennt.',
  noticeHost: (text, host) => `${text} (${host})`,

  composer: {
    label: 'Etwas dazu sagen',
    labelOver: 'Um noch etwas bitten',
    hint: 'Eingabe sendet, Umschalt und Eingabe beginnen eine neue Zeile.',
    send: 'Senden',
    sending: 'Wird gesendet …',
    how: 'Wann die Nachricht ankommt',
    steer: 'Gleich',
    followUp: 'Danach',
    queue: 'Noch nicht angekommen',
    queueSteer: 'als Nächstes',
    queueFollow: 'danach',
    takeBack: 'Zurücknehmen',
    takeBackOf: (said) => `Zurücknehmen: ${said}`,
    resume: 'Weitermachen',
    resuming: 'Geht weiter …',
    resumeText:
      'Es kann dort weitergehen, wo es stehen blieb. Was bisher erstellt und geändert wurde, ist noch da.'
  },

  tune: {
    change: 'Ändern',
    changeModel: 'Das Modell ändern',
    title: 'Modell dieser Aufgabe',
    holds: {
      beginning: 'Damit beginnt die Aufgabe.',
      answer: 'Es gilt ab der nächsten Antwort.',
      message: 'Es gilt, wenn Sie um noch etwas bitten.'
    },
    more: 'Modelle anderer Dienste lassen sich wählen, wenn die Aufgabe vorbei ist.',
    hint: 'Ein Modell, das dies nicht kann, beachtet es nicht.',
    budget: (amount) => `Die Aufgabe darf wie bisher insgesamt ${amount} kosten.`,
    use: 'So übernehmen',
    using: 'Wird geändert …',
    leave: 'Lassen, wie es ist',
    goesOn: (model) => `Es geht mit ${model} weiter.`,
    otherwise: 'Bei diesem Modell lässt sich nicht einstellen, wie lange es nachdenkt.',
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
    beginning: 'Wird gestartet …'
  },

  usage: {
    title: 'Verbrauch',
    cost: 'Kosten',
    free: 'nichts',
    cents: 'weniger als 1 Cent',
    unknown: 'für dieses Modell nicht bekannt',
    partly: (cost) => `${cost}, und ein Teil, dessen Preis nicht bekannt ist`,
    of: (cost, budget) => `${cost} von ${budget}`,
    input: 'Gelesen',
    output: 'Geschrieben',
    tokens: (n) => `${n} Token`,
    cached: (n) => `davon ${n} von vorher`
  },

  questions: {
    network: (host) => `Die Aufgabe möchte ${host} erreichen.`,
    networkText:
      'Die Aufgabe wartet auf Sie. Was dorthin gesendet wird, verlässt diesen Computer, womöglich auch Inhalte der Ordner, die Sie gewählt haben.',
    networkAddress: 'Sie nannte keinen Namen, nur diese Adresse.',
    networkProgram: (name) => `Nach eigener Angabe ist es das Programm „${name}“.`,
    networkPort: (port) => `Port ${port}`,
    networkPattern: (pattern) => `Was Sie auf Dauer entscheiden, gilt für ${pattern}.`,
    webPages: (pages) =>
      `Was Sie auf Dauer entscheiden, gilt für Seiten unter ${pages}, deren Adresse kein Fragezeichen hat.`,
    webFetch: (host) => `Die Aufgabe möchte eine Seite von ${host} lesen.`,
    webFetchText:
      'Schon die Adresse verlässt diesen Computer und lässt sich nicht zurückholen. Sehen Sie nach, ob sie etwas über Sie verrät.',
    webSearch: (host) => `Die Aufgabe möchte mit ${host} im Internet suchen.`,
    webSearchText: 'Wonach gesucht wird, verlässt diesen Computer und lässt sich nicht zurückholen.',
    webRedirect: 'Die zuvor aufgerufene Seite leitet dorthin weiter.',
    once: 'Dieses Mal',
    task: 'In dieser Aufgabe',
    always: 'Immer',
    deny: 'Jetzt nicht',
    never: 'Nie',
    command: 'Die Aufgabe möchte einen Befehl ausführen.',
    commandTool: (tool) => `Die Aufgabe möchte „${tool}“ benutzen.`,
    commandText:
      'Die Aufgabe wartet auf Sie. Der Befehl läuft im geschlossenen Arbeitsraum. Was er in Ihren Ordnern ändert, lässt sich zurücknehmen; was er anderswohin sendet, nicht.',
    commandEffects: 'Was der Befehl tut',
    effects: {
      delete: 'löscht Dateien',
      overwrite: 'überschreibt Dateien',
      change: 'ändert vorhandene Dateien',
      move: 'verschiebt Dateien',
      write: 'legt neue Dateien an',
      system: 'ändert den Arbeitsraum selbst',
      install: 'installiert Programme im Arbeitsraum',
      network: 'sendet etwas über das Internet',
      unknown: 'lässt sich nicht am Befehl erkennen'
    },
    commandAllow: 'Ausführen lassen',
    commandTask: 'Solche Befehle in dieser Aufgabe ausführen lassen',
    commandDeny: 'Nicht ausführen',
    confirm: 'Ein Teil des KI-Programms fragt Sie:',
    confirmYes: 'Zustimmen',
    confirmNo: 'Ablehnen',
    extensionAsks: 'Das fragt ein Teil des KI-Programms, nicht piwork. Geben Sie hier keine Passwörter ein.',
    extensionSend: 'Diese Antwort senden',
    extensionNone: 'Nicht antworten',
    folder: 'Die KI bittet um einen weiteren Ordner',
    folderSuggested: 'Vielleicht ist es dieser:',
    folderHint:
      'Sie wählen den Ordner aus. Änderungen darin warten auf Sie, außer Sie haben für diesen Ordner etwas anderes gewählt.',
    folderChoose: 'Ordner auswählen',
    folderPath: 'Ordner, den sie haben darf',
    folderUse: 'Diesen Ordner geben',
    folderNone: 'Keinen Ordner geben'
  },

  login: {
    begin: 'Anmelden',
    beginName: (name: string) => `Bei ${name} anmelden`,
    again: 'Neu anmelden',
    instead: 'Stattdessen anmelden',
    insteadName: (name: string) => `Stattdessen anmelden: ${name}`,
    beginning: 'Wird gestartet …',
    lead: (name: string) =>
      `Melden Sie sich auf der Seite von ${name} an. piwork bekommt eine eigene Anmeldung, die Sie dort jederzeit beenden können.`,
    terms: (name: string) =>
      `Mit der Anmeldung stimmt Ihr Konto bei ${name} den Bedingungen der Modelle zu, die piwork dort benutzen kann.`,
    page: (name: string) => `Die Seite von ${name} öffnen`,
    userCode: 'Die Seite fragt nach diesem Code:',
    userCodeLabel: 'Code für die Seite',
    code: 'Code, den die Seite zeigt',
    codeHint: 'Kopieren Sie ihn von der Seite, sobald Sie dort angemeldet sind.',
    send: 'Diesen Code verwenden',
    sending: 'Wird geprüft …',
    waiting: 'Wartet, bis Sie dort angemeldet sind.',
    agreeing:
      'Sie sind angemeldet. Ihr Konto stimmt jetzt den Bedingungen der Modelle dort zu; das dauert einige Sekunden.',
    company: 'Ihre Firma hat ein eigenes GitHub',
    domain: 'Seine Adresse',
    domainHint: 'Zum Beispiel firma.ghe.com. Leer bleibt es beim üblichen GitHub.',
    elsewhere: 'Auf einem anderen Gerät anmelden',
    elsewhereLead:
      'Sie bekommen einen Code und geben ihn in einem beliebigen Browser auf der Seite des Dienstes ein.',
    byCode: 'Mit einem Code anmelden',
    leave: 'Nicht anmelden',
    done: (name: string) => `Sie sind bei ${name} angemeldet.`
  },

  keyPlace: {
    title: 'Wo Schlüssel aufbewahrt werden',
    legend: 'Aufbewahren',
    stores: { keychain: 'Im Schlüsselbund dieses Computers', file: 'In einer Datei mit Passwort' },
    hints: {
      keychain: 'Das System öffnet ihn, wenn Sie sich anmelden.',
      file: 'Sie ist verschlüsselt; nach jedem Start von piwork öffnet das Passwort sie.'
    },
    noKeychain: 'Auf diesem Computer wurde kein Schlüsselbund gefunden.',
    locked: 'Die Schlüssel sind verschlossen. Aufgaben in eigenen Worten brauchen sie.',
    passphrase: 'Passwort',
    passphraseHint:
      'Wenn Sie es vergessen, müssen Sie die Schlüssel neu eingeben: Ohne das Passwort kann niemand die Datei öffnen.',
    unlockHint: 'Die Datei bleibt offen, bis piwork beendet wird.',
    unlock: 'Aufschließen',
    use: 'Die Schlüssel dorthin verschieben',
    working: 'Einen Moment …',
    unlocked: 'Die Schlüssel sind offen.',
    moved: {
      keychain: 'Die Schlüssel liegen jetzt im Schlüsselbund.',
      file: 'Die Schlüssel liegen jetzt in der Datei.'
    },
    change: 'Das Passwort ändern',
    now: 'Bisheriges Passwort',
    next: 'Neues Passwort',
    nextAgain: 'Das neue noch einmal',
    differ: 'Es ist nicht dasselbe wie das neue darüber.',
    changeIt: 'Ändern',
    changed: 'Von nun an öffnet das neue Passwort die Datei.'
  },

  models: {
    title: 'Modelle und Schlüssel',
    lead: 'Ein Modell erledigt, worum Sie in eigenen Worten bitten. Ein Schlüssel bleibt auf diesem Computer, wird nie wieder gezeigt und kommt nie in den Arbeitsraum.',
    none: 'Noch gibt es keinen Schlüssel, und auf diesem Computer wurde kein Modell gefunden.',
    yours: 'Eingerichtet',
    add: 'Einen Schlüssel hinzufügen',
    provider: 'Dienst',
    custom: 'Ein anderer Server',
    key: 'Schlüssel',
    keyHint: 'Nach dem Speichern lässt er sich nicht mehr ansehen.',
    keyHintCustom: 'Leer lassen, wenn der Server keinen braucht.',
    name: 'Name',
    nameHint: 'Wie Sie ihn nennen wollen.',
    url: 'Adresse',
    urlHint: 'Wie es in seiner Anleitung steht, zum Beispiel http://localhost:8080/v1',
    protocol: 'Welche Sprache er spricht',
    protocols: { openai: 'Wie OpenAI', anthropic: 'Wie Anthropic', google: 'Wie Google' },
    save: 'Speichern',
    saving: 'Wird gespeichert …',
    saved: (name) => `Der Schlüssel von ${name} ist gespeichert.`,
    savedServer: (name) => `${name} ist eingerichtet.`,
    test: 'Prüfen',
    testName: (name) => `${name} prüfen`,
    testing: 'Fragt …',
    works: (n) =>
      n === 0
        ? 'Es funktioniert.'
        : n === 1
          ? 'Es funktioniert: 1 Modell.'
          : `Es funktioniert: ${n} Modelle.`,
    worksNot: 'Es funktioniert nicht.',
    remove: 'Entfernen',
    removeName: (name) => `${name} entfernen`,
    removeTitle: (name) => `Den Schlüssel von ${name} entfernen?`,
    removeText:
      'piwork vergisst ihn. Der Dienst kennt ihn weiter: Einen Schlüssel, den niemand mehr braucht, löschen Sie am besten auch dort.',
    removeYes: 'Entfernen',
    removeNo: 'Behalten',
    removed: (name) => `${name} ist entfernt.`,
    kinds: { key: 'ein Schlüssel', login: 'eine Anmeldung', none: 'braucht keinen Schlüssel' },
    places: {
      keychain: 'im Schlüsselbund dieses Computers',
      file: 'in einer verschlüsselten Datei',
      environment: 'aus einer Umgebungsvariablen'
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
      'login-ended': 'Die Anmeldung ist abgelaufen. Melden Sie sich neu an.',
      'key-refused': 'Der Dienst nimmt diesen Schlüssel nicht an. Sehen Sie nach, ob er ganz kopiert wurde.',
      'no-credit': 'Auf dem Konto ist kein Guthaben mehr.',
      denied: 'Der Schlüssel gilt nicht dafür.',
      limited: 'Zurzeit zu viele Anfragen. Versuchen Sie es später noch einmal.',
      overloaded: 'Der Dienst ist überlastet oder gestört. Versuchen Sie es später noch einmal.',
      unreachable: 'Es gibt keine Verbindung dorthin.',
      proxy: 'Der Proxy dieses Netzwerks ließ die Anfrage nicht durch.',
      tls: 'Seinem Zertifikat wird auf diesem Computer nicht vertraut.',
      stalled: 'Der Dienst begann zu antworten und hörte auf.',
      redirect: 'Der Dienst verweist an eine andere Adresse; dorthin geht kein Schlüssel mit.',
      'bad-answer': 'Die Antwort des Dienstes ergibt keinen Sinn.',
      'not-provider': 'An dieser Adresse antwortet etwas anderes.'
    }
  },

  network: {
    title: 'Das Internet',
    lead: 'Was Aufgaben erreichen dürfen, die vorher fragen. Ihr Heimnetz und dieser Computer bleiben unerreichbar, außer Sie nennen sie hier.',
    presets: 'Gruppen von Adressen',
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
    none: 'Sie haben noch keinen genannt.',
    may: (name) => `${name} darf erreicht werden`,
    mayNot: (name) => `${name} darf nicht erreicht werden`,
    inTask: 'solange eine Aufgabe läuft',
    add: 'Ein Name',
    addHint: 'Zum Beispiel example.org, oder *.example.org für alles darunter.',
    allow: 'Erlauben',
    deny: 'Nie erlauben',
    remove: 'Zurücknehmen',
    working: 'Einen Moment …',
    allowed: (name) => `${name} ist jetzt erlaubt.`,
    denied: (name) => `${name} ist jetzt gesperrt.`
  }
};
