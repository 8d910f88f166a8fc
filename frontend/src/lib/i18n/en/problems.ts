import type { Params } from '$lib/api/types';
import type { ChannelFault, FixCode, PackFault, ProblemCode, Refusal, TransferFault } from '../codes';
import { fileName, firstOf, number, text, wordsOf } from '../params';
import words from '../en.json';
import { acceleration, setupFixes } from './setup';

export interface Words {
  /** What happened. */
  title: string;
  /** What it means for the person's files. */
  meaning: string;
}

/** Why data is not moved to a folder: app/relocate, RefusedCode, and app/move.go. */
const moveRefusals = (variable: string): Record<string, string> => ({
  missing: 'This folder is not there.',
  'not-a-folder': 'This is not a folder.',
  same: 'The data is there already.',
  inside: 'This is one of piwork’s own folders.',
  taken: 'In this folder there is one called piwork already, with something in it.',
  shared: 'A task works on this folder.',
  'read-only': 'Your account may not write there.',
  network: 'It is on another computer, or on no disk that can be relied on.',
  memory: 'What is in it is gone when the computer is switched off.',
  'not-private': 'Its disk knows no rights, so everybody could read the data.',
  unfinished: 'Putting something back was interrupted, because a folder cannot be reached.',
  fixed: `The environment variable ${variable} says where the data is.`,
  busy: 'A task is at work. Wait until it is over, or stop it.'
});

/** What is read of a receipt. */
const receiptValues = { date: 'date', seller: 'seller', total: 'total', tax: 'tax', currency: 'currency' };

const unchanged = 'Nothing was changed.';
const quote = (name: string, otherwise: string) => (name ? `“${name}”` : otherwise);

const refusals: Record<Refusal, (name: string) => Words> = {
  home: () => ({
    title: 'Your whole home folder cannot be used',
    meaning: 'It holds far more than one chore should see. Choose a folder inside of it.'
  }),
  'disk-root': () => ({
    title: 'A whole disk cannot be used',
    meaning: 'It holds far more than one chore should see. Choose a folder on it.'
  }),
  system: (name) => ({
    title: `${name} belongs to the system`,
    meaning: 'A mistake there could stop this computer. Choose a folder with your own files.'
  }),
  'own-data': (name) => ({
    title: `${name} holds piwork’s own records`,
    meaning: 'A task must not reach its own undo list. Choose another folder.'
  }),
  'not-a-folder': (name) => ({
    title: `${name} is not a folder`,
    meaning: 'piwork works on folders. Choose the folder that holds it.'
  }),
  missing: (name) => ({
    title: `${name} is not there`,
    meaning: 'It may have been moved or renamed, or its disk is not connected.'
  }),
  'no-permission': (name) => ({
    title: `${name} may not be opened`,
    meaning: 'Your account on this computer has no right to it.'
  })
};

const packFaults: Record<PackFault, string> = {
  'not-a-pack': 'It is not a runtime for piwork.',
  truncated: 'It ends too early; perhaps it was not downloaded to its end.',
  'corrupt-archive': 'It is damaged.',
  'trailing-data': 'It goes on after its end.',
  'too-large': 'It is larger than allowed, or than it says.',
  'missing-manifest': 'Its list of contents is missing.',
  'missing-signature': 'It carries no signature.',
  'bad-signature': 'Its signature does not fit its content.',
  'foreign-key': 'It is signed by somebody whom this computer does not trust.',
  'revoked-key': 'It is signed with a key that was withdrawn.',
  withdrawn: 'This version was withdrawn and is no longer installed.',
  'bad-manifest': 'Its list of contents makes no sense.',
  'unsafe-name': 'It contains a file name that could reach outside its folder.',
  'unsafe-entry': 'It contains something other than plain files.',
  'duplicate-file': 'It contains the same file twice.',
  'extra-file': 'It contains a file that was never signed.',
  'missing-file': 'A file that was signed is missing in it.',
  'wrong-size': 'A file in it is not as long as what was signed.',
  'flipped-byte': 'A file in it is not what was signed.',
  'wrong-platform': 'It is made for another kind of computer.',
  'wrong-app-version': 'It needs another version of piwork.',
  'unknown-schema': 'It needs a newer piwork.',
  'wrong-version': 'It is another version than its name says.',
  'not-executable': 'A program in it may not be run any more.'
};

/** Why an update channel was refused. */
const channelFaults: Partial<Record<ChannelFault, string>> = {
  stale: 'It did not answer for so long that what is known of it has ended.',
  expired: 'What it says has ended: it was not renewed in time, or the clock of this computer is wrong.',
  rollback: 'It offers something older than what was seen before.',
  'bad-signature': 'What it says is not signed by those who may.',
  malformed: 'What it says cannot be read.',
  'wrong-content': 'It holds other files than were signed.',
  'too-large': 'It sent more than is allowed.',
  missing: 'A file that it names is not there.'
};

/** Why something could not be fetched. */
const transferFaults: Partial<
  Record<TransferFault | 'incomplete' | 'no-index' | 'nothing-known' | 'password', (p: Params) => string>
> = {
  'nothing-known': () => 'Nothing is known of it yet.',
  incomplete: () => 'Something of it is missing still.',
  'no-index': () => 'This version is of an old form that cannot be downloaded in parts.',
  'bad-address': () => 'An address that is set for updates, or for the proxy, cannot be read.',
  password: () =>
    'An address must not hold a password: settings are kept as plain text. The password comes from the system, or from HTTPS_PROXY.',
  'bad-ca': () => 'The file of further certificate authorities cannot be used.',
  disk: () => 'What arrived cannot be written to the disk.',
  'proxy-auth': (p) => `The proxy ${text(p, 'proxy')} wants another name and password.`,
  'proxy-auth-kind': (p) => `The proxy ${text(p, 'proxy')} wants a way to sign in that piwork does not know.`,
  'proxy-unreachable': (p) => `The proxy ${text(p, 'proxy')} does not answer.`,
  'proxy-refused': (p) => `The proxy ${text(p, 'proxy')} does not let piwork through.`,
  'proxy-script': () => 'This computer finds its proxy by a script, which piwork cannot follow.',
  'tls-untrusted': (p) =>
    `The certificate of ${text(p, 'host') || 'the server'} is by an authority that is not trusted here${text(p, 'issuer') ? ` (${text(p, 'issuer')})` : ''}.`,
  'tls-invalid': (p) =>
    `The certificate of ${text(p, 'host') || 'the server'} is for another name or another time.`,
  'captive-portal': () => 'The network answered with a page of its own: it wants you to sign in.',
  'changed-on-server': () => 'The file on the server changed meanwhile.',
  'too-large': () => 'The server sent more than was announced.',
  'bad-answer': (p) => `${text(p, 'host') || 'The server'} gave an answer that makes no sense.`,
  redirect: (p) => `${text(p, 'host') || 'The server'} sends on to a place that is not safe, or in circles.`,
  denied: (p) => `${text(p, 'host') || 'The server'} does not hand the file out.`,
  'not-found': (p) => `${text(p, 'host') || 'The server'} does not have the file.`,
  'server-error': (p) => `${text(p, 'host') || 'The server'} is overloaded or broken right now.`,
  stalled: () => 'Nothing came any more.',
  interrupted: () => 'The connection broke off again and again.',
  unreachable: (p) => `${text(p, 'host') || 'The server'} does not answer.`,
  offline: () => 'This computer has no connection to the internet.'
};

/** The cause in a sentence, before what it means. */
function fetching(p: Params, cause: string, meaning: string): string {
  const why =
    transferFaults[cause as TransferFault]?.(p).replace(/ {2,}/, ' ') ??
    channelFaults[cause as ChannelFault] ??
    '';
  return `${why} ${meaning}`.trimStart();
}

const modelFaults: Record<string, string> = words.ai.models.reasons;
const loginFaults: Record<string, string> = {
  none: 'piwork knows no way to sign in to this service; set a key.',
  wrong: 'What was pasted is not the code of this sign-in.',
  expired: 'The code is too old, or was used already.',
  denied: 'The sign-in was declined.',
  timeout: 'Nobody signed in in time.',
  answer: 'The answer of the service could not be read.',
  refused: 'The service refused the sign-in. Look there whether your account may use it.',
  device: 'This service has no sign-in by a code on another device.',
  domain: 'Only Copilot of a company with a GitHub of its own takes an address, such as company.ghe.com.',
  port: 'Another program on this computer waits for the browser at the only address that this service knows (port 1455; 1456 for Radius), such as a sign-in of Codex or pi that was not finished. End that, and sign in again, or sign in on another device with a code.',
  unreachable: 'The service cannot be reached. Is there a connection to the internet?',
  cancelled: 'The sign-in was given up.'
};

export const problems: Record<ProblemCode, (p: Params, cause: string) => Words> = {
  'pack-missing': () => ({
    title: 'The runtime is not installed yet',
    meaning: 'The closed workroom is made from it. Nothing was installed or changed.'
  }),
  'pack-corrupt': (p, cause) => ({
    title: text(p, 'name')
      ? `The add-on ${text(p, 'name')} is not as it was signed`
      : 'The installed runtime is not as it was signed',
    meaning:
      `${packFault(p, cause)} So piwork does not start it. Your own files were not touched.`.trimStart()
  }),
  'pack-too-new': () => ({
    title: 'The runtime wants a newer piwork',
    meaning: 'This version of piwork cannot use it. Your files were not touched.'
  }),
  'accel-unavailable': acceleration,
  'not-checked': () => ({
    title: 'A check could not be made',
    meaning: 'So it is not known whether the workroom would open. Nothing was changed.'
  }),
  'not-mended': () => ({
    title: 'The system did not do that',
    meaning: 'What stands in the way is as it was. An administrator can also type the command that is shown.'
  }),
  'boot-failed': () => ({
    title: 'The workroom does not open on this computer, not even slowly',
    meaning: 'No task can start until this is solved. Nothing was installed or changed.'
  }),
  'slow-mode': () => ({
    title: 'Slow mode is on',
    meaning: 'Everything works and is as safe, but takes longer.'
  }),
  'no-instant': () => ({
    title: 'Workrooms do not open at once on this computer',
    meaning: 'They open the ordinary way, which takes a little longer. Everything else is the same.'
  }),
  'pack-invalid': (p, cause) => ({
    title: `${quote(fileName(p), 'This file')} was refused`,
    meaning: `${packFault(p, cause)} Nothing of it was installed.`
  }),
  'pack-busy': () => ({
    title: 'A runtime is just being installed',
    meaning: 'Wait until that is done. ' + unchanged
  }),
  'pack-in-use': (_p, cause) => ({
    title: cause === 'task' ? 'A task still works on this version' : 'This version is in use',
    meaning: cause === 'task' ? 'It can go when the task is over. ' + unchanged : unchanged
  }),
  'update-off': () => ({
    title: 'This piwork follows no update channel',
    meaning: 'None is built in, so updates cannot be looked for. Everything works on with what is installed.'
  }),
  'update-settings': (p, cause) => ({
    title: 'What is set about updates cannot be used',
    meaning: fetching(p, cause, unchanged)
  }),
  'update-not-offered': () => ({
    title: 'The update channel has nothing for this computer',
    meaning: 'Everything works on with what is installed.'
  }),
  'update-offline': (p, cause) => ({
    title: 'The place where updates come from cannot be reached',
    meaning: fetching(p, cause, 'Everything works on with what is installed.')
  }),
  'update-invalid': (p, cause) => ({
    title: 'What the update channel says was refused',
    meaning: fetching(p, cause, 'Nothing of it was installed. Everything works on with what is installed.')
  }),
  'download-failed': (p, cause) => ({
    title: 'The download did not come to its end',
    meaning: fetching(p, cause, 'What arrived is kept; the next attempt goes on from there.')
  }),
  'download-invalid': (p, cause) => ({
    title: 'What was downloaded is not what was signed',
    meaning: fetching(p, cause, 'It was thrown away, and nothing of it was installed.')
  }),
  'update-not-booting': (p) => ({
    title: `The workroom does not open with ${text(p, 'version') ? `version ${text(p, 'version')}` : 'the new version'} on this computer`,
    meaning: `${text(p, 'current') ? `Version ${text(p, 'current')}` : 'The version before'} stays in use. The new one is not tried again by itself.`
  }),
  'rolled-back': (p) => ({
    title: `piwork went back to ${text(p, 'version') ? `version ${text(p, 'version')}` : 'the version before'}`,
    meaning: `${text(p, 'failed') ? `Version ${text(p, 'failed')}` : 'The new version'} stopped working on this computer. Your files were not touched.`
  }),
  'no-previous': () => ({ title: 'There is no version to go back to', meaning: unchanged }),
  'version-failed': (p) => ({
    title: `${text(p, 'version') ? `Version ${text(p, 'version')}` : 'This version'} did not work on this computer before`,
    meaning: 'So it is not tried again by itself. Nothing was changed.'
  }),
  'key-revoked': () => ({
    title: 'This was signed with a key that is no longer trusted',
    meaning: 'The key was withdrawn, so nothing of it is started or installed. Your files were not touched.'
  }),
  'addon-unknown': (p) => ({
    title: `There is no add-on ${quote(text(p, 'name'), 'of this name')}`,
    meaning: unchanged
  }),
  'addon-mismatch': () => ({
    title: 'This add-on is made for another version of the runtime',
    meaning: 'Runtime and add-ons are updated together. Nothing was changed.'
  }),
  'addon-missing': (p) => ({
    title: text(p, 'name') ? `This needs the add-on ${quote(text(p, 'name'), '')}` : 'This needs an add-on',
    meaning: 'None that fits the runtime is installed, so nothing was started. Nothing was changed.'
  }),
  'bundle-incomplete': () => ({
    title: 'Something that belongs into the bundle is not there',
    meaning: 'No bundle was written.'
  }),
  'bad-request': (p) => ({
    title: text(p, 'parameter') === 'name' ? 'A file cannot have that name' : 'That could not be understood',
    meaning: unchanged
  }),
  'machine-settings': () => ({
    title: 'This computer cannot give the workrooms that much, or so little',
    meaning: 'The settings are as they were.'
  }),
  'not-found': () => ({ title: 'That is not here any more', meaning: unchanged }),
  'unknown-chore': () => ({ title: 'This piwork does not know that chore', meaning: unchanged }),
  unsupported: () => ({
    title: 'This computer cannot do that',
    meaning: 'piwork does not start what it cannot keep safe. Nothing was changed.'
  }),
  'folder-refused': (p, cause) => {
    const name = quote(fileName(p), 'This folder');
    const why = refusals[cause as Refusal] ?? refusals[text(p, 'reason') as Refusal];
    return why ? why(name) : { title: `${name} cannot be used`, meaning: unchanged };
  },
  'folder-overlap': () => ({
    title: 'One of the folders lies inside another',
    meaning: 'Choose only the outer or only the inner one. Nothing was changed.'
  }),
  'folders-fixed': (_p, cause) => ({
    title: 'The folders of this task can’t be changed',
    meaning:
      cause === 'planned'
        ? 'It works on the folders of its plan. Start a new task with the folders it should have.'
        : 'The task is over. Start a new one with the folders it should have.'
  }),
  'task-running': (_p, cause) => ({
    title: 'The task is still at work',
    meaning:
      cause === 'provider'
        ? 'Until it is over it can only have models of the same service. Nothing was changed.'
        : cause === 'model'
          ? 'It does not know this model yet: choose it when the task is over, and it goes on with it. Nothing was changed.'
          : 'Stop it first, or wait until it is done.'
  }),
  'no-model': () => ({
    title: 'There is no model yet',
    meaning:
      'To ask in your own words, piwork needs a key of an AI service or a model on this computer. Nothing was changed.'
  }),
  'unknown-model': () => ({
    title: 'There is no key for this model',
    meaning: 'Choose another model, or add its key in the settings. Nothing was changed.'
  }),
  'model-failed': (_p, cause) => ({
    title: 'The model did not answer',
    meaning: `${modelFaults[cause] ?? 'The service did not say why.'} What was made and changed so far is there.`
  }),
  'ai-would-add': (_p, cause) => ({
    title: 'With an AI this chore does more',
    meaning: `What needs none is done. ${
      {
        'summarise-notes': 'An AI would write a summary of all notes.',
        'contract-summary': 'An AI would write a summary of each contract.',
        'check-receipts': 'An AI would look again at the rows that are not sure.',
        'clean-csv': 'An AI would make one way of writing of several.',
        'folder-dashboard': 'An AI would make a page that says what the folder is for.'
      }[cause ?? ''] ?? ''
    }`.trim()
  }),
  'ai-no-result': () => ({
    title: 'The AI ended without a result',
    meaning: 'What was made and changed so far is there. It can go on, or start again.'
  }),
  'agent-failed': () => ({
    title: 'The AI program did not work',
    meaning: 'It did not start, or ended too early. What was made and changed so far is there.'
  }),
  'key-invalid': (_p, cause) => ({
    title: cause === 'address' ? 'This cannot be an address' : 'This cannot be a key',
    meaning:
      cause === 'address'
        ? 'Look whether it was copied whole. Nothing was kept.'
        : cause === 'provider'
          ? 'piwork does not know this service. Nothing was kept.'
          : cause === 'login'
            ? 'This service has no keys. Sign in to it instead. Nothing was kept.'
            : 'Look whether it was copied whole, without spaces. Nothing was kept.'
  }),
  'keys-locked': () => ({
    title: 'The file with your keys is locked',
    meaning: 'It needs its passphrase, once after each start of piwork. Nothing was done.'
  }),
  passphrase: (_p, cause) => ({
    title: cause === 'short' ? 'The passphrase is too short' : 'That is not the passphrase',
    meaning:
      cause === 'short'
        ? 'Who has the file may guess as long as they like, so it needs 8 characters. Nothing was changed.'
        : 'Nothing was changed. Without the passphrase nobody can read the keys, piwork neither; then they have to be set again.'
  }),
  'login-failed': (_p, cause) => ({
    title: 'You were not signed in',
    meaning: `${loginFaults[cause] ?? 'The service did not say why.'} No key was kept or replaced.`
  }),
  keychain: (_p, cause) => ({
    title: 'The place where keys are kept cannot be used',
    meaning:
      cause === 'too-long'
        ? 'The key is too long for the keychain of this computer. A file with a passphrase has room for it. Nothing was saved.'
        : cause === 'missing'
          ? 'The keychain of this computer is locked or missing. Unlock it and try again, or use a file with a passphrase instead. Nothing was saved.'
          : 'The keys can be neither read nor changed there. Nothing was saved.'
  }),
  'task-not-waiting': () => ({
    title: 'The task no longer waits for an answer',
    meaning: 'It went on or ended in the meantime.'
  }),
  'not-resumable': (_p, cause) => ({
    title: 'The task cannot go on',
    meaning:
      cause === 'password'
        ? 'It needs its password again, and piwork keeps none. Nothing was changed.'
        : cause === 'no-plan'
          ? 'Nobody said yes to its plan. Nothing was changed.'
          : 'There is nothing left of it to do. Nothing was changed.'
  }),
  'not-repeatable': (_p, cause) => ({
    title: 'The same cannot be asked for again',
    meaning:
      cause === 'password'
        ? 'It was asked for with a password, and piwork keeps none. Nothing was changed.'
        : cause === 'input'
          ? 'It was given text to read, which is not kept. Nothing was changed.'
          : cause === 'environment'
            ? 'It was given variables, and piwork keeps none. Nothing was changed.'
            : 'The files that came with it are not kept. Nothing was changed.'
  }),
  'question-over': () => ({
    title: 'The question is no longer open',
    meaning: 'It was answered, or nobody waits for the answer any more.'
  }),
  'message-heard': () => ({
    title: 'The message does not wait any more',
    meaning: 'The AI has it already, or it is what the task began with.'
  }),
  'task-deleted': () => ({
    title: 'The task was removed',
    meaning: 'Its record is gone; your files are as they were.'
  }),
  'record-damaged': () => ({
    title: 'The record of this task is damaged',
    meaning: 'Your files were not touched by that, but what it changed may no longer be listed.'
  }),
  'controller-in-use': () => ({
    title: 'piwork is already running',
    meaning: 'Only one at a time may work with these records.'
  }),
  'move-refused': (p, cause) => ({
    title: 'The data of piwork cannot be moved there',
    meaning: `${moveRefusals(text(p, 'name'))[cause] ?? 'This folder is not suited for it.'} Nothing was changed.`
  }),
  moving: (_p, cause) =>
    cause === 'moved'
      ? {
          title: 'The data of piwork was moved',
          meaning: 'piwork opens it at its new place. Nothing was lost.'
        }
      : {
          title: 'piwork is moving its data',
          meaning: 'Wait until that is done, or cancel it. Nothing was changed.'
        },
  'place-gone': (p) => ({
    title: 'The data of piwork is not where it was moved to',
    meaning: `Connect its disk, or put the folder back${text(p, 'path') ? ` to ${text(p, 'path')}` : ''}, and start piwork again. It begins nowhere else, so that nothing seems lost.`
  }),
  'shutting-down': () => ({
    title: 'piwork is closing',
    meaning: 'No new task starts now. Nothing was changed.'
  }),
  interrupted: () => ({
    title: 'piwork ended before the task did',
    meaning: 'What it had changed until then is listed and can be put back.'
  }),
  cancelled: (_p, cause) => ({
    title:
      cause === 'closing'
        ? 'Stopped, because piwork was closed'
        : cause === 'caller-gone'
          ? 'Stopped, because what had started it is gone'
          : 'You stopped this task',
    meaning: 'If it had changed anything until then, it is listed.'
  }),
  timeout: () => ({
    title: 'This took longer than allowed',
    meaning: 'The work was ended. What it had changed until then is listed.'
  }),
  'out-of-memory': () => ({
    title: 'The workroom ran out of memory',
    meaning: 'The work was ended. What it had changed until then is listed.'
  }),
  'output-limit': () => ({
    title: 'The work wrote more than allowed',
    meaning: 'It was ended. What it had changed until then is listed.'
  }),
  'io-limit': () => ({
    title: 'The work read and wrote more than allowed',
    meaning: 'It was ended. What it had changed until then is listed.'
  }),
  'exit-status': () => ({
    title: 'The program ended with an error',
    meaning: 'What it had changed until then is listed.'
  }),
  'start-failed': () => ({ title: 'The program could not be started', meaning: unchanged }),
  'no-room': (_p, cause) => ({
    title:
      cause === 'now'
        ? 'There is too little free memory right now'
        : cause === 'settings'
          ? 'The workroom of this task is larger than your settings allow'
          : 'This computer has too little memory for the workroom of this task',
    meaning: 'It was not opened. ' + unchanged
  }),
  'vm-failed': () => ({
    title: 'The workroom stopped working',
    meaning: 'What the task had changed until then is listed and can be put back.'
  }),
  'share-failed': () => ({
    title: 'The folder could not be put into the workroom',
    meaning: 'What the task had changed until then is listed and can be put back.'
  }),
  'changed-since': (p) => ({
    title: `${quote(fileName(p), 'A file')} is not as the plan saw it`,
    meaning: 'So piwork stopped instead of guessing. A new plan will see it as it is now.'
  }),
  'audit-failed': () => ({
    title: 'The record of what runs could not be written',
    meaning: 'Nothing runs that cannot be recorded. Nothing was changed.'
  }),
  denied: () => ({ title: 'This was not allowed', meaning: unchanged }),
  'tool-failed': (p) => ({
    title: fileName(p) ? `${quote(fileName(p), '')} could not be worked on` : 'A step did not work',
    meaning: 'What was made before it is listed.'
  }),
  'nothing-left': () => ({
    title: 'Nothing is left to do',
    meaning: 'Every file had to be left out; each says why. Nothing was changed.'
  }),
  'no-pictures': (p) => ({
    title: `There are no pictures in ${quote(firstOf(p, 'folders'), 'this folder')}`,
    meaning: 'There was nothing to make a PDF from. Nothing was changed.'
  }),
  'no-files': (p) => ({
    title: `There is nothing to do in ${quote(firstOf(p, 'folders'), 'this folder')}`,
    meaning: 'It has no file of the kinds that this works on. Nothing was changed.'
  }),
  'too-many-inputs': () => ({
    title: 'These are too many files for one go',
    meaning: 'Choose a folder with fewer of them. Nothing was changed.'
  }),
  'input-broken': (p) => ({
    title: `${quote(fileName(p), 'A file')} is damaged`,
    meaning: 'It was left out and not touched; the rest goes on.'
  }),
  'input-unsupported': (p) => ({
    title: `${quote(fileName(p), 'A file')} is of a kind that is not known here`,
    meaning: 'It was left out and not touched; the rest goes on.'
  }),
  'input-missing': (p) => ({
    title: `${quote(fileName(p), 'A file')} is not there any more`,
    meaning: 'It was left out; the rest goes on.'
  }),
  'input-unreadable': (p) => ({
    title: `${quote(fileName(p), 'A file')} may not be read`,
    meaning: 'It was left out and not touched; the rest goes on.'
  }),
  'input-too-large': (p) => ({
    title: `${quote(fileName(p), 'A file')} is too large`,
    meaning: 'It was left out and not touched; the rest goes on.'
  }),
  'input-locked': (p) => ({
    title: `${quote(fileName(p), 'A file')} is locked with a password`,
    meaning: 'It was left out and not touched; the rest goes on.'
  }),
  'input-link': (p) => ({
    title: `${quote(fileName(p), 'A file')} only points somewhere else`,
    meaning: 'Such links are not followed. It was left out and not touched; the rest goes on.'
  }),
  'input-name': (p) => ({
    title: `${quote(fileName(p), 'A file')} has a name that cannot be used`,
    meaning: 'It was left out and not touched; the rest goes on.'
  }),
  'input-has-text': (p) => ({
    title: `${quote(fileName(p), 'A document')} can be searched already`,
    meaning: 'It was left out and not touched; the rest goes on.'
  }),
  'input-no-receipt': (p) => ({
    title: `${quote(fileName(p), 'A file')} does not look like a receipt`,
    meaning: 'It has no row in the table and was not touched; the rest goes on.'
  }),
  'receipt-unsure': (p) => {
    const values = wordsOf(p, 'unsure', receiptValues);
    const sure = number(p, 'confidence');
    return {
      title: `${quote(fileName(p), 'A receipt')} was read with doubt`,
      meaning: `${sure === undefined ? '' : `Confidence ${sure}%. `}Please compare with the receipt${values.length ? `: ${values.join(', ')}` : ''}.`
    };
  },
  'entry-left-out': (p, cause) => ({
    title:
      cause === 'more'
        ? `${number(p, 'count') ?? 'Some'} more entries of ${quote(fileName(p), 'an archive')} were left out`
        : `${quote(text(p, 'entry'), 'Something')} in ${quote(fileName(p), 'an archive')} was left out` +
          (entryFaults[cause as EntryFault] ?? ''),
    meaning: 'The rest was unpacked; the archive is as it was.'
  }),
  'not-unpacked': (p) => ({
    title: `${quote(fileName(p), 'An archive')} was not unpacked: it grows so much that it needs your yes`,
    meaning: 'The rest goes on; the archive is as it was.'
  }),
  'output-exists': (p) => ({
    title: `There already is a ${quote(fileName(p), 'file of that name')}`,
    meaning: 'It was not replaced. Nothing was changed.'
  }),
  'output-denied': (p) => ({
    title: `Nothing may be written ${fileName(p) ? `to ${quote(fileName(p), '')}` : 'there'}`,
    meaning: 'The folder does not allow it. Nothing was changed.'
  }),
  'disk-full': () => ({
    title: 'The disk is full',
    meaning: 'The result did not fit. What was there before is unchanged.'
  }),
  permission: (p) => ({
    title: `${quote(fileName(p), 'The folder')} may not be opened`,
    meaning: 'Your account on this computer has no right to it. Nothing was changed.'
  }),
  unauthorized: () => ({
    title: 'This browser window was not opened by piwork',
    meaning: 'Open the address that piwork printed again. Nothing was changed.'
  }),
  forbidden: () => ({
    title: 'This page may not talk to piwork',
    meaning: 'Open the address that piwork printed again. Nothing was changed.'
  }),
  'too-large': () => ({ title: 'That is too much at once', meaning: unchanged }),
  'no-window': () => ({
    title: 'This needs piwork’s own window',
    meaning: 'In a browser, write the place of the folder or file instead.'
  }),
  unknown: () => ({
    title: 'Something went wrong that piwork does not know',
    meaning: 'The details say what was tried. Changes made until then, if any, are listed with the task.'
  }),
  unreachable: () => ({
    title: 'piwork does not answer',
    meaning: 'It may be closing or still starting. Your files are not affected.'
  })
};

/** Why an entry of an archive is left out. */
const entryFaults = {
  outside: ': its name leads out of the folder',
  link: ': it is a link, which could lead anywhere',
  special: ': it is neither a file nor a folder',
  name: ': the folder cannot hold a file of that name',
  taken: ': something of that name is there'
};
type EntryFault = keyof typeof entryFaults;

function packFault(p: Params, cause: string): string {
  return packFaults[cause as PackFault] ?? packFaults[text(p, 'kind') as PackFault] ?? '';
}

/** What stands behind a file's name when it is left out. */
export const reasons: Partial<Record<ProblemCode, string>> = {
  'input-broken': 'is damaged',
  'input-unsupported': 'is not a kind of picture known here',
  'input-missing': 'is not there any more',
  'input-unreadable': 'may not be read',
  'input-too-large': 'is too large',
  'input-locked': 'is locked with a password',
  'input-link': 'only points somewhere else',
  'input-name': 'has a name that cannot be used',
  'input-has-text': 'can be searched already',
  'input-no-receipt': 'does not look like a receipt',
  'receipt-unsure': 'was read with doubt',
  'not-unpacked': 'needs your yes: it grows too much',
  'tool-failed': 'could not be worked on',
  'changed-since': 'has changed since the plan',
  'output-exists': 'exists already',
  'output-denied': 'may not be written',
  'disk-full': 'did not fit on the disk',
  'out-of-memory': 'needs too much memory',
  'io-limit': 'reads and writes more than allowed',
  timeout: 'took too long'
};

/** A next step: the words of its button, or of the line that tells what to do. */
export const fixes: Record<FixCode, string> = {
  ...setupFixes,
  'install-pack': 'Install from a file',
  'get-pack': 'Ask for the runtime file where you got piwork from.',
  'repair-pack': 'Repair it',
  'other-file': 'Choose another file',
  'update-app': 'Install a newer piwork.',
  'pick-folder': 'Choose another folder',
  'pick-subfolder': 'Choose a folder inside of it',
  'free-space': 'Make room on the disk, then start again.',
  'folder-rights': 'Allow your account to write to the folder, then start again.',
  keys: 'Open the models and keys',
  'unlock-keys': 'Unlock the keys',
  'key-file': 'Keep keys in a file with a passphrase',
  login: 'Sign in again',
  resume: 'Go on',
  'start-again': 'Start again',
  'plan-again': 'Make a new plan',
  'review-changes': 'Look at the changes',
  'cancel-task': 'Stop the task',
  'delete-task': 'Forget this task',
  'show-details': 'Read the details',
  'replace-input': 'Put a whole copy of the file into the folder.',
  'remove-input': 'Take the file out of the folder.',
  'add-pictures': 'Put pictures into the folder, or choose another one.',
  'include-subdirs': 'Look in the folders inside, too',
  'use-other-piwork': 'Go to the window that is open already.',
  'download-pack': 'Download it',
  'update-now': 'Try again',
  'install-addon': 'See the add-ons',
  'machine-settings': 'Change how much memory workrooms get: the command “piwork settings” does it.',
  'more-memory': 'Close other programs, or use a computer with more memory.',
  'roll-back': 'Go back to the version before',
  'check-network': 'Look whether this computer reaches the internet.',
  'check-clock': 'Set the date and the time of this computer.',
  'network-sign-in': 'Open any page in a browser and sign in to the network.',
  'update-settings': 'See where updates come from'
};
