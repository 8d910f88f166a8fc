import type { Catalogue } from '../catalogue';
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
