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
    startByHand: 'piwork ist nicht neu gestartet. Schließen Sie dieses Fenster und starten Sie es selbst.',
    newTask: 'Neue Aufgabe',
    settings: 'Einstellungen',
    tasks: 'Aufgaben',
    showTasks: 'Aufgaben zeigen',
    closeTasks: 'Aufgaben schließen',
    noTasks: 'Was Sie beginnen, erscheint hier.',
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
    slow: 'Bereit, langsam'
  },

  home: {
    title: 'Was soll erledigt werden?',
    lead: 'Wählen Sie einen Ordner und eine Aufgabe. piwork zeigt zuerst, was es tun würde; vorher ändert sich nichts.',
    folderHeading: 'Der Ordner',
    drop: 'Ordner hier ablegen',
    or: 'oder',
    choose: 'Ordner wählen',
    chooseOther: 'Anderen Ordner wählen',
    choosing: 'Wartet auf Ihre Wahl …',
    noPathFromDrop:
      'Ein Browser verrät nicht, wo ein abgelegter Ordner liegt. Bitte schreiben Sie den Ort unten hin, oder nehmen Sie das Fenster von piwork.',
    pathLabel: 'Ort des Ordners',
    pathHint: 'Zum Beispiel /home/ich/Bilder',
    usePath: 'Diesen Ordner nehmen',
    recent: 'Zuletzt benutzt',
    choreHeading: 'Die Aufgabe',
    groups: {
      pictures: 'Bilder',
      documents: 'PDFs und Dokumente',
      folders: 'Ordner und Dateien',
      tables: 'Tabellen',
      other: 'Mehr'
    },
    options: 'Einzelheiten',
    show: 'Plan zeigen',
    starting: 'Beginnt …',
    needFolder: 'Wählen Sie zuerst einen Ordner.',
    needPassword: 'Geben Sie zuerst das Passwort ein.',
    how: 'So geht es',
    howPlan: 'Sie sehen den Plan: was gelesen, gemacht und ausgelassen würde.',
    howWork:
      'Sie sagen ja. Gearbeitet wird in einem geschlossenen Arbeitsraum auf diesem Computer, der nur den gewählten Ordner sieht und kein Netz hat.',
    undoable: 'Alles, was sich ändert, wird aufgelistet und lässt sich zurücknehmen.'
  },

  setup: {
    title: 'Dieser Computer wird vorbereitet',
    titleReady: 'Dieser Computer ist bereit',
    titleBlocked: 'Dieser Computer ist noch nicht bereit',
    lead: 'piwork sieht nach, was dieser Computer kann. Dabei wird nichts installiert und nichts geändert.',
    leadReady: 'Der Arbeitsraum ließ sich zur Probe öffnen. Es kann losgehen.',
    leadBlocked: 'Nichts wurde installiert oder geändert. Die erste Karte unten kommt zuerst.',
    checksHeading: 'Was nachgesehen wurde',
    checking: 'Dieser Computer wird angesehen …',
    waitWord: 'Die Laufzeit wird geprüft und der Arbeitsraum zur Probe geöffnet.',
    waitReason:
      'Nur ein Arbeitsraum, der sich wirklich öffnet, ist ein Beweis. Beim ersten Mal dauert es am längsten.',
    waitStall: 'Das dauert länger, als es sollte. Sie können weiter warten oder von vorn nachsehen lassen.',
    start: 'Loslegen',
    checkAgain: 'Noch einmal nachsehen',
    took: (time) => `dauerte ${time}`,
    states: {
      passed: 'in Ordnung',
      failed: 'nicht in Ordnung',
      unknown: 'ließ sich nicht nachsehen',
      skipped: 'noch nicht nachgesehen',
      unneeded: 'nicht da, nicht nötig',
      spared: 'nicht nötig',
      pending: 'kommt noch',
      looking: 'wird gerade nachgesehen'
    },
    nextSteps: 'Was Sie tun können',
    slowHeading: 'Langsam arbeiten',
    slowText: 'Alles geht genauso und ist genauso sicher, dauert aber länger.',
    slowFactor: (factor) => `Auf diesem Computer etwa ${factor}-mal so lange.`,
    slowGuess: 'Wie viel länger, wurde auf diesem Computer nicht gemessen.',
    slowOpens: (time) => `Den Arbeitsraum zu öffnen, dauert dann ${time}.`,
    slowOn: 'Langsam arbeiten',
    slowIsOn: 'Das langsame Arbeiten ist eingeschaltet',
    slowOff: 'Langsames Arbeiten ausschalten',
    slowByEnvironment: 'Es wurde von außen eingeschaltet (PIWORK_ACCEL) und lässt sich nur dort ausschalten.',
    slowByFlag: 'Es wurde beim Start von piwork eingeschaltet und gilt, bis es endet.',
    installHeading: 'Die Laufzeit aus einer Datei installieren',
    installLead:
      'Eine Laufzeit ist eine einzige Datei mit einem Namen wie „piwork-runtime-….tar.zst“; ein Paket enthält alles in einer „….tar“. piwork installiert nur, was richtig signiert ist.',
    installPath: 'Ort der Datei',
    installPathHint: 'Zum Beispiel /home/ich/Downloads/piwork-runtime-linux-x86_64.tar.zst',
    installChoose: 'Datei wählen',
    install: 'Installieren',
    installLeadNow: 'Die Laufzeit wird geprüft und installiert. Ihre eigenen Dateien berührt das nicht.',
    installing: (done, total) => `Wird geprüft und entpackt: ${done} von ${total}`,
    installingStart: 'Die Signatur wird geprüft …',
    installed: (version) => `Laufzeit ${version} ist installiert.`
  },

  settings: {
    title: 'Einstellungen',
    computer: 'Dieser Computer',
    runtime: 'Laufzeit',
    runtimeNone: 'Es ist keine Laufzeit installiert.',
    runtimeVersion: 'Version',
    runtimeSigned: 'Signatur',
    runtimeSignedRight: 'geprüft und richtig',
    runtimeSignedOpen: 'noch nicht geprüft',
    runtimeDeveloper: 'von einem Entwicklerschlüssel dieses Computers',
    runtimeWhere: 'Ort',
    speed: 'Tempo',
    speedFast: (kind) => `Schnell (${kind}), durch Öffnen des Arbeitsraums bewiesen`,
    speedSlow: 'Langsam, mit Absicht gewählt',
    speedNone: 'Geht noch nicht',
    opened: (time) => `Der Arbeitsraum öffnete sich in ${time}.`,
    look: 'Aussehen',
    theme: 'Farben',
    themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
    language: 'Sprache',
    languageSystem: 'Wie das System',
    about: 'Über piwork',
    version: (version) => `piwork ${version}`
  },

  runtime: {
    title: 'Laufzeit',
    lead: 'Woraus der Arbeitsraum gemacht ist. Sie ist signiert, wird vor jedem Start geprüft und von selbst erneuert. Ihre eigenen Dateien gehören nicht dazu.',
    open: 'Versionen, Neueres und Erweiterungen',

    updates: 'Neueres',
    phases: {
      off: 'Dieses piwork folgt keinem Kanal für Neueres',
      idle: 'Noch wurde nicht nach Neuerem gesehen',
      checking: 'Es wird nach Neuerem gesehen …',
      available: 'Es gibt etwas Neueres',
      downloading: 'Wird heruntergeladen',
      paused: 'Das Herunterladen ruht',
      installing: 'Wird geprüft und installiert',
      trying: 'Der Arbeitsraum wird einmal damit geöffnet',
      'up-to-date': 'Das ist die neueste Version',
      failed: 'Das Erneuern hat nicht geklappt',
      offline: 'Der Ort, von dem Neueres kommt, ist nicht zu erreichen'
    },
    newest: (version) => `Version ${version} ist die neueste`,
    ready: (version) => `Version ${version} kann installiert werden`,
    getting: (version) => (version ? `Version ${version} wird heruntergeladen` : 'Wird heruntergeladen'),
    gettingAddOn: (name) => `Die Erweiterung ${name} wird heruntergeladen`,
    paused: (version) =>
      version ? `Das Herunterladen von Version ${version} ruht` : 'Das Herunterladen ruht',
    cost: (size) => `${size} herunterzuladen`,
    costReused: (size, reused) => `${size} herunterzuladen; ${reused} sind schon hier`,
    checked: (when) => `Nachgesehen ${when}`,
    offHint:
      'Es ist keiner eingebaut, deshalb lässt sich nicht nach Neuerem sehen. Eine neuere Version lässt sich aus einer Datei installieren.',
    tryingHint: (current) =>
      current ? `Bis das gelingt, bleibt Version ${current} in Gebrauch.` : 'Das ist der letzte Schritt.',
    installingHint: 'Jedes Byte wird mit seiner Signatur verglichen.',
    pausedHint: 'Was ankam, bleibt liegen, auch wenn piwork geschlossen wird.',
    notes: 'Was neu ist',
    look: 'Jetzt nachsehen',
    lookAgain: 'Noch einmal nachsehen',
    now: 'Jetzt erneuern',
    download: 'Laufzeit herunterladen',
    downloadSize: (size) => `Laufzeit herunterladen (${size})`,
    pause: 'Ruhen lassen',
    pausing: 'Hält an …',
    resume: 'Weitermachen',
    starting: 'Beginnt …',
    of: (done, total) => `${done} von ${total}`,
    speed: (rate) => `${rate} in der Sekunde`,
    left: (time) => `noch ${time}`,
    progressLabel: 'Herunterladen',

    getLead: 'piwork kann sie herunterladen. Bevor etwas davon benutzt wird, wird ihre Signatur geprüft.',
    haveFile: 'Ich habe die Datei',
    found: (name) => `Neben piwork liegt eine Datei mit allem: ${name}`,
    foundLead: 'Sie lässt sich ohne Netz installieren.',
    foundInstall: 'Aus dieser Datei installieren',
    otherWays: 'Andere Wege',
    working: 'Die Laufzeit kommt auf diesen Computer',
    workingLead:
      'Ihre eigenen Dateien berührt das nicht. Was ankam, bleibt liegen, wenn Sie piwork schließen.',

    versions: 'Versionen',
    noVersions: 'Es ist keine Version installiert.',
    states: {
      current: 'in Gebrauch',
      previous: 'die davor',
      candidate: 'wartet auf ihren ersten Start',
      failed: 'ging hier nicht',
      inUse: 'eine Aufgabe arbeitet damit'
    },
    why: 'Warum',
    built: (day) => `gemacht am ${day}`,
    size: (size) => `${size} auf der Platte`,
    signedBy: (who) => `signiert von ${who}`,
    developerKey: 'signiert mit einem Entwicklerschlüssel dieses Computers',
    back: (version) => `Zurück zu ${version}`,
    goingBack: 'Geht zurück …',
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
      media: { name: 'Ton und Video', about: 'wandelt, schneidet und verbindet Aufnahmen' },
      office: { name: 'Bürodokumente', about: 'liest und macht Word-, Excel- und ähnliche Dateien' },
      music: { name: 'Musik und Noten', about: 'setzt Notenblätter, macht Klang aus Partituren' },
      browser: { name: 'Webseiten', about: 'öffnet und sichert Webseiten' }
    },
    addOnInstalled: 'installiert',
    addOnUnfit: 'nicht für die Version in Gebrauch',
    addOnGet: 'Installieren',
    addOnGetName: (name) => `${name} installieren`,
    addOnRemove: 'Entfernen',
    addOnRemoveName: (name) => `${name} entfernen`,

    choices: 'Woher Neueres kommt',
    auto: 'Neueres holen',
    autoOn: 'Von selbst',
    autoOff: 'Nur wenn ich es sage',
    autoHint:
      'piwork sieht beim Start und einmal am Tag nach, nie über eine Verbindung, die nach Menge kostet.',
    advanced: 'Adresse, Proxy, Zertifikate',
    urls: 'Adressen des Kanals, eine auf jeder Zeile',
    urlsHint: 'Leer: die eingebaute Adresse. Was von dort kommt, ist signiert, wo immer es liegt.',
    proxy: 'Proxy',
    proxyHint: 'Leer: der dieses Computers. Zum Beispiel http://proxy.example:3128',
    caFile: 'Datei mit weiteren Zertifizierungsstellen',
    caFileHint: 'Leer: keine. Nur für Netze, die das brauchen.',
    save: 'Speichern',
    saving: 'Wird gespeichert …',
    saved: 'Gespeichert.',

    fromFile: 'Aus einer Datei installieren',

    notices: {
      working: (version) => (version ? `Version ${version} wird geholt …` : 'Die Laufzeit wird geholt …'),
      available: (version) => `Version ${version} liegt bereit`,
      updated: (version) => `Version ${version} ist jetzt in Gebrauch`,
      trouble: (version) => `Wieder mit Version ${version}`
    },
    noticeClose: 'Diesen Hinweis schließen',
    installedNow: (version) => `Version ${version} ist jetzt in Gebrauch.`
  },

  task: {
    stages: { plan: 'Plan', working: 'Arbeit', done: 'Fertig' },
    stagesLabel: 'Wo diese Aufgabe steht',
    stageNow: 'jetzt',
    stagePast: 'erledigt',
    states: {
      queued: 'wartet, bis sie dran ist',
      preparing: 'bereitet sich vor',
      running: 'arbeitet',
      waiting: 'wartet auf Sie',
      done: 'fertig',
      failed: 'hat nicht geklappt',
      cancelled: 'angehalten'
    },
    stop: 'Anhalten',
    stopping: 'Hält an …',
    goOn: 'Weitermachen',
    resuming: 'Macht weiter …',
    goOnHint:
      'Es geht mit dem Plan weiter, dem Sie zugestimmt haben. Was schon getan ist, bleibt und wird nicht noch einmal getan.',
    again: 'Noch einmal beginnen',
    forget: 'Aufgabe vergessen',
    forgetTitle: 'Diese Aufgabe vergessen?',
    forgetText:
      'Sie verschwindet aus der Liste. Ihre Dateien bleiben, wie sie jetzt sind, und was die Aufgabe geändert hat, lässt sich nicht mehr zurücknehmen.',
    forgetYes: 'Vergessen',
    forgetNo: 'Behalten',
    started: (when) => `Begonnen ${when}`,
    took: (time) => `dauerte ${time}`,
    missing: 'Diese Aufgabe gibt es nicht mehr.',
    missingText: 'Vielleicht wurde sie in einem anderen Fenster entfernt.',
    goHome: 'Etwas Neues beginnen',
    announce: {
      plan: 'Der Plan ist da.',
      working: 'Die Arbeit läuft.',
      done: (results) => (results === 0 ? 'Fertig.' : `Fertig. ${files(results)} gemacht.`),
      failed: 'Das hat nicht geklappt.',
      cancelled: 'Angehalten.'
    },

    wait: {
      queued: 'Wird vorbereitet.',
      turn: 'Wartet auf das Ende einer anderen Aufgabe.',
      memory: 'Wartet auf freien Arbeitsspeicher.',
      verify: 'Die Laufzeit wird geprüft.',
      boot: 'Der Arbeitsraum wird geöffnet.',
      mount: 'Ihr Ordner kommt in den Arbeitsraum und wird durchgesehen.',
      mountRun:
        'Ihr Ordner kommt in den Arbeitsraum; es wird geprüft, dass sich seit dem Plan nichts geändert hat.',
      plan: 'Der Ordner wird durchgesehen.',
      accept: 'Wartet auf Sie.',
      'agent-start': 'Die KI wird geweckt.',
      run: 'Die Arbeit beginnt.',
      finish: 'Aufräumen: Der Arbeitsraum wird geschlossen und weggeworfen.'
    },
    reason: {
      queued: 'Gleich geht es los.',
      turn: 'Es arbeiten nur so viele Aufgaben zugleich, wie dieser Computer Arbeitsspeicher hat.',
      memory: 'Andere Programme brauchen ihn. Schließen Sie eines, dann beginnt diese Aufgabe.',
      verify: 'Jede Datei wird mit ihrer Signatur verglichen, bevor sie benutzt wird.',
      boot: 'Er wird für jede Aufgabe frisch gemacht.',
      bootSlow: 'Er wird für jede Aufgabe frisch gemacht; langsam arbeitend dauert das bis zu einer Minute.',
      mount: 'Jedes Bild wird einmal geöffnet, um zu sehen, ob es heil ist.',
      mountSlow:
        'Jedes Bild wird einmal geöffnet, um zu sehen, ob es heil ist. Langsam arbeitend braucht das seine Zeit.',
      mountRun: 'Gemacht wird, was Sie im Plan gesehen haben, oder nichts.',
      plan: 'Während der Planung kann der Ordner nur gelesen werden.',
      accept: 'Nichts geht weiter, bevor Sie es sagen.',
      'agent-start':
        'Sie wird im Arbeitsraum gestartet; langsam arbeitend dauert das bis zu einer halben Minute.',
      run: 'Das erste Stück dauert am längsten.',
      finish: 'Die Ergebnisse werden endgültig auf die Platte geschrieben.'
    },
    stalled:
      'Seit einer Weile ist nichts mehr zu hören. Sie können weiter warten; beim Anhalten ändert sich nichts weiter.',
    keepWaiting: 'Weiter warten',

    planTitle: 'Das ist der Plan',
    planReads: (n, size) => `Liest ${n === 1 ? '1 Datei' : `${n} Dateien`}, ${size}`,
    planMakes: 'Macht',
    planChanges: 'Ändert',
    planMovesTo: (to) => `Nach ${to}`,
    planRenames: (where) => (where ? `Neue Namen in ${where}` : 'Neue Namen'),
    planNewName: (name) => `heißt dann ${name}`,
    planCount: (n, size) => `${n === 1 ? '1 Datei' : `${n} Dateien`}, ${size}`,
    planDeletes: 'Löscht',
    planIn: (folder) => `in ${folder}`,
    planLeft: (n) => (n === 1 ? '1 Datei wird ausgelassen' : `${n} Dateien werden ausgelassen`),
    planSafe: 'Was jetzt da ist, wird nicht geändert, verschoben oder gelöscht.',
    planReadOnly: 'Bis hierher wurde der Ordner nur gelesen.',
    planNo: 'Jetzt nicht',
    planAccepting: 'Beginnt …',
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
    resultsNone: 'Noch ist nichts gemacht.',
    resultsEmpty: 'Es wurde nichts gemacht.',
    resultsGone: 'Zurückgenommen: Die gemachten Dateien sind wieder weg.',
    open: 'Öffnen',
    openName: (name) => `${name} öffnen`,
    save: 'Speichern',
    saveName: (name) => `${name} speichern`,
    inFolder: (folder) => `in ${folder}`,
    inTask: 'liegt bei dieser Aufgabe',

    changesTitle: 'Änderungen',
    changesNone: 'In Ihrem Ordner wurde nichts geändert.',
    changesNotYet: 'Noch wurde nichts geändert.',
    changesSum: (n) => (n === 1 ? '1 Änderung' : `${n} Änderungen`),
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
      'Ihr Ordner wird wieder, wie er vor dieser Aufgabe war. Was Sie seither geändert haben, bleibt.',
    undoDone: (n) =>
      n === 1 ? '1 Änderung wurde zurückgenommen.' : `${n} Änderungen wurden zurückgenommen.`,
    undoAllDone: 'Alles ist wieder wie vorher.',
    undoConflicts: (n) =>
      n === 1
        ? 'Etwas blieb unberührt, weil es jetzt Ihres ist:'
        : `${n} Dinge blieben unberührt, weil sie jetzt Ihre sind:`,
    undoReasons: {
      'changed-since': 'nach der Aufgabe von Ihnen geändert',
      gone: 'nicht mehr da',
      'in-the-way': 'an seiner Stelle liegt etwas anderes',
      'no-before-image': 'wie es vorher war, ließ sich nicht aufheben',
      io: 'die Platte wollte nicht'
    },

    reachTitle: 'Was sie erreichen kann',
    reachFolders: 'Ordner',
    modes: {
      ro: 'darf nur lesen',
      rw: 'darf lesen und ändern',
      review: 'Änderungen warten auf Sie'
    },
    reachNetwork: 'Netz',
    networks: { off: 'keins', restricted: 'nur erlaubte Adressen', on: 'das Internet' },
    reachWhere: 'Wo',
    reachWorkroom: 'In einem geschlossenen Arbeitsraum auf diesem Computer, danach weggeworfen',
    reachSlow: 'langsam',

    wasLeft: (n) => (n === 1 ? '1 Datei wurde ausgelassen' : `${n} Dateien wurden ausgelassen`),
    leftOut: 'Ausgelassen',
    timelineTitle: 'Was geschah',
    timeline: {
      queued: 'Von Ihnen begonnen',
      verify: 'Laufzeit geprüft',
      boot: 'Arbeitsraum wird geöffnet',
      mount: 'Ordner in den Arbeitsraum gegeben',
      plan: 'Planung begonnen, der Ordner konnte nur gelesen werden',
      run: 'Arbeit begonnen',
      finish: 'Arbeitsraum geschlossen und weggeworfen',
      planReady: 'Plan gezeigt',
      accepted: 'Sie waren mit dem Plan einverstanden',
      resumed: 'Geht weiter, wo sie stehen blieb',
      done: 'Fertig',
      failed: 'Hat nicht geklappt',
      cancelled: 'Angehalten',
      result: (name) => `${name} gemacht`,
      undo: (n) => (n === 1 ? '1 Änderung zurückgenommen' : `${n} Änderungen zurückgenommen`),
      redo: (n) => (n === 1 ? '1 Änderung wiedergebracht' : `${n} Änderungen wiedergebracht`),
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
    moment: 'einen Augenblick',
    seconds: (n) => (n === 1 ? '1 Sekunde' : `${n} Sekunden`),
    aboutSeconds: (n) => `etwa ${n} Sekunden`,
    aboutMinutes: (n) => (n === 1 ? 'etwa 1 Minute' : `etwa ${n} Minuten`),
    aboutHours: (n) => (n === 1 ? 'etwa 1 Stunde' : `etwa ${n} Stunden`)
  }
};
