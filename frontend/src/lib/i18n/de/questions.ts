import type { Catalogue } from '../catalogue';

const files = (n: number) => (n === 1 ? '1 Datei' : `${n} Dateien`);

/** Was eine Aufgabe mitten in der Arbeit fragt, und die Knöpfe, die antworten. */
export const questions: Catalogue['questions'] = {
  title: 'Eine Frage, bevor es weitergeht',
  paused: 'Sie wartet auf Sie; dabei geht nichts verloren. Was sie tut, lässt sich später zurücknehmen.',
  announce: 'Die Aufgabe hat eine Frage.',
  items: 'Dateien, um die es geht',
  more: (n: number) => `und ${n === 1 ? '1 weitere Datei' : `${n} weitere Dateien`}`,
  failed: 'Ihre Antwort kam nicht an.',

  ask: {
    deleteMany: (done: number, folder: string) =>
      `Sie hat ${files(done)} von Ihnen in ${folder} gelöscht und will weitere löschen.`,
    changeMany: (done: number, folder: string) =>
      `Sie hat ${files(done)} von Ihnen in ${folder} geändert und will weitere ändern.`,
    delete: (n: number, folder: string) => `Sie will ${files(n)} von Ihnen in ${folder} löschen.`,
    change: (n: number, folder: string) => `Sie will ${files(n)} von Ihnen in ${folder} ändern.`,
    startup: (n: number, folder: string) =>
      `Sie will ${files(n)} in ${folder} ändern, die Programme auf diesem Computer von selbst ausführen oder lesen.`,
    git: (n: number, folder: string) =>
      `Sie will ${files(n)} in ${folder} ändern, in denen git die Geschichte Ihres Projekts aufbewahrt.`,
    hidden: (n: number, folder: string) => `Sie will in ${folder} Verstecktes ändern: ${files(n)}.`,
    programs: (n: number, folder: string) => `Sie will in ${folder} Programme ändern: ${files(n)}.`,
    undoSpace: (kept: string) =>
      `Sie will mehr ändern, als sich mit dem vorgesehenen Platz zurücknehmen ließe: ${kept} von vorher sind aufgehoben.`,
    other: (n: number, folder: string) => `Sie will in ${folder} etwas mit ${files(n)} tun.`
  },
  allow: {
    delete: 'In dieser Aufgabe löschen lassen',
    change: 'In dieser Aufgabe ändern lassen',
    undoSpace: 'So viel aufheben wie nötig',
    other: 'In dieser Aufgabe erlauben'
  },
  once: 'Nur diese',
  onceMore: (n: number) => `Nur ${n} weitere`,
  onceBytes: (more: string) => `Bis zu ${more} mehr aufheben`,
  withoutSpace:
    'Sie wartet auf Sie. Ohne mehr Platz kann sie nichts ändern, was sich nicht zurücknehmen ließe.',
  deny: {
    delete: 'Meine Dateien behalten',
    change: 'So lassen, wie sie sind',
    undoSpace: 'Nichts mehr ändern',
    other: 'Nicht erlauben'
  },
  answering: 'Antwort wird gegeben…',

  rules: {
    title: 'Was Sie entschieden haben',
    none: 'Nichts für länger als eine Aufgabe. Was Sie länger erlauben oder ablehnen, steht hier.',
    may: (what: string, where: string) => `Aufgaben dürfen ${where} ${what}.`,
    mayNot: (what: string, where: string) => `Aufgaben dürfen ${where} nicht ${what}.`,
    topics: {
      delete: 'Ihre Dateien löschen',
      change: 'Ihre Dateien ändern',
      startup: 'Dateien ändern, die Programme auf diesem Computer von selbst ausführen oder lesen',
      git: 'ändern, was git von Ihren Projekten aufbewahrt',
      hidden: 'Ihre versteckten Dateien ändern',
      programs: 'Ihre Programme ändern',
      command: 'Befehle einer Art ausführen, über die Sie entschieden haben',
      undoSpace: 'mehr zum Zurücknehmen aufheben',
      other: 'etwas tun, das diese Version nicht kennt'
    },
    inTask: 'solange eine Aufgabe läuft,',
    inFolder: (folder: string) => `in ${folder}`,
    everywhere: 'überall',
    since: (day: string) => `seit ${day}`,
    remove: 'Wieder fragen',
    removing: 'Wird zurückgenommen…'
  },

  timeline: {
    asked: 'Sie wurden nach Ihren Dateien gefragt',
    allowed: 'Von Ihnen erlaubt',
    denied: 'Nicht erlaubt',
    allowedByRule: 'Erlaubt, wie Sie es früher entschieden haben',
    deniedByRule: 'Nicht erlaubt, wie Sie es früher entschieden haben',
    deniedAlone: 'Nicht erlaubt: Niemand war da, um gefragt zu werden'
  }
};
