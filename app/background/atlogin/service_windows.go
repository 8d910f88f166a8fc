package atlogin

import (
	"fmt"

	"golang.org/x/sys/windows"
)

func service(program, config string) (Service, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return Service{}, fmt.Errorf("ask who logs in: %w", err)
	}
	return scheduled(program, config, user.User.Sid.String()), nil
}
