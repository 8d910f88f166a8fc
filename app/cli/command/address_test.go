package command_test

import (
	"net"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/cli/command"
)

// Whoever gives --http an address that can't be had hears which of its causes it is.
func TestHTTPAddressSaysWhy(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, row := range []struct {
		addr, says string
		tls        bool
	}{
		{taken.Addr().String(), "another program uses this address", true},
		{"0.0.0.0:0", "needs TLS. Add --cert FILE --key FILE, or use 127.0.0.1:0", true},
		{"0.0.0.0:0", "from other computers. Use 127.0.0.1:0", false},
		{"nowhere", "Write an address of this computer", true},
	} {
		ln, err := api.ListenLoopback(row.addr)
		if err == nil {
			ln.Close()
			t.Fatalf("%s: it can be had", row.addr)
		}
		if said := command.HTTPAddress(row.addr, row.tls, err).Error(); !strings.Contains(said, row.says) {
			t.Errorf("%s: %s", row.addr, said)
		}
	}
	_, _, err = api.ListenTLS(taken.Addr().String(), "none.pem", "none.pem")
	if said := command.HTTPAddress("", true, err).Error(); !strings.Contains(said, "--cert and --key can’t be used: open none.pem") {
		t.Error(said)
	}
}
