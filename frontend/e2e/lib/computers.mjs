// Computers on which the workroom does not open at full speed, one for each cause, as app/rehearse_e2e.go reads them:
// what each system's probes find there (app/setup/facts.go).

const NO = 1; // app/setup: Known
const YES = 2;

/**
 * @typedef {{ os: string, facts?: Record<string, unknown>, device?: string, output?: string, boots?: boolean }} Computer
 * device: the error of the device; output: of QEMU in the proof boot that fails; boots: it succeeds
 */

const kvm = {
  Path: '/dev/kvm',
  CPU: 'Intel(R) Core(TM) i5-8250U',
  Vendor: 'intel',
  Flag: 'vmx',
  Offered: YES,
  Capable: YES,
  UEFI: YES,
  Guest: NO,
  Module: YES,
  HasModule: YES,
  HasKernel: YES
};
const gone = { Device: 'missing' };
const denied = { Device: 'denied' };
const hidden = { ...gone, Flag: '', Offered: NO };
const whpx = { CPU: 'AMD Ryzen 5 5600', Vendor: 'amd', Capable: YES, UEFI: YES, Guest: NO, Build: 22631 };
const hvf = { CPU: 'Apple M3', Vendor: 'apple', Guest: NO, Translated: NO, Support: YES };

/** @type {Record<'linux' | 'windows' | 'darwin', Record<string, Omit<Computer, 'os'>>>} */
export const causes = {
  linux: {
    broken: { facts: { ...kvm, Device: 'works' } },
    held: { facts: { ...kvm, Device: 'busy', Holder: 'virtualbox' }, device: 'device or resource busy' },
    wsl1: { facts: { ...kvm, ...hidden, WSL: 1 } },
    wsl2: { facts: { ...kvm, ...hidden, WSL: 2, Guest: YES } },
    nested: { facts: { ...kvm, ...hidden, Guest: YES, Outer: 'virtualbox' } },
    firmware: { facts: { ...kvm, ...hidden, Firmware: NO, Maker: 'lenovo' } },
    processor: { facts: { ...kvm, ...hidden, Capable: NO } },
    hidden: { facts: { ...kvm, ...hidden, Capable: 0 } },
    confined: { facts: { ...kvm, ...denied, Confined: 'flatpak', ConfineID: 'example.piwork' } },
    kernel: { facts: { ...kvm, ...gone, Module: NO, HasModule: 0, HasKernel: NO } },
    nokvm: { facts: { ...kvm, ...gone, Module: NO, HasModule: NO } },
    module: { facts: { ...kvm, ...gone, Module: NO, Blocked: '/etc/modprobe.d/vbox.conf' } },
    missing: { facts: { ...kvm, ...gone }, device: 'no such file or directory' },
    relogin: { facts: { ...kvm, ...denied, Group: 'kvm', Member: YES } },
    permission: { facts: { ...kvm, ...denied, Group: 'kvm', Member: NO }, device: 'permission denied' },
    rule: { facts: { ...kvm, ...denied } },
    device: { facts: { ...kvm, Device: 'failed' }, device: 'input/output error' },
    unexplained: {}
  },
  windows: {
    translated: { facts: { ...whpx, Translated: YES } },
    broken: { facts: { ...whpx, Running: YES, Platform: YES } },
    outdated: { facts: { ...whpx, Build: 16299 } },
    nested: { facts: { ...whpx, Guest: YES, Outer: 'vmware', Offered: NO, Running: NO } },
    processor: { facts: { ...whpx, Capable: NO, Running: NO } },
    firmware: { facts: { ...whpx, Firmware: NO, Running: NO, Maker: 'asus' } },
    restart: { facts: { ...whpx, Pending: YES, Platform: NO } },
    feature: { facts: { ...whpx, Edition: 'Core', Pending: NO, Platform: NO } },
    launch: { facts: { ...whpx, Pending: NO, Platform: YES, Running: NO } },
    unexplained: {}
  },
  darwin: {
    translated: { facts: { ...hvf, Translated: YES } },
    held: { facts: hvf, output: 'Error: ret = HV_BUSY (0xfae94002)' },
    refused: { facts: hvf, output: 'Error: ret = HV_DENIED (0xfae94007)' },
    broken: { facts: hvf },
    nested: { facts: { ...hvf, Support: NO, Guest: YES, Outer: 'apple' } },
    unsupported: { facts: { ...hvf, Support: NO, Offered: YES, Capable: YES } },
    processor: { facts: { ...hvf, Support: NO, Offered: NO, Capable: NO } },
    unexplained: {}
  }
};
