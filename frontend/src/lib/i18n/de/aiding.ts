import type { ChoreWords } from '../en/chores';
import type { aidingChores as english } from '../en/aiding';

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

function aiding(
  name: string,
  about: string,
  [one, many, ofMany]: readonly [string, string, string],
  task: ChoreWords['task'],
  own: ChoreWords['params'] = {}
): ChoreWords {
  return {
    name,
    about,
    task,
    plan: (inputs, outputs) => (outputs === 0 ? 'Es ist nichts zu tun' : count(inputs, one, many)),
    run: () => 'Ausführen',
    progress: (done, total) => `${done} von ${count(total, one, ofMany)}`,
    params: {
      recursive: { label: 'Auch Dateien in den Ordnern darin' },
      reads: {
        label: 'Sprachen der Scans',
        choices: { 'eng+deu': 'Englisch und Deutsch', eng: 'Englisch', deu: 'Deutsch' }
      },
      language: { label: 'Sprache des Textes', choices: { en: 'Englisch', de: 'Deutsch' } },
      ...own
    }
  };
}

export const aidingChores: Record<keyof typeof english, ChoreWords> = {
  'summarise-notes': aiding(
    'Notizen zusammenfassen',
    'Liest den Text aus Notizen und Dokumenten. Eine KI schreibt daraus eine Zusammenfassung: was wichtig ist, was zu tun ist, jedes Thema.',
    ['Notiz', 'Notizen', 'Notizen'],
    (folder) => `Zusammenfassung von ${folder}`
  ),
  'contract-summary': aiding(
    'Verträge zusammenfassen',
    'Liest den Text aus Verträgen. Eine KI schreibt zu jedem: wer, was, bis wann, wie er endet und was er kostet, mit den Stellen im Wortlaut.',
    ['Vertrag', 'Verträge', 'Verträgen'],
    (folder) => `Verträge in ${folder}`
  ),
  'check-receipts': aiding(
    'Tabelle aus Belegen prüfen',
    'Erstellt eine Tabelle aus Belegen. Eine KI sieht sich die unsicheren Zeilen noch einmal an und ergänzt, was fehlt.',
    ['Beleg', 'Belege', 'Belegen'],
    (folder) => `Geprüfte Belege aus ${folder}`,
    {
      name: {
        label: 'Name der Tabelle',
        hint: 'Die Endung kommt von selbst dazu. Eine Datei, die schon da ist, wird nie ersetzt.'
      },
      dates: {
        label: 'Was 03/04 bedeutet',
        choices: { auto: 'selbst herausfinden', dmy: 'Tag zuerst', mdy: 'Monat zuerst' }
      }
    }
  ),
  'clean-csv': aiding(
    'Tabelle gründlich aufräumen',
    'Erstellt saubere Kopien von Tabellen. Eine KI vereinheitlicht Schreibweisen, Datumsangaben und Zahlen.',
    ['Tabelle', 'Tabellen', 'Tabellen'],
    (folder) => `Saubere Tabellen aus ${folder}`,
    {
      trim: { label: 'Unnötige Leerzeichen entfernen' },
      dropEmpty: { label: 'Leere Zeilen und Spalten entfernen' },
      duplicates: { label: 'Doppelte Zeilen entfernen' }
    }
  ),
  'folder-dashboard': aiding(
    'Übersichtsseite eines Ordners',
    'Schreibt einen Bericht über einen Ordner. Eine KI gestaltet daraus eine Seite, die sagt, wofür der Ordner da ist und was darin liegt.',
    ['Ordner', 'Ordner', 'Ordnern'],
    (folder) => `Übersicht von ${folder}`
  ),
  'rename-photos': aiding(
    'Fotos nach ihrem Inhalt benennen',
    'Eine KI sieht sich jedes Bild an und gibt ihm einen Namen. Die neuen Namen warten auf Ihr Ja.',
    ['Bild', 'Bilder', 'Bildern'],
    (folder) => `Namen für ${folder}`
  )
};
