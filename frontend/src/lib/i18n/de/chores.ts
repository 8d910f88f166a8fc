import type { Catalogue } from '../catalogue';
import { aidingChores } from './aiding';
import { makingChores } from './making';

const files = (n: number) => (n === 1 ? '1 Datei' : `${n} Dateien`);
const pictures = (n: number) => (n === 1 ? '1 Bild' : `${n} Bilder`);

export const chores: Catalogue['chores'] = {
  'pictures-to-pdf': {
    name: 'Bilder → PDF',
    about: 'Fügt alle Bilder eines Ordners zu einem PDF zusammen, in der Reihenfolge ihrer Namen.',
    task: (folder) => `${folder} → PDF`,
    plan: (inputs, outputs) => `${pictures(inputs)} → ${outputs} ${outputs === 1 ? 'PDF' : 'PDFs'}`,
    run: (outputs) => (outputs === 1 ? 'PDF erstellen' : `${outputs} PDFs erstellen`),
    progress: (done, total) => `${done} von ${total === 1 ? '1 Bild' : `${total} Bildern`}`,
    params: {
      name: {
        label: 'Name des PDF',
        hint: '„.pdf“ kommt von selbst dazu. Eine Datei, die schon da ist, wird nie ersetzt.'
      },
      order: {
        label: 'Reihenfolge der Seiten',
        choices: { name: 'nach Namen', date: 'nach dem Datum des Bildes' }
      },
      recursive: { label: 'Auch Bilder in den Ordnern darin' },
      page: { label: 'Größe der Seiten', choices: { fit: 'wie das jeweilige Bild', a4: 'alle A4' } }
    }
  },
  ...makingChores,
  ...aidingChores,
  'cleanup-downloads': {
    name: 'Downloads aufräumen',
    about: 'Ordnet ein, was herumliegt: nach Art und Monat. Gelöscht werden höchstens leere Ordner.',
    task: (folder) => `${folder} aufräumen`,
    plan: (_, steps) =>
      steps === 0
        ? 'Es ist schon alles aufgeräumt'
        : `${files(steps)} ${steps === 1 ? 'bekommt' : 'bekommen'} einen Platz`,
    run: () => 'Aufräumen',
    progress: (done, total) => `${done} von ${files(total)}`,
    params: {
      months: { label: 'Ein Ordner für jeden Monat' },
      installers: { label: 'Alte Installationsdateien in einen eigenen Ordner' },
      archives: { label: 'Alte Archive in einen eigenen Ordner' },
      days: { label: 'Alt heißt: so viele Tage nicht geändert' },
      empty: { label: 'Leere Ordner entfernen' },
      language: { label: 'Sprache der Ordnernamen', choices: { en: 'Englisch', de: 'Deutsch' } }
    }
  },
  'sort-photos': {
    name: 'Fotos nach Datum ordnen',
    about: 'Legt Fotos und Videos in Ordner nach dem Tag, an dem sie aufgenommen wurden.',
    task: (folder) => `${folder} ordnen`,
    plan: (_, steps) =>
      steps === 0 ? 'Alle Fotos sind schon an ihrem Platz' : `${files(steps)} in Ordner nach Datum`,
    run: () => 'Ordnen',
    progress: (done, total) => `${done} von ${files(total)}`,
    params: {
      by: { label: 'Ordner', choices: { 'taken-month': 'nach Monat', 'taken-year': 'nach Jahr' } },
      recursive: { label: 'Auch Fotos in den Ordnern darin' }
    }
  },
  'find-duplicates': {
    name: 'Doppelte Dateien finden',
    about: 'Findet Dateien, die mehrfach da sind, und legt alle bis auf je eine beiseite.',
    task: (folder) => `Doppelte in ${folder}`,
    plan: (_, steps) =>
      steps === 0 ? 'Es gibt nichts doppelt' : `${files(steps)} ${steps === 1 ? 'kommt' : 'kommen'} beiseite`,
    run: () => 'Beiseitelegen',
    progress: (done, total) => `${done} von ${files(total)}`,
    params: {
      similar: { label: 'Auch Bilder, die gleich aussehen', hint: 'Das größte bleibt, wo es ist.' },
      language: { label: 'Name des Ordners', choices: { en: 'Duplicates', de: 'Doppelte' } }
    }
  },
  'rename-files': {
    name: 'Viele Dateien umbenennen',
    about: 'Gibt den Dateien eines Ordners neue Namen nach einem Muster.',
    task: (folder) => `Umbenennen in ${folder}`,
    plan: (_, steps) =>
      steps === 0
        ? 'Alle Dateien heißen schon so'
        : `${files(steps)} ${steps === 1 ? 'bekommt' : 'bekommen'} einen neuen Namen`,
    run: () => 'Umbenennen',
    progress: (done, total) => `${done} von ${files(total)}`,
    params: {
      pattern: {
        label: 'Neuer Name',
        hint: '{name} ist der alte, {ext} seine Endung, {date} und {time} wann die Datei geändert wurde, {taken} wann ein Foto aufgenommen wurde, {n} eine laufende Nummer.'
      },
      find: { label: 'Im alten Namen ersetzen' },
      with: { label: 'durch' },
      case: {
        label: 'Buchstaben',
        choices: { keep: 'wie sie sind', lower: 'alle klein', upper: 'alle groß' }
      },
      spaces: {
        label: 'Leerzeichen',
        choices: { keep: 'wie sie sind', dash: 'als Bindestriche', underscore: 'als Unterstriche' }
      },
      start: { label: 'Nummern beginnen mit' }
    }
  }
};

export const otherChore: Catalogue['otherChore'] = {
  about: '',
  plan: (inputs, outputs) => `${inputs === 1 ? '1 Datei' : `${inputs} Dateien`} → ${outputs}`,
  run: () => 'Ausführen',
  progress: (done, total) => `${done} von ${total}`
};

export const checks: Catalogue['checks'] = {
  'pack-installed': () => 'Laufzeitumgebung',
  'pack-verified': () => 'Signatur und Dateien der Laufzeitumgebung',
  'accel-cpu': () => 'Virtualisierung im Prozessor',
  'accel-firmware': () => 'Virtualisierung in der Firmware',
  'accel-system': () => 'Virtualisierung im System',
  'accel-device': () => 'Beschleunigung für piwork',
  'accel-boot': (p) => (p.accel === 'tcg' ? 'Öffnen des Arbeitsraums, langsam' : 'Öffnen des Arbeitsraums'),
  'slow-mode': () => 'Langsamer Modus, absichtlich gewählt'
};

export const checkOutcomes: Catalogue['checkOutcomes'] = {
  'pack-installed': { passed: 'installiert', failed: 'nicht installiert' },
  'accel-cpu': { passed: 'vorhanden', failed: 'nicht vorhanden' },
  'accel-firmware': { passed: 'eingeschaltet', failed: 'ausgeschaltet' },
  'accel-system': { passed: 'eingeschaltet', failed: 'nicht eingeschaltet' },
  'accel-device': { passed: 'darf benutzt werden', failed: 'darf nicht benutzt werden' },
  'accel-boot': { passed: 'er öffnete sich', failed: 'er öffnete sich nicht' },
  'slow-mode': { passed: 'eingeschaltet' }
};
