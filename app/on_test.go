//go:build linux

package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app"
	"piwork/app/settings"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/remote/sshtest"
)

// other is a computer on which piwork is installed, with a controller and folders of its own,
// as OpenSSH's server lets a person in; here is one that knows it as lab.
func other(t *testing.T, made func(*testing.T) *computer) (s *sshtest.Server, there, here *computer) {
	s = sshtest.Start(t)
	there, here = made(t), standIns(t)
	here.env = append(here.env, "SSH_AUTH_SOCK="+s.Agent, "PIWORK_TEST_SECRET=of-here", "ANTHROPIC_API_KEY=of-here")
	script := "#!/bin/sh\nenv >>\"$HOME/env\"\n"
	for _, v := range there.env {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "PIWORK_") || name == "LC_ALL" || name == "DBUS_SESSION_BUS_ADDRESS" {
			script += "export " + name + "='" + value + "'\n"
		}
	}
	bin := filepath.Join(s.Home, ".local", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Abs(there.program)
	if err == nil {
		err = os.WriteFile(filepath.Join(bin, "piwork"), []byte(script+"exec '"+program+"' \"$@\"\n"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	here.does("remote", "add", "lab", s.Address, "--key", s.Fingerprint)
	return s, there, here
}

// atWork is a computer whose machines come to an end.
func atWork(t *testing.T) *computer {
	c := standIns(t)
	c.stall(false)
	return c
}

// does runs a command, which has to end well.
func (c *computer) does(args ...string) string {
	c.Helper()
	code, said := c.run(args...)
	if code != 0 {
		c.Fatalf("%q: %d: %s", args, code, said)
	}
	return said
}

// newest is the newest task that a command line lists.
func (c *computer) newest(args ...string) string {
	c.Helper()
	cmd := c.command(append(args, "task", "list", "--json")...)
	out, err := cmd.Output()
	var all []struct{ ID string }
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil || len(all) == 0 {
		c.Fatalf("%v: %s", err, out)
	}
	return all[0].ID
}

// scansThere are files in the home of the other computer.
func scansThere(t *testing.T, s *sshtest.Server) (folder string, files int) {
	t.Helper()
	folder, err := os.MkdirTemp(s.Home, "Scans")
	if err != nil {
		t.Fatal(err)
	}
	app.Scans(t, folder)
	return folder, len(app.FilesOf(t, folder))
}

// A chore on a folder of another computer is done by the piwork there, with its journal: it is
// listed and undone from here, exported to here, and nothing of it is here.
func TestOnAnotherComputer(t *testing.T) {
	tier.Unraced(t)
	s, there, here := other(t, atWork)
	folder, before := scansThere(t, s)
	name := "~/" + filepath.Base(folder)
	if said := here.does("remote", "list"); !strings.Contains(said, "piwork 0.0.0 is installed there ("+s.Home+"/.local/bin/piwork)") {
		t.Errorf("%s", said)
	}
	said := here.does("--on", "lab", "run", "compress-pdf", "--set", "recursive=true", "--folder", name, "--yes")
	if n := len(app.FilesOf(t, folder)); n != before+4 || !strings.Contains(said, "piwork --on lab task undo") {
		t.Fatalf("%d files of %d: %s", n, before, said)
	}
	id := here.newest("--on", "lab")
	if there.newest() != id {
		t.Error("it is another task there")
	}
	if said := here.does("task", "list"); strings.Contains(said, id[:8]) {
		t.Errorf("the task is here: %s", said)
	}
	if said := here.does("--on", "lab", "task", "changes", id); strings.Count(said, ".pdf") < 4 {
		t.Errorf("changes: %s", said)
	}
	here.does("--on", "lab", "task", "undo", id, "--yes")
	if n := len(app.FilesOf(t, folder)); n != before {
		t.Errorf("undo leaves %d files of %d", n, before)
	}
	zip := filepath.Join(t.TempDir(), "task.zip")
	here.does("--on", "lab", "task", "export", id, "--out", zip)
	if data, err := os.ReadFile(zip); err != nil || !bytes.HasPrefix(data, []byte("PK")) {
		t.Errorf("export: %d bytes, %v", len(data), err)
	}
	here.does("--on", "lab", "audit", "verify")
	if said := here.does("--on", "lab", "status"); !strings.Contains(said, "0.0.0") {
		t.Errorf("status: %s", said)
	}
	if env, err := os.ReadFile(filepath.Join(s.Home, "env")); err != nil || bytes.Contains(env, []byte("of-here")) || bytes.Contains(env, []byte("SSH_AUTH_SOCK")) || bytes.Contains(env, []byte(here.base)) {
		t.Errorf("of this computer is there: %s %v", env, err)
	}
}

// A connection that is lost comes again, and the task, which went on, is followed to its end.
// One whose command line is killed goes on as well.
func TestConnectionToAnotherComputerIsLost(t *testing.T) {
	tier.Unraced(t)
	s, there, here := other(t, atWork)
	for _, killed := range []bool{false, true} {
		folder, before := scansThere(t, s)
		there.stall(true)
		cmd := here.command("--on", "lab", "run", "compress-pdf", "--set", "recursive=true", "--folder", "~/"+filepath.Base(folder), "--yes")
		output, err := os.Create(filepath.Join(t.TempDir(), "output"))
		if err != nil {
			t.Fatal(err)
		}
		defer output.Close()
		said := func() string { data, _ := os.ReadFile(output.Name()); return string(data) }
		cmd.Stdout, cmd.Stderr = output, output
		here.start(cmd)
		there.await("the command line knows of its task", func() bool { return strings.Contains(said(), "Plan:") })
		there.await("a chore is half done", func() bool { return app.HalfDone(t, folder, before) })
		if killed {
			_ = cmd.Process.Kill()
		} else {
			s.Cut()
		}
		if cl, _ := there.running(); killed {
			there.await("nobody asks any more", func() bool { ps, err := cl.ProcessStatus(t.Context()); return err == nil && ps.Clients == 0 })
		}
		there.stall(false)
		err = cmd.Wait()
		there.await("the chore is done", func() bool { return len(app.FilesOf(t, folder)) == before+4 })
		if !killed && (err != nil || !strings.Contains(said(), "The connection to lab is lost")) {
			t.Errorf("%v: %s", err, said())
		}
	}
}

// A computer whose key has changed, one without piwork, and one whose piwork does not start are
// told apart.
func TestAnotherComputerFails(t *testing.T) {
	tier.Unraced(t)
	s, _, here := other(t, atWork)
	program := filepath.Join(s.Home, ".local", "bin", "piwork")
	version := `[ "$1" = version ] && { echo '{"version":"0.0.1"}'; exit; }; `
	for text, title := range map[string]string{
		version + "echo unknown command >&2; exit 2":     "too old for this one",
		version + `printf 'no data\033[31m' >&2; exit 1`: "doesn’t start",
		"exit 1": "doesn’t start",
	} {
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if code, said := here.run("--on", "lab", "task", "list"); code == 0 || !strings.Contains(said, title) || strings.Contains(said, "\x1b") {
			t.Errorf("%q: %d %s", text, code, said)
		}
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if code, said := here.run("--on", "lab", "task", "list"); code == 0 || !strings.Contains(said, "No piwork was found on lab") {
		t.Errorf("none: %d %s", code, said)
	}
	config := filepath.Join(here.ConfigDir, settings.ConfigName)
	here.does("serve", "--stop")
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "ssh-ed25519 ")
	key, _, _ := strings.Cut(rest, `"`)
	changed := strings.Replace(string(data), key, "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl", 1)
	if err := os.WriteFile(config, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := here.run("--on", "lab", "task", "list"); code == 0 || !strings.Contains(said, "key has changed") {
		t.Errorf("another key: %d %s", code, said)
	}
}
