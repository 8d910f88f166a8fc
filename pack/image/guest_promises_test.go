//go:build (vm || long) && linux

package image_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"piwork/pack/guest/guestvm"
	"piwork/pack/guest/order"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	guestvm.RemovePrograms()
	os.Exit(code)
}

// prepare greets a guest that has booted, and readies it. layers are those of
// its further disks.
func prepare(m *guestvm.Machine, layers ...wire.Layer) wire.Hello {
	m.T.Helper()
	h := guestvm.Call[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: wire.Version, App: "test"})
	guestvm.Call[wire.Empty](m, wire.MethodPrepare, wire.PrepareParams{
		UnixNano: time.Now().UnixNano(), Entropy: bytes.Repeat([]byte{7}, 64), Hostname: "workroom", TimeZone: "UTC", Layers: layers,
	})
	return h
}

// shutdown ends a guest.
func shutdown(m *guestvm.Machine) {
	m.T.Helper()
	guestvm.Call[wire.Empty](m, wire.MethodShutdown, nil)
	m.AwaitExit()
}

// holdsPromises holds the image of a booted guest to what the recipe promises.
func holdsPromises(t *testing.T, m *guestvm.Machine) {
	for name, c := range map[string]struct {
		script string
		want   []string // lines that are there
		empty  bool     // nothing is printed
		stays  string   // in an ordinary run, in place of it
	}{
		"formats of pictures": {
			script: `magick -list format | awk '{ sub("[*]", "", $1); print $1, $3 }'`,
			want:   []string{"JPEG rw-", "PNG rw-", "WEBP rw+", "TIFF rw+", "HEIC r--", "AVIF r--"},
		},
		"plug-ins for HEIC and AVIF": {
			script: `cd /usr/lib/*/libheif/plugins && ls`, want: []string{"libheif-dav1d.so", "libheif-libde265.so"},
		},
		"file systems": {script: `awk '{ print $NF }' /proc/filesystems`, want: []string{"erofs", "ext4", "overlay", "virtiofs"}},
		"user":         {script: `getent passwd 1000; getent group 1000`, want: []string{"piwork:x:1000:1000:piwork:/home/piwork:/bin/bash", "piwork:x:1000:"}},
		"Node and the AI program offline": {
			script: `node -p '6*7+":"+process.version' && cd $(mktemp -d) && HOME=$PWD PI_OFFLINE=1 PI_SKIP_VERSION_CHECK=1 PI_TELEMETRY=0 PI_CODING_AGENT_DIR=$PWD/c pi --version && id -u`,
			want:   []string{"42:v22.23.3", "1.5.2", "1000"}, stays: "TestRealAI of app",
		},
		"tools of everyday chores": {
			script: `cd $(mktemp -d) && python3 -c 'from PIL import Image, ImageDraw, ImageFont as F
i = Image.new("RGB", (600, 80), "white")
ImageDraw.Draw(i).text((10, 15), "Invoice 4711", fill="black", font=F.truetype("DejaVuSans.ttf", 40))
i.save("t.png")' &&
				tesseract t.png - -l eng+deu 2>/dev/null | head -1 && img2pdf t.png -o t.pdf && pdftotext -v 2>&1 | head -1 | cut -d' ' -f1 &&
				gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -o small.pdf t.pdf && qpdf --check small.pdf >/dev/null && echo qpdf ok &&
				exiftool -Comment=hello -q t.png && exiftool -s3 -Comment t.png && printf '{"a":[1,2]}' | jq -c .a &&
				printf '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' | rsvg-convert -o s.png && magick identify -format '%m %w
' s.png &&
				python3 -c 'import openpyxl; w=openpyxl.Workbook(); w.active["A1"]=5; w.save("t.xlsx"); print(openpyxl.load_workbook("t.xlsx").active["A1"].value)' &&
				7z a -bso0 -bsp0 t.7z t.png && bsdtar tf t.7z && printf '<plist version="1.0"><string>hi</string></plist>' > t.plist && plistutil -i t.plist -o t.bin && head -c 6 t.bin && echo &&
				git init -q . && git --version | cut -d' ' -f1-2 && echo needle > n.txt && rg -l needle n.txt && fdfind -e pdf small`,
			want: []string{"Invoice 4711", "pdftotext", "qpdf ok", "hello", "[1,2]", "PNG 9", "5", "t.png", "bplist", "git version", "n.txt", "small.pdf"}, stays: "TestOperations of pack/guest/guestvm",
		},
		"no program lacks a library": {script: missingLibraries, empty: true, stays: "TestOperations of pack/guest/guestvm"},
		"places": {
			script: `stat -c '%n %U %a' /folders /state /home/piwork /tmp`,
			want:   []string{"/folders root 755", "/state root 755", "/home/piwork piwork 755", "/tmp root 1777"},
		},
		"what carries out operations": {
			script: `stat -c '%U %G %a' ` + order.Program + ` && ` + order.Program + ` clean /etc/hostname; echo $?; printf '{"tool":{"id":"x","op":"file.hash","in":["/etc/hostname"]}}' | ` + order.Program + ` | grep -c '"result":{"id":"x","info"'`,
			want:   []string{"root root 755", "1"},
		},
		"certificates and time zones": {
			script: `grep -c BEGIN /etc/ssl/certs/ca-certificates.crt | awk '$1 > 100 { print "many" }'; TZ=Asia/Tokyo date +%Z`,
			want:   []string{"many", "JST"},
		},
		"licences stay": {
			script: `for p in $(dpkg-query -W -f '${Package} '); do [ -s /usr/share/doc/$p/copyright ] || echo "$p"; done`, empty: true,
		},
		"nobody gains privileges": {script: `find / -xdev -perm /6000 2>/dev/null`, empty: true},
		"no mirror and no trace of the build": {
			script: `find /etc/apt /var/lib/apt /var/cache /var/log -type f; grep -rlE 'piwork-repository|trusted=yes|/parts/' /etc /var /usr/lib/python3* 2>/dev/null`, empty: true,
		},
		"Python does not compare sources": {
			script: `python3 - <<'P'
import glob
for f in glob.glob("/usr/lib/python3*/**/*.pyc", recursive=True):
    if open(f, "rb").read(8)[4] != 1: print(f)
P
python3 -c 'import img2pdf, pikepdf, PIL'`, empty: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.stays != "" {
				tier.Rest(t, c.stays)
			}
			r := guestvm.Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: strings.ReplaceAll(name, " ", "-"), Argv: []string{"bash", "-c", c.script}, Limits: wire.Limits{WallMS: 600_000}})
			out := "\n" + string(r.Stdout)
			if c.empty && (len(r.Stdout) > 0 || len(r.Stderr) > 0) {
				t.Errorf("%s%s", r.Stdout, r.Stderr)
			}
			for _, line := range c.want {
				if !strings.Contains(out, "\n"+line+"\n") {
					t.Errorf("no line %q in %s%s", line, r.Stdout, r.Stderr)
				}
			}
		})
	}
}
