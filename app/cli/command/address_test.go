package command_test

import (
	"net"
	"strings"
	"testing"

	"piwork/app/cli/command"
)

// Whoever gives --http an address that can't be had hears which of its causes it is.
func TestAddressSaysWhyItIsRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for says, a := range map[string]command.Address{
		"another program uses this address":                       {HTTP: taken.Addr().String()},
		"needs TLS. Add --cert FILE --key FILE, or use 127.0.0.1": {HTTP: "0.0.0.0:0"},
		"Write an address of this computer":                       {HTTP: "nowhere"},
		"--cert and --key can’t be used: open none.pem":           {HTTP: taken.Addr().String(), Cert: "none.pem", Key: "none.pem"},
	} {
		ln, _, err := a.Listen()
		if err == nil {
			ln.Close()
			t.Fatalf("%+v: it can be had", a)
		}
		if said := a.Refused(err).Error(); !strings.Contains(said, says) {
			t.Errorf("%+v: %s", a, said)
		}
	}
}
