import type { Params } from '$lib/api/types';
import type { Catalogue } from '../catalogue';
import { accelCauses, isOneOf, lasting, type AccelCause, type Product } from '../codes';
import type { Words } from '../en/problems';
import type { setupFixes as english } from '../en/setup';
import { text } from '../params';

const unchanged = 'Nichts wurde installiert oder geändert.';

const foreseen =
  'Ohne Laufzeitumgebung ließ sich noch nichts ausprobieren; das ist, was zu sehen war. Es wurde nichts installiert oder geändert.';
const stopped =
  'Keine Aufgabe kann beginnen, bis das gelöst ist oder Sie das langsame Arbeiten wählen. Nichts wurde installiert oder geändert.';

const products: Record<Product, string> = {
  vmware: 'VMware',
  virtualbox: 'VirtualBox',
  'hyper-v': 'Hyper-V',
  parallels: 'Parallels',
  kvm: 'KVM',
  xen: 'Xen',
  cloud: 'ein gemieteter Computer',
  apple: 'macOS',
  flatpak: 'Flatpak',
  snap: 'Snap'
};
const product = (p: Params, key: string) => products[text(p, key) as Product] ?? '';
const bracketed = (name: string) => (name ? ` (${name})` : '');

const causes: Record<AccelCause, (p: Params, accel: string) => Words> = {
  broken: (_p, accel) => ({
    title: 'Die Beschleunigung ist da, funktioniert aber nicht',
    meaning: `Dieser Computer bietet sie an (${accel.toUpperCase()}), aber in einem Test öffnete sich der Arbeitsraum damit nicht.`
  }),
  unexplained: () => ({
    title: 'Der Arbeitsraum öffnet sich nicht mit vollem Tempo',
    meaning: 'Keine der Prüfungen zeigt, warum. In den Einzelheiten steht, was im Test geschah.'
  }),
  translated: (_p, accel) =>
    accel === 'hvf'
      ? {
          title: 'Dieses piwork ist für Macs mit Intel-Prozessor gemacht',
          meaning: 'Dieser Mac hat einen Prozessor von Apple. Nur das piwork dafür erreicht volles Tempo.'
        }
      : {
          title: 'Dieser Computer hat einen ARM-Prozessor',
          meaning:
            'Dieses piwork ist für die andere Art von Prozessoren gemacht und kann hier nur langsam arbeiten.'
        },
  outdated: () => ({
    title: 'Dieses System ist zu alt für volles Tempo',
    meaning: 'Windows kann das seit der Version 1803 von Windows 10.'
  }),
  nested: (p) => ({
    title: 'Der Computer um diesen herum behält die Virtualisierung für sich',
    meaning: `Dieser Computer läuft in einem anderen${bracketed(product(p, 'outer'))}, der die Virtualisierung nicht weitergibt.`
  }),
  wsl1: () => ({
    title: 'Diese Art von Linux in Windows hat keine Beschleunigung',
    meaning: 'Es ist die erste Version des Windows-Subsystems für Linux (WSL 1).'
  }),
  wsl2: () => ({
    title: 'Für Linux in Windows ist die Virtualisierung ausgeschaltet',
    meaning: 'Das Windows-Subsystem für Linux (WSL 2) kann sie ab Windows 11 weitergeben.'
  }),
  processor: () => ({
    title: 'Der Prozessor dieses Computers hat keine Virtualisierung',
    meaning: 'Das lässt sich nicht ändern, aber piwork kann darauf langsam arbeiten.'
  }),
  firmware: () => ({
    title: 'Die Virtualisierung ist in der Firmware dieses Computers ausgeschaltet',
    meaning: 'Der Prozessor hat sie. piwork braucht sie für den geschlossenen Arbeitsraum.'
  }),
  hidden: () => ({
    title: 'Dieser Computer zeigt keine Virtualisierung',
    meaning: 'Oft ist sie nur in seiner Firmware ausgeschaltet.'
  }),
  kernel: () => ({
    title: 'Das System wurde aktualisiert und wartet auf einen Neustart',
    meaning: 'Bis dahin lässt sich die Beschleunigung nicht einschalten.'
  }),
  nokvm: () => ({
    title: 'Dieses System hat keine Beschleunigung',
    meaning: 'Im Kernel, der gerade läuft, fehlt KVM.'
  }),
  module: (p) => ({
    title: 'Die Beschleunigung ist im System nicht eingeschaltet',
    meaning: text(p, 'blocked')
      ? `Die Datei ${text(p, 'blocked')} verbietet es.`
      : 'Der Prozessor ist bereit, aber der Teil des Systems, der KVM heißt, ist nicht geladen.'
  }),
  missing: () => ({
    title: 'Die Beschleunigung ist im System, aber nicht zu erreichen',
    meaning: 'Ihr Gerät /dev/kvm fehlt.'
  }),
  confined: (p) => ({
    title: 'piwork ist abgeschottet und erreicht die Beschleunigung nicht',
    meaning: `Die Umgebung, in der piwork läuft${bracketed(product(p, 'confined'))}, lässt es nicht an /dev/kvm.`
  }),
  permission: (p) => ({
    title: 'Ihr Konto darf die Beschleunigung nicht benutzen',
    meaning: `Sie ist da, aber nur für die Gruppe ${text(p, 'group') || 'kvm'}.`
  }),
  relogin: () => ({
    title: 'Nach der nächsten Anmeldung können Sie die Beschleunigung benutzen',
    meaning: 'Ihr Konto darf es, aber Sie haben sich davor angemeldet.'
  }),
  rule: () => ({
    title: 'Nur der Administrator darf die Beschleunigung benutzen',
    meaning: 'Sie ist da, aber keine Gruppe von Konten darf sie benutzen.'
  }),
  device: () => ({
    title: 'Die Beschleunigung ließ sich nicht benutzen',
    meaning: 'Sie ist da und antwortet mit einem Fehler.'
  }),
  held: (p) => ({
    title: `${product(p, 'holder') || 'Ein anderes Programm'} benutzt gerade die Beschleunigung`,
    meaning: 'Hier kann sie immer nur ein Programm benutzen.'
  }),
  restart: () => ({
    title: 'Windows wartet auf einen Neustart',
    meaning: 'Eine Änderung ist noch nicht wirksam.'
  }),
  feature: () => ({
    title: 'Eine Funktion von Windows ist ausgeschaltet',
    meaning:
      'piwork braucht die „Windows-Hypervisor-Plattform“ für den geschlossenen Arbeitsraum. Sie gehört zu jedem Windows, auch zu Home.'
  }),
  launch: () => ({
    title: 'Windows hat nicht gestartet, was piwork braucht',
    meaning: 'Die „Windows-Hypervisor-Plattform“ ist installiert, wurde aber nicht mit Windows gestartet.'
  }),
  unsupported: () => ({
    title: 'macOS bietet hier keine Virtualisierung an',
    meaning: 'Der Prozessor hat sie. Oft hilft ein Neustart.'
  }),
  refused: () => ({
    title: 'macOS lässt den Arbeitsraum die Virtualisierung nicht benutzen',
    meaning: 'Dem Programm, das ihn öffnet, fehlt die Signatur dafür.'
  }),
  'guest-arch': () => ({
    title: 'Die Laufzeitumgebung ist für eine andere Art von Prozessor gemacht',
    meaning: 'Auf diesem Computer kann sie nur langsam arbeiten.'
  })
};

export function acceleration(p: Params, code: string): Words {
  const dash = code.indexOf('-');
  const cause = isOneOf(accelCauses, code) ? code : code.slice(dash + 1);
  const accel = text(p, 'accel') || code.slice(0, Math.max(dash, 0));
  const { title, meaning } = causes[isOneOf(accelCauses, cause) ? cause : 'unexplained'](p, accel);
  const means = p.foreseen === true ? foreseen : lasting(cause, accel) ? unchanged : stopped;
  return { title, meaning: `${meaning} ${means}` };
}

export const steps: Catalogue['steps'] = {
  'firmware-virt': (p) => [
    `Starten Sie den Computer neu, und drücken Sie gleich nach dem Einschalten die Taste für seine Einstellungen${bracketed(text(p, 'firmwareKey').replace('Del', 'Entf'))}, bis sie aufgehen.`,
    `Suchen Sie „${text(p, 'firmwarePath') || 'Virtualization'}“ und schalten Sie es ein. Die Namen können etwas anders lauten.`,
    'Speichern Sie, verlassen Sie die Einstellungen und kommen Sie hierher zurück: piwork macht von selbst weiter.'
  ],
  'windows-feature': () => [
    'Öffnen Sie das Startmenü, tippen Sie „Windows-Features“, und wählen Sie „Windows-Features aktivieren oder deaktivieren“.',
    'Setzen Sie den Haken bei „Windows-Hypervisor-Plattform“, und wählen Sie OK. Ein Administrator muss zustimmen.'
  ],
  'hypervisor-start': () => [
    'Öffnen Sie das Startmenü, tippen Sie „Terminal“, und wählen Sie „Als Administrator ausführen“.',
    'Geben Sie die Zeile unten ein.'
  ],
  'wsl-nested': () => [
    'Öffnen Sie in Windows die Datei .wslconfig in Ihrem Benutzerordner; gibt es sie nicht, legen Sie sie an. Die Zeilen unten kommen hinein.',
    'Geben Sie in einem Windows-Terminal ein: wsl --shutdown. Öffnen Sie dann Linux wieder.'
  ],
  'close-other': (p) => [
    `Beenden Sie jeden Computer, der in ${product(p, 'holder') || 'VirtualBox, VMware oder einem Emulator'} läuft, und lassen Sie noch einmal nachsehen.`
  ],
  'nested-virt': (p) => [
    'Fahren Sie diesen Computer herunter.',
    text(p, 'outer') === 'cloud'
      ? 'Wählen Sie dort, wo Sie ihn mieten, einen Typ mit verschachtelter Virtualisierung.'
      : `Schalten Sie auf dem Computer um ihn herum${bracketed(product(p, 'outer'))} die verschachtelte Virtualisierung für diesen ein.`,
    'Schalten Sie diesen Computer wieder ein.'
  ],
  'load-kvm': (p) => [
    ...(text(p, 'blocked')
      ? [`Nehmen Sie als Administrator die Zeile mit „kvm“ aus ${text(p, 'blocked')} heraus.`]
      : []),
    'Geben Sie die Zeile unten in ein Terminal ein. Antwortet es „not supported“, ist die Virtualisierung in der Firmware des Computers ausgeschaltet.'
  ]
};

export const commandLeads: Catalogue['commandLeads'] = {
  'firmware-virt':
    'Oder starten Sie den Computer direkt in seine Einstellungen; in einem Terminal als Administrator:',
  'windows-feature': 'Oder in einem Terminal als Administrator:',
  'wsl-nested': 'Die Zeilen für die Datei:',
  'nested-virt': 'Oder in einem Terminal jenes Computers; NAME steht für den Namen, den dieser dort hat:',
  'allow-device': 'In einem Terminal, oder als Zusatz beim Starten von piwork:'
};

export const restarts: Catalogue['restarts'] = {
  program: 'Schließen Sie danach piwork, und öffnen Sie es wieder.',
  session: 'Melden Sie sich danach ab und wieder an.',
  computer: 'Starten Sie danach den Computer neu. piwork macht hier weiter.'
};

export const setupFixes: Record<keyof typeof english, string> = {
  'check-again': 'Noch einmal nachsehen',
  'slow-mode': 'Langsam arbeiten',
  'fast-mode': 'Wieder mit vollem Tempo arbeiten',
  'kvm-group': 'Erlauben Sie Ihrem Konto, die Beschleunigung zu benutzen.',
  'kvm-rule':
    'Legen Sie eine Gruppe an, die die Beschleunigung benutzen darf, und nehmen Sie Ihr Konto darin auf.',
  'log-in-again': 'Melden Sie sich an diesem Computer ab und wieder an.',
  'load-kvm': 'Schalten Sie die Beschleunigung im System ein.',
  'firmware-virt': 'Schalten Sie die Virtualisierung in der Firmware des Computers ein.',
  'nested-virt': 'Schalten Sie die verschachtelte Virtualisierung im Computer um diesen herum ein.',
  'restart-computer': 'Starten Sie den Computer neu.',
  'other-kernel': 'Installieren Sie den üblichen Kernel Ihres Linux, und starten Sie damit neu.',
  'allow-device': 'Erlauben Sie piwork, die Beschleunigung zu benutzen.',
  'close-other': 'Beenden Sie das andere Programm.',
  'wsl-upgrade':
    'Benutzen Sie piwork für Windows, oder stellen Sie dieses Linux auf WSL 2 um; in einem Windows-Terminal: wsl --set-version NAME 2',
  'wsl-nested': 'Schalten Sie die Virtualisierung für Linux in Windows ein.',
  'windows-feature': 'Schalten Sie die Funktion ein.',
  'hypervisor-start':
    'Lassen Sie Windows sie starten. VirtualBox und VMware laufen auch damit, können aber langsamer werden.',
  'update-system': 'Installieren Sie die Updates des Systems.',
  'native-app': 'Installieren Sie das piwork für Macs mit Apple-Prozessor.'
};
