package qemu

import (
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"
)

func testImage() Image {
	return Image{
		Program:  []string{"/pack/qemu/lib/ld-linux-x86-64.so.2", "--library-path", "/pack/qemu/lib", "/pack/qemu/bin/qemu-system-x86_64"},
		Env:      []string{"LC_ALL=C"},
		DataDir:  "/pack/qemu/share",
		Arch:     "x86_64",
		Kernel:   "/pack/guest/vmlinux",
		Initrd:   "/pack/guest/initramfs.cpio",
		RootFS:   "/pack/guest/rootfs.img",
		WorkBase: "/pack/guest/work.qcow2",
		ID:       "image-1",
	}
}

func TestCommandLine(t *testing.T) {
	relocated := "/pack/qemu/lib/ld-linux-x86-64.so.2 --library-path /pack/qemu/lib /pack/qemu/bin/qemu-system-x86_64"
	arm := testImage()
	arm.Program, arm.Arch = []string{"/opt/qemu-system-aarch64"}, "aarch64"
	odd := testImage()
	odd.Program = []string{"qemu"}
	odd.RootFS, odd.WorkBase = "/a,b/root.img", "/a,b/work base.qcow2"

	layered := testImage()
	layered.Program = []string{"qemu"}
	layered.Verity = &Verity{RootHash: "0a0a", Salt: "0b0b", DataBlocks: 300}
	layered.AddOns = []Layer{{Name: "media", File: "/addons/media/media.img"}, {Name: "office", File: "/addons/a,b/office.img"}}

	for _, tt := range []struct {
		name string
		spec Spec
		want []string // lines of words; a quoted word holds spaces
	}{
		{
			name: "proof boot: no disk, no port, nothing but a console",
			spec: Spec{
				Host: "linux", Image: testImage(), Accel: AccelKVM, MemoryMB: 256, Console: "/run/x/console.sock",
				Params: []string{"earlyprintk=ttyS0"},
			},
			want: []string{
				relocated,
				"-nodefaults -no-user-config -display none -nic none",
				"-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
				"-L /pack/qemu/share",
				"-machine pc,usb=off,vmport=off,smbus=off,smm=off,dump-guest-core=off -accel kvm -cpu host -smp 1 -m 256M",
				"-rtc base=utc -no-reboot",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /pack/guest/vmlinux -initrd /pack/guest/initramfs.cpio",
				"-append 'console=ttyS0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 no_timer_check noreplace-smp earlyprintk=ttyS0'",
				"-chardev socket,id=console,path=/run/x/console.sock -serial chardev:console",
			},
		},
		{
			name: "a task's machine",
			spec: Spec{
				Host: "linux", Image: testImage(), Accel: AccelTCG, CPUs: 2, Name: "piwork-01", Console: "/run/x/console.sock",
				Ports: []Port{{"piwork.rpc", "/run/x/rpc.sock"}, {"more", "/run/x/more.sock"}}, Folders: "/run/x/9p.sock",
				Overlay: "/data/vm/01/overlay.qcow2",
			},
			want: []string{
				relocated,
				"-nodefaults -no-user-config -display none -nic none",
				"-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
				"-name guest=piwork-01 -L /pack/qemu/share",
				"-machine pc,usb=off,vmport=off,smbus=off,smm=off,dump-guest-core=off -accel tcg -cpu max,-erms,-fsrm -smp 2 -m 1024M",
				"-rtc base=utc -no-reboot",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /pack/guest/vmlinux -initrd /pack/guest/initramfs.cpio",
				"-append 'console=ttyS0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 no_timer_check noreplace-smp piwork.root=/dev/vda piwork.work=/dev/vdb'",
				"-chardev socket,id=console,path=/run/x/console.sock -serial chardev:console",
				"-device virtio-serial-pci,bus=pci.0,addr=0x2,disable-legacy=on,id=ports,max_ports=4",
				"-chardev socket,id=port1,path=/run/x/rpc.sock -device virtserialport,bus=ports.0,nr=1,chardev=port1,name=piwork.rpc",
				"-chardev socket,id=port2,path=/run/x/more.sock -device virtserialport,bus=ports.0,nr=2,chardev=port2,name=more",
				"-chardev socket,id=folders-9p,path=/run/x/9p.sock -device virtio-9p-chardev-pci,bus=pci.0,addr=0x9,disable-legacy=on,id=folders-9p,chardev=folders-9p,mount_tag=folders,ioeventfd=off",
				"-blockdev driver=raw,node-name=root,read-only=on,file.driver=file,file.filename=/pack/guest/rootfs.img",
				"-device virtio-blk-pci,bus=pci.0,addr=0x3,disable-legacy=on,id=root-disk,drive=root",
				"-blockdev driver=qcow2,node-name=work,discard=unmap,cache.no-flush=on,file.driver=file,file.node-name=work-file,file.filename=/data/vm/01/overlay.qcow2,backing.driver=qcow2,backing.file.driver=file,backing.file.filename=/pack/guest/work.qcow2",
				"-device virtio-blk-pci,bus=pci.0,addr=0x4,disable-legacy=on,id=work-disk,drive=work,werror=enospc,rerror=report",
				"-device virtio-balloon-pci,bus=pci.0,addr=0x5,disable-legacy=on,id=memory,free-page-reporting=on,deflate-on-oom=on,page-poison=off",
			},
		},
		{
			name: "no machine, to work on disks",
			spec: Spec{Host: "linux", Image: testImage(), Accel: AccelKVM, Name: "piwork-cache", OnlyDisks: true},
			want: []string{
				relocated,
				"-nodefaults -no-user-config -display none -nic none",
				"-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
				"-name guest=piwork-cache -L /pack/qemu/share",
				"-machine none -accel kvm",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
			},
		},
		{
			name: "a protected root and add-ons",
			spec: Spec{Host: "linux", Image: layered, Accel: AccelTCG, Overlay: "/o.qcow2"},
			want: []string{
				"qemu -nodefaults -no-user-config -display none -nic none",
				"-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
				"-L /pack/qemu/share",
				"-machine pc,usb=off,vmport=off,smbus=off,smm=off,dump-guest-core=off -accel tcg -cpu max,-erms,-fsrm -smp 1,maxcpus=2 -m 1024M",
				"-rtc base=utc -no-reboot",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /pack/guest/vmlinux -initrd /pack/guest/initramfs.cpio",
				"-append 'console=ttyS0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 no_timer_check noreplace-smp piwork.root=/dev/vda piwork.work=/dev/vdb piwork.verity=0a0a:0b0b:300'",
				"-blockdev driver=raw,node-name=root,read-only=on,file.driver=file,file.filename=/pack/guest/rootfs.img",
				"-device virtio-blk-pci,bus=pci.0,addr=0x3,disable-legacy=on,id=root-disk,drive=root",
				"-blockdev driver=qcow2,node-name=work,discard=unmap,cache.no-flush=on,file.driver=file,file.node-name=work-file,file.filename=/o.qcow2,backing.driver=qcow2,backing.file.driver=file,backing.file.filename=/pack/guest/work.qcow2",
				"-device virtio-blk-pci,bus=pci.0,addr=0x4,disable-legacy=on,id=work-disk,drive=work,werror=enospc,rerror=report",
				"-device virtio-balloon-pci,bus=pci.0,addr=0x5,disable-legacy=on,id=memory,free-page-reporting=on,deflate-on-oom=on,page-poison=off",
				"-blockdev driver=raw,node-name=layer-0,read-only=on,file.driver=file,file.filename=/addons/media/media.img",
				"-device virtio-blk-pci,bus=pci.0,addr=0x10,disable-legacy=on,id=layer-0-disk,drive=layer-0,serial=layer-0",
				"-blockdev driver=raw,node-name=layer-1,read-only=on,file.driver=file,file.filename=/addons/a,,b/office.img",
				"-device virtio-blk-pci,bus=pci.0,addr=0x11,disable-legacy=on,id=layer-1-disk,drive=layer-1,serial=layer-1",
			},
		},
		{
			name: "the machine that a template is made of",
			spec: Spec{
				Host: "linux", Image: Image{Program: []string{"qemu"}, DataDir: "/s", Arch: "x86_64", Kernel: "/k", Initrd: "/i"},
				Accel: AccelTCG, MemoryMB: 512, RAM: &RAMFile{Path: "/a,b/ram"},
			},
			want: []string{
				"qemu -nodefaults -no-user-config -display none -nic none",
				"-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny -L /s",
				"-machine pc,usb=off,vmport=off,smbus=off,smm=off,dump-guest-core=off,memory-backend=ram -accel tcg -cpu max,-erms,-fsrm -smp 1,maxcpus=2 -m 512M",
				"-object memory-backend-file,id=ram,size=512M,mem-path=/a,,b/ram,share=on",
				"-rtc base=utc -no-reboot",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /k -initrd /i -append 'console=ttyS0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 no_timer_check noreplace-smp'",
			},
		},
		{
			name: "a machine restored from it",
			spec: Spec{
				Host: "linux", Image: Image{Program: []string{"qemu"}, DataDir: "/s", Arch: "x86_64", Kernel: "/k", Initrd: "/i"},
				Accel: AccelTCG, MemoryMB: 512, RAM: &RAMFile{Path: "/t/ram", Private: true}, Incoming: true,
			},
			want: []string{
				"qemu -nodefaults -no-user-config -display none -nic none",
				"-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny -L /s",
				"-machine pc,usb=off,vmport=off,smbus=off,smm=off,dump-guest-core=off,memory-backend=ram -accel tcg -cpu max,-erms,-fsrm -smp 1,maxcpus=2 -m 512M",
				"-object memory-backend-file,id=ram,size=512M,mem-path=/t/ram,share=off,readonly=on,rom=off",
				"-rtc base=utc -no-reboot -incoming defer",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /k -initrd /i -append 'console=ttyS0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 no_timer_check noreplace-smp'",
			},
		},
		{
			name: "names that would be options are not",
			spec: Spec{
				Host: "linux", Image: odd, Accel: AccelTCG, Name: "a,process=b", Console: "/run/a,server=on/c",
				Ports: []Port{{"x,bus=y", "/run/a,b/rpc"}}, Overlay: "/o,driver=raw/ov.qcow2",
			},
			want: []string{
				"qemu -nodefaults -no-user-config -display none -nic none",
				"-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
				"-name guest=a,,process=b -L /pack/qemu/share",
				"-machine pc,usb=off,vmport=off,smbus=off,smm=off,dump-guest-core=off -accel tcg -cpu max,-erms,-fsrm -smp 1,maxcpus=2 -m 1024M",
				"-rtc base=utc -no-reboot",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /pack/guest/vmlinux -initrd /pack/guest/initramfs.cpio",
				"-append 'console=ttyS0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 no_timer_check noreplace-smp piwork.root=/dev/vda piwork.work=/dev/vdb'",
				"-chardev socket,id=console,path=/run/a,,server=on/c -serial chardev:console",
				"-device virtio-serial-pci,bus=pci.0,addr=0x2,disable-legacy=on,id=ports,max_ports=4",
				"-chardev socket,id=port1,path=/run/a,,b/rpc -device virtserialport,bus=ports.0,nr=1,chardev=port1,name=x,,bus=y",
				"-blockdev driver=raw,node-name=root,read-only=on,file.driver=file,file.filename=/a,,b/root.img",
				"-device virtio-blk-pci,bus=pci.0,addr=0x3,disable-legacy=on,id=root-disk,drive=root",
				"-blockdev 'driver=qcow2,node-name=work,discard=unmap,cache.no-flush=on,file.driver=file,file.node-name=work-file,file.filename=/o,,driver=raw/ov.qcow2,backing.driver=qcow2,backing.file.driver=file,backing.file.filename=/a,,b/work base.qcow2'",
				"-device virtio-blk-pci,bus=pci.0,addr=0x4,disable-legacy=on,id=work-disk,drive=work,werror=enospc,rerror=report",
				"-device virtio-balloon-pci,bus=pci.0,addr=0x5,disable-legacy=on,id=memory,free-page-reporting=on,deflate-on-oom=on,page-poison=off",
			},
		},
		{
			name: "an accelerator: the kernel of a restored machine is told",
			spec: Spec{
				Host: "darwin", Image: Image{Program: []string{"qemu"}, DataDir: "/s", Arch: "x86_64", Kernel: "/k", Initrd: "/i", RootFS: "/r", WorkBase: "/w"},
				Accel: AccelHVF, Overlay: "/o",
			},
			want: []string{
				"qemu -nodefaults -no-user-config -display none -nic none -L /s",
				"-machine pc,usb=off,vmport=off,smbus=off,smm=off,dump-guest-core=off -accel hvf -cpu host -smp 1 -m 1024M",
				"-rtc base=utc -no-reboot",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /k -initrd /i -append 'console=ttyS0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 no_timer_check noreplace-smp piwork.root=/dev/vda piwork.work=/dev/vdb'",
				"-blockdev driver=raw,node-name=root,read-only=on,file.driver=file,file.filename=/r",
				"-device virtio-blk-pci,bus=pci.0,addr=0x3,disable-legacy=on,id=root-disk,drive=root",
				"-blockdev driver=qcow2,node-name=work,discard=unmap,cache.no-flush=on,file.driver=file,file.node-name=work-file,file.filename=/o,backing.driver=qcow2,backing.file.driver=file,backing.file.filename=/w",
				"-device virtio-blk-pci,bus=pci.0,addr=0x4,disable-legacy=on,id=work-disk,drive=work,werror=enospc,rerror=report",
				"-device vmgenid,guid=auto",
			},
		},
		{
			name: "Windows: no seccomp there, the interrupt controller in QEMU",
			spec: Spec{
				Host: "windows", Image: Image{Program: []string{`C:\p\qemu.exe`}, DataDir: `C:\p\share`, Arch: "x86_64", Kernel: `C:\p\vmlinux`, Initrd: `C:\p\initrd`},
				Accel: AccelWHPX, Console: `C:\r\c.sock`,
			},
			want: []string{
				`C:\p\qemu.exe -nodefaults -no-user-config -display none -nic none`,
				`-L C:\p\share`,
				"-machine pc,usb=off,vmport=off,smbus=off,smm=off -accel whpx,kernel-irqchip=off -cpu host -smp 1 -m 1024M",
				"-rtc base=utc -no-reboot",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				`-kernel C:\p\vmlinux -initrd C:\p\initrd -append 'console=ttyS0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 no_timer_check noreplace-smp'`,
				`-chardev pipe,id=console,path=` + PipeName(`C:\r\c.sock`) + ` -serial chardev:console`,
			},
		},
		{
			name: "arm64",
			spec: Spec{Host: "darwin", Image: arm, Accel: AccelHVF, CPU: "host", Ports: []Port{{"piwork.rpc", "/r"}}},
			want: []string{
				"/opt/qemu-system-aarch64 -nodefaults -no-user-config -display none -nic none",
				"-L /pack/qemu/share",
				"-machine virt,gic-version=max,dump-guest-core=off -accel hvf -cpu host -smp 1 -m 1024M",
				"-rtc base=utc -no-reboot",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /pack/guest/vmlinux -initrd /pack/guest/initramfs.cpio -append 'console=ttyAMA0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1'",
				"-device virtio-serial-pci,bus=pcie.0,addr=0x2,disable-legacy=on,id=ports,max_ports=4",
				"-chardev socket,id=port1,path=/r -device virtserialport,bus=ports.0,nr=1,chardev=port1,name=piwork.rpc",
			},
		},
		{
			name: "arm64 for Linux: what is plugged later has its places, and memory is handed over",
			spec: Spec{Host: "linux", Image: arm, Accel: AccelTCG, Overlay: "/o", RAM: &RAMFile{Handed: true}, Incoming: true},
			want: append(append([]string{
				"/opt/qemu-system-aarch64 -nodefaults -no-user-config -display none -nic none",
				"-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
				"-L /pack/qemu/share",
				"-machine virt,gic-version=max,dump-guest-core=off,memory-backend=ram -accel tcg -cpu max -smp 1 -m 1024M",
				"-object memory-backend-file,id=ram,size=1024M,mem-path=/proc/self/fd/3,share=on",
				"-rtc base=utc -no-reboot -incoming defer",
				"-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control",
				"-kernel /pack/guest/vmlinux -initrd /pack/guest/initramfs.cpio -append 'console=ttyAMA0 panic=-1 cryptomgr.notests audit=0 rcupdate.rcu_expedited=1 piwork.root=/dev/vda piwork.work=/dev/vdb'",
				"-blockdev " + imageNode("root", arm.RootFS).String(),
				"-device virtio-blk-pci,bus=pcie.0,addr=0x3,disable-legacy=on,id=root-disk,drive=root",
				"-blockdev " + overlayNode(Spec{Image: arm, Overlay: "/o"}).String(),
				"-device virtio-blk-pci,bus=pcie.0,addr=0x4,disable-legacy=on,id=work-disk,drive=work,werror=enospc,rerror=report",
				"-device virtio-balloon-pci,bus=pcie.0,addr=0x5,disable-legacy=on,id=memory,free-page-reporting=on,deflate-on-oom=on,page-poison=off",
			}, layerPorts()...), "-device pcie-root-port,id=folders-port,bus=pcie.0,addr=0x6,chassis=17",
				"-device pcie-root-port,id=net-port,bus=pcie.0,addr=0x7,chassis=18",
				"-device pcie-root-port,id=cache-port,bus=pcie.0,addr=0x8,chassis=19"),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := words(tt.want)
			got := CommandLine(tt.spec)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("word %d:\n got %q\nwant %q", i, got[min(i, len(got)):], want[min(i, len(want)):])
				}
			}
		})
	}
}

func layerPorts() []string {
	var lines []string
	for i := range MaxLayers {
		lines = append(lines, "-device "+layerPort(i).String())
	}
	return lines
}

// words splits lines at spaces outside of single quotes.
func words(lines []string) []string {
	var out []string
	for _, line := range lines {
		for i, part := range strings.Split(line, "'") {
			if i%2 == 1 {
				out = append(out, part)
			} else {
				out = append(out, strings.Fields(part)...)
			}
		}
	}
	return out
}

// Whatever a machine is made of, it gets no network card, no monitor that
// listens, no device by default and none but those of virtio, on every system. It starts
// the pack's own kernel, never firmware from which something else could be started.
func TestCommandLineConfines(t *testing.T) {
	img := testImage()
	img.AddOns = []Layer{{Name: "media", File: "/m.img"}}
	devices := []string{"virtio-serial-pci", "virtserialport", "virtio-9p-chardev-pci", "virtio-blk-pci", "virtio-balloon-pci", "vmgenid", "pcie-root-port"}
	for _, arch := range []string{"x86_64", "aarch64"} {
		for _, accel := range []Accel{AccelKVM, AccelHVF, AccelWHPX, AccelTCG} {
			for _, host := range []string{"linux", "darwin", "windows"} {
				for _, s := range []Spec{
					{Console: "/c"},
					{Console: "/c", Overlay: "/o", Ports: []Port{{"piwork.rpc", "/r"}}},
					{Console: "/c", Overlay: "/o", Ports: []Port{{"piwork.rpc", "/r"}}, Folders: "/9p"},
					{Console: "/c", Overlay: "/o", Ports: []Port{{"piwork.rpc", "/r"}}, RAM: &RAMFile{Path: "/ram"}},
					{Console: "/c", Overlay: "/o", Ports: []Port{{"piwork.rpc", "/r"}}, RAM: &RAMFile{Path: "/ram", Private: true}, Incoming: true},
				} {
					s.Host, s.Image, s.Accel, s.Image.Arch = host, img, accel, arch
					name := string(accel) + " on " + host + " for " + arch
					a := CommandLine(s)
					all := strings.Join(a, "\n")
					for _, want := range []string{"-nodefaults", "-no-user-config", "-nic\nnone", "-display\nnone", "-no-reboot", "-chardev\nstdio,id=qmp,signal=off\n-mon\nchardev=qmp,mode=control",
						"-kernel\n" + img.Kernel + "\n-initrd\n" + img.Initrd + "\n"} {
						if !strings.Contains(all, want) {
							t.Errorf("%s: %q is missing", name, want)
						}
					}
					if sandboxed := strings.Contains(all, "-sandbox\non,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny\n"); sandboxed != (host == "linux") {
						t.Errorf("%s: seccomp filter %v", name, sandboxed)
					}
					if n := strings.Count(all, "-mon\n"); n != 1 {
						t.Errorf("%s: %d monitors", name, n)
					}
					for _, bad := range []string{
						"tcp:", "udp:", "telnet", "websocket", "server=on", "server,", "-vnc", "-spice", "-gdb", "-qmp", "-monitor", "-net\n", "netdev",
						"-usb", "-virtfs", "-fsdev", "exec:", "-audio", "-parallel", "-hda", "-cdrom", "-drive", "-snapshot", "-daemonize", "guest-loader",
						"pflash", "-bios", "OVMF", "edk2", "-boot", "bootindex",
					} {
						if strings.Contains(all, bad) {
							t.Errorf("%s: %q on the command line", name, bad)
						}
					}
					for i, w := range a[:len(a)-1] {
						if device, _, _ := strings.Cut(a[i+1], ","); w == "-device" && !slices.Contains(devices, device) {
							t.Errorf("%s: a device %s", name, device)
						}
						if kind, _, _ := strings.Cut(a[i+1], ","); w == "-chardev" && !slices.Contains([]string{"stdio", "socket", "pipe"}, kind) {
							t.Errorf("%s: a chardev %s", name, kind)
						}
					}
				}
			}
		}
	}
}

// What is plugged into a running machine is what its command line would have
// been.
func TestOptions(t *testing.T) {
	arm := Spec{Image: Image{Arch: "aarch64"}}
	for _, tt := range []struct {
		o         options
		line      string
		arguments string
	}{
		{
			imageNode("layer-1", "/a,b.img"),
			"driver=raw,node-name=layer-1,read-only=on,file.driver=file,file.filename=/a,,b.img",
			`{"driver":"raw","file":{"driver":"file","filename":"/a,b.img"},"node-name":"layer-1","read-only":true}`,
		},
		{
			Spec{}.layerDevice(1),
			"virtio-blk-pci,bus=pci.0,addr=0x11,disable-legacy=on,id=layer-1-disk,drive=layer-1,serial=layer-1",
			`{"addr":"0x11","bus":"pci.0","disable-legacy":"on","drive":"layer-1","driver":"virtio-blk-pci","id":"layer-1-disk","serial":"layer-1"}`,
		},
		{
			arm.layerDevice(9),
			"virtio-blk-pci,bus=layer-9-port,addr=0x0,disable-legacy=on,id=layer-9-disk,drive=layer-9,serial=layer-9",
			`{"addr":"0x0","bus":"layer-9-port","disable-legacy":"on","drive":"layer-9","driver":"virtio-blk-pci","id":"layer-9-disk","serial":"layer-9"}`,
		},
		{layerPort(8), "pcie-root-port,id=layer-8-port,bus=pcie.0,addr=0x11.0,chassis=9,multifunction=on", `{"addr":"0x11.0","bus":"pcie.0","chassis":9,"driver":"pcie-root-port","id":"layer-8-port","multifunction":true}`},
		{layerPort(15), "pcie-root-port,id=layer-15-port,bus=pcie.0,addr=0x11.7,chassis=16", `{"addr":"0x11.7","bus":"pcie.0","chassis":16,"driver":"pcie-root-port","id":"layer-15-port"}`},
		{
			Spec{}.foldersDevice(),
			"vhost-user-fs-pci,id=folders,bus=pci.0,addr=0x6,chardev=folders,tag=folders,queue-size=1024",
			`{"addr":"0x6","bus":"pci.0","chardev":"folders","driver":"vhost-user-fs-pci","id":"folders","queue-size":1024,"tag":"folders"}`,
		},
		{
			arm.foldersDevice(),
			"vhost-user-fs-pci,id=folders,bus=folders-port,addr=0x0,chardev=folders,tag=folders,queue-size=1024",
			`{"addr":"0x0","bus":"folders-port","chardev":"folders","driver":"vhost-user-fs-pci","id":"folders","queue-size":1024,"tag":"folders"}`,
		},
		{
			portDevice(3, "piwork.net", "plug3"),
			"virtserialport,id=plug3,bus=ports.0,nr=3,chardev=plug3,name=piwork.net",
			`{"bus":"ports.0","chardev":"plug3","driver":"virtserialport","id":"plug3","name":"piwork.net","nr":3}`,
		},
		{
			Spec{}.networkCard(net.HardwareAddr{2, 0, 0, 0, 0, 1}),
			"virtio-net-pci,bus=pci.0,addr=0x7,disable-legacy=on,id=net-card,netdev=net,mac=02:00:00:00:00:01,romfile=",
			`{"addr":"0x7","bus":"pci.0","disable-legacy":"on","driver":"virtio-net-pci","id":"net-card","mac":"02:00:00:00:00:01","netdev":"net","romfile":""}`,
		},
		{
			arm.networkCard(net.HardwareAddr{2, 0, 0, 0, 0, 1}),
			"virtio-net-pci,bus=net-port,addr=0x0,disable-legacy=on,id=net-card,netdev=net,mac=02:00:00:00:00:01,romfile=",
			`{"addr":"0x0","bus":"net-port","disable-legacy":"on","driver":"virtio-net-pci","id":"net-card","mac":"02:00:00:00:00:01","netdev":"net","romfile":""}`,
		},
		{
			options{{"a.b.c", "x"}, {"a.b.d", 1}, {"a.e", false}},
			"a.b.c=x,a.b.d=1,a.e=off", `{"a":{"b":{"c":"x","d":1},"e":false}}`,
		},
	} {
		if got := tt.o.String(); got != tt.line {
			t.Errorf("line\n got %s\nwant %s", got, tt.line)
		}
		if got, err := json.Marshal(tt.o.arguments()); err != nil || string(got) != tt.arguments {
			t.Errorf("arguments\n got %s\nwant %s %v", got, tt.arguments, err)
		}
	}
}

func TestFingerprint(t *testing.T) {
	base := Spec{Host: "linux", Image: testImage(), Accel: AccelKVM, Console: "/a", Ports: []Port{{"piwork.rpc", "/b"}}, Overlay: "/c"}
	same := base
	same.Name, same.Console, same.Overlay = "other", "/x", "/y"
	same.Ports = []Port{{"piwork.rpc", "/z"}}
	base.Folders, same.Folders = "/9p", "/z9p"
	base.RAM, same.RAM = &RAMFile{Path: "/ram"}, &RAMFile{Path: "/else"}
	if Fingerprint(base) != Fingerprint(same) {
		t.Error("sockets, overlay or name are part of the fingerprint")
	}
	if base.Ports[0].Socket != "/b" {
		t.Error("Fingerprint changed its argument")
	}
	for name, change := range map[string]func(*Spec){
		"accelerator": func(s *Spec) { s.Accel = AccelTCG },
		"CPU":         func(s *Spec) { s.CPU = "qemu64" },
		"memory":      func(s *Spec) { s.MemoryMB = 2048 },
		"image":       func(s *Spec) { s.Image.ID = "image-2" },
		"environment": func(s *Spec) { s.Image.Env = []string{"LC_ALL=C.UTF-8"} },
		"port":        func(s *Spec) { s.Ports = []Port{{"piwork.net", "/b"}} },
		"folders":     func(s *Spec) { s.Folders = "" },
		"no disk":     func(s *Spec) { s.Overlay = "" },
		"protection":  func(s *Spec) { s.Image.Verity = &Verity{RootHash: "0a", DataBlocks: 1} },
		"add-on":      func(s *Spec) { s.Image.AddOns = []Layer{{Name: "media", File: "/m.img"}} },
		"parameter":   func(s *Spec) { s.Params = []string{"quiet"} },
		"copying":     func(s *Spec) { s.RAM = &RAMFile{Path: "/ram", Private: true} },
		"waiting":     func(s *Spec) { s.Incoming = true },
	} {
		other := base
		change(&other)
		if Fingerprint(base) == Fingerprint(other) {
			t.Errorf("%s is not part of the fingerprint", name)
		}
	}
}

func TestTemplateKey(t *testing.T) {
	saved := Spec{Host: "linux", Image: testImage(), Accel: AccelKVM, CPU: "host", Console: "/a", Ports: []Port{{"piwork.rpc", "/b"}}, Overlay: "/c", RAM: &RAMFile{Path: "/ram"}}
	key := TemplateKey(saved, "m")
	restored := saved
	restored.Console, restored.Overlay, restored.Name = "/x", "/y", "task"
	restored.Ports = []Port{{"piwork.rpc", "/z"}}
	restored.RAM, restored.Incoming = &RAMFile{Path: "/t/ram", Private: true}, true
	restored.Image.AddOns = []Layer{{Name: "media", File: "/m.img"}}
	if TemplateKey(restored, "m") != key {
		t.Error("a machine cannot be restored from its own state")
	}
	plain := restored
	plain.RAM, plain.Incoming = nil, false
	if TemplateKey(plain, "m") != key {
		t.Error("the template of a machine cannot be found before its memory has a file")
	}
	if TemplateKey(saved, "n") == key {
		t.Error("another computer has the same key")
	}
	for name, change := range map[string]func(*Spec){
		"accelerator": func(s *Spec) { s.Accel = AccelTCG },
		"CPU":         func(s *Spec) { s.CPU = "qemu64" },
		"CPUs":        func(s *Spec) { s.CPUs = 2 },
		"memory":      func(s *Spec) { s.MemoryMB = 2048 },
		"image":       func(s *Spec) { s.Image.ID = "image-2" },
		"port":        func(s *Spec) { s.Ports = append(s.Ports[:1:1], Port{"more", "/f"}) },
		"folders":     func(s *Spec) { s.Folders = "/9p" },
		"no disk":     func(s *Spec) { s.Overlay = "" },
		"parameter":   func(s *Spec) { s.Params = []string{"quiet"} },
	} {
		other := restored
		change(&other)
		if TemplateKey(other, "m") == key {
			t.Errorf("%s is not part of the key", name)
		}
	}
}

func TestMachineKey(t *testing.T) {
	a, err := MachineKey()
	b, again := MachineKey()
	if err != nil || again != nil || a != b || len(a) != 64 {
		t.Errorf("%q %v, %q %v", a, err, b, again)
	}
}

func TestCanTemplate(t *testing.T) {
	for _, tt := range []struct {
		host  string
		accel Accel
		can   bool
	}{
		{"linux", AccelKVM, true}, {"linux", AccelTCG, true}, {"darwin", AccelHVF, true}, {"darwin", AccelTCG, true},
		{"windows", AccelWHPX, false}, {"windows", AccelTCG, false},
	} {
		if got := CanTemplate(tt.host, tt.accel); got != tt.can {
			t.Errorf("%s on %s: %v", tt.accel, tt.host, got)
		}
	}
}

func TestLadder(t *testing.T) {
	for _, accel := range []Accel{AccelKVM, AccelHVF, AccelWHPX, AccelTCG} {
		for _, arch := range []string{"x86_64", "aarch64"} {
			l := Ladder(accel, arch)
			if len(l) == 0 {
				t.Fatalf("%s %s: no rung", accel, arch)
			}
			if accel == AccelTCG && (len(l) != 1 || !strings.HasPrefix(l[0], "max")) {
				t.Errorf("tcg: %q", l)
			}
			if accel == AccelWHPX && slices.Contains(l, "max") {
				t.Error("whpx: max dies on some processors")
			}
		}
	}
}

// What is plugged by QMP says where its connection is, as each system has it.
func TestBackends(t *testing.T) {
	windows := `{"backend":{"data":{"device":"` + PipeName("/run/net.sock") + `"},"type":"pipe"},"id":"plug3"}`
	for want, got := range map[string]any{
		`{"backend":{"data":{"addr":{"data":{"path":"/run/net.sock"},"type":"unix"},"server":false},"type":"socket"},"id":"plug3"}`: Spec{Host: "linux"}.chardevBackend("plug3", "/run/net.sock"),
		windows: Spec{Host: "windows"}.chardevBackend("plug3", "/run/net.sock"),
		`{"addr":{"path":"/run/nic.sock","type":"unix"},"id":"net","server":false,"type":"stream"}`: networkBackend("/run/nic.sock"),
	} {
		if b, err := json.Marshal(got); err != nil || string(b) != want {
			t.Errorf("got %s, want %s", b, want)
		}
	}
}

// TestLimits: what the QEMU of an image cannot do is asked of it by nobody, and a
// machine that is saved has the devices of the one that is restored.
func TestLimits(t *testing.T) {
	spec := Spec{Host: "linux", Image: testImage(), Accel: AccelTCG, CPUs: 2, Overlay: "/o"}
	limited := spec
	limited.Image.Limits = Limits{OneEmulatedCPU: true, KeepsPrivateMemory: true}
	has := func(s Spec, words string) bool { return strings.Contains(strings.Join(CommandLine(s), " "), words) }
	if !has(spec, "-smp 2 ") || !has(limited, "-smp 1,maxcpus=2 ") {
		t.Error("processors in the slow mode")
	}
	limited.Accel = AccelKVM
	if !has(limited, "-smp 2 ") {
		t.Error("processors with acceleration")
	}
	for name, ram := range map[string]*RAMFile{"saved": {Path: "/r"}, "restored": {Path: "/r", Private: true}, "handed": {Handed: true}} {
		spec.RAM, limited.RAM = ram, ram
		if !has(spec, "free-page-reporting=on") || !has(limited, "free-page-reporting=off") {
			t.Errorf("%s: memory that is given back", name)
		}
	}
	if limited.RAM = nil; !has(limited, "free-page-reporting=on") {
		t.Error("memory of the process's own is not given back")
	}
	if Fingerprint(spec) == Fingerprint(limited) {
		t.Error("machines with and without limits are the same")
	}
}
