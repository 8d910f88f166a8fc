/**
 * The codes that the controller sends and the window has words for. Every
 * language must have all of them (the type says so), and a test holds this
 * list against the constants of the Go side.
 */

/** app/problem/codes.go and app/api/errors.go; `unreachable` is the window's own. */
export const problemCodes = [
  'pack-missing',
  'pack-corrupt',
  'pack-too-new',
  'accel-unavailable',
  'boot-failed',
  'not-checked',
  'not-mended',
  'slow-mode',
  'no-instant',
  'pack-invalid',
  'pack-busy',
  'pack-in-use',
  'update-off',
  'update-settings',
  'update-not-offered',
  'update-offline',
  'update-invalid',
  'download-failed',
  'download-invalid',
  'update-not-booting',
  'rolled-back',
  'no-previous',
  'version-failed',
  'key-revoked',
  'addon-unknown',
  'addon-mismatch',
  'addon-missing',
  'bundle-incomplete',
  'bad-request',
  'machine-settings',
  'not-found',
  'unknown-chore',
  'unsupported',
  'folder-refused',
  'folder-overlap',
  'folders-fixed',
  'task-running',
  'task-not-waiting',
  'not-resumable',
  'not-repeatable',
  'question-over',
  'message-heard',
  'task-deleted',
  'record-damaged',
  'controller-in-use',
  'shutting-down',
  'move-refused',
  'moving',
  'place-gone',
  'interrupted',
  'cancelled',
  'timeout',
  'out-of-memory',
  'output-limit',
  'io-limit',
  'exit-status',
  'start-failed',
  'no-room',
  'vm-failed',
  'share-failed',
  'changed-since',
  'audit-failed',
  'denied',
  'tool-failed',
  'nothing-left',
  'no-pictures',
  'no-files',
  'too-many-inputs',
  'no-model',
  'unknown-model',
  'model-failed',
  'ai-would-add',
  'ai-no-result',
  'agent-failed',
  'key-invalid',
  'keychain',
  'keys-locked',
  'passphrase',
  'login-failed',
  'input-broken',
  'input-unsupported',
  'input-missing',
  'input-unreadable',
  'input-too-large',
  'input-locked',
  'input-link',
  'input-name',
  'input-has-text',
  'input-no-receipt',
  'receipt-unsure',
  'entry-left-out',
  'not-unpacked',
  'output-exists',
  'output-denied',
  'disk-full',
  'permission',
  'unauthorized',
  'forbidden',
  'too-large',
  'no-window',
  'unknown',
  'unreachable'
] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** app/problem/codes.go */
export const fixCodes = [
  'keys',
  'unlock-keys',
  'key-file',
  'login',
  'resume',
  'install-pack',
  'get-pack',
  'repair-pack',
  'other-file',
  'update-app',
  'check-again',
  'slow-mode',
  'fast-mode',
  'kvm-group',
  'load-kvm',
  'firmware-virt',
  'nested-virt',
  'pick-folder',
  'pick-subfolder',
  'free-space',
  'folder-rights',
  'start-again',
  'plan-again',
  'review-changes',
  'cancel-task',
  'delete-task',
  'show-details',
  'replace-input',
  'remove-input',
  'add-pictures',
  'include-subdirs',
  'use-other-piwork',
  'download-pack',
  'update-now',
  'roll-back',
  'check-network',
  'check-clock',
  'network-sign-in',
  'update-settings',
  'install-addon',
  'machine-settings',
  'more-memory',
  'kvm-rule',
  'log-in-again',
  'restart-computer',
  'other-kernel',
  'allow-device',
  'close-other',
  'wsl-upgrade',
  'wsl-nested',
  'windows-feature',
  'hypervisor-start',
  'update-system',
  'native-app'
] as const;
export type FixCode = (typeof fixCodes)[number];

/** Fixes that a person follows outside of the window: a sentence, no button. */
export const adviceCodes: readonly FixCode[] = [
  'get-pack',
  'update-app',
  'kvm-group',
  'load-kvm',
  'firmware-virt',
  'nested-virt',
  'free-space',
  'folder-rights',
  'replace-input',
  'remove-input',
  'add-pictures',
  'use-other-piwork',
  'check-network',
  'check-clock',
  'network-sign-in',
  'machine-settings',
  'more-memory',
  'kvm-rule',
  'log-in-again',
  'restart-computer',
  'other-kernel',
  'allow-device',
  'close-other',
  'wsl-upgrade',
  'wsl-nested',
  'windows-feature',
  'hypervisor-start',
  'update-system',
  'native-app'
];

/** app/setup/setup.go */
export const checkCodes = [
  'pack-installed',
  'pack-verified',
  'accel-cpu',
  'accel-firmware',
  'accel-system',
  'accel-device',
  'slow-mode',
  'accel-boot'
] as const;
export type CheckCode = (typeof checkCodes)[number];

/** app/setup/causes.go: why acceleration does not work, behind the accelerator and a dash. */
export const accelCauses = [
  'broken',
  'unexplained',
  'translated',
  'outdated',
  'nested',
  'wsl1',
  'wsl2',
  'processor',
  'firmware',
  'hidden',
  'kernel',
  'nokvm',
  'module',
  'missing',
  'confined',
  'permission',
  'relogin',
  'rule',
  'device',
  'held',
  'restart',
  'feature',
  'launch',
  'unsupported',
  'refused',
  'guest-arch'
] as const;
export type AccelCause = (typeof accelCauses)[number];

/** What stays so, whatever is done: only working slowly is left. */
export const lasting = (cause: string, accel: string) =>
  cause === 'processor' || (cause === 'translated' && accel !== 'hvf');

/** app/setup/outer.go, and what a program can be shut in. */
export const products = [
  'vmware',
  'virtualbox',
  'hyper-v',
  'parallels',
  'kvm',
  'xen',
  'cloud',
  'apple',
  'flatpak',
  'snap'
] as const;
export type Product = (typeof products)[number];

/** app/problem/problem.go: what has to start anew before a fix has an effect. */
export const restarts = ['program', 'session', 'computer'] as const;
export type Restart = (typeof restarts)[number];

/** app/service.go, UndoConflict */
export const undoReasons = [
  'changed-since',
  'gone',
  'in-the-way',
  'no-before-image',
  'io',
  'rights',
  'damaged'
] as const;

/** app/changes, why a side of a change cannot be looked at */
export const missingSides = ['not-kept', 'gone', 'unreadable'] as const;

/** What a task waits for, as a person is told: steps of app/task/record.go, and `queued` before the first. */
export const steps = [
  'queued',
  'turn',
  'memory',
  'verify',
  'boot',
  'mount',
  'plan',
  'accept',
  'agent-start',
  'run',
  'finish'
] as const;
export type Step = (typeof steps)[number];

/** vmhost/share, RefusedError */
export const refusals = [
  'home',
  'disk-root',
  'system',
  'own-data',
  'not-a-folder',
  'missing',
  'no-permission'
] as const;
export type Refusal = (typeof refusals)[number];

/** pack/errors.go, Kind */
export const packFaults = [
  'not-a-pack',
  'truncated',
  'corrupt-archive',
  'trailing-data',
  'too-large',
  'missing-manifest',
  'missing-signature',
  'bad-signature',
  'foreign-key',
  'revoked-key',
  'withdrawn',
  'bad-manifest',
  'unsafe-name',
  'unsafe-entry',
  'duplicate-file',
  'extra-file',
  'missing-file',
  'wrong-size',
  'flipped-byte',
  'wrong-platform',
  'wrong-app-version',
  'unknown-schema',
  'wrong-version',
  'not-executable'
] as const;
export type PackFault = (typeof packFaults)[number];

/** pack/trust/channel, Kind */
export const channelFaults = [
  'unreachable',
  'stale',
  'expired',
  'rollback',
  'bad-signature',
  'malformed',
  'wrong-content',
  'too-large',
  'missing',
  'not-offered',
  'needs-newer-form'
] as const;
export type ChannelFault = (typeof channelFaults)[number];

/** pack/update, Code */
export const transferFaults = [
  'no-mirror',
  'bad-address',
  'bad-ca',
  'disk-full',
  'disk',
  'proxy-auth',
  'proxy-auth-kind',
  'proxy-unreachable',
  'proxy-refused',
  'proxy-script',
  'tls-untrusted',
  'tls-invalid',
  'captive-portal',
  'changed-on-server',
  'wrong-content',
  'too-large',
  'bad-answer',
  'redirect',
  'denied',
  'not-found',
  'server-error',
  'stalled',
  'interrupted',
  'unreachable',
  'offline'
] as const;
export type TransferFault = (typeof transferFaults)[number];

/** Whether a code from outside is one that the list knows. */
export function isOneOf<T extends string>(list: readonly T[], code: unknown): code is T {
  return (list as readonly unknown[]).includes(code);
}
