import type { ParamsWords } from '../tools';

const readers = {
  off: 'nicht lesen',
  eng: 'Englisch',
  deu: 'Deutsch',
  'eng+deu': 'Englisch und Deutsch'
};

/** Was man einer Operation sagen kann. */
export const toolParams: ParamsWords = {
  after: {
    label: 'Weiter ab',
    hint: 'Was die Antwort davor als Letztes nannte: Danach geht die Liste weiter. Für sehr lange Antworten.'
  },
  all: { label: 'Alles, was es gibt', hint: 'Sonst nur, wonach man gewöhnlich fragt.' },
  angle: { label: 'Drehen um', hint: '90, 180 oder 270 Grad im Uhrzeigersinn.' },
  archives: { label: 'Alte Archive in einen eigenen Ordner' },
  author: { label: 'Urheber', hint: 'Was leer bleibt, wird nicht geändert.' },
  background: {
    label: 'Wo ein Bild durchsichtig ist',
    choices: { white: 'weiß', black: 'schwarz' }
  },
  by: {
    label: 'Ordner',
    choices: {
      kind: 'nach Art',
      month: 'nach Monat',
      year: 'nach Jahr',
      'kind-month': 'nach Art und Monat',
      'taken-month': 'nach Monat der Aufnahme',
      'taken-year': 'nach Jahr der Aufnahme'
    }
  },
  case: { label: 'Buchstaben', choices: { keep: 'wie sie sind', lower: 'alle klein', upper: 'alle groß' } },
  columns: {
    label: 'Spalten, die bleiben',
    hint: 'Pro Zeile ein Name, in der gewünschten Reihenfolge. Leer: alle.'
  },
  copyright: { label: 'Rechte (Copyright)' },
  days: { label: 'Alt heißt: seit so vielen Tagen nicht geändert' },
  delimiter: {
    label: 'Zwischen den Spalten',
    choices: {
      auto: 'selbst herausfinden',
      comma: 'Komma',
      semicolon: 'Strichpunkt',
      tab: 'Tabulator',
      pipe: 'senkrechter Strich'
    }
  },
  description: { label: 'Beschreibung' },
  distance: {
    label: 'Wie verschieden ähnliche Bilder sein dürfen',
    hint: '0 findet nur, was genau gleich aussieht, 16 auch recht Verschiedenes.'
  },
  dpi: { label: 'Feinheit in Punkten je Zoll', hint: 'Mehr ist schärfer, größer und langsamer.' },
  dropEmpty: { label: 'Leere Zeilen und Spalten entfernen' },
  duplicates: { label: 'Doppelte Zeilen entfernen' },
  empty: { label: 'Auch leere Ordner' },
  enlarge: { label: 'Kleinere Bilder auch vergrößern' },
  every: { label: 'Seiten in jedem Teil' },
  files: { label: 'Auch Dateien', hint: 'Sonst nur Ordner, die leer sind.' },
  find: { label: 'Im alten Namen ersetzen' },
  fit: {
    label: 'Wenn die Form eine andere ist',
    choices: { inside: 'das ganze Bild behalten', cover: 'Ränder abschneiden', exact: 'verzerren' }
  },
  force: { label: 'Auch PDFs, die schon durchsuchbar sind' },
  format: {
    label: 'Daraus wird',
    choices: {
      same: 'dieselbe Art',
      pdf: 'PDF',
      jpeg: 'JPEG',
      png: 'PNG',
      webp: 'WebP',
      tiff: 'TIFF',
      gif: 'GIF',
      zip: 'ZIP',
      tar: 'TAR',
      'tar.gz': 'TAR, mit gzip gepackt',
      'tar.zst': 'TAR, mit Zstandard gepackt'
    }
  },
  from: {
    label: 'Welche Bilder',
    choices: { embedded: 'die darin enthaltenen', pages: 'eines von jeder Seite' }
  },
  header: { label: 'In der ersten Zeile stehen die Namen der Spalten' },
  height: { label: 'Höhe in Pixeln', hint: '0: wie sie sich aus der Breite ergibt.' },
  installers: { label: 'Alte Installationsdateien in einen eigenen Ordner' },
  keepDate: { label: 'Den Zeitpunkt der Aufnahme behalten' },
  keywords: { label: 'Stichwörter', hint: 'Pro Zeile eines.' },
  language: {
    label: 'Sprache',
    choices: {
      en: 'Englisch',
      de: 'Deutsch',
      eng: 'Englisch',
      deu: 'Deutsch',
      'eng+deu': 'Englisch und Deutsch'
    }
  },
  layout: { label: 'Zeilen bleiben, wo sie auf der Seite stehen' },
  level: { label: 'Leise Aufnahmen lauter machen' },
  minSize: { label: 'Nur Dateien ab so vielen Byte' },
  mono: { label: 'Ein Kanal statt Stereo' },
  months: { label: 'Ein Ordner für jeden Monat' },
  mtimes: {
    label: 'Zeiten der letzten Änderung',
    hint: 'Pro Zeile eine, für jede Datei; was ein anderes Programm seither geändert hat, bleibt unberührt.'
  },
  names: {
    label: 'Namen der Ergebnisse',
    hint: 'Pro Zeile einer, für jede Datei. Leer: nach den Dateien benannt.'
  },
  now: { label: 'Als wäre heute', hint: 'Zum Beispiel 2026-01-31T12:00:00Z. Leer ist heute.' },
  ocr: { label: 'Text in Scans und Fotos', choices: readers },
  order: {
    label: 'Was 03/04/2026 bedeutet',
    choices: { auto: 'selbst herausfinden', dmy: 'Tag zuerst', mdy: 'Monat zuerst' }
  },
  outputs: {
    label: 'Was entstehen soll',
    hint: 'Nichts gewählt: PDF und MIDI.',
    choices: { pdf: 'PDF', svg: 'SVG', png: 'PNG', midi: 'MIDI' }
  },
  page: {
    label: 'Größe der Seiten',
    choices: { fit: 'so groß wie jedes Bild', a4: 'A4', letter: 'Letter' }
  },
  pages: { label: 'Welche Seiten', hint: 'Zum Beispiel 1-3,7. „z“ ist die letzte: 1-z sind alle.' },
  password: { label: 'Passwort', hint: 'Es wird nicht aufbewahrt.' },
  pattern: {
    label: 'Neuer Name',
    hint: '{name} ist der alte, {ext} seine Endung, {date} und {time} die letzte Änderung, {taken} die Aufnahme eines Fotos, {n} eine laufende Nummer.'
  },
  quality: {
    label: 'Qualität',
    choices: {
      screen: 'für den Bildschirm',
      reading: 'zum Lesen',
      printing: 'zum Drucken',
      speech: 'Sprache',
      music: 'Musik',
      best: 'die beste'
    }
  },
  ranges: {
    label: 'Teile',
    hint: 'Pro Zeile einer: 3, 1-5 oder 7-z (bis zum Ende). Leer: so viele Seiten wie oben gesagt.'
  },
  rate: { label: 'Abtastungen je Sekunde', hint: '44100 ist eine CD, 48000 ist bei Videos üblich.' },
  recursive: { label: 'Auch, was in den Ordnern darin ist' },
  replace: { label: 'Ersetzen, was schon da ist', hint: 'Was ersetzt wurde, kann zurückgeholt werden.' },
  rows: { label: 'Zeilen, die gezeigt werden' },
  safe: { label: 'Dafür sorgen, dass kein Text für eine Formel gehalten wird' },
  sheet: { label: 'Blatt der Arbeitsmappe', hint: 'Sein Name. Leer: das erste.' },
  similar: { label: 'Auch Bilder, die gleich aussehen' },
  sizesOnly: { label: 'Nur Größen, keine Prüfsummen', hint: 'Viel schneller: Keine Datei wird gelesen.' },
  source: {
    label: 'Name einer Spalte, die sagt, aus welcher Datei eine Zeile ist',
    hint: 'Leer: Es gibt keine.'
  },
  spaces: {
    label: 'Leerzeichen',
    choices: { keep: 'wie sie sind', dash: 'als Bindestriche', underscore: 'als Unterstriche' }
  },
  start: { label: 'Nummern beginnen mit' },
  taken: { label: 'Wann es aufgenommen wurde', hint: 'Zum Beispiel 2026-05-31 12:00:00' },
  title: { label: 'Titel', hint: 'Was leer bleibt, wird nicht geändert.' },
  to: {
    label: 'Daraus wird',
    choices: {
      pdf: 'PDF',
      text: 'reiner Text',
      html: 'Webseite (HTML)',
      md: 'Markdown',
      txt: 'reiner Text',
      rtf: 'RTF',
      docx: 'Word-Dokument (DOCX)',
      odt: 'OpenDocument-Text (ODT)',
      csv: 'CSV',
      tsv: 'TSV',
      xlsx: 'Excel-Mappe (XLSX)',
      json: 'JSON',
      xml: 'XML',
      binary: 'binär',
      openstep: 'OpenStep',
      mp3: 'MP3',
      m4a: 'M4A (AAC)',
      opus: 'Opus',
      ogg: 'Ogg',
      flac: 'FLAC',
      wav: 'WAV'
    }
  },
  top: { label: 'Zeilen in jeder Liste' },
  trim: { label: 'Unnötige Leerzeichen entfernen' },
  width: { label: 'Breite in Pixeln', hint: '0: wie sie sich aus der Höhe ergibt.' },
  with: { label: 'durch' }
};
