package remote

import (
	"errors"
	"fmt"
	"net"
	"slices"

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
	pinned ssh.PublicKey // that a person confirmed for this address; nil for none
}

// newHostKeys reads known_hosts. pinned are the keys that a person confirmed, by address.
func newHostKeys(s settings, pinned map[string]string) (*hostKeys, error) {
	h := &hostKeys{name: s.name}
	var err error
	if h.known, err = knownhosts.New(s.knownHosts...); err != nil {
		return nil, fmt.Errorf("known hosts: %w", err)
	}
	if line := pinned[s.name]; line != "" {
		if h.pinned, _, _, _, err = ssh.ParseAuthorizedKey([]byte(line)); err != nil {
			return nil, fmt.Errorf("the key that was confirmed for %s: %w", s.name, err)
		}
	}
	return h, nil
}

// check implements ssh.HostKeyCallback.
func (h *hostKeys) check(_ string, remote net.Addr, key ssh.PublicKey) error {
	bad := &HostKeyError{Address: h.name, Key: string(ssh.MarshalAuthorizedKey(key)), Fingerprint: ssh.FingerprintSHA256(key)}
	err := h.known(h.name, nowhere{}, key)
	var unknown *knownhosts.KeyError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &unknown): // revoked, among others
		bad.Changed, bad.Where = true, err.Error()
		return bad
	case len(unknown.Want) > 0:
		bad.Changed, bad.Where = true, unknown.Want[0].Filename
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

// algorithms are those that a server is asked for: of keys that are known, so that it does
// not show another one of its keys. Nil is all.
func (h *hostKeys) algorithms() []string {
	var types []string
	var known *knownhosts.KeyError
	if err := h.known(h.name, nowhere{}, probe{}); errors.As(err, &known) {
		for _, k := range known.Want {
			types = append(types, k.Key.Type())
		}
	}
	if len(types) == 0 && h.pinned != nil {
		types = append(types, h.pinned.Type())
	}
	var all []string
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
