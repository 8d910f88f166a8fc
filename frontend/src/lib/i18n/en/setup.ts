/** A computer that cannot open the workroom at full speed: why, and what helps. */
import type { Params } from '$lib/api/types';
import {
  accelCauses,
  isOneOf,
  lasting,
  type AccelCause,
  type FixCode,
  type Product,
  type Restart
} from '../codes';
import { text } from '../params';
import type { Words } from './problems';

const stopped =
  'No task can start until this is solved or you choose to work slowly. Nothing was installed or changed.';

const unchanged = 'Nothing was installed or changed.';

const foreseen =
  'Without a runtime nothing could be tried yet; this is what was seen. Nothing was installed or changed.';

/** What other programs and places are called. */
const products: Record<Product, string> = {
  vmware: 'VMware',
  virtualbox: 'VirtualBox',
  'hyper-v': 'Hyper-V',
  parallels: 'Parallels',
  kvm: 'KVM',
  xen: 'Xen',
  cloud: 'a rented computer',
  apple: 'macOS',
  flatpak: 'Flatpak',
  snap: 'Snap'
};
const product = (p: Params, key: string) => products[text(p, key) as Product] ?? '';
const bracketed = (name: string) => (name ? ` (${name})` : '');

const causes: Record<AccelCause, (p: Params, accel: string) => Words> = {
  broken: (_p, accel) => ({
    title: 'Acceleration is there but does not work',
    meaning: `This computer offers it (${accel.toUpperCase()}), but in a test the workroom did not open with it.`
  }),
  unexplained: () => ({
    title: 'The workroom does not open at full speed',
    meaning: 'Nothing that was looked at says why. The details show what happened in the test.'
  }),
  translated: (_p, accel) =>
    accel === 'hvf'
      ? {
          title: 'This piwork is made for Macs with an Intel processor',
          meaning: 'This Mac has an Apple processor. Only the piwork that is made for it reaches full speed.'
        }
      : {
          title: 'This computer has an ARM processor',
          meaning: 'This piwork is made for the other kind, and can only work slowly here.'
        },
  outdated: () => ({
    title: 'This system is too old for full speed',
    meaning: 'Windows has what is needed since the version 1803 of Windows 10.'
  }),
  nested: (p) => ({
    title: 'The computer around this one keeps virtualization to itself',
    meaning: `This computer runs inside of another one${bracketed(product(p, 'outer'))}, which does not pass virtualization on.`
  }),
  wsl1: () => ({
    title: 'This kind of Linux in Windows has no acceleration',
    meaning: 'It is the first version of the Windows Subsystem for Linux (WSL 1).'
  }),
  wsl2: () => ({
    title: 'Virtualization is switched off for Linux in Windows',
    meaning: 'The Windows Subsystem for Linux (WSL 2) can pass it on from Windows 11 on.'
  }),
  processor: () => ({
    title: 'The processor of this computer has no virtualization',
    meaning: 'That cannot be changed, but piwork can work slowly on it.'
  }),
  firmware: () => ({
    title: 'Virtualization is switched off in this computer’s firmware',
    meaning: 'The processor has it. piwork needs it for the closed workroom.'
  }),
  hidden: () => ({
    title: 'This computer shows no virtualization',
    meaning: 'Often it is only switched off in its firmware.'
  }),
  kernel: () => ({
    title: 'The system was updated and waits for a restart',
    meaning: 'Until then acceleration cannot be switched on.'
  }),
  nokvm: () => ({
    title: 'This system is made without acceleration',
    meaning: 'The kernel that runs has no KVM in it.'
  }),
  module: (p) => ({
    title: 'Acceleration is not switched on in the system',
    meaning: text(p, 'blocked')
      ? `The file ${text(p, 'blocked')} forbids it.`
      : 'The processor is ready, but the part of the system called KVM is not loaded.'
  }),
  missing: () => ({
    title: 'Acceleration is in the system, but cannot be reached',
    meaning: 'Its device, /dev/kvm, is missing.'
  }),
  confined: (p) => ({
    title: 'piwork is shut in and cannot reach acceleration',
    meaning: `What piwork was started in${bracketed(product(p, 'confined'))} does not let it out to /dev/kvm.`
  }),
  permission: (p) => ({
    title: 'Your account may not use acceleration',
    meaning: `It is there, but only for those in the group ${text(p, 'group') || 'kvm'}.`
  }),
  relogin: () => ({
    title: 'Acceleration is yours from your next log-in on',
    meaning: 'Your account may use it, but you logged in before that was set.'
  }),
  rule: () => ({
    title: 'Only the administrator may use acceleration',
    meaning: 'It is there, but no group of accounts may use it.'
  }),
  device: () => ({
    title: 'Acceleration could not be used',
    meaning: 'It is there, and answers with an error.'
  }),
  held: (p) => ({
    title: `${product(p, 'holder') || 'Another program'} holds acceleration right now`,
    meaning: 'Only one program can use it at a time here.'
  }),
  restart: () => ({
    title: 'Windows waits for a restart',
    meaning: 'A change was made that is not in effect yet.'
  }),
  feature: () => ({
    title: 'A feature of Windows is switched off',
    meaning:
      'piwork needs the “Windows Hypervisor Platform” for the closed workroom. It is part of every Windows, Home too.'
  }),
  launch: () => ({
    title: 'Windows did not start what piwork needs',
    meaning: 'The “Windows Hypervisor Platform” is installed, but was not started with Windows.'
  }),
  unsupported: () => ({
    title: 'macOS does not offer virtualization here',
    meaning: 'The processor has it. Often a restart helps.'
  }),
  refused: () => ({
    title: 'macOS does not let the workroom use virtualization',
    meaning: 'The program that opens it does not carry the signature for that.'
  }),
  'guest-arch': () => ({
    title: 'The runtime is made for another kind of processor',
    meaning: 'On this computer it can only work slowly.'
  })
};

/** By the code of a cause: the accelerator, a dash, and what was found out. */
export function acceleration(p: Params, code: string): Words {
  const dash = code.indexOf('-');
  const cause = isOneOf(accelCauses, code) ? code : code.slice(dash + 1);
  const accel = text(p, 'accel') || code.slice(0, Math.max(dash, 0));
  const { title, meaning } = causes[isOneOf(accelCauses, cause) ? cause : 'unexplained'](p, accel);
  const means = p.foreseen === true ? foreseen : lasting(cause, accel) ? unchanged : stopped;
  return { title, meaning: `${meaning} ${means}` };
}

/** A step in more than one line, for this computer. */
export const steps: Partial<Record<FixCode, (p: Params) => string[]>> = {
  'firmware-virt': (p) => [
    `Restart the computer, and right after switching on press the key for its settings${bracketed(text(p, 'firmwareKey'))} until they open.`,
    `Find “${text(p, 'firmwarePath') || 'Virtualization'}” and switch it on. The names can differ a little.`,
    'Save, leave, and come back here: piwork goes on by itself.'
  ],
  'windows-feature': () => [
    'Open the Start menu, type “Windows features”, and choose “Turn Windows features on or off”.',
    'Tick “Windows Hypervisor Platform” and choose OK. An administrator has to agree.'
  ],
  'hypervisor-start': () => [
    'Open the Start menu, type “Terminal”, and choose “Run as administrator”.',
    'Type the line below.'
  ],
  'wsl-nested': () => [
    'In Windows, open the file .wslconfig in your user folder; if there is none, make it. Put the lines below into it.',
    'In a Windows terminal, type: wsl --shutdown. Then open Linux again.'
  ],
  'close-other': (p) => [
    `End every computer that runs in ${product(p, 'holder') || 'VirtualBox, VMware, or an emulator'}, and check again.`
  ],
  'nested-virt': (p) => [
    'Shut this computer down.',
    text(p, 'outer') === 'cloud'
      ? 'Where you rent it, choose a kind that offers nested virtualization.'
      : `On the computer around it${bracketed(product(p, 'outer'))}, switch nested virtualization on for this one.`,
    'Start this computer again.'
  ],
  'load-kvm': (p) => [
    ...(text(p, 'blocked')
      ? [`As administrator, take the line with “kvm” out of ${text(p, 'blocked')}.`]
      : []),
    'Type the line below into a terminal. If it answers “not supported”, virtualization is switched off in the computer’s firmware.'
  ]
};

/** What stands over a line that is to be typed; for others “In a terminal:”. */
export const commandLeads: Partial<Record<FixCode, string>> = {
  'firmware-virt': 'Or let the computer restart right into its settings; in a terminal, as administrator:',
  'windows-feature': 'Or in a terminal, as administrator:',
  'wsl-nested': 'The lines for the file:',
  'nested-virt': 'Or in a terminal of that computer, where NAME is what this one is called there:',
  'allow-device': 'In a terminal, or added to how piwork is started:'
};

export const restarts: Record<Restart, string> = {
  program: 'After that, close piwork and open it again.',
  session: 'After that, log out and in again.',
  computer: 'After that, restart the computer. piwork goes on from here.'
};

/** Next steps: the words of a button, or a line that tells what to do. */
export const setupFixes = {
  'check-again': 'Check again',
  'slow-mode': 'Work slowly',
  'fast-mode': 'Work at full speed again',
  'kvm-group': 'Let your account use acceleration.',
  'kvm-rule': 'Make a group that may use acceleration, and add your account to it.',
  'log-in-again': 'Log out of this computer and in again.',
  'load-kvm': 'Switch acceleration on in the system.',
  'firmware-virt': 'Switch virtualization on in the computer’s firmware.',
  'nested-virt': 'Switch nested virtualization on in the computer around this one.',
  'restart-computer': 'Restart the computer.',
  'other-kernel': 'Install the usual kernel of your Linux, and restart with it.',
  'allow-device': 'Allow piwork to use acceleration.',
  'close-other': 'End the other program.',
  'wsl-upgrade':
    'Use piwork for Windows, or move this Linux to WSL 2; in a Windows terminal: wsl --set-version NAME 2',
  'wsl-nested': 'Switch virtualization on for Linux in Windows.',
  'windows-feature': 'Switch the feature on.',
  'hypervisor-start': 'Let Windows start it. VirtualBox and VMware work with it, too, but may become slower.',
  'update-system': 'Install the updates of the system.',
  'native-app': 'Install the piwork for Macs with an Apple processor.'
} as const;
