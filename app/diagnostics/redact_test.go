package diagnostics

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// anna is a redactor for Anna's computer, which remembers nothing yet. What must never
// be seen again is in canaries.
func anna() *Redactor {
	k := annas()
	return &Redactor{places: k.places, words: k.words, known: map[string]int{}, count: map[string]int{}}
}

// annas is made once: its patterns take longer to compile than a text to redact.
var annas = sync.OnceValue(func() *Redactor {
	return NewRedactor(Known{
		Places: []Place{
			{"data", "/home/anna/.local/share/piwork"}, {"config", "/home/anna/.config/piwork"}, {"home", "/home/anna"},
			{"data", `C:\Users\Anna Kühn\AppData\Local\piwork`}, {"data", "/Users/anna/Library/Application Support/piwork"},
		},
		Users: []string{"anna", "Anna Kühn"}, Hosts: []string{"kuehn-laptop.fritz.box"}, Names: []string{"Scheidung", "Tagebuch 2025"},
	})
})

var canaries = []string{"anna", "kühn", "kuehn", "CANARY", "canary", "scheidung", "tagebuch", "hunter2", "nas.private"}

// Each of these is somebody's attempt to get a secret or a name out.
var attacks = []string{
	// Keys and tokens, wherever they stand.
	"ANTHROPIC_API_KEY=sk-ant-CANARY0123456789abcdef",
	"key sk-ant-api03-CANARY_0123456789-abcdef is wrong",
	"Authorization: Bearer CANARYabc.def",
	`{"authorization":"Bearer CANARY"}`, `{\"x-api-key\": \"CANARY\"}`,
	"x-api-key: CANARY with blanks", "Cookie: a=CANARY; b=CANARY", "cookie=CANARY",
	"password: hunter2 hunter2", "the passphrase = hunter2", `"password" : "hunter\"2CANARY"`, "Passwort: hunter2",
	"--password hunter2", "--api-key=CANARY x", "curl -H 'authorization: token CANARY'",
	"token=CANARY&x=1", "access_token: 'CANARY CANARY'", "client_secret=CANARY", "X-Amz-Signature=CANARY",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJDQU5BUlkifQ.CANARYCANARY",
	"ghp_CANARY0123456789", "github_pat_CANARY_0123", "AKIACANARY1234567", "AIzaCANARY01234567890", "hf_CANARY0123", "xoxb-CANARY-1",
	"AGE-SECRET-KEY-1CANARY", "ya29.CANARY", "glpat-CANARY01", "gsk_CANARY01234",
	"-----BEGIN OPENSSH PRIVATE KEY-----\nCANARY\nCANARY\n-----END OPENSSH PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----\nCANARY",
	"aGVsbG8CANARYd29ybGQgMTIzNDU2Nzg5MA==", "deadbeefCANARY0123456789abcdef01",
	"sk-\x1b[31mCANARY0123456789", "sk\u200b-CANARY0123456789", "pass\u00adword: hunter2",
	// Addresses.
	"https://anna:hunter2@nas.private/x?token=CANARY", "http://nas.private:8080/CANARY", "ftp://CANARY@nas.private/", "socks5://u:hunter2@nas.private:1",
	"https://example.org/hooks/CANARY", "mailto:anna@nas.private", "anna@nas.private wrote", "ssh://git@nas.private/CANARY.git", `"https://nas.private/CANARY"`,
	// The environment.
	"HOME=/home/anna", "USER=anna", "LS_COLORS=canary one two", "env: [PATH=/home/anna/bin SSH_AUTH_SOCK=/tmp/CANARY]",
	// Paths, with everything that a name may hold.
	"open /home/anna/CANARY: no such file or directory", "open /home/anna/My CANARY Documents/tax canary: permission denied",
	"rename /home/anna/a: b CANARY", "could not open '/home/anna/Anna's CANARY/x canary'", `open "/home/anna/a \"CANARY\" canary"`,
	"/mnt/CANARY", "(/mnt/my (old) CANARY canary)", "at /media/usb/CANARY, and then canary", "dir=/srv/CANARY canary", "x:/opt/CANARY",
	`C:\Users\Anna Kühn\CANARY canary`, `c:/Users/CANARY canary`, `\\server\CANARY canary`, `\\?\C:\CANARY canary`, `"C:\\Users\\Anna Kühn\\CANARY"`,
	"~/CANARY canary", "~anna/CANARY", "file:///home/anna/CANARY%20canary", "file:/mnt/CANARY", "/Users/anna/Library/Application Support/piwork Kopie/CANARY",
	"/usr/../home/anna/CANARY", "/usr/lib/../../mnt/CANARY", "/proc/self/cwd/CANARY", "/proc/1/root/mnt/CANARY", "/dev/shm/CANARY", "/dev/disk/by-label/CANARY", "/run/media/anna/CANARY",
	"/folders/CANARY/x canary", "/work/out/CANARY", "//nas.private/CANARY", "[/mnt/CANARY canary]", "<ro>/mnt/CANARY",
	// The program's own directories, and what of the person lies in them.
	"/home/anna/.local/share/piwork/tasks/0192f5ac-0000-7000-8000-000000000000/results/CANARY canary", "/home/anna/.local/share/piwork-CANARY/x canary",
	"/home/anna/.local/share/piwork/CANARY", "/home/anna/.local/share/piwork/vm/x y/CANARY", `C:\Users\Anna Kühn\AppData\Local\piwork\tasks\CANARY canary`, `"c:\\users\\anna kühn\\appdata\\local\\piwork\\CANARY"`,
	"file:///Users/anna/Library/Application%20Support/piwork/tasks/CANARY", "/home/anna", "/home/anna/.config/piwork/vm/../../CANARY",
	// Names without a path.
	"converting Steuer CANARY 2025.pdf failed", "CANARY canary.docx: broken", "canary.JPG", "a canary.xlsx!", "canary.tar.gz",
	"Documents/CANARY canary", "read My Documents/canary", "Äpfel Canary/canary", `Bilder\CANARY canary`,
	"anna logged in", "host kuehn-laptop.fritz.box is up", "kuehn-laptop login:", "ANNA", "folder Scheidung is full", "Tagebuch 2025: nothing", "Kühn: Anna Kühn",
	// A program's arguments.
	`2026-01-02T03:04:05Z start ["/home/anna/CANARY canary","--password","hunter2","-drive","file=/mnt/my \"CANARY\" canary,if=none","token=CANARY"]`,
	`2026-01-02T03:04:05Z start ["a\u0062/home/anna/CANARY","https://u:hunter2@nas.private/\u0043ANARY"]`,
	`2026-01-02T03:04:05Z start ["/home/anna/CANARY`,
	// Bytes that hide.
	"/home/\x00anna/CANARY", "/ho\x1b[0mme/anna/CANARY", "/mnt/CANARY\u2028/mnt/canary", "\uE000\uE001/mnt/CANARY",
	"[/home/anna/CANARY]: denied",
}

func leaks(s string) string {
	lower := strings.ToLower(s)
	for _, c := range canaries {
		if strings.Contains(lower, strings.ToLower(c)) {
			return c
		}
	}
	return ""
}

func TestNothingLeaks(t *testing.T) {
	for _, a := range attacks {
		for _, wrap := range []string{"%s", "level=WARN msg=%s", "[    1.234] virtio: %s", "error: \"%s\"", "x\n%s\ny"} {
			in := strings.Replace(wrap, "%s", a, 1)
			out := anna().Text(in)
			if c := leaks(out); c != "" {
				t.Errorf("%q\n came out as %q (%s)", in, out, c)
			}
			tree, err := anna().JSON(map[string]any{"details": in, in: 1, "list": []string{in}, "apiKey": in})
			if err != nil {
				t.Fatal(err)
			}
			if c := leaks(tree); c != "" {
				t.Errorf("JSON: %q\n came out as %s (%s)", in, tree, c)
			}
		}
	}
}

// Anna's addresses that are no secret are told from those that are.
func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"listen on 127.0.0.1:80":         "listen on 127.0.0.1:80",
		"peer 203.0.113.7":               "peer <address>",
		"peer 203.0.113.7:443 is gone":   "peer <address> is gone",
		"peer [2001:db8::1]:443":         "peer <address>:443",
		"2001:db8::1%eth0":               "<address>",
		"mac 52:54:00:12:34:56":          "mac <address>",
		"at 12:34:56 version 9.2.0":      "at 12:34:56 version 9.2.0",
		"[    0.000000] BIOS-e820: [mem": "[    0.000000] BIOS-e820: [mem",
	} {
		if got := anna().Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// What helps to find a fault is still there.
func TestWhatStays(t *testing.T) {
	for in, want := range map[string]string{
		"open /home/anna/x y: no such file or directory":           "open <home>/<path-1>: no such file or directory",
		`level=ERROR error="open /mnt/a b: permission denied"`:     `level=ERROR error="open <path-1>: permission denied"`,
		"Could not access KVM kernel module: No such file":         "Could not access KVM kernel module: No such file",
		"open /dev/kvm: permission denied":                         "open /dev/kvm: permission denied",
		"/usr/lib/x86_64-linux-gnu/libc.so.6: version not found":   "/usr/lib/x86_64-linux-gnu/libc.so.6: version not found",
		"[    0.1] x86/fpu: Supporting XSAVE feature 0x001":        "[    0.1] x86/fpu: Supporting XSAVE feature 0x001",
		"I/O error, dev vda, sector 0":                             "I/O error, dev vda, sector 0",
		"exit status 1; 12 tasks, 3 of 4 done":                     "exit status 1; 12 tasks, 3 of 4 done",
		"log of 0192f5ac-0000-7000-8000-000000000000":              "log of 0192f5ac-0000-7000-8000-000000000000",
		"Linux version 6.12.48 (piwork) (gcc 14.2.0)":              "Linux version 6.12.48 (piwork) (gcc 14.2.0)",
		"/home/anna/.local/share/piwork/vm/qemu.log is full":       "<data>/vm/qemu.log is full",
		"-drive file=/home/anna/.local/share/piwork/runtime/1.0.0": "-drive file=<data>/runtime/1.0.0",
		`2026-01-02T03:04:05Z start ["/home/anna/.local/share/piwork/runtime/1.0.0/qemu/qemu-system","-m","2048","-drive","file=/mnt/x y,if=none","-smp","2"]`: `2026-01-02T03:04:05Z start ["<data>/runtime/1.0.0/qemu/qemu-system","-m","2048","-drive","file=<path-1>","-smp","2"]`,
		"BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable":                                                                                        "BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable",
		"/mnt/a: eof\n/mnt/b: eof\n/mnt/a: eof":                                                                                                                "<path-1>: eof\n<path-2>: eof\n<path-1>: eof",
	} {
		if got := anna().Text(in); got != want {
			t.Errorf("%q\n gives %q\n  want %q", in, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, a := range attacks {
		f.Add(a, "x: ")
	}
	f.Fuzz(func(t *testing.T, s, before string) {
		if out := anna().Text(before + s); !utf8.ValidString(out) || strings.ContainsFunc(out, func(c rune) bool { return c >= firstMark && c <= lastMark }) {
			t.Errorf("%q becomes %q", before+s, out)
		}
		// What stands in front of a line takes nothing of it out of the rules.
		line := strings.NewReplacer("\n", " ", "\r", " ").Replace(before)
		for _, secret := range []string{"sk-ant-CANARY0123456789", "/home/anna/CANARY canary", "https://u:hunter2@nas.private/CANARY", "password=hunter2 CANARY"} {
			if got := anna().Text(line + " " + secret); leaks(got) != "" && leaks(clean(line)) == "" {
				t.Errorf("%q after %q came out as %q", secret, line, got)
			}
		}
	})
}
