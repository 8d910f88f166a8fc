//go:build vm && linux

package guestvm

import (
	"strings"
	"testing"

	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// What the rest of piwork, and programs in the guest, count on in the kernel. A
// configuration that compiles says little: each of these was missing once.
func TestKernel(t *testing.T) {
	tier.Rest(t, "")
	m := Boot(t, Options{})
	prepare(m)
	h := Call[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: wire.Version})
	in := packtest.Unpacked(t)
	if small := in.Manifest.Abilities().SmallMachine; strings.HasSuffix(h.Kernel, "-piwork") != small {
		t.Errorf("kernel %s in a pack of the flavour %s", h.Kernel, in.Manifest.FlavourOf())
	}
	check := func(name, script, want string) {
		t.Helper()
		r := run(m, strings.ReplaceAll(name, " ", "-"), script)
		if got := strings.TrimSuffix(string(r.Stdout), "\n"); got != want {
			t.Errorf("%s: %q, want %q %s", name, got, want, r.Stderr)
		}
	}
	for name, c := range map[string]struct{ script, want string }{
		"nothing can be loaded": {"cat /proc/sys/kernel/modules_disabled 2>/dev/null || echo 1", "1"},
		"oopses are the end":    {"cat /proc/sys/kernel/panic_on_oops", "1"},
		"file systems":          {"for f in erofs ext4 overlay 9p virtiofs fuse tmpfs; do grep -qw $f /proc/filesystems || echo no $f; done", ""},
		"devices":               {"for d in virtio_blk virtio_console virtio_balloon virtio_rng virtio_net virtiofs; do [ -d /sys/bus/virtio/drivers/$d ] || echo no $d; done", ""},
		"generation id":         {"[ -d /sys/bus/acpi/drivers/vmgenid ] || [ -d /sys/bus/platform/drivers/vmgenid ] || echo none", ""},
		"hot-plug":              {"ls -d /sys/bus/pci/slots/* | head -n 1 | grep -c .", "1"},
		"balloon reports":       {"[ -d /sys/module/page_reporting ] || echo none", ""},
		"limits":                {"cat /sys/fs/cgroup/cgroup.controllers | tr ' ' '\\n' | grep -xE 'cpu|cpuset|io|memory|pids' | sort | tr '\\n' ' '", "cpu cpuset io memory pids "},
		"pressure":              {"head -c 4 /proc/pressure/memory", "some"},
		"filters":               {"grep -E '^Seccomp_filters' /proc/self/status | cut -f1", "Seccomp_filters:"},
		"landlock":              {"python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1) >= 1)'", "True"},
		"namespaces":            {"ls /proc/self/ns | tr '\\n' ' '", "cgroup ipc mnt net pid pid_for_children time time_for_children user uts "},
		"ptrace is kept apart":  {"cat /proc/sys/kernel/yama/ptrace_scope", "1"},
		"addresses are random":  {"cat /proc/sys/kernel/randomize_va_space", "2"},
		"terminals":             {"python3 -c 'import os; a, b = os.openpty(); print(os.isatty(b))'", "True"},
		"files without names":   {"python3 -c 'import os; os.memfd_create(\"x\"); print(1)'", "1"},
		"weaknesses are mended": {"grep -c ^Mitigation /sys/devices/system/cpu/vulnerabilities/spectre_v1", "1"},
	} {
		check(name, c.script, c.want)
	}
	packtest.Needs(t, "a kernel with no more than piwork uses", func(a spec.Abilities) bool { return a.SmallMachine })
	for name, script := range map[string]string{
		"nothing is loaded": "ls /proc/modules /dev/mem /dev/kmem /dev/port /proc/kcore /proc/sysrq-trigger 2>/dev/null",
		"watchdog":          "[ -d '/sys/bus/pci/drivers/i6300ESB timer' ] || echo none",
		"sockets of the VM": "[ -d /sys/bus/virtio/drivers/vmw_vsock_virtio_transport ] || echo none",
	} {
		check(name, script, "")
	}
}
