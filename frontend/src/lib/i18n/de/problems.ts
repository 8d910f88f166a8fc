import type { Params } from '$lib/api/types';
import type { Catalogue } from '../catalogue';
import type { ChannelFault, PackFault, Refusal, TransferFault } from '../codes';
import type { Words } from '../en/problems';
import { fileName, firstOf, number, text, wordsOf } from '../params';
import { ai } from './ai';
import { acceleration, setupFixes } from './setup';

/** What is read of a receipt. */
const receiptValues = {
  date: 'Datum',
  seller: 'Verkäufer',
  total: 'Gesamtbetrag',
  tax: 'Steuer',
  currency: 'Währung'
};

const unchanged = 'Nichts wurde geändert.';
const quote = (name: string, otherwise: string) => (name ? `„${name}“` : otherwise);

/** Warum Daten nicht in einen Ordner verschoben werden: app/relocate, RefusedCode, und app/move.go. */
const moveRefusals = (variable: string): Record<string, string> => ({
  missing: 'Der Ordner ist nicht da.',
  'not-a-folder': 'Das ist kein Ordner.',
  same: 'Die Daten sind schon dort.',
  inside: 'Das ist einer von piworks eigenen Ordnern.',
  taken: 'In diesem Ordner gibt es schon einen namens piwork, und er ist nicht leer.',
  shared: 'Eine Aufgabe arbeitet mit diesem Ordner.',
  'read-only': 'Ihr Konto darf dort nicht schreiben.',
  network: 'Er liegt auf einem anderen Computer oder auf keiner verlässlichen Festplatte.',
  memory: 'Was darin liegt, ist weg, sobald der Computer ausgeschaltet wird.',
  'not-private': 'Die Festplatte kennt keine Zugriffsrechte, also könnten alle die Daten lesen.',
  unfinished: 'Ein Zurücknehmen wurde unterbrochen, weil ein Ordner nicht erreichbar ist.',
  fixed: `Die Umgebungsvariable ${variable} legt fest, wo die Daten liegen.`,
  busy: 'Eine Aufgabe arbeitet gerade. Warten Sie, bis sie fertig ist, oder halten Sie sie an.'
});

const refusals: Record<Refusal, (name: string) => Words> = {
  home: () => ({
    title: 'Ihr ganzer persönlicher Ordner geht nicht',
    meaning: 'Darin ist viel mehr, als eine Aufgabe sehen sollte. Wählen Sie einen Ordner darin.'
  }),
  'disk-root': () => ({
    title: 'Ein ganzes Laufwerk geht nicht',
    meaning: 'Darauf ist viel mehr, als eine Aufgabe sehen sollte. Wählen Sie einen Ordner darauf.'
  }),
  system: (name) => ({
    title: `${name} gehört zum System`,
    meaning: 'Ein Fehler dort könnte diesen Computer lahmlegen. Wählen Sie einen Ordner mit eigenen Dateien.'
  }),
  'own-data': (name) => ({
    title: `In ${name} liegen die Aufzeichnungen von piwork`,
    meaning:
      'Eine Aufgabe darf ihre eigene Liste der Änderungen nicht erreichen. Wählen Sie einen anderen Ordner.'
  }),
  'not-a-folder': (name) => ({
    title: `${name} ist kein Ordner`,
    meaning: 'piwork arbeitet mit Ordnern. Wählen Sie den Ordner, in dem es liegt.'
  }),
  missing: (name) => ({
    title: `${name} ist nicht da`,
    meaning: 'Vielleicht wurde es verschoben oder umbenannt, oder sein Laufwerk ist nicht angeschlossen.'
  }),
  'no-permission': (name) => ({
    title: `${name} darf nicht geöffnet werden`,
    meaning: 'Ihr Konto auf diesem Computer hat kein Recht dazu.'
  })
};

const packFaults: Record<PackFault, string> = {
  'not-a-pack': 'Sie ist keine Laufzeit für piwork.',
  truncated: 'Sie endet zu früh; vielleicht wurde sie nicht ganz heruntergeladen.',
  'corrupt-archive': 'Sie ist beschädigt.',
  'trailing-data': 'Sie geht nach ihrem Ende weiter.',
  'too-large': 'Sie ist größer als erlaubt oder als angegeben.',
  'missing-manifest': 'Ihr Inhaltsverzeichnis fehlt.',
  'missing-signature': 'Sie trägt keine Signatur.',
  'bad-signature': 'Ihre Signatur passt nicht zum Inhalt.',
  'foreign-key': 'Sie ist von jemandem signiert, dem dieser Computer nicht vertraut.',
  'revoked-key': 'Sie ist mit einem Schlüssel signiert, der zurückgezogen wurde.',
  'bad-manifest': 'Ihr Inhaltsverzeichnis ergibt keinen Sinn.',
  'unsafe-name': 'Sie enthält einen Dateinamen, der aus ihrem Ordner hinausführen könnte.',
  'unsafe-entry': 'Sie enthält etwas anderes als einfache Dateien.',
  'duplicate-file': 'Sie enthält dieselbe Datei zweimal.',
  'extra-file': 'Sie enthält eine Datei, die nie signiert wurde.',
  'missing-file': 'Eine signierte Datei fehlt darin.',
  'wrong-size': 'Eine Datei darin ist nicht so lang, wie sie signiert wurde.',
  'flipped-byte': 'Eine Datei darin ist anders, als sie signiert wurde.',
  'wrong-platform': 'Sie ist für eine andere Art von Computer gemacht.',
  'wrong-app-version': 'Sie braucht eine andere Version von piwork.',
  'unknown-schema': 'Sie braucht ein neueres piwork.',
  'wrong-version': 'Sie ist eine andere Version, als ihr Name sagt.',
  'not-executable': 'Ein Programm darin darf nicht mehr ausgeführt werden.'
};

function packFault(p: Params, cause: string): string {
  return packFaults[cause as PackFault] ?? packFaults[text(p, 'kind') as PackFault] ?? '';
}

const channelFaults: Partial<Record<ChannelFault, string>> = {
  stale: 'Er antwortete so lange nicht, dass abgelaufen ist, was von ihm bekannt war.',
  expired:
    'Was er sagt, ist abgelaufen: Es wurde nicht rechtzeitig erneuert, oder die Uhr dieses Computers geht falsch.',
  rollback: 'Er bietet Älteres an, als schon einmal zu sehen war.',
  'bad-signature': 'Was er sagt, ist nicht von denen signiert, die es dürfen.',
  malformed: 'Was er sagt, lässt sich nicht lesen.',
  'wrong-content': 'Dort liegen andere Dateien, als signiert wurden.',
  'too-large': 'Er schickte mehr als erlaubt.',
  missing: 'Eine Datei, die er nennt, ist nicht da.'
};

const transferFaults: Partial<
  Record<TransferFault | 'incomplete' | 'no-index' | 'nothing-known' | 'password', (p: Params) => string>
> = {
  'nothing-known': () => 'Noch ist nichts von ihm bekannt.',
  incomplete: () => 'Es fehlt noch etwas davon.',
  'no-index': () => 'Diese Version ist von alter Form und lässt sich nicht in Teilen herunterladen.',
  'bad-address': () => 'Eine Adresse für Neueres oder für den Proxy lässt sich nicht lesen.',
  password: () =>
    'In einer Adresse darf kein Passwort stehen: Einstellungen werden offen aufbewahrt. Das Passwort kommt vom System oder aus HTTPS_PROXY.',
  'bad-ca': () => 'Die Datei mit weiteren Zertifizierungsstellen lässt sich nicht benutzen.',
  disk: () => 'Was ankam, lässt sich nicht auf die Platte schreiben.',
  'proxy-auth': (p) => `Der Proxy ${text(p, 'proxy')} will einen anderen Namen und ein anderes Passwort.`,
  'proxy-auth-kind': (p) =>
    `Der Proxy ${text(p, 'proxy')} will eine Art der Anmeldung, die piwork nicht kennt.`,
  'proxy-unreachable': (p) => `Der Proxy ${text(p, 'proxy')} antwortet nicht.`,
  'proxy-refused': (p) => `Der Proxy ${text(p, 'proxy')} lässt piwork nicht durch.`,
  'proxy-script': () => 'Dieser Computer findet seinen Proxy mit einem Skript, dem piwork nicht folgen kann.',
  'tls-untrusted': (p) =>
    `Das Zertifikat von ${text(p, 'host') || 'dem Server'} kommt von einer Stelle, der hier nicht vertraut wird${text(p, 'issuer') ? ` (${text(p, 'issuer')})` : ''}.`,
  'tls-invalid': (p) =>
    `Das Zertifikat von ${text(p, 'host') || 'dem Server'} gilt für einen anderen Namen oder eine andere Zeit.`,
  'captive-portal': () => 'Das Netz antwortete mit einer eigenen Seite: Es will, dass Sie sich anmelden.',
  'changed-on-server': () => 'Die Datei auf dem Server änderte sich währenddessen.',
  'too-large': () => 'Der Server schickte mehr als angekündigt.',
  'bad-answer': (p) => `${text(p, 'host') || 'Der Server'} gab eine Antwort, die keinen Sinn ergibt.`,
  redirect: (p) =>
    `${text(p, 'host') || 'Der Server'} verweist an einen Ort, der nicht sicher ist, oder im Kreis.`,
  denied: (p) => `${text(p, 'host') || 'Der Server'} gibt die Datei nicht heraus.`,
  'not-found': (p) => `${text(p, 'host') || 'Der Server'} hat die Datei nicht.`,
  'server-error': (p) => `${text(p, 'host') || 'Der Server'} ist gerade überlastet oder gestört.`,
  stalled: () => 'Es kam nichts mehr.',
  interrupted: () => 'Die Verbindung brach immer wieder ab.',
  unreachable: (p) => `${text(p, 'host') || 'Der Server'} antwortet nicht.`,
  offline: () => 'Dieser Computer hat keine Verbindung zum Internet.'
};

function fetching(p: Params, cause: string, meaning: string): string {
  const why =
    transferFaults[cause as TransferFault]?.(p).replace(/ {2,}/, ' ') ??
    channelFaults[cause as ChannelFault] ??
    '';
  return `${why} ${meaning}`.trimStart();
}

const modelFaults = ai.models.reasons;
const loginFaults: Record<string, string> = {
  none: 'piwork weiß nicht, wie man sich bei diesem Dienst anmeldet; setzen Sie einen Schlüssel.',
  wrong: 'Was eingefügt wurde, ist nicht der Code dieser Anmeldung.',
  expired: 'Der Code ist zu alt oder wurde schon benutzt.',
  denied: 'Die Anmeldung wurde abgelehnt.',
  timeout: 'Niemand hat sich rechtzeitig angemeldet.',
  answer: 'Die Antwort des Dienstes ließ sich nicht lesen.',
  refused: 'Der Dienst wies die Anmeldung zurück. Sehen Sie dort nach, ob Ihr Konto ihn benutzen darf.',
  device: 'Dieser Dienst hat keine Anmeldung mit einem Code auf einem anderen Gerät.',
  domain: 'Nur Copilot einer Firma mit eigenem GitHub braucht eine Adresse, etwa company.ghe.com.',
  port: 'Ein anderes Programm auf diesem Computer wartet an der einzigen Adresse, die dieser Dienst kennt (Port 1455), auf den Browser, etwa eine nicht beendete Anmeldung von Codex oder pi. Beenden Sie es und melden Sie sich neu an.',
  unreachable: 'Der Dienst ist nicht zu erreichen. Besteht eine Verbindung zum Internet?',
  cancelled: 'Die Anmeldung wurde aufgegeben.'
};

export const problems: Catalogue['problems'] = {
  'pack-missing': () => ({
    title: 'Die Laufzeit ist noch nicht installiert',
    meaning: 'Aus ihr wird der geschlossene Arbeitsraum gemacht. Nichts wurde installiert oder geändert.'
  }),
  'pack-corrupt': (p, cause) => ({
    title: text(p, 'name')
      ? `Die Erweiterung ${text(p, 'name')} ist nicht so, wie sie signiert wurde`
      : 'Die installierte Laufzeit ist nicht so, wie sie signiert wurde',
    meaning:
      `${packFault(p, cause)} Deshalb startet piwork sie nicht. Ihre eigenen Dateien blieben unberührt.`.trimStart()
  }),
  'pack-too-new': () => ({
    title: 'Die Laufzeit verlangt ein neueres piwork',
    meaning: 'Diese Version von piwork kann sie nicht benutzen. Ihre Dateien blieben unberührt.'
  }),
  'accel-unavailable': acceleration,
  'not-checked': () => ({
    title: 'Etwas ließ sich nicht nachsehen',
    meaning: 'Deshalb ist nicht bekannt, ob sich der Arbeitsraum öffnen würde. Nichts wurde geändert.'
  }),
  'not-mended': () => ({
    title: 'Das System hat das nicht getan',
    meaning:
      'Was im Weg steht, ist, wie es war. Ein Administrator kann den gezeigten Befehl auch selbst eingeben.'
  }),
  'boot-failed': () => ({
    title: 'Der Arbeitsraum öffnet sich auf diesem Computer nicht, auch nicht langsam',
    meaning: 'Keine Aufgabe kann beginnen, bis das gelöst ist. Nichts wurde installiert oder geändert.'
  }),
  'slow-mode': () => ({
    title: 'Das langsame Arbeiten ist eingeschaltet',
    meaning: 'Alles geht und ist genauso sicher, dauert aber länger.'
  }),
  'no-instant': () => ({
    title: 'Arbeitsräume öffnen sich auf diesem Computer nicht sofort',
    meaning: 'Sie öffnen sich auf dem gewöhnlichen Weg, was etwas länger dauert. Alles andere ist gleich.'
  }),
  'pack-invalid': (p, cause) => ({
    title: `${quote(fileName(p), 'Diese Datei')} wurde abgelehnt`,
    meaning: `${packFault(p, cause)} Nichts davon wurde installiert.`
  }),
  'pack-busy': () => ({
    title: 'Gerade wird eine Laufzeit installiert',
    meaning: 'Warten Sie, bis das fertig ist. ' + unchanged
  }),
  'pack-in-use': (_p, cause) => ({
    title: cause === 'task' ? 'Mit dieser Version arbeitet noch eine Aufgabe' : 'Diese Version wird benutzt',
    meaning: cause === 'task' ? 'Sie kann weg, wenn die Aufgabe vorbei ist. ' + unchanged : unchanged
  }),
  'update-off': () => ({
    title: 'Dieses piwork folgt keinem Kanal für Neueres',
    meaning:
      'Es ist keiner eingebaut, deshalb lässt sich nicht nach Neuerem sehen. Was installiert ist, arbeitet weiter.'
  }),
  'update-settings': (p, cause) => ({
    title: 'Was für Neueres eingestellt ist, lässt sich nicht benutzen',
    meaning: fetching(p, cause, unchanged)
  }),
  'update-not-offered': () => ({
    title: 'Im Kanal für Neueres liegt nichts für diesen Computer',
    meaning: 'Was installiert ist, arbeitet weiter.'
  }),
  'update-offline': (p, cause) => ({
    title: 'Der Kanal für Neueres ist nicht zu erreichen',
    meaning: fetching(p, cause, 'Was installiert ist, arbeitet weiter.')
  }),
  'update-invalid': (p, cause) => ({
    title: 'Was der Kanal für Neueres sagt, wurde abgelehnt',
    meaning: fetching(p, cause, 'Nichts davon wurde installiert. Was installiert ist, arbeitet weiter.')
  }),
  'download-failed': (p, cause) => ({
    title: 'Das Herunterladen kam nicht bis zum Ende',
    meaning: fetching(p, cause, 'Was ankam, bleibt liegen; der nächste Versuch geht dort weiter.')
  }),
  'download-invalid': (p, cause) => ({
    title: 'Was ankam, ist nicht, was signiert wurde',
    meaning: fetching(p, cause, 'Es wurde weggeworfen, und nichts davon wurde installiert.')
  }),
  'update-not-booting': (p) => ({
    title: `Mit ${text(p, 'version') ? `Version ${text(p, 'version')}` : 'der neuen Version'} öffnet sich der Arbeitsraum auf diesem Computer nicht`,
    meaning: `${text(p, 'current') ? `Version ${text(p, 'current')}` : 'Die Version davor'} bleibt in Gebrauch. Die neue wird nicht von selbst noch einmal versucht.`
  }),
  'rolled-back': (p) => ({
    title: `piwork ist zu ${text(p, 'version') ? `Version ${text(p, 'version')}` : 'der Version davor'} zurückgekehrt`,
    meaning: `${text(p, 'failed') ? `Version ${text(p, 'failed')}` : 'Die neue Version'} arbeitete auf diesem Computer nicht mehr. Ihre Dateien blieben unberührt.`
  }),
  'no-previous': () => ({
    title: 'Es gibt keine Version, zu der es zurückgehen könnte',
    meaning: unchanged
  }),
  'version-failed': (p) => ({
    title: `${text(p, 'version') ? `Version ${text(p, 'version')}` : 'Diese Version'} arbeitete auf diesem Computer schon einmal nicht`,
    meaning: 'Deshalb wird sie nicht von selbst noch einmal versucht. Nichts wurde geändert.'
  }),
  'key-revoked': () => ({
    title: 'Das wurde mit einem Schlüssel signiert, dem nicht mehr vertraut wird',
    meaning:
      'Der Schlüssel wurde zurückgezogen; deshalb wird nichts davon gestartet oder installiert. Ihre Dateien blieben unberührt.'
  }),
  'addon-unknown': (p) => ({
    title: `Eine Erweiterung ${quote(text(p, 'name'), 'dieses Namens')} gibt es nicht`,
    meaning: unchanged
  }),
  'addon-mismatch': () => ({
    title: 'Diese Erweiterung ist für eine andere Version der Laufzeit gemacht',
    meaning: 'Laufzeit und Erweiterungen werden zusammen erneuert. Nichts wurde geändert.'
  }),
  'addon-missing': (p) => ({
    title: text(p, 'name')
      ? `Dafür fehlt die Erweiterung ${quote(text(p, 'name'), '')}`
      : 'Dafür fehlt eine Erweiterung',
    meaning:
      'Keine, die zur Laufzeit passt, ist installiert; deshalb wurde nichts begonnen. Nichts wurde geändert.'
  }),
  'bundle-incomplete': () => ({
    title: 'Etwas, das in das Paket gehört, ist nicht da',
    meaning: 'Es wurde kein Paket geschrieben.'
  }),
  'bad-request': (p) => ({
    title: text(p, 'parameter') === 'name' ? 'So kann eine Datei nicht heißen' : 'Das war nicht zu verstehen',
    meaning: unchanged
  }),
  'machine-settings': () => ({
    title: 'So viel oder so wenig kann dieser Computer den Arbeitsräumen nicht geben',
    meaning: 'Die Einstellungen sind, wie sie waren.'
  }),
  'not-found': () => ({ title: 'Das ist nicht mehr da', meaning: unchanged }),
  'unknown-chore': () => ({ title: 'Dieses piwork kennt die Aufgabe nicht', meaning: unchanged }),
  unsupported: () => ({
    title: 'Das kann dieser Computer nicht',
    meaning: 'piwork beginnt nichts, was es nicht sicher halten kann. Nichts wurde geändert.'
  }),
  'folder-refused': (p, cause) => {
    const name = quote(fileName(p), 'Dieser Ordner');
    const why = refusals[cause as Refusal] ?? refusals[text(p, 'reason') as Refusal];
    return why ? why(name) : { title: `${name} lässt sich nicht benutzen`, meaning: unchanged };
  },
  'folder-overlap': () => ({
    title: 'Einer der Ordner liegt in einem anderen',
    meaning: 'Wählen Sie nur den äußeren oder nur den inneren. Nichts wurde geändert.'
  }),
  'task-running': (_p, cause) => ({
    title: 'Die Aufgabe arbeitet noch',
    meaning:
      cause === 'provider'
        ? 'Bis sie vorbei ist, kann sie nur Modelle desselben Dienstes haben. Nichts wurde geändert.'
        : cause === 'model'
          ? 'Sie kennt dieses Modell noch nicht: Wählen Sie es, wenn die Aufgabe vorbei ist, dann macht sie damit weiter. Nichts wurde geändert.'
          : 'Halten Sie sie zuerst an, oder warten Sie, bis sie fertig ist.'
  }),
  'no-model': () => ({
    title: 'Noch gibt es kein Modell',
    meaning:
      'Für eigene Worte braucht piwork einen Schlüssel eines KI-Dienstes oder ein Modell auf diesem Computer. Nichts wurde geändert.'
  }),
  'unknown-model': () => ({
    title: 'Für dieses Modell gibt es keinen Schlüssel',
    meaning:
      'Wählen Sie ein anderes Modell, oder nehmen Sie den Schlüssel in den Einstellungen dazu. Nichts wurde geändert.'
  }),
  'model-failed': (_p, cause) => ({
    title: 'Das Modell antwortete nicht',
    meaning: `${modelFaults[cause] ?? 'Der Dienst sagte nicht, warum.'} Was bisher gemacht und geändert wurde, ist da.`
  }),
  'ai-would-add': (_p, cause) => ({
    title: 'Mit einer KI kann diese Aufgabe mehr',
    meaning: `Was keine braucht, ist getan. ${
      {
        'summarise-notes': 'Eine KI würde alle Notizen zusammenfassen.',
        'contract-summary': 'Eine KI würde jeden Vertrag zusammenfassen.',
        'check-receipts': 'Eine KI würde sich die unsicheren Zeilen noch einmal ansehen.',
        'clean-csv': 'Eine KI würde aus mehreren Schreibweisen eine machen.',
        'folder-dashboard': 'Eine KI würde eine Seite machen, die sagt, wofür der Ordner ist.'
      }[cause ?? ''] ?? ''
    }`.trim()
  }),
  'ai-no-result': () => ({
    title: 'Die KI hörte ohne Ergebnis auf',
    meaning:
      'Was bis dahin gemacht und geändert wurde, ist da. Sie kann weitermachen oder noch einmal beginnen.'
  }),
  'agent-failed': () => ({
    title: 'Das KI-Programm ging nicht',
    meaning: 'Es begann nicht oder endete zu früh. Was bisher gemacht und geändert wurde, ist da.'
  }),
  'key-invalid': (_p, cause) => ({
    title: cause === 'address' ? 'Das kann keine Adresse sein' : 'Das kann kein Schlüssel sein',
    meaning:
      cause === 'address'
        ? 'Sehen Sie nach, ob sie ganz kopiert wurde. Nichts wurde aufbewahrt.'
        : cause === 'provider'
          ? 'piwork kennt diesen Dienst nicht. Nichts wurde aufbewahrt.'
          : cause === 'login'
            ? 'Dieser Dienst hat keine Schlüssel. Melden Sie sich stattdessen bei ihm an. Nichts wurde aufbewahrt.'
            : 'Sehen Sie nach, ob er ganz kopiert wurde, ohne Leerzeichen. Nichts wurde aufbewahrt.'
  }),
  'keys-locked': () => ({
    title: 'Die Datei mit Ihren Schlüsseln ist verschlossen',
    meaning: 'Sie braucht ihr Passwort, einmal nach jedem Start von piwork. Nichts wurde gemacht.'
  }),
  passphrase: (_p, cause) => ({
    title: cause === 'short' ? 'Das Passwort ist zu kurz' : 'Das ist nicht das Passwort',
    meaning:
      cause === 'short'
        ? 'Wer die Datei hat, darf raten, solange er will; darum braucht es 8 Zeichen. Nichts wurde geändert.'
        : 'Nichts wurde geändert. Ohne das Passwort kann niemand die Schlüssel lesen, auch piwork nicht; dann müssen sie neu gesetzt werden.'
  }),
  'login-failed': (_p, cause) => ({
    title: 'Sie wurden nicht angemeldet',
    meaning: `${loginFaults[cause] ?? 'Der Dienst sagte nicht, warum.'} Kein Schlüssel wurde aufbewahrt oder ersetzt.`
  }),
  keychain: () => ({
    title: 'Der Ort, an dem Schlüssel aufbewahrt werden, lässt sich nicht benutzen',
    meaning:
      'Der Schlüsselbund dieses Computers ist verschlossen oder fehlt. Öffnen Sie ihn und versuchen Sie es noch einmal. Nichts wurde aufbewahrt.'
  }),
  'task-not-waiting': () => ({
    title: 'Die Aufgabe wartet nicht mehr auf eine Antwort',
    meaning: 'Sie ging inzwischen weiter oder endete.'
  }),
  'not-resumable': (_p, cause) => ({
    title: 'Die Aufgabe kann nicht weitergehen',
    meaning:
      cause === 'password'
        ? 'Sie braucht noch einmal ihr Kennwort, und piwork behält keines. Nichts wurde geändert.'
        : cause === 'no-plan'
          ? 'Niemand hat ihrem Plan zugestimmt. Nichts wurde geändert.'
          : 'Von ihr ist nichts mehr zu tun. Nichts wurde geändert.'
  }),
  'not-repeatable': (_p, cause) => ({
    title: 'Dasselbe lässt sich nicht noch einmal verlangen',
    meaning:
      cause === 'password'
        ? 'Dazu gehörte ein Kennwort, und piwork behält keines. Nichts wurde geändert.'
        : cause === 'input'
          ? 'Dazu gehörte ein Text zum Lesen, der nicht aufbewahrt wird. Nichts wurde geändert.'
          : 'Die Dateien, die dazugehörten, werden nicht aufbewahrt. Nichts wurde geändert.'
  }),
  'question-over': () => ({
    title: 'Die Frage ist nicht mehr offen',
    meaning: 'Sie wurde beantwortet, oder niemand wartet mehr auf die Antwort.'
  }),
  'message-heard': () => ({
    title: 'Die Nachricht wartet nicht mehr',
    meaning: 'Die KI hat sie schon, oder die Aufgabe begann mit ihr.'
  }),
  'task-deleted': () => ({
    title: 'Die Aufgabe wurde entfernt',
    meaning: 'Ihre Aufzeichnung ist weg; Ihre Dateien sind, wie sie waren.'
  }),
  'record-damaged': () => ({
    title: 'Die Aufzeichnung dieser Aufgabe ist beschädigt',
    meaning: 'Ihre Dateien blieben davon unberührt, aber die Liste der Änderungen kann unvollständig sein.'
  }),
  'controller-in-use': () => ({
    title: 'piwork läuft schon',
    meaning: 'Nur eines auf einmal darf mit diesen Aufzeichnungen arbeiten.'
  }),
  'move-refused': (p, cause) => ({
    title: 'Dorthin lassen sich die Daten von piwork nicht verschieben',
    meaning: `${moveRefusals(text(p, 'name'))[cause] ?? 'Der Ordner eignet sich nicht dafür.'} Nichts wurde geändert.`
  }),
  moving: (_p, cause) =>
    cause === 'moved'
      ? {
          title: 'Die Daten von piwork wurden verschoben',
          meaning: 'piwork öffnet sie am neuen Ort. Nichts ging verloren.'
        }
      : {
          title: 'piwork verschiebt gerade seine Daten',
          meaning: 'Warten Sie, bis es fertig ist, oder brechen Sie es ab. Nichts wurde geändert.'
        },
  'place-gone': (p) => ({
    title: 'Die Daten von piwork sind nicht dort, wohin sie verschoben wurden',
    meaning: `Schließen Sie die Festplatte an, oder legen Sie den Ordner zurück${text(p, 'path') ? ` nach ${text(p, 'path')}` : ''}, und starten Sie piwork neu. Es beginnt nirgends von vorn, damit nichts verloren scheint.`
  }),
  'shutting-down': () => ({
    title: 'piwork wird gerade geschlossen',
    meaning: 'Jetzt beginnt keine neue Aufgabe. Nichts wurde geändert.'
  }),
  interrupted: () => ({
    title: 'piwork endete vor der Aufgabe',
    meaning: 'Was sie bis dahin geändert hatte, ist aufgelistet und lässt sich zurücknehmen.'
  }),
  cancelled: (_p, cause) => ({
    title:
      cause === 'closing'
        ? 'Angehalten, weil piwork geschlossen wurde'
        : cause === 'caller-gone'
          ? 'Angehalten, weil nicht mehr da ist, was sie begonnen hat'
          : 'Sie haben diese Aufgabe angehalten',
    meaning: 'Was sie bis dahin geändert hatte, ist aufgelistet.'
  }),
  timeout: () => ({
    title: 'Das dauerte länger als erlaubt',
    meaning: 'Die Arbeit wurde beendet. Was bis dahin geändert war, ist aufgelistet.'
  }),
  'out-of-memory': () => ({
    title: 'Im Arbeitsraum ging der Speicher aus',
    meaning: 'Die Arbeit wurde beendet. Was bis dahin geändert war, ist aufgelistet.'
  }),
  'output-limit': () => ({
    title: 'Die Arbeit schrieb mehr als erlaubt',
    meaning: 'Sie wurde beendet. Was bis dahin geändert war, ist aufgelistet.'
  }),
  'exit-status': () => ({
    title: 'Das Programm endete mit einem Fehler',
    meaning: 'Was bis dahin geändert war, ist aufgelistet.'
  }),
  'start-failed': () => ({ title: 'Das Programm ließ sich nicht starten', meaning: unchanged }),
  'no-room': (_p, cause) => ({
    title:
      cause === 'now'
        ? 'Gerade ist zu wenig Arbeitsspeicher frei'
        : cause === 'settings'
          ? 'Der Arbeitsraum dieser Aufgabe ist größer, als Ihre Einstellungen erlauben'
          : 'Dieser Computer hat zu wenig Arbeitsspeicher für den Arbeitsraum dieser Aufgabe',
    meaning: 'Er wurde nicht geöffnet. ' + unchanged
  }),
  'vm-failed': () => ({
    title: 'Der Arbeitsraum ging nicht mehr',
    meaning: 'Was die Aufgabe bis dahin geändert hatte, ist aufgelistet und lässt sich zurücknehmen.'
  }),
  'share-failed': () => ({
    title: 'Der Ordner ließ sich nicht in den Arbeitsraum geben',
    meaning: 'Was die Aufgabe bis dahin geändert hatte, ist aufgelistet und lässt sich zurücknehmen.'
  }),
  'changed-since': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} ist nicht mehr, wie der Plan sie sah`,
    meaning: 'Deshalb hielt piwork an, statt zu raten. Ein neuer Plan sieht sie, wie sie jetzt ist.'
  }),
  'audit-failed': () => ({
    title: 'Die Aufzeichnung dessen, was läuft, ließ sich nicht schreiben',
    meaning: 'Was sich nicht aufzeichnen lässt, läuft nicht. Nichts wurde geändert.'
  }),
  denied: () => ({ title: 'Das wurde nicht erlaubt', meaning: unchanged }),
  'tool-failed': (p) => ({
    title: fileName(p)
      ? `${quote(fileName(p), '')} ließ sich nicht bearbeiten`
      : 'Ein Schritt hat nicht geklappt',
    meaning: 'Was vorher gemacht wurde, ist aufgelistet.'
  }),
  'nothing-left': () => ({
    title: 'Es bleibt nichts zu tun',
    meaning: 'Jede Datei musste ausgelassen werden; bei jeder steht, warum. Nichts wurde geändert.'
  }),
  'no-pictures': (p) => ({
    title: `In ${quote(firstOf(p, 'folders'), 'diesem Ordner')} sind keine Bilder`,
    meaning: 'Es gab nichts, woraus sich ein PDF machen ließe. Nichts wurde geändert.'
  }),
  'no-files': (p) => ({
    title: `In ${quote(firstOf(p, 'folders'), 'diesem Ordner')} gibt es nichts zu tun`,
    meaning: 'Dort ist keine Datei von der Art, um die es hier geht. Nichts wurde geändert.'
  }),
  'too-many-inputs': () => ({
    title: 'Das sind zu viele Dateien auf einmal',
    meaning: 'Wählen Sie einen Ordner mit weniger davon. Nichts wurde geändert.'
  }),
  'input-broken': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} ist beschädigt`,
    meaning: 'Sie wurde ausgelassen und nicht angerührt; der Rest geht weiter.'
  }),
  'input-unsupported': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} ist von einer Art, die hier niemand kennt`,
    meaning: 'Sie wurde ausgelassen und nicht angerührt; der Rest geht weiter.'
  }),
  'input-missing': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} ist nicht mehr da`,
    meaning: 'Sie wurde ausgelassen; der Rest geht weiter.'
  }),
  'input-unreadable': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} darf nicht gelesen werden`,
    meaning: 'Sie wurde ausgelassen und nicht angerührt; der Rest geht weiter.'
  }),
  'input-too-large': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} ist zu groß`,
    meaning: 'Sie wurde ausgelassen und nicht angerührt; der Rest geht weiter.'
  }),
  'input-locked': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} ist mit einem Passwort geschützt`,
    meaning: 'Sie wurde ausgelassen und nicht angerührt; der Rest geht weiter.'
  }),
  'input-link': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} zeigt nur woandershin`,
    meaning:
      'Solchen Verweisen wird nicht gefolgt. Sie wurde ausgelassen und nicht angerührt; der Rest geht weiter.'
  }),
  'input-name': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} hat einen Namen, der sich nicht benutzen lässt`,
    meaning: 'Sie wurde ausgelassen und nicht angerührt; der Rest geht weiter.'
  }),
  'input-has-text': (p) => ({
    title: `${quote(fileName(p), 'Ein Dokument')} ist schon durchsuchbar`,
    meaning: 'Es wurde ausgelassen und nicht angerührt; der Rest geht weiter.'
  }),
  'input-no-receipt': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} sieht nicht wie ein Beleg aus`,
    meaning: 'Sie hat keine Zeile in der Tabelle und wurde nicht angerührt; der Rest geht weiter.'
  }),
  'receipt-unsure': (p) => {
    const values = wordsOf(p, 'unsure', receiptValues);
    const sure = number(p, 'confidence');
    return {
      title: `${quote(fileName(p), 'Ein Beleg')} wurde mit Zweifeln gelesen`,
      meaning: `${sure === undefined ? '' : `Sicherheit ${sure} %. `}Bitte mit dem Beleg vergleichen${values.length ? `: ${values.join(', ')}` : ''}.`
    };
  },
  'output-exists': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei dieses Namens')} gibt es schon`,
    meaning: 'Sie wurde nicht ersetzt. Nichts wurde geändert.'
  }),
  'output-denied': (p) => ({
    title: fileName(p)
      ? `In ${quote(fileName(p), '')} darf nichts geschrieben werden`
      : 'Dort darf nichts geschrieben werden',
    meaning: 'Der Ordner erlaubt es nicht. Nichts wurde geändert.'
  }),
  'disk-full': () => ({
    title: 'Die Platte ist voll',
    meaning: 'Das Ergebnis passte nicht darauf. Was vorher da war, ist unverändert.'
  }),
  permission: (p) => ({
    title: `${quote(fileName(p), 'Der Ordner')} darf nicht geöffnet werden`,
    meaning: 'Ihr Konto auf diesem Computer hat kein Recht dazu. Nichts wurde geändert.'
  }),
  unauthorized: () => ({
    title: 'Dieses Browserfenster wurde nicht von piwork geöffnet',
    meaning: 'Öffnen Sie die Adresse, die piwork ausgegeben hat, noch einmal. Nichts wurde geändert.'
  }),
  forbidden: () => ({
    title: 'Diese Seite darf nicht mit piwork sprechen',
    meaning: 'Öffnen Sie die Adresse, die piwork ausgegeben hat, noch einmal. Nichts wurde geändert.'
  }),
  'too-large': () => ({ title: 'Das ist zu viel auf einmal', meaning: unchanged }),
  'no-window': () => ({
    title: 'Dafür braucht es das Fenster von piwork',
    meaning: 'In einem Browser schreiben Sie stattdessen den Ort des Ordners oder der Datei hin.'
  }),
  unknown: () => ({
    title: 'Etwas ging schief, das piwork nicht kennt',
    meaning:
      'Die Einzelheiten sagen, was versucht wurde. Änderungen bis dahin stehen, wenn es welche gibt, bei der Aufgabe.'
  }),
  unreachable: () => ({
    title: 'piwork antwortet nicht',
    meaning: 'Vielleicht schließt oder startet es gerade. Ihre Dateien betrifft das nicht.'
  })
};

export const reasons: Catalogue['reasons'] = {
  'input-broken': 'ist beschädigt',
  'input-unsupported': 'ist keine Art von Bild, die hier bekannt ist',
  'input-missing': 'ist nicht mehr da',
  'input-unreadable': 'darf nicht gelesen werden',
  'input-too-large': 'ist zu groß',
  'input-locked': 'ist mit einem Passwort geschützt',
  'input-link': 'zeigt nur woandershin',
  'input-name': 'hat einen Namen, der sich nicht benutzen lässt',
  'input-has-text': 'ist schon durchsuchbar',
  'input-no-receipt': 'sieht nicht wie ein Beleg aus',
  'receipt-unsure': 'wurde mit Zweifeln gelesen',
  'tool-failed': 'ließ sich nicht bearbeiten',
  'changed-since': 'hat sich seit dem Plan geändert',
  'output-exists': 'gibt es schon',
  'output-denied': 'darf nicht geschrieben werden',
  'disk-full': 'passte nicht auf die Platte',
  'out-of-memory': 'braucht zu viel Speicher',
  timeout: 'dauerte zu lange'
};

export const fixes: Catalogue['fixes'] = {
  ...setupFixes,
  'install-pack': 'Aus einer Datei installieren',
  'get-pack': 'Fragen Sie dort nach der Datei mit der Laufzeit, woher Sie piwork haben.',
  'repair-pack': 'Reparieren',
  'other-file': 'Andere Datei wählen',
  'update-app': 'Installieren Sie ein neueres piwork.',
  'pick-folder': 'Anderen Ordner wählen',
  'pick-subfolder': 'Einen Ordner darin wählen',
  'free-space': 'Schaffen Sie Platz auf der Platte und beginnen Sie noch einmal.',
  'folder-rights': 'Erlauben Sie Ihrem Konto, in den Ordner zu schreiben, und beginnen Sie noch einmal.',
  keys: 'Modelle und Schlüssel öffnen',
  'unlock-keys': 'Schlüssel aufschließen',
  login: 'Noch einmal anmelden',
  resume: 'Weitermachen',
  'start-again': 'Noch einmal beginnen',
  'plan-again': 'Neuen Plan machen',
  'review-changes': 'Änderungen ansehen',
  'cancel-task': 'Aufgabe anhalten',
  'delete-task': 'Aufgabe vergessen',
  'show-details': 'Einzelheiten lesen',
  'replace-input': 'Legen Sie eine heile Kopie der Datei in den Ordner.',
  'remove-input': 'Nehmen Sie die Datei aus dem Ordner.',
  'add-pictures': 'Legen Sie Bilder in den Ordner, oder wählen Sie einen anderen.',
  'include-subdirs': 'Auch in den Ordnern darin nachsehen',
  'use-other-piwork': 'Gehen Sie zu dem Fenster, das schon offen ist.',
  'download-pack': 'Herunterladen',
  'update-now': 'Noch einmal versuchen',
  'install-addon': 'Erweiterungen ansehen',
  'machine-settings':
    'Ändern Sie, wie viel Arbeitsspeicher Arbeitsräume bekommen: Der Befehl „piwork settings“ macht das.',
  'more-memory': 'Schließen Sie andere Programme, oder nehmen Sie einen Computer mit mehr Arbeitsspeicher.',
  'roll-back': 'Zur Version davor zurückkehren',
  'check-network': 'Sehen Sie nach, ob dieser Computer ins Internet kommt.',
  'check-clock': 'Stellen Sie Datum und Uhrzeit dieses Computers.',
  'network-sign-in': 'Öffnen Sie eine beliebige Seite im Browser und melden Sie sich beim Netz an.',
  'update-settings': 'Nachsehen, woher Neueres kommt'
};
