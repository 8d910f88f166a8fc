package command

import (
	"errors"
	"strings"
	"syscall"

	"piwork/app/api"
	"piwork/app/cli/flags"
)

// inUseOnWindows is EADDRINUSE there (WSAEADDRINUSE); no other system has the number.
const inUseOnWindows = syscall.Errno(10048)

// HTTPAddress says why --http can't have its address; tls tells whether the command can have
// a certificate.
func HTTPAddress(addr string, tls bool, err error) error {
	switch {
	case errors.Is(err, api.ErrCertificate):
		return flags.Usage("http-certificate", "error", strings.TrimPrefix(err.Error(), api.ErrCertificate.Error()+": "))
	case errors.Is(err, api.ErrNotLoopback):
		return flags.Usage("http-network", "value", addr, "tls", tls)
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, inUseOnWindows):
		return flags.Usage("http-in-use", "value", addr)
	}
	return flags.Usage("http-address", "value", addr, "error", err)
}
