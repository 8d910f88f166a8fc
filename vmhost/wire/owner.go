package wire

import "net/netip"

// Bounds of what a guest says about a process.
const (
	maxOwnerWords = 16
	maxOwnerWord  = 256 // bytes
)

// Connection is a TCP connection of the guest, as its own kernel has it.
type Connection struct {
	Local  string `json:"local"`  // "198.18.0.2:40000"
	Remote string `json:"remote"` // likewise
}

// Owner is the process whose a connection is. It is what the guest says: good for
// a word to a person, and for no decision. The zero value says that there is none.
type Owner struct {
	Exe  string   `json:"exe,omitempty"`  // what /proc/PID/exe leads to
	Name string   `json:"name,omitempty"` // /proc/PID/comm
	Args []string `json:"args,omitempty"` // the first of its command line, cut
}

// Validate implements the bounds of Connection.
func (c Connection) Validate() error {
	for _, end := range []struct{ field, address string }{{"local", c.Local}, {"remote", c.Remote}} {
		if a, err := netip.ParseAddrPort(end.address); err != nil || !a.Addr().Is4() || a.Port() == 0 {
			return invalid(end.field, "%.80q is no IPv4 address with a port", end.address)
		}
	}
	return nil
}

// Validate implements the bounds of Owner. Its words are any bytes.
func (o Owner) Validate() error {
	if err := firstError(within("exe", int64(len(o.Exe)), 0, maxOwnerWord), within("name", int64(len(o.Name)), 0, maxOwnerWord),
		within("args", int64(len(o.Args)), 0, maxOwnerWords)); err != nil {
		return err
	}
	for _, a := range o.Args {
		if err := within("args", int64(len(a)), 0, maxOwnerWord); err != nil {
			return err
		}
	}
	return nil
}

// Cut brings what a process has about itself within the bounds of Owner: the end
// of a path and the beginning of everything else.
func (o Owner) Cut() Owner {
	o.Exe = o.Exe[max(0, len(o.Exe)-maxOwnerWord):]
	o.Name = o.Name[:min(len(o.Name), maxOwnerWord)]
	o.Args = o.Args[:min(len(o.Args), maxOwnerWords)]
	for i, a := range o.Args {
		o.Args[i] = a[:min(len(a), maxOwnerWord)]
	}
	return o
}
