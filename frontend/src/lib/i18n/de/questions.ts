import type { Catalogue } from '../catalogue';

const files = (n: number) => (n === 1 ? '1 Datei' : `${n} Dateien`);

/** Was eine Aufgabe mitten in der Arbeit fragt, und die Knöpfe, die antworten. */
export const questions: Catalogue['questions'] = {
  title: 'Eine Frage, bevor es weitergeht',
  paused:
    'Die Aufgabe wartet auf Sie; dabei geht nichts verloren. Was sie tut, lässt sich später zurücknehmen.',
  grows: 'Solche Dateien sind oft dazu gemacht, eine Festplatte zu füllen.',
  announce: 'Die Aufgabe hat eine Frage.',
  items: 'Dateien, um die es geht',
  more: (n: number) => `und ${n === 1 ? '1 weitere Datei' : `${n} weitere Dateien`}`,
  failed: 'Ihre Antwort kam nicht an.',
  risk: {
    high: 'Hohes Risiko',
    unsure: 'Wenn Sie unsicher sind, erlauben Sie es nicht: Dann geschieht nichts davon.'
  },

  ask: {
    deleteMany: (done: number, folder: string) =>
      `Die Aufgabe hat ${files(done)} von Ihnen in ${folder} gelöscht und möchte weitere löschen.`,
    changeMany: (done: number, folder: string) =>
      `Die Aufgabe hat ${files(done)} von Ihnen in ${folder} geändert und möchte weitere ändern.`,
    delete: (n: number, folder: string) => `Die Aufgabe möchte ${files(n)} von Ihnen in ${folder} löschen.`,
    change: (n: number, folder: string) => `Die Aufgabe möchte ${files(n)} von Ihnen in ${folder} ändern.`,
    startup: (n: number, folder: string) =>
      `Die Aufgabe möchte ${files(n)} in ${folder} ändern, die Programme auf diesem Computer automatisch ausführen oder lesen.`,
    git: (n: number, folder: string) =>
      `Die Aufgabe möchte ${files(n)} in ${folder} ändern, in denen git den Verlauf Ihres Projekts aufbewahrt.`,
    hidden: (n: number, folder: string) =>
      `Die Aufgabe möchte in ${folder} versteckte Dateien ändern: ${files(n)}.`,
    programs: (n: number, folder: string) => `Die Aufgabe möchte in ${folder} Programme ändern: ${files(n)}.`,
    undoSpace: (kept: string) =>
      `Die Aufgabe möchte mehr ändern, als sich mit dem vorgesehenen Platz zurücknehmen lässt: ${kept} sind dafür schon belegt.`,
    undoMemory: (kept: string) =>
      `Die Aufgabe ist mit so vielen Dateien umgegangen, dass piwork sich mit ${kept} Arbeitsspeicher merkt, wie sie waren. Sie möchte weitermachen.`,
    unpack: (n: number, times: string, bytes: string) =>
      `Die Aufgabe möchte ${n === 1 ? '1 Archiv' : `${n} Archive`} entpacken, worin eine Datei bis zu ${times}-mal so groß wird, zusammen ${bytes}.`,
    other: (n: number, folder: string) => `Die Aufgabe möchte in ${folder} etwas mit ${files(n)} tun.`
  },
  allow: {
    delete: 'In dieser Aufgabe löschen lassen',
    change: 'In dieser Aufgabe ändern lassen',
    undoSpace: 'So viel aufbewahren wie nötig',
    other: 'In dieser Aufgabe erlauben'
  },
  once: 'Nur diese',
  onceUnpack: 'Entpacken',
  onceMore: (n: number) => `Nur ${n} weitere`,
  onceBytes: (more: string) => `Bis zu ${more} mehr aufbewahren`,
  withoutSpace:
    'Die Aufgabe wartet auf Sie. Ohne mehr Platz kann sie nichts ändern, was sich nicht zurücknehmen ließe.',
  deny: {
    delete: 'Meine Dateien behalten',
    change: 'So lassen, wie sie sind',
    undoSpace: 'Nichts mehr ändern',
    unpack: 'Auslassen',
    other: 'Nicht erlauben'
  },
  denyRest: 'Alles Weitere in dieser Aufgabe ablehnen',
  answering: 'Antwort wird gesendet …',

  rules: {
    title: 'Was Sie entschieden haben',
    none: 'Bisher nichts, was länger gilt als eine Aufgabe. Was Sie auf Dauer erlauben oder ablehnen, steht hier.',
    may: (what: string, where: string) => `Aufgaben dürfen ${where} ${what}.`,
    mayNot: (what: string, where: string) => `Aufgaben dürfen ${where} nicht ${what}.`,
    topics: {
      delete: 'Ihre Dateien löschen',
      change: 'Ihre Dateien ändern',
      startup: 'Dateien ändern, die Programme auf diesem Computer automatisch ausführen oder lesen',
      git: 'ändern, was git von Ihren Projekten aufbewahrt',
      hidden: 'Ihre versteckten Dateien ändern',
      programs: 'Ihre Programme ändern',
      command: 'Befehle einer Art ausführen, über die Sie entschieden haben',
      undoSpace: 'mehr zum Zurücknehmen aufbewahren',
      other: 'etwas tun, das diese Version nicht kennt'
    },
    inTask: 'solange eine Aufgabe läuft,',
    inFolder: (folder: string) => `in ${folder}`,
    everywhere: 'überall',
    since: (day: string) => `seit ${day}`,
    remove: 'Wieder fragen',
    removing: 'Wird zurückgenommen …'
  },

  timeline: {
    asked: 'Sie wurden zu Ihren Dateien gefragt',
    allowed: 'Von Ihnen erlaubt',
    denied: 'Nicht erlaubt',
    allowedByRule: 'Erlaubt, wie Sie es früher entschieden haben',
    deniedByRule: 'Nicht erlaubt, wie Sie es früher entschieden haben',
    deniedAlone: 'Nicht erlaubt: Es war niemand da, der gefragt werden konnte'
  }
};
