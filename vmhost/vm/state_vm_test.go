//go:build vm && linux

package vm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// What belongs to a task is at its place in the guest, however the folders reach
// it and however the machine began; uploads cannot be changed there, and it is
// bounded.
func TestStateForReal(t *testing.T) {
	f := realFactory(t)
	type row struct{ name, how, kind string }
	few := []row{{"restored, virtio-fs", HowRestored, ShareVirtioFS}}
	for _, tt := range tier.Pick(few, few, []row{
		{"restored, 9p", HowRestored, Share9P}, few[0], {"booted, 9p", HowBooted, Share9P}, {"booted, virtio-fs", HowBooted, ShareVirtioFS},
	}) {
		t.Run(tt.name, func(t *testing.T) {
			if tt.kind == Share9P {
				packtest.Needs9P(t)
			}
			s := newShared(t)
			dir := t.TempDir()
			const room = 8 << 20
			if err := os.MkdirAll(filepath.Join(dir, wire.StateUploads), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, wire.StateUploads, "photo"), []byte("of the person"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := s.set.AddState(dir, room); err != nil {
				t.Fatal(err)
			}
			config := func(c *Config) {
				if s.config(c); tt.kind == ShareVirtioFS {
					s.asDevice(c)
				}
				c.Folders, c.State = nil, true // there is no folder beside it
			}
			var v *VM
			if tt.how == HowRestored {
				v = restoredVM(t, f, config)
			} else {
				c := realConfig(t)
				config(&c)
				v = realConnected(t, c)
			}
			if kind, why := v.Share(); kind != tt.kind || why != nil {
				t.Errorf("%s: %v", kind, why)
			}
			got := shell(t, v, `pwd; ls -A /folders; grep -c ' /state .*nosuid,nodev' /proc/mounts
mkdir -p /state/pi/sessions && echo one > /state/pi/sessions/1 && cat /folders/.state/pi/sessions/1
cat /state/uploads/photo; echo
for do in 'rm /state/uploads/photo' 'touch /state/uploads/x' 'mv /state/uploads /state/u' 'ln /state/uploads/photo /state/p' 'chmod 777 /state/uploads/photo' 'sh -c "echo x >> /state/uploads/photo"'; do
	eval "$do" 2>&1 | grep -o 'Read-only file system'
done
ls /state/../state/.. | grep -c '^state$'
head -c 20000000 /dev/zero 2>/dev/null > /state/big || echo full
rm /state/big; head -c 6000000 /dev/zero > /state/big && wc -c < /state/big`)
			if want := "/work\n1\none\nof the person" + strings.Repeat("\nRead-only file system", 6) + "\n1\nfull\n6000000"; got != want {
				t.Errorf("%q, not %q", got, want)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "pi/sessions/1")); err != nil || string(b) != "one\n" {
				t.Errorf("%q %v", b, err)
			}
			if list, err := s.log.Changes(t.Context()); err != nil || len(list) > 0 {
				t.Errorf("changes: %+v %v", list, err)
			}
		})
	}
}
