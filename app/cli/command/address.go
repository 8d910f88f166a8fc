package command

import (
	"errors"
	"net"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"piwork/app/api"
	"piwork/app/cli/flags"
)

// Address is where a command answers over HTTP; its zero value is nowhere.
type Address struct {
	HTTP      string
	Cert, Key string // PEM files of TLS; "" without
}

// Add gives a command the flags.
func (a *Address) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.HTTP, "http", "", "")
	f.StringVar(&a.Cert, "cert", "", "")
	f.StringVar(&a.Key, "key", "", "")
	cmd.MarkFlagsRequiredTogether("cert", "key")
}

// Check refuses a certificate for no address.
func (a Address) Check() error {
	if a.Cert != "" && a.HTTP == "" {
		return flags.Usage("together", "one", "--cert", "other", "--http")
	}
	return nil
}

// Listen opens the address: on loopback, or with TLS anywhere, which has the names of the
// certificate.
func (a Address) Listen() (ln net.Listener, names func(host string) error, err error) {
	if a.Cert != "" {
		return api.ListenTLS(a.HTTP, a.Cert, a.Key)
	}
	ln, err = api.ListenLoopback(a.HTTP)
	return ln, nil, err
}

// URL is that of a listener of Listen.
func (a Address) URL(ln net.Listener) string {
	if a.Cert != "" {
		return "https://" + ln.Addr().String()
	}
	return "http://" + ln.Addr().String()
}

// inUseOnWindows is EADDRINUSE there (WSAEADDRINUSE); no other system has the number.
const inUseOnWindows = syscall.Errno(10048)

// Refused says why Listen failed.
func (a Address) Refused(err error) error {
	switch {
	case errors.Is(err, api.ErrCertificate):
		return flags.Usage("http-certificate", "error", strings.TrimPrefix(err.Error(), api.ErrCertificate.Error()+": "))
	case errors.Is(err, api.ErrNotLoopback):
		return flags.Usage("http-network", "value", a.HTTP)
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, inUseOnWindows):
		return flags.Usage("http-in-use", "value", a.HTTP)
	}
	return flags.Usage("http-address", "value", a.HTTP, "error", err)
}
