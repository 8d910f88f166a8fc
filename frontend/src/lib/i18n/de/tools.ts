import type { OperationsWords } from '../tools';
import { toolParams } from './toolParams';

const files = (n: number) => (n === 1 ? '1 Datei' : `${n} Dateien`);

const operations: OperationsWords = {
  'image.info': { name: 'Was ein Bild ist', about: 'Nennt Größe, Art und Aufnahme, ohne etwas zu ändern.' },
  'image.convert': {
    name: 'Bilder umwandeln',
    about: 'Wandelt Bilder in JPEG, PNG, WebP, TIFF oder GIF um, oder alle zusammen in ein PDF.',
    params: { quality: { hint: 'Für JPEG und WebP: 1 ist klein, 100 am besten.' } }
  },
  'image.resize': {
    name: 'Bilder kleiner oder größer machen',
    about: 'Gibt Bildern eine andere Größe in Pixeln.',
    params: { quality: { hint: 'Für JPEG und WebP: 1 ist klein, 100 am besten.' } }
  },
  'pdf.info': { name: 'Was ein PDF ist', about: 'Nennt Seiten, Größe, Titel und ob es ein Passwort hat.' },
  'pdf.merge': {
    name: 'PDFs zusammenfügen',
    about: 'Fügt mehrere PDFs zu einem zusammen, in der gewählten Reihenfolge.'
  },
  'pdf.split': {
    name: 'Ein PDF aufteilen',
    about: 'Teilt ein PDF in mehrere auf, nach Zahl der Seiten oder nach Teilen.'
  },
  'pdf.rotate': {
    name: 'Seiten eines PDFs drehen',
    about: 'Dreht alle Seiten oder die genannten im Uhrzeigersinn.'
  },
  'pdf.compress': {
    name: 'Ein PDF verkleinern',
    about: 'Speichert die Bilder darin sparsamer. Was nicht kleiner würde, bleibt, wie es ist.'
  },
  'pdf.text': { name: 'Text eines PDFs', about: 'Schreibt die Wörter eines PDFs in eine Textdatei.' },
  'pdf.ocr': {
    name: 'Scans durchsuchbar machen',
    about: 'Liest Scans und Fotos und erstellt daraus ein durchsuchbares PDF oder eine Textdatei.',
    params: { language: { label: 'Sprache der Scans' } }
  },
  'pdf.images': {
    name: 'Bilder eines PDFs',
    about: 'Holt die Bilder aus einem PDF, oder erstellt von jeder Seite ein Bild.',
    params: { format: { label: 'Seiten werden zu' } }
  },
  'pdf.protect': {
    name: 'Ein PDF mit Passwort schützen',
    about: 'Nur wer das Passwort kennt, kann das neue PDF öffnen.',
    params: {
      password: { hint: 'Es wird nicht aufbewahrt. Ohne Passwort kann niemand das neue PDF öffnen.' }
    }
  },
  'pdf.unlock': {
    name: 'Das Passwort eines PDFs entfernen',
    about: 'Erstellt ein PDF, das sich ohne Passwort öffnen lässt. Sie müssen das Passwort kennen.'
  },
  'archive.list': {
    name: 'Was in einem Archiv ist',
    about: 'Listet die Dateien in ZIP, 7z, RAR oder TAR auf, ohne sie zu entpacken.',
    params: { password: { hint: 'Nur wenn es eines hat. Es wird nicht aufbewahrt.' } }
  },
  'archive.info': {
    name: 'Wie viel in einem Archiv ist',
    about: 'Zählt die Dateien in ZIP, 7z, RAR oder TAR und wie groß sie werden.',
    params: { password: { hint: 'Nur wenn es eines hat. Es wird nicht aufbewahrt.' } }
  },
  'archive.extract': {
    name: 'Ein Archiv entpacken',
    about: 'Holt die Dateien aus ZIP, 7z, RAR oder TAR.',
    params: { password: { hint: 'Nur wenn es eines hat. Es wird nicht aufbewahrt.' } }
  },
  'archive.create': { name: 'Ein Archiv erstellen', about: 'Packt Dateien und Ordner in ein ZIP oder TAR.' },
  'table.read': {
    name: 'Eine Tabelle ansehen',
    about: 'Nennt Spalten, Zeilen und die ersten Zellen von CSV, TSV, Excel oder JSON.'
  },
  'table.convert': {
    name: 'Tabellen umwandeln',
    about: 'Wandelt Tabellen zwischen CSV, TSV, Excel und JSON um.'
  },
  'table.clean': {
    name: 'Tabellen aufräumen',
    about: 'Entfernt doppelte Zeilen, leere Spalten und unnötige Leerzeichen.'
  },
  'table.merge': {
    name: 'Tabellen zusammenfügen',
    about: 'Setzt die Zeilen mehrerer Tabellen untereinander, Spalten nach ihren Namen.'
  },
  'table.receipts': {
    name: 'Belege als Tabelle',
    about: 'Erstellt eine Tabelle aus Belegen und Rechnungen und sagt, wie sicher jede Zeile ist.',
    params: { language: { label: 'Sprache der Spaltennamen' } }
  },
  'file.hash': { name: 'Prüfsummen', about: 'Nennt Größe und Prüfsumme (SHA-256) von Dateien.' },
  'file.report': {
    name: 'Bericht über einen Ordner',
    about: 'Schreibt auf, was in einem Ordner ist: das Größte, das Älteste, nach Art.',
    params: { language: { label: 'Sprache des Berichts' } }
  },
  'file.duplicates': {
    name: 'Doppelte Dateien finden',
    about: 'Findet Dateien, die mehrfach da sind. Nichts wird verschoben.'
  },
  'file.organize': {
    name: 'Ordner vorschlagen',
    about: 'Schlägt Ordner für die Dateien eines Ordners vor. Nichts wird verschoben.',
    params: { language: { label: 'Sprache der Ordnernamen' } }
  },
  'file.rename': {
    name: 'Neue Namen ausprobieren',
    about: 'Zeigt, wie Dateien nach einem Muster hießen. Nichts wird umbenannt.'
  },
  'file.cleanup': {
    name: 'Was aufzuräumen wäre',
    about: 'Schlägt vor, wie ein Ordner aufgeräumt würde. Nichts wird verschoben.',
    params: { language: { label: 'Sprache der Ordnernamen' } }
  },
  'file.move': {
    name: 'Dateien verschieben oder umbenennen',
    about: 'Bringt jede Datei an den genannten Ort. Das kann zurückgenommen werden.',
    params: {
      to: {
        label: 'Neue Orte',
        hint: 'Pro Zeile einer, vollständig, für jede Datei: /home/ich/Briefe/2026.pdf'
      }
    }
  },
  'file.remove': {
    name: 'Löschen',
    about: 'Löscht leere Ordner, und Dateien, wenn Sie es sagen. Das kann zurückgenommen werden.'
  },
  'metadata.read': {
    name: 'Versteckte Angaben ansehen',
    about: 'Zeigt, was Bilder, Dokumente und Aufnahmen verraten: Kamera, Ort, Urheber.'
  },
  'metadata.write': {
    name: 'Angaben in Dateien schreiben',
    about: 'Schreibt Titel, Urheber, Stichwörter oder Datum in Kopien von Bildern und Dokumenten.'
  },
  'metadata.strip': {
    name: 'Versteckte Angaben entfernen',
    about: 'Erstellt Kopien ohne Kamera, Ort und Namen, zum Weitergeben.'
  },
  'plist.validate': {
    name: 'Property-Listen prüfen',
    about: 'Sagt, ob Property-Listen eines Macs in Ordnung sind.'
  },
  'plist.convert': {
    name: 'Property-Listen umwandeln',
    about: 'Wandelt Property-Listen in XML, binäre Listen, JSON oder OpenStep um.'
  },
  'text.convert': {
    name: 'Dokumente umwandeln',
    about: 'Wandelt Dokumente in PDF, Word, Webseiten oder reinen Text um.'
  },
  'text.extract': {
    name: 'Text aus Dokumenten',
    about: 'Schreibt die Wörter von Dokumenten, Scans und Fotos in Textdateien.'
  },
  'audio.info': { name: 'Was eine Aufnahme ist', about: 'Nennt Länge, Art und Qualität von Ton und Video.' },
  'audio.transcode': {
    name: 'Aufnahmen umwandeln',
    about: 'Wandelt Ton und Video in MP3, M4A, Opus, Ogg, FLAC oder WAV um.'
  },
  'csound.perform': {
    name: 'Ein Csound-Stück spielen',
    about: 'Erstellt aus einer Csound-Datei (CSD) eine Tondatei.'
  },
  'lilypond.render': {
    name: 'Noten setzen',
    about: 'Erstellt aus einer LilyPond-Partitur ein PDF, Bilder und MIDI.'
  }
};

/** Die Werkzeuge: einzelne Handgriffe an Dateien. */
export const tools = {
  title: 'Werkzeuge',
  lead: 'Ein Handgriff nach dem anderen, an Dateien, die Sie wählen: wenn Sie genau wissen, was Sie wollen.',
  fromHome: 'Einzelne Werkzeuge für Dateien',
  find: 'Werkzeug suchen',
  none: 'Kein Werkzeug passt.',
  found: (n: number) => (n === 1 ? '1 Werkzeug' : `${n} Werkzeuge`),
  all: 'Alle Werkzeuge',
  missing: 'Dieses Werkzeug gibt es nicht',
  missingText: 'Vielleicht gehört es zu einer anderen Version von piwork.',
  groups: {
    image: 'Bilder',
    pdf: 'PDF',
    text: 'Text und Dokumente',
    table: 'Tabellen',
    file: 'Dateien und Ordner',
    archive: 'Archive',
    audio: 'Ton und Musik',
    metadata: 'Angaben in Dateien',
    plist: 'Property-Listen',
    other: 'Weitere'
  },

  needs: (addOn: string) => `braucht die Erweiterung ${addOn}`,
  needsTitle: (addOn: string) => `Dieses Werkzeug braucht die Erweiterung „${addOn}“`,
  needsText:
    'Sie ist nicht installiert. Dateien können Sie schon wählen; das Werkzeug arbeitet, sobald die Erweiterung da ist.',
  needsButton: 'Zur Erweiterung',

  filesTitle: 'Dateien',
  fileTitle: 'Datei',
  folderTitle: 'Ordner',
  filesFoldersTitle: 'Dateien und Ordner',
  dropHere: 'Dateien hier ablegen',
  dropFolderHere: 'Dateien oder Ordner hier ablegen',
  accepts: (kinds: string) => `Möglich sind ${kinds}.`,
  addFile: 'Datei wählen',
  addFiles: 'Dateien wählen',
  addFolder: 'Ordner wählen',
  another: 'Weitere Dateien wählen',
  choosing: 'Wartet auf Ihre Auswahl …',
  pathLabel: 'Ort einer Datei',
  pathLabelFolder: 'Ort einer Datei oder eines Ordners',
  pathHint: 'Zum Beispiel /home/ich/Dokumente/brief.pdf',
  add: 'Hinzufügen',
  pathless:
    'Ein Browser verrät nicht, wo eine abgelegte Datei liegt. Bitte tragen Sie ihren Ort unten ein, oder benutzen Sie das Fenster von piwork.',
  chosen: (n: number) => `${files(n)} gewählt`,
  remove: (name: string) => `${name} entfernen`,
  up: (name: string) => `${name} nach oben`,
  tooMany: (n: number) =>
    `Möglich ${n === 1 ? 'ist eine Datei' : `sind höchstens ${n} Dateien`}. Die übrigen wurden weggelassen.`,

  options: 'Optionen',
  more: 'Weitere Optionen',
  listHint: 'Pro Zeile eines.',
  tooSmall: (n: number) => `Mindestens ${n}.`,
  tooLarge: (n: number) => `Höchstens ${n}.`,
  whole: 'Bitte eine ganze Zahl.',

  where: 'Wohin das Ergebnis kommt',
  keep: 'Bei der Aufgabe lassen',
  keepAbout: 'Es bleibt in piwork; danach können Sie es überall speichern. Ihre Ordner werden nur gelesen.',
  intoFolder: 'In einen Ordner',
  folderAbout: 'Es steht bei den Änderungen und kann zurückgenommen werden.',
  folder: 'Ordner',
  otherFolder: 'Anderer Ordner',
  folderLabel: 'Ort des Ordners',
  folderHint: 'Zum Beispiel /home/ich/Dokumente',
  useFolder: 'Diesen Ordner verwenden',
  fileName: 'Name der neuen Datei',
  newFolder: 'Name des neuen Ordners',

  run: 'Ausführen',
  starting: 'Wird gestartet …',
  needFiles: 'Wählen Sie zuerst, womit gearbeitet werden soll.',
  needPassword: 'Geben Sie zuerst das Passwort ein.',
  needValue: (label: string) => `Füllen Sie zuerst „${label}“ aus.`,
  wrongValue: (label: string) => `Sehen Sie sich „${label}“ noch einmal an.`,
  needFolder: 'Wählen Sie zuerst den Ordner für das Ergebnis.',
  needName: 'Das Ergebnis braucht einen Namen.',
  reads: 'Ihre Dateien werden nur gelesen; Sie erfahren, was gefunden wurde.',
  makes: 'Es entsteht etwas Neues; Ihre Dateien bleiben, wie sie sind.',
  changes: 'Ihre Dateien werden geändert; alles kann zurückgenommen werden.',
  works: (n: number) => `${files(n)}. Gearbeitet wird im geschlossenen Arbeitsraum.`,

  made: (n: number) =>
    n === 0 ? 'Fertig, es ist nichts entstanden' : n === 1 ? '1 Datei erstellt' : `${n} Dateien erstellt`,
  changed: (n: number) => (n === 1 ? '1 Änderung ausgeführt' : `${n} Änderungen ausgeführt`),
  told: 'Fertig: Das wurde gefunden',

  report: 'Was gefunden wurde',
  reportNone: 'Es wurde nichts gefunden.',
  answers: { yes: 'ja', no: 'nein' },

  /** Was von einer Datei gesagt wird, nach den Namen, die die Operationen ihm geben; ein Vermerk behält seinen eigenen. */
  facts: {
    alpha: 'Durchsichtig',
    archive: 'Archiv',
    biggest: 'Die größten',
    bitrate: 'Bit je Sekunde',
    bytes: 'Zusammen',
    channels: 'Kanäle',
    codec: 'Art des Tons',
    columns: 'Spalten',
    confidence: 'Wie sicher',
    currency: 'Währung',
    date: 'Datum',
    delimiter: 'Zwischen den Spalten',
    empty: 'Leer',
    emptyFolders: 'Leere Ordner',
    encoding: 'Zeichensatz',
    encrypted: 'Hat ein Passwort',
    files: 'Dateien',
    folders: 'Ordner',
    format: 'Art',
    frames: 'Bilder darin',
    height: 'Höhe',
    kind: 'Art',
    kinds: 'Nach Art',
    leftOut: 'Weggelassen',
    links: 'Verweise',
    listed: 'Aufgeführt',
    times: 'So viel mal so groß',
    mtime: 'Geändert',
    name: 'Name',
    newest: 'Die neuesten',
    note: 'Bemerkung',
    number: 'Nummer',
    oldest: 'Die ältesten',
    orientation: 'Ausrichtung',
    others: 'Anderes',
    out: 'Ergebnis',
    pages: 'Seiten',
    parts: 'Ordner darin',
    rows: 'Zeilen',
    sample: 'Die ersten Zeilen',
    rate: 'Abtastungen je Sekunde',
    seconds: 'Länge in Sekunden',
    seller: 'Verkäufer',
    sha256: 'Prüfsumme (SHA-256)',
    sheets: 'Blätter',
    size: 'Größe',
    spare: 'Ließe sich sparen',
    tags: 'Vermerke darin',
    taken: 'Aufgenommen',
    tax: 'Steuer',
    title: 'Titel',
    to: 'Neuer Ort',
    total: 'Summe',
    unsafe: 'Bleibt beim Auspacken weg',
    unsure: 'Nicht sicher bei',
    version: 'Version',
    width: 'Breite',
    words: 'Wörter'
  },

  operations,
  params: toolParams
};
