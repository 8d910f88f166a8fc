import type { Catalogue } from '../catalogue';

const pictures = (n: number) => (n === 1 ? '1 Bild' : `${n} Bilder`);

export const chores: Catalogue['chores'] = {
  'pictures-to-pdf': {
    name: 'Bilder → PDF',
    about: 'Macht aus allen Bildern eines Ordners ein PDF, in der Reihenfolge ihrer Namen.',
    task: (folder) => `${folder} → PDF`,
    plan: (inputs, outputs) => `${pictures(inputs)} → ${outputs} ${outputs === 1 ? 'PDF' : 'PDFs'}`,
    run: (outputs) => (outputs === 1 ? 'PDF machen' : `${outputs} PDFs machen`),
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
  }
};

export const otherChore: Catalogue['otherChore'] = {
  about: '',
  plan: (inputs, outputs) => `${inputs === 1 ? '1 Datei' : `${inputs} Dateien`} → ${outputs}`,
  run: () => 'Ausführen',
  progress: (done, total) => `${done} von ${total}`
};

export const checks: Catalogue['checks'] = {
  'pack-installed': () => 'Laufzeit',
  'pack-verified': () => 'Signatur und Dateien der Laufzeit',
  'accel-cpu': () => 'Virtualisierung im Prozessor',
  'accel-firmware': () => 'Virtualisierung in der Firmware',
  'accel-system': () => 'Virtualisierung im System',
  'accel-device': () => 'Beschleunigung für piwork',
  'accel-boot': (p) => (p.accel === 'tcg' ? 'Öffnen des Arbeitsraums, langsam' : 'Öffnen des Arbeitsraums'),
  'slow-mode': () => 'Langsames Arbeiten, mit Absicht gewählt'
};

export const checkOutcomes: Catalogue['checkOutcomes'] = {
  'pack-installed': { passed: 'installiert', failed: 'nicht installiert' },
  'accel-cpu': { passed: 'vorhanden', failed: 'nicht vorhanden' },
  'accel-firmware': { passed: 'eingeschaltet', failed: 'ausgeschaltet' },
  'accel-system': { passed: 'eingeschaltet', failed: 'nicht eingeschaltet' },
  'accel-device': { passed: 'darf benutzt werden', failed: 'nicht benutzbar' },
  'accel-boot': { passed: 'er öffnete sich', failed: 'er öffnete sich nicht' },
  'slow-mode': { passed: 'ein' }
};
