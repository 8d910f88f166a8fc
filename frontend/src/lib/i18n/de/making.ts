import type { ChoreWords } from '../en/chores';
import type { makingChores as english } from '../en/making';

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
const language = (label = 'Sprache des Ordnernamens') => ({
  label,
  choices: { en: 'Englisch', de: 'Deutsch' }
});
const order = (label: string) => ({
  label,
  choices: { name: 'nach Namen', date: 'nach dem Datum der letzten Änderung' }
});

/** One of what is worked on, several, and several after a number of them: "3 von 5 Bildern". */
type Noun = readonly [one: string, many: string, ofMany: string];
const picture: Noun = ['Bild', 'Bilder', 'Bildern'];
const file: Noun = ['Datei', 'Dateien', 'Dateien'];
const recording: Noun = ['Aufnahme', 'Aufnahmen', 'Aufnahmen'];
const pdf: Noun = ['PDF', 'PDFs', 'PDFs'];
const scan: Noun = ['Scan', 'Scans', 'Scans'];
const archive: Noun = ['Archiv', 'Archive', 'Archiven'];
const document: Noun = ['Dokument', 'Dokumente', 'Dokumenten'];
const receipt: Noun = ['Beleg', 'Belege', 'Belegen'];
const folderNoun: Noun = ['Ordner', 'Ordner', 'Ordnern'];
const table: Noun = ['Tabelle', 'Tabellen', 'Tabellen'];

function making(
  words: Pick<ChoreWords, 'name' | 'about' | 'params'>,
  [one, many, ofMany]: Noun,
  task: ChoreWords['task'],
  result: (outputs: number) => string,
  run: string
): ChoreWords {
  return {
    ...words,
    task,
    plan: (inputs, outputs) =>
      outputs === 0 ? 'Es ist nichts zu tun' : `${count(inputs, one, many)} → ${result(outputs)}`,
    run: () => run,
    progress: (done, total) => `${done} von ${count(total, one, ofMany)}`
  };
}

export const makingChores: Record<keyof typeof english, ChoreWords> = {
  'convert-pictures': making(
    {
      name: 'Bilder umwandeln und verkleinern',
      about:
        'Erstellt JPEGs aus Fotos vom Handy (HEIC) oder kleinere Bilder zum Verschicken, in einem neuen Ordner.',
      params: {
        format: { label: 'Neues Format', choices: { jpeg: 'JPEG', png: 'PNG', webp: 'WebP' } },
        side: {
          label: 'Längste Seite in Pixeln',
          hint: '0 lässt die Größe, wie sie ist. Zum Verschicken eignet sich 2048.'
        },
        quality: { label: 'Qualität von JPEG und WebP', hint: 'Von 1 bis 100.' },
        recursive: { label: 'Auch Bilder in den Ordnern darin' },
        language: language()
      }
    },
    picture,
    (folder) => `${folder} umwandeln`,
    (n) => count(n, 'neues Bild', 'neue Bilder'),
    'Umwandeln'
  ),
  'strip-metadata': making(
    {
      name: 'Versteckte Angaben entfernen',
      about:
        'Erstellt Kopien von Bildern, Filmen und PDFs, die nicht verraten, wer sie wann und wo aufgenommen hat.',
      params: {
        keepDate: { label: 'Aufnahmezeit behalten' },
        recursive: { label: 'Auch Dateien in den Ordnern darin' },
        language: language()
      }
    },
    file,
    (folder) => `Saubere Kopien aus ${folder}`,
    (n) => count(n, 'Kopie zum Weitergeben', 'Kopien zum Weitergeben'),
    'Kopien erstellen'
  ),
  'voice-memo': making(
    {
      name: 'Sprachaufnahmen → MP3',
      about: 'Erstellt kleine MP3-Dateien aus Aufnahmen, in einem neuen Ordner.',
      params: {
        quality: { label: 'Gut für', choices: { speech: 'Sprache', music: 'Musik' } },
        mono: { label: 'Ein Kanal statt Stereo' },
        level: { label: 'Leise Aufnahmen lauter machen' },
        recursive: { label: 'Auch Aufnahmen in den Ordnern darin' },
        language: language()
      }
    },
    recording,
    (folder) => `${folder} → MP3`,
    (n) => count(n, 'MP3', 'MP3s'),
    'MP3s erstellen'
  ),
  'merge-pdf': making(
    {
      name: 'PDFs zusammenfügen',
      about: 'Fügt alle PDFs eines Ordners zu einem zusammen, in der Reihenfolge ihrer Namen.',
      params: {
        name: {
          label: 'Name des neuen PDFs',
          hint: '„.pdf“ kommt von selbst dazu. Eine Datei, die schon da ist, wird nie ersetzt.'
        },
        order: order('Reihenfolge der PDFs'),
        recursive: { label: 'Auch PDFs in den Ordnern darin' }
      }
    },
    pdf,
    (folder) => `${folder} zusammenfügen`,
    () => 'ein PDF',
    'Zusammenfügen'
  ),
  'split-pdf': making(
    {
      name: 'PDFs aufteilen',
      about: 'Legt für jedes PDF einen Ordner an, in dem jede Seite ein eigenes PDF ist.',
      params: {
        every: { label: 'Seiten in jedem Teil' },
        recursive: { label: 'Auch PDFs in den Ordnern darin' }
      }
    },
    pdf,
    (folder) => `${folder} aufteilen`,
    (n) => count(n, 'Ordner mit Teilen', 'Ordner mit Teilen'),
    'Aufteilen'
  ),
  'compress-pdf': making(
    {
      name: 'PDFs verkleinern',
      about: 'Erstellt kleinere Kopien von PDFs zum Verschicken, in einem neuen Ordner.',
      params: {
        quality: {
          label: 'Bilder darin bleiben gut für',
          choices: { screen: 'den Bildschirm', reading: 'das Lesen', printing: 'den Druck' }
        },
        recursive: { label: 'Auch PDFs in den Ordnern darin' },
        language: language()
      }
    },
    pdf,
    (folder) => `${folder} verkleinern`,
    (n) => count(n, 'kleinere Kopie', 'kleinere Kopien'),
    'Verkleinern'
  ),
  'unlock-pdf': making(
    {
      name: 'PDFs entsperren',
      about: 'Erstellt Kopien von PDFs, die nicht mehr nach dem Passwort fragen. Sie müssen es kennen.',
      params: {
        password: { label: 'Passwort der PDFs', hint: 'Es wird nicht aufbewahrt.' },
        recursive: { label: 'Auch PDFs in den Ordnern darin' },
        language: language()
      }
    },
    pdf,
    (folder) => `${folder} entsperren`,
    (n) => count(n, 'Kopie ohne Passwort', 'Kopien ohne Passwort'),
    'Entsperren'
  ),
  'searchable-scans': making(
    {
      name: 'Scans → durchsuchbare PDFs',
      about: 'Liest den Text in Scans und Fotos von Seiten, damit man darin suchen und daraus kopieren kann.',
      params: {
        text: { label: 'Dazu je eine Textdatei' },
        reads: {
          label: 'Sprache des Textes',
          choices: { 'eng+deu': 'Englisch und Deutsch', eng: 'Englisch', deu: 'Deutsch' }
        },
        force: { label: 'Auch PDFs, die schon durchsuchbar sind' },
        recursive: { label: 'Auch Scans in den Ordnern darin' },
        language: language()
      }
    },
    scan,
    (folder) => `${folder} durchsuchbar machen`,
    (n) => count(n, 'neue Datei', 'neue Dateien'),
    'Durchsuchbar machen'
  ),
  'unpack-archives': making(
    {
      name: 'Archive entpacken',
      about: 'Entpackt jedes Archiv (ZIP, RAR, 7z und andere) in einen Ordner mit seinem Namen.',
      params: { recursive: { label: 'Auch Archive in den Ordnern darin' } }
    },
    archive,
    (folder) => `Archive in ${folder} entpacken`,
    (n) => count(n, 'Ordner', 'Ordner'),
    'Entpacken'
  ),
  'extract-text': making(
    {
      name: 'Text aus Dokumenten',
      about:
        'Erstellt eine Textdatei aus jedem PDF, Word- oder OpenDocument-Text und jeder Webseite. Scans werden gelesen.',
      params: {
        layout: { label: 'Zeilen eines PDFs bleiben, wo sie auf der Seite stehen' },
        reads: {
          label: 'Sprache der Scans',
          choices: { 'eng+deu': 'Englisch und Deutsch', eng: 'Englisch', deu: 'Deutsch' }
        },
        recursive: { label: 'Auch Dokumente in den Ordnern darin' },
        language: language()
      }
    },
    document,
    (folder) => `Text aus ${folder}`,
    (n) => count(n, 'Textdatei', 'Textdateien'),
    'Text auslesen'
  ),
  'receipts-to-table': making(
    {
      name: 'Belege → Tabelle',
      about:
        'Erstellt aus Kassenzetteln und Rechnungen eine Tabelle: Datum, Verkäufer, Betrag, Steuer. Unsichere Zeilen sind markiert.',
      params: {
        name: {
          label: 'Name der Tabelle',
          hint: 'Die Endung kommt von selbst dazu. Eine Datei, die schon da ist, wird nie ersetzt.'
        },
        format: { label: 'Format', choices: { csv: 'CSV', xlsx: 'Excel' } },
        dates: {
          label: 'Was 03/04 bedeutet',
          choices: { auto: 'selbst herausfinden', dmy: 'den 3. April', mdy: 'den 4. März' }
        },
        reads: {
          label: 'Sprache der Scans und Fotos',
          choices: { 'eng+deu': 'Englisch und Deutsch', eng: 'Englisch', deu: 'Deutsch' }
        },
        recursive: { label: 'Auch Belege in den Ordnern darin' },
        language: language('Sprache der Spaltennamen')
      }
    },
    receipt,
    (folder) => `Belege aus ${folder}`,
    () => 'eine Tabelle',
    'Tabelle erstellen'
  ),
  'folder-report': making(
    {
      name: 'Was in einem Ordner ist',
      about:
        'Schreibt einen Bericht: wie viel wovon, die größten, neuesten und ältesten Dateien, leere Ordner.',
      params: {
        name: {
          label: 'Name des Berichts',
          hint: 'Die Endung kommt von selbst dazu. Eine Datei, die schon da ist, wird nie ersetzt.'
        },
        format: {
          label: 'Format',
          choices: { html: 'Seite für den Browser', md: 'Markdown', csv: 'CSV', xlsx: 'Excel' }
        },
        top: { label: 'Länge jeder Liste' },
        language: language('Sprache des Berichts')
      }
    },
    folderNoun,
    (folder) => `Bericht über ${folder}`,
    (n) => count(n, 'Bericht', 'Berichte'),
    'Bericht schreiben'
  ),
  'clean-table': making(
    {
      name: 'Tabellen aufräumen',
      about:
        'Erstellt Kopien von Tabellen (CSV, Excel) ohne leere und doppelte Zeilen und ohne unnötige Leerzeichen.',
      params: {
        format: { label: 'Format', choices: { same: 'wie die Tabelle', csv: 'CSV', xlsx: 'Excel' } },
        trim: { label: 'Unnötige Leerzeichen entfernen' },
        dropEmpty: { label: 'Leere Zeilen und Spalten entfernen' },
        duplicates: { label: 'Doppelte Zeilen entfernen' },
        recursive: { label: 'Auch Tabellen in den Ordnern darin' },
        language: language()
      }
    },
    table,
    (folder) => `Tabellen in ${folder} aufräumen`,
    (n) => count(n, 'saubere Tabelle', 'saubere Tabellen'),
    'Aufräumen'
  ),
  'join-tables': making(
    {
      name: 'Tabellen zusammenfügen',
      about: 'Fügt mehrere Tabellen (CSV, Excel) zu einer zusammen: Gleichnamige Spalten kommen zusammen.',
      params: {
        name: {
          label: 'Name der neuen Tabelle',
          hint: 'Die Endung kommt von selbst dazu. Eine Datei, die schon da ist, wird nie ersetzt.'
        },
        format: { label: 'Format', choices: { csv: 'CSV', xlsx: 'Excel' } },
        source: { label: 'Eine Spalte, die sagt, aus welcher Datei eine Zeile ist' },
        order: order('Reihenfolge der Tabellen'),
        recursive: { label: 'Auch Tabellen in den Ordnern darin' },
        language: language('Sprache dieses Spaltennamens')
      }
    },
    table,
    (folder) => `Tabellen in ${folder} zusammenfügen`,
    () => 'eine Tabelle',
    'Zusammenfügen'
  )
};
