import type { Params } from '$lib/api/types';
import type { Catalogue } from '../catalogue';
import type { ChannelFault, PackFault, Refusal, TransferFault } from '../codes';
import type { Words } from '../en/problems';
import { fileName, firstOf, number, text, wordsOf } from '../params';
import words from '../de.json';
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
    title: 'Ihr ganzer persönlicher Ordner ist zu viel',
    meaning: 'Darin ist viel mehr, als eine Aufgabe sehen sollte. Wählen Sie einen Ordner darin.'
  }),
  'disk-root': () => ({
    title: 'Ein ganzes Laufwerk ist zu viel',
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
  'not-a-pack': 'Sie ist keine Laufzeitumgebung für piwork.',
  truncated: 'Sie endet zu früh; vielleicht wurde sie nicht ganz heruntergeladen.',
  'corrupt-archive': 'Sie ist beschädigt.',
  'trailing-data': 'Sie geht nach ihrem Ende weiter.',
  'too-large': 'Sie ist größer als erlaubt oder als angegeben.',
  'missing-manifest': 'Ihr Inhaltsverzeichnis fehlt.',
  'missing-signature': 'Sie trägt keine Signatur.',
  'bad-signature': 'Ihre Signatur passt nicht zum Inhalt.',
  'foreign-key': 'Sie ist von jemandem signiert, dem dieser Computer nicht vertraut.',
  'revoked-key': 'Sie ist mit einem Schlüssel signiert, der zurückgezogen wurde.',
  withdrawn: 'Diese Version wurde zurückgezogen und wird nicht mehr installiert.',
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

/** Warum ein Eintrag eines Archivs ausgelassen wird. */
const entryFaults = {
  outside: ': Sein Name führt aus dem Ordner hinaus',
  link: ': Er ist ein Verweis, der überallhin führen könnte',
  special: ': Er ist weder Datei noch Ordner',
  name: ': Der Ordner kann keine Datei dieses Namens aufnehmen',
  taken: ': Etwas dieses Namens gibt es schon'
};
type EntryFault = keyof typeof entryFaults;

function packFault(p: Params, cause: string): string {
  return packFaults[cause as PackFault] ?? packFaults[text(p, 'kind') as PackFault] ?? '';
}

const channelFaults: Partial<Record<ChannelFault, string>> = {
  stale: 'Die Quelle antwortete so lange nicht, dass abgelaufen ist, was von ihr bekannt war.',
  expired:
    'Was die Quelle sagt, ist abgelaufen: Es wurde nicht rechtzeitig aktualisiert, oder die Uhr dieses Computers geht falsch.',
  rollback: 'Die Quelle bietet Älteres an, als schon einmal zu sehen war.',
  'bad-signature': 'Was die Quelle sagt, ist nicht von denen signiert, die es dürfen.',
  malformed: 'Was die Quelle sagt, lässt sich nicht lesen.',
  'wrong-content': 'Dort liegen andere Dateien, als signiert wurden.',
  'too-large': 'Die Quelle schickte mehr als erlaubt.',
  missing: 'Eine Datei, die die Quelle nennt, ist nicht da.'
};

const transferFaults: Partial<
  Record<TransferFault | 'incomplete' | 'no-index' | 'nothing-known' | 'password', (p: Params) => string>
> = {
  'nothing-known': () => 'Noch ist nichts von der Quelle bekannt.',
  incomplete: () => 'Es fehlt noch etwas davon.',
  'no-index': () => 'Diese Version hat ein altes Format und lässt sich nicht in Teilen herunterladen.',
  'bad-address': () => 'Eine Adresse für Updates oder für den Proxy lässt sich nicht lesen.',
  password: () =>
    'In einer Adresse darf kein Passwort stehen: Einstellungen werden offen aufbewahrt. Das Passwort kommt vom System oder aus HTTPS_PROXY.',
  'bad-ca': () => 'Die Datei mit weiteren Zertifizierungsstellen lässt sich nicht benutzen.',
  disk: () => 'Was heruntergeladen wurde, lässt sich nicht auf die Festplatte schreiben.',
  'proxy-auth': (p) =>
    `Der Proxy ${text(p, 'proxy')} verlangt einen anderen Namen oder ein anderes Passwort.`,
  'proxy-auth-kind': (p) =>
    `Der Proxy ${text(p, 'proxy')} verlangt eine Art der Anmeldung, die piwork nicht kennt.`,
  'proxy-unreachable': (p) => `Der Proxy ${text(p, 'proxy')} antwortet nicht.`,
  'proxy-refused': (p) => `Der Proxy ${text(p, 'proxy')} lässt piwork nicht durch.`,
  'proxy-script': () => 'Dieser Computer findet seinen Proxy mit einem Skript, dem piwork nicht folgen kann.',
  'tls-untrusted': (p) =>
    `Das Zertifikat von ${text(p, 'host') || 'dem Server'} kommt von einer Stelle, der hier nicht vertraut wird${text(p, 'issuer') ? ` (${text(p, 'issuer')})` : ''}.`,
  'tls-invalid': (p) =>
    `Das Zertifikat von ${text(p, 'host') || 'dem Server'} gilt für einen anderen Namen oder eine andere Zeit.`,
  'captive-portal': () => 'Das Netzwerk antwortete mit einer eigenen Seite: Sie müssen sich dort anmelden.',
  'changed-on-server': () => 'Die Datei auf dem Server änderte sich währenddessen.',
  'too-large': () => 'Der Server schickte mehr als angekündigt.',
  'bad-answer': (p) => `${text(p, 'host') || 'Der Server'} gab eine Antwort, die keinen Sinn ergibt.`,
  redirect: (p) =>
    `${text(p, 'host') || 'Der Server'} verweist an einen Ort, der nicht sicher ist, oder im Kreis.`,
  denied: (p) => `${text(p, 'host') || 'Der Server'} gibt die Datei nicht heraus.`,
  'not-found': (p) => `${text(p, 'host') || 'Der Server'} hat die Datei nicht.`,
  'server-error': (p) => `${text(p, 'host') || 'Der Server'} ist gerade überlastet oder gestört.`,
  stalled: () => 'Es kamen keine Daten mehr an.',
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

const modelFaults: Record<string, string> = words.ai.models.reasons;
const loginFaults: Record<string, string> = {
  none: 'piwork weiß nicht, wie man sich bei diesem Dienst anmeldet; geben Sie einen Schlüssel ein.',
  wrong: 'Was eingefügt wurde, ist nicht der Code dieser Anmeldung.',
  expired: 'Der Code ist zu alt oder wurde schon benutzt.',
  denied: 'Die Anmeldung wurde abgelehnt.',
  timeout: 'Niemand hat sich rechtzeitig angemeldet.',
  answer: 'Die Antwort des Dienstes ließ sich nicht lesen.',
  refused: 'Der Dienst wies die Anmeldung zurück. Sehen Sie dort nach, ob Ihr Konto ihn benutzen darf.',
  device: 'Dieser Dienst hat keine Anmeldung mit einem Code auf einem anderen Gerät.',
  domain: 'Nur Copilot einer Firma mit eigenem GitHub braucht eine Adresse, etwa company.ghe.com.',
  port: 'Ein anderes Programm auf diesem Computer wartet an der einzigen Adresse, die dieser Dienst kennt (Port 1455, bei Radius 1456), auf den Browser, etwa eine nicht beendete Anmeldung von Codex oder pi. Beenden Sie es und melden Sie sich neu an, oder melden Sie sich mit einem Code auf einem anderen Gerät an.',
  unreachable: 'Der Dienst ist nicht zu erreichen. Besteht eine Verbindung zum Internet?',
  cancelled: 'Die Anmeldung wurde abgebrochen.'
};

export const problems: Catalogue['problems'] = {
  'pack-missing': () => ({
    title: 'Die Laufzeitumgebung ist noch nicht installiert',
    meaning: 'Aus ihr besteht der geschlossene Arbeitsraum. Nichts wurde installiert oder geändert.'
  }),
  'pack-corrupt': (p, cause) => ({
    title: text(p, 'name')
      ? `Die Erweiterung ${text(p, 'name')} ist nicht so, wie sie signiert wurde`
      : 'Die installierte Laufzeitumgebung ist nicht so, wie sie signiert wurde',
    meaning:
      `${packFault(p, cause)} Deshalb startet piwork sie nicht. Ihre eigenen Dateien blieben unberührt.`.trimStart()
  }),
  'pack-too-new': () => ({
    title: 'Die Laufzeitumgebung braucht ein neueres piwork',
    meaning: 'Diese Version von piwork kann sie nicht benutzen. Ihre Dateien blieben unberührt.'
  }),
  'accel-unavailable': acceleration,
  'not-checked': () => ({
    title: 'Etwas ließ sich nicht prüfen',
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
    title: 'Der langsame Modus ist eingeschaltet',
    meaning: 'Alles funktioniert genauso und ist genauso sicher, dauert aber länger.'
  }),
  'no-instant': () => ({
    title: 'Arbeitsräume öffnen sich auf diesem Computer nicht sofort',
    meaning: 'Sie öffnen sich auf dem üblichen Weg, was etwas länger dauert. Alles andere ist gleich.'
  }),
  'pack-invalid': (p, cause) => ({
    title: `${quote(fileName(p), 'Diese Datei')} wurde abgelehnt`,
    meaning: `${packFault(p, cause)} Nichts davon wurde installiert.`
  }),
  'pack-busy': () => ({
    title: 'Gerade wird eine Laufzeitumgebung installiert',
    meaning: 'Warten Sie, bis das fertig ist. ' + unchanged
  }),
  'pack-in-use': (_p, cause) => ({
    title: cause === 'task' ? 'Mit dieser Version arbeitet noch eine Aufgabe' : 'Diese Version wird benutzt',
    meaning: cause === 'task' ? 'Sie kann weg, wenn die Aufgabe vorbei ist. ' + unchanged : unchanged
  }),
  'update-off': () => ({
    title: 'Diesem piwork ist keine Quelle für Updates bekannt',
    meaning:
      'Es ist keine eingebaut, deshalb kann nicht nach Updates gesucht werden. Was installiert ist, funktioniert weiter.'
  }),
  'update-settings': (p, cause) => ({
    title: 'Die Einstellungen für Updates lassen sich nicht benutzen',
    meaning: fetching(p, cause, unchanged)
  }),
  'update-not-offered': () => ({
    title: 'Die Quelle für Updates hat nichts für diesen Computer',
    meaning: 'Was installiert ist, funktioniert weiter.'
  }),
  'update-offline': (p, cause) => ({
    title: 'Die Quelle für Updates ist nicht zu erreichen',
    meaning: fetching(p, cause, 'Was installiert ist, funktioniert weiter.')
  }),
  'update-invalid': (p, cause) => ({
    title: 'Was die Quelle für Updates sagt, wurde abgelehnt',
    meaning: fetching(p, cause, 'Nichts davon wurde installiert. Was installiert ist, funktioniert weiter.')
  }),
  'download-failed': (p, cause) => ({
    title: 'Das Herunterladen wurde nicht fertig',
    meaning: fetching(
      p,
      cause,
      'Was schon geladen ist, bleibt erhalten; der nächste Versuch macht dort weiter.'
    )
  }),
  'download-invalid': (p, cause) => ({
    title: 'Was heruntergeladen wurde, ist nicht, was signiert wurde',
    meaning: fetching(p, cause, 'Es wurde verworfen, und nichts davon wurde installiert.')
  }),
  'update-not-booting': (p) => ({
    title: `Mit ${text(p, 'version') ? `Version ${text(p, 'version')}` : 'der neuen Version'} öffnet sich der Arbeitsraum auf diesem Computer nicht`,
    meaning: `${text(p, 'current') ? `Version ${text(p, 'current')}` : 'Die vorige Version'} bleibt in Gebrauch. Die neue wird nicht automatisch noch einmal versucht.`
  }),
  'rolled-back': (p) => ({
    title: `piwork ist zu ${text(p, 'version') ? `Version ${text(p, 'version')}` : 'der vorigen Version'} zurückgekehrt`,
    meaning: `${text(p, 'failed') ? `Version ${text(p, 'failed')}` : 'Die neue Version'} funktionierte auf diesem Computer nicht mehr. Ihre Dateien blieben unberührt.`
  }),
  'no-previous': () => ({
    title: 'Es gibt keine frühere Version',
    meaning: unchanged
  }),
  'version-failed': (p) => ({
    title: `${text(p, 'version') ? `Version ${text(p, 'version')}` : 'Diese Version'} hat auf diesem Computer schon einmal nicht funktioniert`,
    meaning: 'Deshalb wird sie nicht automatisch noch einmal versucht. Nichts wurde geändert.'
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
    title: 'Diese Erweiterung ist für eine andere Version der Laufzeitumgebung gemacht',
    meaning: 'Laufzeitumgebung und Erweiterungen werden zusammen aktualisiert. Nichts wurde geändert.'
  }),
  'addon-missing': (p) => ({
    title: text(p, 'name')
      ? `Dafür fehlt die Erweiterung ${quote(text(p, 'name'), '')}`
      : 'Dafür fehlt eine Erweiterung',
    meaning:
      'Es ist keine installiert, die zur Laufzeitumgebung passt; deshalb wurde nichts begonnen. Nichts wurde geändert.'
  }),
  'bundle-incomplete': () => ({
    title: 'Etwas, das in das Paket gehört, ist nicht da',
    meaning: 'Es wurde kein Paket geschrieben.'
  }),
  'bad-request': (p) => ({
    title:
      text(p, 'parameter') === 'name'
        ? 'So kann eine Datei nicht heißen'
        : 'piwork konnte die Angabe nicht verstehen',
    meaning: unchanged
  }),
  'machine-settings': () => ({
    title: 'Diese Werte passen nicht zu diesem Computer',
    meaning: 'Die Einstellungen sind, wie sie waren.'
  }),
  'not-found': () => ({ title: 'Das ist nicht mehr da', meaning: unchanged }),
  'unknown-chore': () => ({ title: 'Dieses piwork kennt die Aufgabe nicht', meaning: unchanged }),
  unsupported: () => ({
    title: 'Das kann dieser Computer nicht',
    meaning: 'piwork beginnt nichts, was es nicht sicher ausführen kann. Nichts wurde geändert.'
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
  'folders-fixed': (_p, cause) => ({
    title: 'Die Ordner dieser Aufgabe lassen sich nicht ändern',
    meaning:
      cause === 'planned'
        ? 'Sie arbeitet mit den Ordnern ihres Plans. Starten Sie eine neue Aufgabe mit den Ordnern, die sie haben soll.'
        : 'Die Aufgabe ist vorbei. Starten Sie eine neue mit den Ordnern, die sie haben soll.'
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
      'Wählen Sie ein anderes Modell, oder fügen Sie den Schlüssel in den Einstellungen hinzu. Nichts wurde geändert.'
  }),
  'model-failed': (_p, cause) => ({
    title: 'Das Modell antwortete nicht',
    meaning: `${modelFaults[cause] ?? 'Der Dienst sagte nicht, warum.'} Was bisher erstellt und geändert wurde, ist noch da.`
  }),
  'ai-would-add': (_p, cause) => ({
    title: 'Mit einer KI kann diese Aufgabe mehr',
    meaning: `Was keine KI braucht, ist erledigt. ${
      {
        'summarise-notes': 'Eine KI würde alle Notizen zusammenfassen.',
        'contract-summary': 'Eine KI würde jeden Vertrag zusammenfassen.',
        'check-receipts': 'Eine KI würde sich die unsicheren Zeilen noch einmal ansehen.',
        'clean-csv': 'Eine KI würde verschiedene Schreibweisen vereinheitlichen.',
        'folder-dashboard': 'Eine KI würde eine Seite gestalten, die sagt, wofür der Ordner da ist.'
      }[cause ?? ''] ?? ''
    }`.trim()
  }),
  'ai-no-result': () => ({
    title: 'Die KI hörte ohne Ergebnis auf',
    meaning:
      'Was bis dahin erstellt und geändert wurde, ist noch da. Die Aufgabe kann weitergehen oder neu gestartet werden.'
  }),
  'agent-failed': () => ({
    title: 'Das KI-Programm hat nicht funktioniert',
    meaning: 'Es startete nicht oder endete zu früh. Was bisher erstellt und geändert wurde, ist noch da.'
  }),
  'key-invalid': (_p, cause) => ({
    title: cause === 'address' ? 'Das kann keine Adresse sein' : 'Das kann kein Schlüssel sein',
    meaning:
      cause === 'address'
        ? 'Sehen Sie nach, ob sie ganz kopiert wurde. Nichts wurde gespeichert.'
        : cause === 'provider'
          ? 'piwork kennt diesen Dienst nicht. Nichts wurde gespeichert.'
          : cause === 'login'
            ? 'Dieser Dienst hat keine Schlüssel. Melden Sie sich stattdessen bei ihm an. Nichts wurde gespeichert.'
            : 'Sehen Sie nach, ob er ganz kopiert wurde, ohne Leerzeichen. Nichts wurde gespeichert.'
  }),
  'keys-locked': () => ({
    title: 'Die Datei mit Ihren Schlüsseln ist verschlossen',
    meaning: 'Zum Öffnen ist nach jedem Start von piwork einmal das Passwort nötig. Nichts wurde geändert.'
  }),
  passphrase: (_p, cause) => ({
    title: cause === 'short' ? 'Das Passwort ist zu kurz' : 'Das ist nicht das Passwort',
    meaning:
      cause === 'short'
        ? 'Wer die Datei hat, kann beliebig lange raten; deshalb sind mindestens 8 Zeichen nötig. Nichts wurde geändert.'
        : 'Nichts wurde geändert. Ohne das Passwort kann niemand die Schlüssel lesen, auch piwork nicht; dann müssen sie neu eingegeben werden.'
  }),
  'login-failed': (_p, cause) => ({
    title: 'Sie wurden nicht angemeldet',
    meaning: `${loginFaults[cause] ?? 'Der Dienst sagte nicht, warum.'} Kein Schlüssel wurde gespeichert oder ersetzt.`
  }),
  keychain: (_p, cause) => ({
    title: 'Der Ort, an dem Schlüssel aufbewahrt werden, lässt sich nicht benutzen',
    meaning:
      cause === 'too-long'
        ? 'Der Schlüssel ist zu lang für den Schlüsselbund dieses Computers. In einer Datei mit Passphrase hat er Platz. Nichts wurde gespeichert.'
        : cause === 'missing'
          ? 'Der Schlüsselbund dieses Computers ist verschlossen oder fehlt. Öffnen Sie ihn und versuchen Sie es noch einmal, oder nehmen Sie eine Datei mit Passphrase. Nichts wurde gespeichert.'
          : 'Die Schlüssel lassen sich dort weder lesen noch ändern. Nichts wurde gespeichert.'
  }),
  'task-not-waiting': () => ({
    title: 'Die Aufgabe wartet nicht mehr auf eine Antwort',
    meaning: 'Sie ist inzwischen weitergegangen oder zu Ende.'
  }),
  'not-resumable': (_p, cause) => ({
    title: 'Die Aufgabe kann nicht weitergehen',
    meaning:
      cause === 'password'
        ? 'Dafür ist noch einmal das Passwort nötig, und piwork behält keines. Nichts wurde geändert.'
        : cause === 'no-plan'
          ? 'Niemand hat ihrem Plan zugestimmt. Nichts wurde geändert.'
          : 'Es ist nichts mehr zu tun. Nichts wurde geändert.'
  }),
  'not-repeatable': (_p, cause) => ({
    title: 'Die Aufgabe lässt sich nicht noch einmal ausführen',
    meaning:
      cause === 'password'
        ? 'Dazu gehörte ein Passwort, und piwork behält keines. Nichts wurde geändert.'
        : cause === 'input'
          ? 'Dazu gehörte ein Text zum Lesen, der nicht aufbewahrt wird. Nichts wurde geändert.'
          : cause === 'environment'
            ? 'Dazu gehörten Variablen, und piwork behält keine. Nichts wurde geändert.'
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
    meaning: 'Mit diesen Aufzeichnungen darf immer nur ein piwork arbeiten.'
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
    meaning: `Schließen Sie die Festplatte an, oder legen Sie den Ordner zurück${text(p, 'path') ? ` nach ${text(p, 'path')}` : ''}, und starten Sie piwork neu. piwork beginnt nicht einfach von vorn, damit nichts verloren geht.`
  }),
  'shutting-down': () => ({
    title: 'piwork wird gerade geschlossen',
    meaning: 'Jetzt beginnt keine neue Aufgabe. Nichts wurde geändert.'
  }),
  interrupted: () => ({
    title: 'piwork wurde vor dem Ende der Aufgabe beendet',
    meaning: 'Was sie bis dahin geändert hatte, ist aufgelistet und lässt sich zurücknehmen.'
  }),
  cancelled: (_p, cause) => ({
    title:
      cause === 'closing'
        ? 'Angehalten, weil piwork geschlossen wurde'
        : cause === 'caller-gone'
          ? 'Angehalten, weil das Programm beendet wurde, das sie gestartet hat'
          : 'Sie haben diese Aufgabe angehalten',
    meaning: 'Hatte sie bis dahin etwas geändert, ist es aufgelistet.'
  }),
  timeout: () => ({
    title: 'Das dauerte länger als erlaubt',
    meaning: 'Die Arbeit wurde beendet. Was bis dahin geändert war, ist aufgelistet.'
  }),
  'out-of-memory': () => ({
    title: 'Dem Arbeitsraum ging der Arbeitsspeicher aus',
    meaning: 'Die Arbeit wurde beendet. Was bis dahin geändert war, ist aufgelistet.'
  }),
  'output-limit': () => ({
    title: 'Die Aufgabe schrieb mehr als erlaubt',
    meaning: 'Sie wurde beendet. Was bis dahin geändert war, ist aufgelistet.'
  }),
  'io-limit': () => ({
    title: 'Die Aufgabe las und schrieb mehr als erlaubt',
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
    meaning: 'Der Arbeitsraum wurde nicht geöffnet. ' + unchanged
  }),
  'vm-failed': () => ({
    title: 'Der Arbeitsraum funktionierte nicht mehr',
    meaning: 'Was die Aufgabe bis dahin geändert hatte, ist aufgelistet und lässt sich zurücknehmen.'
  }),
  'share-failed': () => ({
    title: 'Der Ordner ließ sich nicht in den Arbeitsraum bringen',
    meaning: 'Was die Aufgabe bis dahin geändert hatte, ist aufgelistet und lässt sich zurücknehmen.'
  }),
  'changed-since': (p) => ({
    title: `${quote(fileName(p), 'Eine Datei')} hat sich seit dem Plan geändert`,
    meaning:
      'Deshalb hielt piwork an, statt zu raten. Ein neuer Plan berücksichtigt die Datei, wie sie jetzt ist.'
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
    meaning: 'Was vorher erledigt wurde, ist aufgelistet.'
  }),
  'nothing-left': () => ({
    title: 'Es bleibt nichts zu tun',
    meaning: 'Jede Datei musste ausgelassen werden; bei jeder steht, warum. Nichts wurde geändert.'
  }),
  'no-pictures': (p) => ({
    title: `In ${quote(firstOf(p, 'folders'), 'diesem Ordner')} sind keine Bilder`,
    meaning: 'Es gab nichts, woraus sich ein PDF erstellen ließe. Nichts wurde geändert.'
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
    title: `${quote(fileName(p), 'Eine Datei')} ist von einer Art, die piwork nicht kennt`,
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
  'entry-left-out': (p, cause) => ({
    title:
      cause === 'more'
        ? `${number(p, 'count') ?? 'Einige'} weitere Einträge in ${quote(fileName(p), 'einem Archiv')} wurden ausgelassen`
        : `${quote(text(p, 'entry'), 'Etwas')} in ${quote(fileName(p), 'einem Archiv')} wurde ausgelassen` +
          (entryFaults[cause as EntryFault] ?? ''),
    meaning: 'Der Rest wurde entpackt; das Archiv ist, wie es war.'
  }),
  'not-unpacked': (p) => ({
    title: `${quote(fileName(p), 'Ein Archiv')} wurde nicht entpackt: Es wächst so stark, dass es Ihr Ja braucht`,
    meaning: 'Der Rest geht weiter; das Archiv ist, wie es war.'
  }),
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
    title: 'Die Festplatte ist voll',
    meaning: 'Das Ergebnis passte nicht darauf. Was vorher da war, ist unverändert.'
  }),
  permission: (p) => ({
    title: `${quote(fileName(p), 'Der Ordner')} darf nicht geöffnet werden`,
    meaning: 'Ihr Konto auf diesem Computer hat kein Recht dazu. Nichts wurde geändert.'
  }),
  unauthorized: () => ({
    title: 'Dieses Browserfenster wurde nicht von piwork geöffnet',
    meaning: 'Öffnen Sie die Adresse, die piwork genannt hat, noch einmal. Nichts wurde geändert.'
  }),
  forbidden: () => ({
    title: 'Diese Seite darf nicht auf piwork zugreifen',
    meaning: 'Öffnen Sie die Adresse, die piwork genannt hat, noch einmal. Nichts wurde geändert.'
  }),
  'too-large': () => ({ title: 'Das ist zu viel auf einmal', meaning: unchanged }),
  'no-window': () => ({
    title: 'Dafür braucht es das Fenster von piwork',
    meaning: 'In einem Browser tragen Sie stattdessen den Ort des Ordners oder der Datei ein.'
  }),
  unknown: () => ({
    title: 'Ein unbekannter Fehler ist aufgetreten',
    meaning:
      'In den Einzelheiten steht, was versucht wurde. Falls bis dahin etwas geändert wurde, steht es bei der Aufgabe.'
  }),
  unreachable: () => ({
    title: 'piwork antwortet nicht',
    meaning: 'Vielleicht schließt oder startet es gerade. Ihre Dateien sind davon nicht betroffen.'
  })
};

export const reasons: Catalogue['reasons'] = {
  'input-broken': 'ist beschädigt',
  'input-unsupported': 'ist von einer Art, die piwork nicht kennt',
  'input-missing': 'ist nicht mehr da',
  'input-unreadable': 'darf nicht gelesen werden',
  'input-too-large': 'ist zu groß',
  'input-locked': 'ist mit einem Passwort geschützt',
  'input-link': 'zeigt nur woandershin',
  'input-name': 'hat einen Namen, der sich nicht benutzen lässt',
  'input-has-text': 'ist schon durchsuchbar',
  'input-no-receipt': 'sieht nicht wie ein Beleg aus',
  'receipt-unsure': 'wurde mit Zweifeln gelesen',
  'not-unpacked': 'braucht Ihr Ja: wächst zu stark',
  'tool-failed': 'ließ sich nicht bearbeiten',
  'changed-since': 'hat sich seit dem Plan geändert',
  'output-exists': 'gibt es schon',
  'output-denied': 'darf nicht geschrieben werden',
  'disk-full': 'passte nicht auf die Festplatte',
  'out-of-memory': 'braucht zu viel Arbeitsspeicher',
  'io-limit': 'liest und schreibt mehr als erlaubt',
  timeout: 'dauerte zu lange'
};

export const fixes: Catalogue['fixes'] = {
  ...setupFixes,
  'install-pack': 'Aus einer Datei installieren',
  'get-pack': 'Fragen Sie dort, woher Sie piwork haben, nach der Datei mit der Laufzeitumgebung.',
  'repair-pack': 'Reparieren',
  'other-file': 'Andere Datei wählen',
  'update-app': 'Installieren Sie ein neueres piwork.',
  'pick-folder': 'Anderen Ordner wählen',
  'pick-subfolder': 'Einen Ordner darin wählen',
  'free-space': 'Schaffen Sie Platz auf der Festplatte und starten Sie noch einmal.',
  'folder-rights': 'Erlauben Sie Ihrem Konto, in den Ordner zu schreiben, und starten Sie noch einmal.',
  keys: 'Modelle und Schlüssel öffnen',
  'unlock-keys': 'Schlüssel entsperren',
  'key-file': 'Schlüssel in einer Datei mit Passphrase aufbewahren',
  login: 'Noch einmal anmelden',
  resume: 'Weitermachen',
  'start-again': 'Neu starten',
  'plan-again': 'Neuen Plan erstellen',
  'review-changes': 'Änderungen ansehen',
  'cancel-task': 'Aufgabe anhalten',
  'delete-task': 'Aufgabe vergessen',
  'show-details': 'Einzelheiten lesen',
  'replace-input': 'Legen Sie eine unbeschädigte Kopie der Datei in den Ordner.',
  'remove-input': 'Nehmen Sie die Datei aus dem Ordner.',
  'add-pictures': 'Legen Sie Bilder in den Ordner, oder wählen Sie einen anderen.',
  'include-subdirs': 'Auch in den Ordnern darin nachsehen',
  'use-other-piwork': 'Gehen Sie zu dem Fenster, das schon offen ist.',
  'download-pack': 'Herunterladen',
  'update-now': 'Noch einmal versuchen',
  'install-addon': 'Erweiterungen ansehen',
  'machine-settings':
    'Ändern Sie, wie viel Arbeitsspeicher Arbeitsräume bekommen: Das geht mit dem Befehl „piwork settings“.',
  'more-memory': 'Schließen Sie andere Programme, oder benutzen Sie einen Computer mit mehr Arbeitsspeicher.',
  'roll-back': 'Zur vorigen Version zurückkehren',
  'check-network': 'Sehen Sie nach, ob dieser Computer ins Internet kommt.',
  'check-clock': 'Stellen Sie Datum und Uhrzeit dieses Computers richtig ein.',
  'network-sign-in': 'Öffnen Sie eine beliebige Seite im Browser und melden Sie sich im Netzwerk an.',
  'update-settings': 'Nachsehen, woher Updates kommen'
};
