import type { Catalogue } from '../catalogue';

type Ui = Omit<
  Catalogue,
  | 'ai'
  | 'questions'
  | 'problems'
  | 'changes'
  | 'list'
  | 'start'
  | 'settingsPages'
  | 'reasons'
  | 'fixes'
  | 'steps'
  | 'commandLeads'
  | 'restarts'
  | 'chores'
  | 'tools'
  | 'otherChore'
  | 'checks'
  | 'checkOutcomes'
>;

const files = (n: number) => (n === 1 ? '1 Datei' : `${n} Dateien`);

export const ui: Ui = {
  name: 'Deutsch',

  shell: {
    skip: 'Zum Inhalt springen',
    cannotStart: 'piwork kann nicht starten',
    startByHand:
      'piwork ist nicht neu gestartet. Schließen Sie dieses Fenster und starten Sie piwork selbst.',
    newTask: 'Neue Aufgabe',
    settings: 'Einstellungen',
    tasks: 'Aufgaben',
    noTasks: 'Was Sie starten, erscheint hier.',
    lost: 'piwork antwortet nicht. Neuer Versuch läuft …',
    back: 'piwork antwortet wieder.',
    titleIn: (place) => `${place} – piwork`
  },

  machine: {
    label: (state) => `Dieser Computer: ${state}`,
    ready: 'Bereit',
    checking: 'Wird vorbereitet',
    attention: 'Braucht Sie',
    offline: 'Antwortet nicht',
    slow: 'Bereit, langsamer Modus'
  },

  home: {
    title: 'Was soll erledigt werden?',
    lead: 'Wählen Sie einen Ordner und eine Aufgabe. piwork zeigt zuerst, was es tun würde; vorher ändert sich nichts.',
    folderHeading: 'Der Ordner',
    drop: 'Ordner hier ablegen',
    or: 'oder',
    choose: 'Ordner wählen',
    chooseOther: 'Anderen Ordner wählen',
    choosing: 'Wartet auf Ihre Auswahl …',
    noPathFromDrop:
      'Ein Browser verrät nicht, wo ein abgelegter Ordner liegt. Bitte tragen Sie den Ort unten ein, oder benutzen Sie das Fenster von piwork.',
    pathLabel: 'Ort des Ordners',
    pathHint: 'Zum Beispiel /home/ich/Bilder',
    usePath: 'Diesen Ordner verwenden',
    recent: 'Zuletzt verwendet',
    groups: {
      pictures: 'Bilder',
      documents: 'PDFs und Dokumente',
      folders: 'Ordner und Dateien',
      tables: 'Tabellen',
      other: 'Mehr'
    },
    options: 'Optionen',
    show: 'Plan zeigen',
    starting: 'Wird gestartet …',
    needFolder: 'Wählen Sie zuerst einen Ordner.',
    needPassword: 'Geben Sie zuerst das Passwort ein.',
    how: 'So geht es',
    howPlan: 'Sie sehen den Plan: was gelesen, erstellt und ausgelassen würde.',
    howWork:
      'Sie stimmen zu. Gearbeitet wird in einem geschlossenen Arbeitsraum auf diesem Computer, der nur den gewählten Ordner sieht und keine Verbindung zum Internet hat.',
    undoable: 'Alles, was sich ändert, wird aufgelistet und lässt sich zurücknehmen.'
  },

  setup: {
    title: 'Dieser Computer wird vorbereitet',
    titleReady: 'Dieser Computer ist bereit',
    titleBlocked: 'Dieser Computer ist noch nicht bereit',
    lead: 'piwork prüft, was dieser Computer kann. Dabei wird nichts installiert und nichts geändert.',
    leadReady: 'Der Arbeitsraum ließ sich zur Probe öffnen. Es kann losgehen.',
    leadBlocked: (things) =>
      things > 1
        ? `${things} Dinge stehen im Weg. Beginnen Sie mit der ersten Karte unten.`
        : 'Die Karte unten sagt, was im Weg steht und was hilft.',
    checksHeading: 'Was geprüft wurde',
    checksHeadingNow: 'Was geprüft wird',
    checking: 'Dieser Computer wird geprüft …',
    waitWord: 'Die Laufzeitumgebung wird geprüft und der Arbeitsraum zur Probe geöffnet.',
    waitReason:
      'Nur ein Arbeitsraum, der sich wirklich öffnet, ist ein Beweis. Beim ersten Mal dauert es am längsten.',
    waitStall: 'Das dauert länger, als es sollte. Sie können weiter warten oder von vorn prüfen lassen.',
    start: 'Loslegen',
    checkAgain: 'Noch einmal nachsehen',
    took: (time) => `dauerte ${time}`,
    states: {
      passed: 'in Ordnung',
      failed: 'nicht in Ordnung',
      unknown: 'ließ sich nicht prüfen',
      skipped: 'noch nicht geprüft',
      unneeded: 'nicht da, nicht nötig',
      spared: 'nicht nötig',
      pending: 'kommt noch',
      looking: 'wird gerade geprüft'
    },
    nextSteps: 'Was Sie tun können',
    slowHeading: 'Langsam arbeiten',
    slowText: 'Alles funktioniert genauso und ist genauso sicher, dauert aber länger.',
    slowFactor: (factor) => `Auf diesem Computer dauert es etwa ${factor}-mal so lange.`,
    slowGuess: 'Wie viel länger, wurde auf diesem Computer nicht gemessen.',
    slowOpens: (time) => `Das Öffnen des Arbeitsraums dauert dann ${time}.`,
    slowOn: 'Langsam arbeiten',
    slowOff: 'Langsamen Modus ausschalten',
    slowByEnvironment: 'Er wurde von außen eingeschaltet (PIWORK_ACCEL) und lässt sich nur dort ausschalten.',
    slowByFlag: 'Er wurde beim Start von piwork eingeschaltet und gilt, bis piwork beendet wird.',
    installHeading: 'Die Laufzeitumgebung aus einer Datei installieren',
    installLead:
      'Eine Laufzeitumgebung ist eine einzige Datei mit einem Namen wie „piwork-runtime-….tar.zst“; ein Paket enthält alles in einer „….tar“. piwork installiert nur, was gültig signiert ist.',
    installPath: 'Ort der Datei',
    installPathHint: 'Zum Beispiel /home/ich/Downloads/piwork-runtime-linux-x86_64.tar.zst',
    installChoose: 'Datei wählen',
    install: 'Installieren',
    installLeadNow:
      'Die Laufzeitumgebung wird geprüft und installiert. Ihre eigenen Dateien berührt das nicht.',
    installing: (done, total) => `Wird geprüft und entpackt: ${done} von ${total}`,
    installingStart: 'Die Signatur wird geprüft …',
    installed: (version) => `Laufzeitumgebung ${version} ist installiert.`
  },

  settings: {
    title: 'Einstellungen',
    computer: 'Dieser Computer',
    runtime: 'Laufzeitumgebung',
    runtimeNone: 'Es ist keine Laufzeitumgebung installiert.',
    runtimeVersion: 'Version',
    runtimeSigned: 'Signatur',
    runtimeSignedRight: 'geprüft und gültig',
    runtimeSignedOpen: 'noch nicht geprüft',
    runtimeDeveloper: 'von einem Entwicklerschlüssel dieses Computers',
    runtimeMachine: 'Bestandteile',
    runtimeStock:
      'Von Debian, unverändert (stock): im langsamen Modus ein Prozessor, mehr Speicher, langsamere Ordner',
    runtimeWhere: 'Ort',
    speed: 'Tempo',
    speedFast: (kind) => `Schnell (${kind}), beim Öffnen des Arbeitsraums geprüft`,
    speedSlow: 'Langsamer Modus, absichtlich gewählt',
    speedNone: 'Funktioniert noch nicht',
    opened: (time) => `Der Arbeitsraum öffnete sich in ${time}.`,
    look: 'Aussehen',
    theme: 'Farbschema',
    themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
    language: 'Sprache',
    languageSystem: 'Wie das System',
    about: 'Über piwork',
    version: (version) => `piwork ${version}`
  },

  runtime: {
    title: 'Laufzeitumgebung',
    lead: 'Woraus der Arbeitsraum besteht. Sie ist signiert, wird vor jedem Start geprüft und automatisch aktualisiert. Ihre eigenen Dateien gehören nicht dazu.',
    open: 'Versionen, Updates und Erweiterungen',

    updates: 'Updates',
    phases: {
      off: 'Diesem piwork ist keine Quelle für Updates bekannt',
      idle: 'Nach Updates wurde noch nicht gesucht',
      checking: 'Nach Updates wird gesucht …',
      available: 'Es gibt ein Update',
      downloading: 'Wird heruntergeladen',
      paused: 'Das Herunterladen ist angehalten',
      installing: 'Wird geprüft und installiert',
      trying: 'Der Arbeitsraum wird einmal damit geöffnet',
      'up-to-date': 'Das ist die neueste Version',
      failed: 'Das Update hat nicht geklappt',
      offline: 'Die Quelle für Updates ist nicht zu erreichen'
    },
    newest: (version) => `Version ${version} ist die neueste`,
    newestHere: (version) => `Version ${version} ist die neueste, die hier funktioniert`,
    ready: (version) => `Version ${version} kann installiert werden`,
    getting: (version) => (version ? `Version ${version} wird heruntergeladen` : 'Wird heruntergeladen'),
    gettingAddOn: (name) => `Die Erweiterung ${name} wird heruntergeladen`,
    paused: (version) =>
      version
        ? `Das Herunterladen von Version ${version} ist angehalten`
        : 'Das Herunterladen ist angehalten',
    cost: (size) => `${size} werden heruntergeladen`,
    costReused: (size, reused) => `${size} werden heruntergeladen; ${reused} sind schon da`,
    checked: (when) => `Zuletzt gesucht: ${when}`,
    offHint:
      'Es ist keine eingebaut, deshalb kann nicht nach Updates gesucht werden. Eine neuere Version lässt sich aus einer Datei installieren.',
    tryingHint: (current) =>
      current ? `Bis das gelingt, bleibt Version ${current} in Gebrauch.` : 'Das ist der letzte Schritt.',
    installingHint: 'Jedes Byte wird mit seiner Signatur verglichen.',
    pausedHint: 'Was schon geladen ist, bleibt erhalten, auch wenn piwork geschlossen wird.',
    notes: 'Was neu ist',
    look: 'Jetzt suchen',
    lookAgain: 'Noch einmal suchen',
    now: 'Jetzt aktualisieren',
    download: 'Laufzeitumgebung herunterladen',
    downloadSize: (size) => `Laufzeitumgebung herunterladen (${size})`,
    pause: 'Anhalten',
    pausing: 'Wird angehalten …',
    resume: 'Weitermachen',
    starting: 'Wird gestartet …',
    of: (done, total) => `${done} von ${total}`,
    speed: (rate) => `${rate} pro Sekunde`,
    left: (time) => `noch ${time}`,
    progressLabel: 'Herunterladen',

    getLead: 'piwork kann sie herunterladen. Bevor etwas davon benutzt wird, wird ihre Signatur geprüft.',
    haveFile: 'Ich habe die Datei',
    repairFromFile: 'Aus einer Datei reparieren, die ich habe',
    found: (name) => `Neben piwork liegt eine Datei mit allem: ${name}`,
    foundLead: 'Sie lässt sich ohne Internet installieren.',
    foundInstall: 'Aus dieser Datei installieren',
    otherWays: 'Andere Möglichkeiten',
    working: 'Die Laufzeitumgebung wird auf diesen Computer geholt',
    workingLead:
      'Ihre eigenen Dateien bleiben unberührt. Was schon geladen ist, bleibt erhalten, wenn Sie piwork schließen.',

    versions: 'Versionen',
    noVersions: 'Es ist keine Version installiert.',
    states: {
      current: 'in Gebrauch',
      previous: 'die vorige',
      candidate: 'wartet auf ihren ersten Start',
      failed: 'hat hier nicht funktioniert',
      inUse: 'eine Aufgabe arbeitet damit',
      withdrawn: 'von den Herstellern zurückgezogen'
    },
    why: 'Warum',
    built: (day) => `erstellt am ${day}`,
    size: (size) => `${size} auf der Festplatte`,
    signedBy: (who) => `signiert von ${who}`,
    developerKey: 'signiert mit einem Entwicklerschlüssel dieses Computers',
    back: (version) => `Zurück zu ${version}`,
    goingBack: 'Wird zurückgesetzt …',
    remove: 'Entfernen',
    removeName: (version) => `Version ${version} entfernen`,
    removeTitle: (version) => `Version ${version} entfernen?`,
    removeText: (size) => `${size} werden frei. Sie lässt sich wieder installieren.`,
    removeYes: 'Entfernen',
    removeNo: 'Behalten',
    removing: 'Wird entfernt …',
    repair: 'Reparieren',
    repairing: 'Wird repariert …',

    addOns: 'Erweiterungen',
    addOnsLead:
      'Weitere Werkzeuge für den Arbeitsraum. Sie werden installiert, wenn eine Aufgabe sie braucht, oder hier.',
    addOnsNone: 'Es gibt keine, weder installierte noch angebotene.',
    addOn: {
      media: { name: 'Ton und Video', about: 'wandelt Aufnahmen um, schneidet und verbindet sie' },
      office: { name: 'Office-Dokumente', about: 'liest und schreibt Word-, Excel- und ähnliche Dateien' },
      music: { name: 'Musik und Noten', about: 'setzt Noten und lässt Partituren klingen' },
      browser: { name: 'Webseiten', about: 'öffnet und speichert Webseiten' }
    },
    addOnInstalled: 'installiert',
    addOnUnfit: 'passt nicht zur Version in Gebrauch',
    addOnGet: 'Installieren',
    addOnGetName: (name) => `${name} installieren`,
    addOnRemove: 'Entfernen',
    addOnRemoveName: (name) => `${name} entfernen`,

    choices: 'Woher Updates kommen',
    auto: 'Updates',
    autoOn: 'Automatisch',
    autoOff: 'Nur wenn ich es sage',
    autoHint: 'piwork sucht beim Start und einmal am Tag, nie über eine getaktete Verbindung.',
    advanced: 'Adresse, Proxy, Zertifikate',
    urls: 'Adressen der Update-Quelle, eine pro Zeile',
    urlsHint: 'Leer: die eingebaute Adresse. Was von dort kommt, ist in jedem Fall signiert.',
    proxy: 'Proxy',
    proxyHint: 'Leer: der Proxy dieses Computers. Zum Beispiel http://proxy.example:3128',
    caFile: 'Datei mit weiteren Zertifizierungsstellen',
    caFileHint: 'Leer: keine. Nur für Netzwerke, die das brauchen.',
    save: 'Speichern',
    saving: 'Wird gespeichert …',
    saved: 'Gespeichert.',

    fromFile: 'Aus einer Datei installieren',

    notices: {
      working: (version) =>
        version ? `Version ${version} wird geholt …` : 'Die Laufzeitumgebung wird geholt …',
      available: (version) => `Version ${version} liegt bereit`,
      updated: (version) => `Version ${version} ist jetzt in Gebrauch`,
      trouble: (version) => `Zurück auf Version ${version}`
    },
    noticeClose: 'Diesen Hinweis schließen'
  },

  task: {
    stages: { plan: 'Plan', working: 'In Arbeit', done: 'Fertig' },
    stagesLabel: 'Wo diese Aufgabe steht',
    stageNow: 'jetzt',
    stagePast: 'erledigt',
    states: {
      queued: 'wartet, bis sie dran ist',
      preparing: 'wird vorbereitet',
      running: 'in Arbeit',
      waiting: 'wartet auf Sie',
      done: 'fertig',
      failed: 'hat nicht geklappt',
      cancelled: 'angehalten'
    },
    stop: 'Anhalten',
    stopping: 'Wird angehalten …',
    goOn: 'Weitermachen',
    resuming: 'Geht weiter …',
    goOnHint:
      'Es geht mit dem Plan weiter, dem Sie zugestimmt haben. Was schon erledigt ist, bleibt und wird nicht wiederholt.',
    again: 'Neu starten',
    forget: 'Aufgabe vergessen',
    forgetTitle: 'Diese Aufgabe vergessen?',
    forgetText:
      'Sie verschwindet aus der Liste. Ihre Dateien bleiben, wie sie jetzt sind, und was die Aufgabe geändert hat, lässt sich nicht mehr zurücknehmen.',
    forgetYes: 'Vergessen',
    forgetNo: 'Behalten',
    started: (when) => `Gestartet: ${when}`,
    took: (time) => `Dauer: ${time}`,
    missing: 'Diese Aufgabe gibt es nicht mehr.',
    missingText: 'Vielleicht wurde sie in einem anderen Fenster entfernt.',
    goHome: 'Etwas Neues beginnen',
    announce: {
      plan: 'Der Plan ist da.',
      working: 'Die Arbeit läuft.',
      done: (results) => (results === 0 ? 'Fertig.' : `Fertig. ${files(results)} erstellt.`),
      failed: 'Das hat nicht geklappt.',
      cancelled: 'Angehalten.'
    },

    wait: {
      queued: 'Wird vorbereitet.',
      turn: 'Wartet auf das Ende einer anderen Aufgabe.',
      memory: 'Wartet auf freien Arbeitsspeicher.',
      verify: 'Die Laufzeitumgebung wird geprüft.',
      boot: 'Der Arbeitsraum wird geöffnet.',
      mount: 'Ihr Ordner kommt in den Arbeitsraum und wird durchgesehen.',
      mountRun:
        'Ihr Ordner kommt in den Arbeitsraum; es wird geprüft, dass sich seit dem Plan nichts geändert hat.',
      plan: 'Der Ordner wird durchgesehen.',
      accept: 'Wartet auf Sie.',
      'agent-start': 'Die KI wird gestartet.',
      run: 'Die Arbeit beginnt.',
      finish: 'Zum Schluss wird der Arbeitsraum geschlossen und verworfen.'
    },
    reason: {
      queued: 'Gleich geht es los.',
      turn: 'Es arbeiten nur so viele Aufgaben zugleich, wie dieser Computer Arbeitsspeicher hat.',
      memory: 'Andere Programme brauchen ihn. Schließen Sie eines, dann beginnt diese Aufgabe.',
      verify: 'Jede Datei wird mit ihrer Signatur verglichen, bevor sie benutzt wird.',
      boot: 'Er wird für jede Aufgabe frisch angelegt.',
      bootSlow:
        'Er wird für jede Aufgabe frisch angelegt; im langsamen Modus dauert das bis zu einer Minute.',
      mount: 'Jedes Bild wird einmal geöffnet, um zu sehen, ob es unbeschädigt ist.',
      mountSlow:
        'Jedes Bild wird einmal geöffnet, um zu sehen, ob es unbeschädigt ist. Im langsamen Modus braucht das seine Zeit.',
      mountRun: 'Getan wird, was Sie im Plan gesehen haben, oder nichts.',
      plan: 'Während der Planung kann der Ordner nur gelesen werden.',
      accept: 'Erst wenn Sie zustimmen, geht es weiter.',
      'agent-start': 'Sie startet im Arbeitsraum; im langsamen Modus dauert das bis zu einer halben Minute.',
      run: 'Der erste Teil dauert am längsten.',
      finish: 'Die Ergebnisse werden sicher auf die Festplatte geschrieben.'
    },
    stalled:
      'Seit einer Weile kommt keine Rückmeldung. Sie können weiter warten; wenn Sie anhalten, ändert sich nichts mehr.',
    keepWaiting: 'Weiter warten',

    planTitle: 'Das ist der Plan',
    planReads: (n, size) =>
      n === 1 ? `Gelesen wird 1 Datei, ${size}` : `Gelesen werden ${n} Dateien, ${size}`,
    planMakes: 'Wird erstellt',
    planChanges: 'Wird geändert',
    planMovesTo: (to) => `Nach ${to}`,
    planRenames: (where) => (where ? `Neue Namen in ${where}` : 'Neue Namen'),
    planNewName: (name) => `heißt dann ${name}`,
    planCount: (n, size) => `${n === 1 ? '1 Datei' : `${n} Dateien`}, ${size}`,
    planDeletes: 'Wird gelöscht',
    planUnpacks: (n) => `entpackt ${files(n)}`,
    planGrows: (times) => `wird ${times}-mal so groß: Sie werden vorher gefragt`,
    planIn: (folder) => `in ${folder}`,
    planLeft: (n) => (n === 1 ? '1 Datei wird ausgelassen' : `${n} Dateien werden ausgelassen`),
    planSafe: 'Was jetzt da ist, wird weder geändert noch verschoben oder gelöscht.',
    planReadOnly: 'Bis hierher wurde der Ordner nur gelesen.',
    planNo: 'Jetzt nicht',
    planAccepting: 'Wird gestartet …',
    more: (n) => (n === 1 ? '1 weitere zeigen' : `${n} weitere zeigen`),
    less: 'Weniger zeigen',
    files,

    progress: (done, total) => `${done} von ${total}`,
    looking: 'Der Ordner wird durchgesehen',
    progressLabel: 'Fortschritt',
    current: 'Jetzt',
    elapsed: (time) => `bisher ${time}`,
    remaining: (time) => `noch ${time}`,
    almost: 'fast fertig',

    resultsTitle: 'Ergebnisse',
    resultsNone: 'Noch wurde nichts erstellt.',
    resultsEmpty: 'Es wurde nichts erstellt.',
    resultsGone: 'Zurückgenommen: Die erstellten Dateien sind wieder weg.',
    open: 'Öffnen',
    openName: (name) => `${name} öffnen`,
    save: 'Speichern',
    saveName: (name) => `${name} speichern`,
    inFolder: (folder) => `in ${folder}`,
    inTask: 'liegt bei dieser Aufgabe',

    changesTitle: 'Änderungen',
    changesNone: 'In Ihrem Ordner wurde nichts geändert.',
    changesNotYet: 'Noch wurde nichts geändert.',
    effects: { create: 'neu', change: 'geändert', move: 'verschoben', delete: 'gelöscht' },
    effectCounts: {
      create: (n) => `${n} neu`,
      change: (n) => `${n} geändert`,
      move: (n) => `${n} verschoben`,
      delete: (n) => `${n} gelöscht`
    },
    movedFrom: (from) => `war ${from}`,
    undoAll: 'Alles zurücknehmen',
    undoOne: 'Zurücknehmen',
    undoOneName: (name) => `${name} zurücknehmen`,
    undoing: 'Wird zurückgenommen …',
    undone: 'zurückgenommen',
    undoMeans:
      'Ihr Ordner wird wieder so, wie er vor dieser Aufgabe war. Was Sie seither geändert haben, bleibt.',
    undoDone: (n) =>
      n === 1 ? '1 Änderung wurde zurückgenommen.' : `${n} Änderungen wurden zurückgenommen.`,
    undoAllDone: 'Alles ist wieder so, wie es vorher war.',
    undoConflicts: (n) =>
      n === 1
        ? '1 Datei blieb unberührt, weil sie jetzt Ihre ist:'
        : `${n} Dateien blieben unberührt, weil sie jetzt Ihre sind:`,
    undoReasons: {
      'changed-since': 'nach der Aufgabe von Ihnen geändert',
      gone: 'nicht mehr da',
      'in-the-way': 'an seiner Stelle liegt etwas anderes',
      'no-before-image': 'der Stand von vorher ließ sich nicht aufbewahren',
      io: 'die Festplatte meldete einen Fehler',
      rights: 'ist zurück, aber Besitzer oder Zugriffsrechte ließen sich nicht wiederherstellen',
      damaged:
        'die neue Fassung ging verloren, zum Beispiel bei einem Stromausfall; Ihre Datei ist unverändert'
    },

    reachTitle: 'Was erreichbar ist',
    reachFolders: 'Ordner',
    modes: {
      ro: 'darf nur lesen',
      rw: 'darf lesen und ändern',
      review: 'Änderungen warten auf Sie'
    },
    folders: {
      none: 'keine',
      removed: (when) => `entfernt ${when}`,
      add: 'Ordner hinzufügen',
      path: 'Ordner, der hinzukommt',
      use: 'Auswählen',
      modeOf: (name) => `Was in ${name} geschehen darf`,
      addThis: (name) => `${name} hinzufügen`,
      adding: 'Wird hinzugefügt …',
      remove: (name) => `${name} entfernen`,
      removing: 'Wird entfernt …',
      means: (name) =>
        `Die Aufgabe kann in ${name} nichts mehr lesen oder ändern. Was sie dort geändert hat, bleibt und lässt sich rückgängig machen.`,
      keep: 'Behalten',
      dontAdd: 'Nicht hinzufügen'
    },
    reachNetwork: 'Netzwerk',
    networks: { off: 'keines', restricted: 'nur erlaubte Adressen', on: 'das Internet' },
    reachWhere: 'Wo',
    reachWorkroom: 'In einem geschlossenen Arbeitsraum auf diesem Computer, der danach verworfen wird',
    reachSlow: 'langsamer Modus',

    wasLeft: (n) => (n === 1 ? '1 Datei wurde ausgelassen' : `${n} Dateien wurden ausgelassen`),
    leftOut: 'Ausgelassen',
    timelineTitle: 'Was geschehen ist',
    timeline: {
      queued: 'Von Ihnen gestartet',
      verify: 'Laufzeitumgebung geprüft',
      boot: 'Arbeitsraum wird geöffnet',
      mount: 'Ordner in den Arbeitsraum gebracht',
      plan: 'Planung begonnen, der Ordner konnte nur gelesen werden',
      run: 'Arbeit begonnen',
      finish: 'Arbeitsraum geschlossen und verworfen',
      planReady: 'Plan gezeigt',
      accepted: 'Sie waren mit dem Plan einverstanden',
      resumed: 'Geht dort weiter, wo es stehen blieb',
      done: 'Fertig',
      failed: 'Hat nicht geklappt',
      cancelled: 'Angehalten',
      result: (name) => `${name} erstellt`,
      undo: (n) => (n === 1 ? '1 Änderung zurückgenommen' : `${n} Änderungen zurückgenommen`),
      redo: (n) => (n === 1 ? '1 Änderung erneut angewendet' : `${n} Änderungen erneut angewendet`),
      folderAdded: (name) => `Ordner ${name} hinzugefügt`,
      folderRemoved: (name) => `Ordner ${name} entfernt`,
      apply: (n) =>
        n === 1 ? '1 Änderung in den Ordner übernommen' : `${n} Änderungen in den Ordner übernommen`
    }
  },

  problem: {
    details: 'Einzelheiten',
    copy: 'Kopieren',
    copied: 'Kopiert',
    dismiss: 'Schließen',
    command: 'Befehl',
    typed: 'In einem Terminal:'
  },

  time: {
    now: 'gerade eben',
    moment: 'weniger als 1 Sekunde',
    seconds: (n) => (n === 1 ? '1 Sekunde' : `${n} Sekunden`),
    aboutSeconds: (n) => `etwa ${n} Sekunden`,
    aboutMinutes: (n) => (n === 1 ? 'etwa 1 Minute' : `etwa ${n} Minuten`),
    aboutHours: (n) => (n === 1 ? 'etwa 1 Stunde' : `etwa ${n} Stunden`)
  }
};
