package bootid

import (
	"errors"
	"strconv"

	"golang.org/x/sys/windows/registry"
)

// ID identifies this boot of the computer: Windows counts them.
func ID() (id string, err error) {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE,
		`SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters`, registry.QUERY_VALUE)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	n, _, err := k.GetIntegerValue("BootId")
	return strconv.FormatUint(n, 10), err
}
