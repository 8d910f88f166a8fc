//go:build !linux && !darwin && !windows

package atlogin

func service(string, string) (Service, error) { return Service{}, ErrNone }
