package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"piwork/pack/lazyregexp"
)

// Target names another computer: a name of the person's SSH configuration, or its own.
type Target struct {
	User string // "" is as configured
	Host string
	Port int // 0 is as configured
}

var (
	userName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)
	hostName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$`)
)

// ErrTarget is that a text names no computer.
var ErrTarget = errors.New("that is not user@host or host")

// ParseTarget reads [user@]host[:port]. Nothing in it can be taken for an option.
func ParseTarget(s string) (Target, error) {
	var t Target
	host := s
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		t.User, host = s[:at], s[at+1:]
		if !userName().MatchString(t.User) {
			return Target{}, fmt.Errorf("%w: %q", ErrTarget, s)
		}
	}
	if name, port, err := net.SplitHostPort(host); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Target{}, fmt.Errorf("%w: %q", ErrTarget, s)
		}
		host, t.Port = name, int(n)
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if !hostName().MatchString(host) {
		return Target{}, fmt.Errorf("%w: %q", ErrTarget, s)
	}
	t.Host = host
	return t, nil
}

// String is what ParseTarget reads.
func (t Target) String() string {
	s := t.Host
	if t.Port > 0 {
		s = net.JoinHostPort(t.Host, strconv.Itoa(t.Port))
	}
	if t.User != "" {
		s = t.User + "@" + s
	}
	return s
}

// settings are what the person's configuration says of a computer.
type settings struct {
	address    string // to connect to
	name       string // in known_hosts
	nameBefore string // as keys of it were confirmed by earlier versions of this program; "" for none
	user       string
	keys       []string // files
	certs      []string // files with certificates of keys, besides those beside the keys
	onlyKeys   bool
	agent      string // its socket, "" for none
	knownHosts []string
	revoked    string // a file with keys that no computer has, "" for none
	jumps      []Target
}

// askTime bounds the person's ssh, which may run programs to find out (Match exec).
const askTime = 10 * time.Second

// maxSettings bounds what it says, in bytes.
const maxSettings = 1 << 20

// lookUp asks the person's ssh what a computer is. configFile is another configuration, for
// tests.
func lookUp(ctx context.Context, t Target, configFile string) (settings, error) {
	program, err := exec.LookPath("ssh")
	if err != nil {
		return settings{}, fmt.Errorf("the SSH configuration is read by the program ssh: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	args := []string{"-G", "-T"}
	if configFile != "" {
		args = append(args, "-F", configFile)
	}
	if t.Port > 0 {
		args = append(args, "-p", strconv.Itoa(t.Port))
	}
	if t.User != "" {
		args = append(args, "-l", t.User)
	}
	cmd := exec.CommandContext(ctx, program, append(args, "--", t.Host)...)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return settings{}, fmt.Errorf("ssh -G: %w: %.400s", err, said.Bytes())
	}
	if len(out) > maxSettings {
		return settings{}, errors.New("ssh -G says too much")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return settings{}, err
	}
	return readSettings(out, home, os.Getenv("SSH_AUTH_SOCK"))
}

// readSettings reads the answer of ssh -G.
func readSettings(out []byte, home, agent string) (settings, error) {
	s := settings{agent: agent}
	host, port, alias := "", "22", ""
	expand := func(name string) string {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name = filepath.Join(home, rest)
		}
		name = strings.NewReplacer("%%", "%", "%d", home, "%h", host, "%r", s.user).Replace(name)
		return os.Expand(name, func(v string) string { return os.Getenv(v) })
	}
	for in := bufio.NewScanner(bytes.NewReader(out)); in.Scan(); {
		key, value, _ := strings.Cut(strings.TrimSpace(in.Text()), " ")
		switch strings.ToLower(key) {
		case "hostname":
			host = value
		case "port":
			port = value
		case "user":
			s.user = value
		case "hostkeyalias":
			alias = value
		case "identityfile":
			s.keys = append(s.keys, value)
		case "certificatefile":
			s.certs = append(s.certs, value)
		case "revokedhostkeys":
			if value != "none" {
				s.revoked = value
			}
		case "identitiesonly":
			s.onlyKeys = value == "yes"
		case "identityagent":
			switch {
			case value == "none":
				s.agent = ""
			case value != "SSH_AUTH_SOCK":
				s.agent = expand(value)
			}
		case "userknownhostsfile", "globalknownhostsfile":
			s.knownHosts = append(s.knownHosts, strings.Fields(value)...)
		case "proxycommand":
			if value != "none" {
				return settings{}, errors.New("the SSH configuration has a ProxyCommand for this computer, which piwork does not run; a ProxyJump works")
			}
		case "proxyjump":
			if value == "none" {
				continue
			}
			for _, j := range strings.Split(value, ",") {
				t, err := ParseTarget(strings.TrimPrefix(strings.TrimSpace(j), "ssh://"))
				if err != nil {
					return settings{}, fmt.Errorf("ProxyJump: %w", err)
				}
				s.jumps = append(s.jumps, t)
			}
		}
	}
	if host == "" || s.user == "" {
		return settings{}, errors.New("ssh -G names no host or user")
	}
	s.address = net.JoinHostPort(host, port)
	s.name = s.address
	if alias != "" { // ssh looks for it without the port
		s.name, s.nameBefore = net.JoinHostPort(alias, "22"), net.JoinHostPort(alias, port)
	}
	s.revoked = expand(s.revoked)
	for _, list := range [][]string{s.keys, s.certs, s.knownHosts} {
		for i := range list {
			list[i] = expand(list[i])
		}
	}
	s.knownHosts = slices.DeleteFunc(s.knownHosts, func(f string) bool {
		info, err := os.Stat(f)
		return err != nil || !info.Mode().IsRegular()
	})
	return s, nil
}
