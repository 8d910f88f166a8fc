//go:build vm && linux

package image_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack"
	"piwork/pack/guest/guestvm"
	"piwork/pack/image"
	"piwork/vmhost/wire"
)

// addOnChecks are what shows that an add-on works: a script, and the lines that
// it prints. It runs as the guest's user, offline.
var addOnChecks = map[string]struct {
	script string
	want   []string
}{
	"media": {
		`ffmpeg -hide_banner -loglevel error -f lavfi -i sine=frequency=440:duration=2 -ac 1 -b:a 64k t.mp3 &&
		 ffmpeg -hide_banner -loglevel error -f lavfi -i testsrc=duration=1:size=64x48:rate=5 -c:v libx264 t.mp4 &&
		 ffprobe -v error -show_entries format=format_name,duration:stream=codec_name -of default=nk=1 t.mp3 | cut -c1-4 &&
		 ffprobe -v error -show_entries stream=codec_name,width -of csv=p=0 t.mp4`,
		[]string{"mp3", "2.0", "h264,64"},
	},
	"music": {
		`printf '\\score { \\new Staff { c4 d e f } \\layout {} \\midi {} }' > t.ly && lilypond -s --pdf -o t t.ly && head -c 5 t.pdf && echo &&
		 printf '<CsoundSynthesizer>\n<CsInstruments>\nsr=8000\nksmps=10\nnchnls=1\n0dbfs=1\ninstr 1\nout oscili(0.5, 440)\nendin\n</CsInstruments>\n<CsScore>\ni1 0 1\n</CsScore>\n</CsoundSynthesizer>\n' > t.csd &&
		 csound -d -o t.wav t.csd 2>/dev/null >/dev/null; head -c 4 t.wav && echo`,
		[]string{"%PDF-", "RIFF"},
	},
	"office": {
		`printf '# Title\n\nText with *words*.\n' > t.md && pandoc t.md -o t.docx && pandoc t.md -s -M title=T --pdf-engine=weasyprint -o t.pdf 2>/dev/null && head -c 5 t.pdf && echo &&
		 HOME=$PWD soffice --headless --convert-to pdf --outdir out t.docx >/dev/null 2>&1; head -c 5 out/t.pdf && echo " by soffice"`,
		[]string{"%PDF-", "%PDF- by soffice"},
	},
	"browser": {
		`printf '<p id=a>x</p><script>a.textContent=6*7</script>' > t.html && HOME=$PWD chromium-headless-shell --no-sandbox --disable-gpu --dump-dom "file://$PWD/t.html" 2>/dev/null | grep -o '>42<'`,
		[]string{">42<"},
	},
}

// TestAddOns builds add-ons as ./scripts/pack would, and uses them in a guest: by
// default media, or those that PIWORK_TEST_ADDONS names ("all" is every one).
func TestAddOns(t *testing.T) {
	names := strings.Split(cmp.Or(os.Getenv("PIWORK_TEST_ADDONS"), "media"), ",")
	if slices.Contains(names, "all") {
		names = image.AddOns()
	}
	r, err := image.Build(t.Context(), image.Options{SourceDir: "../..", AddOns: names, Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.AddOns {
		name, ok := a.Header.AddOn()
		if !ok || a.Header.Layers[0].Base != r.Header.BaseRoot() || a.Header.Version != r.Header.Version {
			t.Errorf("%+v is no add-on of %s", a.Header.Layers, r.Header.Version)
		}
		t.Run(name, func(t *testing.T) { useAddOn(t, r, a, name) })
	}
}

func useAddOn(t *testing.T, base, addOn image.Result, name string) {
	v := base.Header.Layers[0].Verity
	layer := addOn.Header.Layers[0]
	m := guestvm.Boot(t, guestvm.Options{
		Pack: base.Dir, MemoryMB: 1536,
		CommandLine: fmt.Sprintf("piwork.verity=%s:%s:%d", v.RootHash, v.Salt, v.DataBlocks),
		Disks:       []guestvm.Disk{{Serial: "layer-0", File: filepath.Join(addOn.Dir, filepath.FromSlash(layer.Path))}},
	})
	guestvm.Call[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: wire.Version, App: "test"})
	guestvm.Call[wire.Empty](m, wire.MethodPrepare, wire.PrepareParams{
		UnixNano: time.Now().UnixNano(), Entropy: bytes.Repeat([]byte{7}, 64), Hostname: "workroom", TimeZone: "UTC",
		Layers: []wire.Layer{wireLayer(layer)},
	})
	check := addOnChecks[name]
	// Slow mode takes its time, a first start in particular.
	limits := wire.Limits{WallMS: 600_000, CPUMS: 600_000, MemoryMB: 1200, OutputBytes: 1 << 20}
	run := func(id, script string) string {
		r := guestvm.Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: id, Argv: []string{"bash", "-c", "cd $(mktemp -d) && " + script}, Limits: limits})
		if r.ExitCode != 0 || len(r.Stderr) > 0 {
			t.Errorf("%s: exit code %d: %s", id, r.ExitCode, r.Stderr)
		}
		return "\n" + string(r.Stdout)
	}
	out := run("works", check.script)
	for _, line := range check.want {
		if !strings.Contains(out, "\n"+line) {
			t.Errorf("no line that starts with %q in %s", line, out)
		}
	}
	if out := run("libraries", missingLibraries); strings.TrimSpace(out) != "" {
		t.Errorf("libraries are missing: %s", out)
	}
	if out := run("base", `magick -version | head -c 20; node -p 1+1; dpkg-query -W -f '${Status}' imagemagick`); !strings.Contains(out, "Version: ImageMagick") || !strings.Contains(out, "install ok installed") {
		t.Errorf("the base under it: %s", out)
	}
	guestvm.Call[wire.Empty](m, wire.MethodShutdown, nil)
	m.AwaitExit()
}

// wireLayer is what the guest is told about a layer on the first further disk.
func wireLayer(l pack.Layer) wire.Layer {
	return wire.Layer{Name: l.Name, Disk: "layer-0", RootHash: l.Verity.RootHash, Salt: l.Verity.Salt, DataBlocks: l.Verity.DataBlocks}
}
