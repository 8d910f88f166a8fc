package webtool

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// SearchAddress makes the address of a server that searches normal: https, or http
// to one that a person runs, without user, query and fragment. It ends in a slash.
func SearchAddress(address string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", errors.New("no address")
	}
	if err := check(u); err != nil {
		return "", fmt.Errorf("address of a search: %w", err)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("address of a search: it has a query")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/search") + "/"
	return u.String(), nil
}
