package realfs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A network is a way to a folder of a file server, whose client is the kernel's own.
type network struct {
	port    string
	mount   []string
	options string // soft: a test must not hang with its server
	serve   func(d *Disk, dir string) error
	end     func(d *Disk) error
}

var (
	smb = &network{port: "445", mount: []string{"mount.cifs", "//127.0.0.1/folder", "DIR"},
		options: "guest,soft,echo_interval=10", serve: serveSMB, end: endSMB}
	nfs = &network{port: "2049", mount: []string{"mount.nfs4", "127.0.0.1:/", "DIR"},
		options: "soft,timeo=10,retrans=1", serve: serveNFS, end: endNFS}
)

// served is the folder of the server, with a file system of its own.
func (d *Disk) served() string { return filepath.Join(filepath.Dir(d.Dir), "served") }

// connect starts the server and mounts what it serves.
func (d *Disk) connect(opts string) {
	d.t.Helper()
	if err := os.Mkdir(d.served(), 0o755); err != nil {
		d.t.Fatal(err)
	}
	d.up = true
	d.Must("mount", "-o", "loop", d.image, d.served())
	shared := filepath.Join(d.served(), "folder")
	if err := os.Mkdir(shared, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		d.t.Fatal(err)
	}
	if err := d.k.over.serve(d, shared); err != nil {
		d.t.Fatal(err)
	}
	if !eventually(func() bool { return listening(d.k.over.port) }) {
		said, _ := os.ReadFile(d.log())
		d.t.Fatalf("the server of %s does not listen: %s", d.Name, said)
	}
	if opts != "" {
		opts = "," + opts
	}
	d.Must(append(d.command(d.k.over.mount, ""), "-o", d.k.over.options+opts)...)
}

// disconnect ends the server, when its client has unmounted.
func (d *Disk) disconnect() {
	d.t.Helper()
	if err := d.k.over.end(d); err != nil {
		d.t.Error(err)
	}
	if !eventually(func() bool { return !mounted(d.served()) || syscall.Unmount(d.served(), 0) == nil }) {
		d.t.Errorf("the server of %s goes on with its folder", d.Name)
		return
	}
	if err := os.Remove(d.served()); err != nil {
		d.t.Error(err)
	}
}

func listening(port string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	c, err := dialer.DialContext(context.Background(), "tcp", "127.0.0.1:"+port)
	return err == nil && c.Close() == nil
}

func eventually(is func() bool) bool {
	for range 1200 {
		if is() {
			return true
		}
		<-time.After(50 * time.Millisecond)
	}
	return false
}

// smbd is Samba as in a NAS: guests may write, and files have attributes and a second name where
// its own file system has them.
const smbd = `[global]
server role = standalone
map to guest = Bad User
guest account = root
smb ports = 445
disable netbios = yes
load printers = no
printcap name = /dev/null
private dir = %[1]s
lock directory = %[1]s
state directory = %[1]s
cache directory = %[1]s
pid directory = %[1]s
ncalrpc dir = %[1]s
[folder]
path = %[2]s
guest ok = yes
read only = no
`

func serveSMB(d *Disk, dir string) error {
	own := filepath.Join(filepath.Dir(d.Dir), "samba")
	if err := os.MkdirAll(own, 0o700); err != nil {
		return err
	}
	conf := filepath.Join(own, "smb.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, smbd, own, dir), 0o600); err != nil {
		return err
	}
	return d.start("smbd", "-F", "--no-process-group", "--debug-stdout", "-s", conf)
}

func endSMB(d *Disk) error {
	d.stop()
	return os.RemoveAll(filepath.Join(filepath.Dir(d.Dir), "samba"))
}

// The server of NFS is that of the kernel, as in a NAS.
func serveNFS(d *Disk, dir string) error {
	// No client of before is waited for.
	old, err := filepath.Glob("/var/lib/nfs/v4recovery/*")
	for _, name := range old {
		err = errors.Join(err, os.RemoveAll(name))
	}
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile("/var/lib/nfs/etab", nil, 0o600), os.WriteFile("/var/lib/nfs/rmtab", nil, 0o600)); err != nil {
		return err
	}
	if err := d.run("exportfs", "-o", "rw,fsid=0,no_root_squash,insecure,no_subtree_check", "127.0.0.1:"+dir); err != nil {
		return err
	}
	if err := d.start("rpc.mountd", "-F", "-N", "3"); err != nil {
		return err
	}
	return d.run("rpc.nfsd", "-N", "3", "4")
}

func endNFS(d *Disk) error {
	var err error
	for _, argv := range [][]string{{"rpc.nfsd", "0"}, {"exportfs", "-au"}, {"exportfs", "-f"}} {
		if out, no := exec.CommandContext(context.Background(), argv[0], argv[1:]...).CombinedOutput(); no != nil { //nolint:gosec // also when the test has ended
			err = errors.Join(err, fmt.Errorf("%v: %w: %s", argv, no, out))
		}
	}
	d.stop()
	return err
}

func (d *Disk) log() string { return filepath.Join(filepath.Dir(d.Dir), "log") }

// start starts a server that stays, with what it starts in a group of its own.
func (d *Disk) start(argv ...string) error {
	log, err := os.Create(d.log())
	if err != nil {
		return err
	}
	defer log.Close()
	d.server = exec.CommandContext(context.Background(), argv[0], argv[1:]...) //nolint:gosec // it ends with Unplug
	d.server.Stdout, d.server.Stderr = log, log
	d.server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return d.server.Start()
}

// stop kills it.
func (d *Disk) stop() {
	if d.server == nil {
		return
	}
	_ = syscall.Kill(-d.server.Process.Pid, syscall.SIGKILL)
	_ = d.server.Wait()
	d.server = nil
	if err := os.Remove(d.log()); err != nil {
		d.t.Error(err)
	}
}
