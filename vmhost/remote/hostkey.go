package remote

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"piwork/vmhost"
)

// HostKeyError is that a computer's key is not known, or is another than before.
type HostKeyError struct {
	Address     string
	Key         string // as in authorized_keys
	Fingerprint string
	Changed     bool
	Where       string // with Changed: what says so
}

func (e *HostKeyError) Error() string {
	if e.Changed {
		return fmt.Sprintf("the key of %s is now %s: %s says another one", e.Address, e.Fingerprint, e.Where)
	}
	return fmt.Sprintf("nobody has confirmed the key of %s, which is %s", e.Address, e.Fingerprint)
}

func (e *HostKeyError) reason() vmhost.Reason {
	if e.Changed {
		return vmhost.ReasonHostKeyChanged
	}
	return vmhost.ReasonHostKeyUnknown
}

// hostKeys are what is known of one computer.
type hostKeys struct {
	name   string // as in known_hosts, with its port
	known  ssh.HostKeyCallback
	lines  []knownLine   // where known has its keys from
	pinned ssh.PublicKey // that a person confirmed for this address; nil for none

	revoked     map[string]bool // keys that no computer has, as SSH sends them
	revokedFile string
}

// newHostKeys reads known_hosts. pinned are the keys that a person confirmed, by address.
func newHostKeys(s settings, pinned map[string]string) (*hostKeys, error) {
	h := &hostKeys{name: s.name}
	err := h.read(s.knownHosts)
	if err != nil {
		return nil, fmt.Errorf("known hosts: %w", err)
	}
	if err := h.readRevoked(s.revoked); err != nil {
		return nil, fmt.Errorf("RevokedHostKeys: %w", err)
	}
	if line := cmp.Or(pinned[s.name], pinned[s.nameBefore]); line != "" {
		if h.pinned, _, _, _, err = ssh.ParseAuthorizedKey([]byte(line)); err != nil {
			return nil, fmt.Errorf("the key that was confirmed for %s: %w", s.name, err)
		}
	}
	return h, nil
}

// knownLine is a line of a known_hosts.
type knownLine struct{ text, file string }

// marker is that of a line; "" for none.
func (l knownLine) marker() string {
	first, _, _ := strings.Cut(strings.ReplaceAll(strings.Trim(l.text, " \t"), "\t", " "), " ")
	return strings.TrimPrefix(first, "@")
}

// read reads known_hosts as one file, so that its lines can be looked up. As ssh does, it
// passes over those that it does not understand, which may be of a newer one.
func (h *hostKeys) read(files []string) error {
	tmp, err := os.CreateTemp("", "piwork-known-hosts-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for text := range strings.Lines(string(b)) {
			h.lines = append(h.lines, knownLine{strings.TrimRight(text, "\r\n"), file})
		}
	}
	parse := func(lines []knownLine) (ssh.HostKeyCallback, error) {
		var all strings.Builder
		for _, l := range lines {
			all.WriteString(l.text + "\n")
		}
		if err := os.WriteFile(tmp.Name(), []byte(all.String()), 0o600); err != nil {
			return nil, err
		}
		return knownhosts.New(tmp.Name())
	}
	var drop func(lines []knownLine) error // those that cannot be read
	drop = func(lines []knownLine) error {
		_, err := parse(lines)
		switch half := len(lines) / 2; {
		case err == nil:
			return nil
		case half > 0:
			return errors.Join(drop(lines[:half]), drop(lines[half:]))
		case lines[0].marker() == "revoked": // which key that is nobody knows
			return fmt.Errorf("%s: %.200q: %w", lines[0].file, lines[0].text, err)
		}
		lines[0].text = ""
		return nil
	}
	if err := drop(h.lines); err != nil {
		return err
	}
	h.known, err = parse(h.lines)
	return err
}

// readRevoked reads a file of RevokedHostKeys: a key in each line. As with ssh, one that cannot
// be read lets nobody be connected to; here that goes for the other form, too (KRL).
func (h *hostKeys) readRevoked(file string) error {
	if file == "" {
		return nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	h.revoked, h.revokedFile = map[string]bool{}, file
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		k, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
		if err != nil {
			return fmt.Errorf("%s: piwork reads public keys, one in each line: %.80q: %w", file, line, err)
		}
		h.revoked[string(k.Marshal())] = true
	}
	return nil
}

// isRevoked reports whether a key is, or what its certificate is of.
func (h *hostKeys) isRevoked(key ssh.PublicKey) bool {
	if cert, ok := key.(*ssh.Certificate); ok && (h.isRevoked(cert.Key) || h.isRevoked(cert.SignatureKey)) {
		return true
	}
	return h.revoked[string(key.Marshal())]
}

// own are the keys of the host itself among those that are known: what a line says of an
// authority is about certificates alone.
func (h *hostKeys) own(known []knownhosts.KnownKey) []knownhosts.KnownKey {
	return slices.DeleteFunc(slices.Clone(known), func(k knownhosts.KnownKey) bool {
		return h.lines[k.Line-1].marker() == "cert-authority"
	})
}

// check implements ssh.HostKeyCallback.
func (h *hostKeys) check(_ string, remote net.Addr, key ssh.PublicKey) error {
	bad := &HostKeyError{Address: h.name, Key: string(ssh.MarshalAuthorizedKey(key)), Fingerprint: ssh.FingerprintSHA256(key)}
	if h.isRevoked(key) {
		bad.Changed, bad.Where = true, h.revokedFile+" (RevokedHostKeys)"
		return bad
	}
	err := h.known(h.name, nowhere{}, key)
	if cert, ok := key.(*ssh.Certificate); ok && err != nil {
		var revoked *knownhosts.RevokedError
		if err = h.known(h.name, nowhere{}, cert.SignatureKey); !errors.As(err, &revoked) {
			return h.check("", nil, cert.Key) // as with ssh, a certificate of nobody who is known is the key in it
		}
	}
	var unknown *knownhosts.KeyError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &unknown): // revoked, among others
		bad.Changed, bad.Where = true, err.Error()
		return bad
	}
	own := h.own(unknown.Want)
	switch {
	case len(own) > 0:
		bad.Changed, bad.Where = true, h.lines[own[0].Line-1].file
		return bad
	case h.pinned == nil:
		return bad
	case string(h.pinned.Marshal()) == string(key.Marshal()):
		return nil
	}
	bad.Changed, bad.Where = true, "what was confirmed here"
	return bad
}

// nowhere is the address of who is known by name alone.
type nowhere struct{}

func (nowhere) Network() string { return "tcp" }
func (nowhere) String() string  { return "0.0.0.0:0" }

// certificates are their algorithms; the type of its authority's key says nothing of a host's.
var certificates = []string{ssh.CertAlgoED25519v01, ssh.CertAlgoECDSA256v01, ssh.CertAlgoECDSA384v01, ssh.CertAlgoECDSA521v01, ssh.CertAlgoRSASHA512v01, ssh.CertAlgoRSASHA256v01}

// algorithms are those that a server is asked for: of keys that are known, so that it does
// not show another one of its keys, and before them certificates, where an authority is. Nil
// is all.
func (h *hostKeys) algorithms() []string {
	var types, all []string
	var known *knownhosts.KeyError
	if err := h.known(h.name, nowhere{}, probe{}); errors.As(err, &known) {
		for _, k := range h.own(known.Want) {
			types = append(types, k.Key.Type())
		}
	}
	if len(types) == 0 && h.pinned != nil {
		types = append(types, h.pinned.Type())
	}
	if known != nil && len(types) > 0 && len(h.own(known.Want)) < len(known.Want) {
		all = slices.Clone(certificates)
	}
	for _, t := range types {
		list := []string{t}
		if t == ssh.KeyAlgoRSA {
			list = []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
		}
		for _, a := range list {
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all
}

// probe is a key that nobody has.
type probe struct{}

func (probe) Type() string                        { return "none" }
func (probe) Marshal() []byte                     { return []byte("none") }
func (probe) Verify([]byte, *ssh.Signature) error { return errors.New("it is none") }

// Pin is what Config.HostKeys has for a key that a person confirmed.
func (e *HostKeyError) Pin() (address, key string) { return e.Address, e.Key }
