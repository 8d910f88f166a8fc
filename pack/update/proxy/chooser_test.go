package proxy

import (
	"net/url"
	"testing"
)

// The settings are looked at when the first address is asked for, and hold for a while.
func TestChooser(t *testing.T) {
	clear(t)
	to := &url.URL{Scheme: "https", Host: "a.example:443"}
	t.Setenv("HTTPS_PROXY", "http://p.example:3128")
	var c Chooser
	for range 2 {
		if via, err := c.For(to); err != nil || via == nil || via.Host != "p.example:3128" {
			t.Errorf("%v %v", via, err)
		}
		t.Setenv("HTTPS_PROXY", "http://other.example:3128")
	}
	if via, err := (&Chooser{Setting: Direct}).For(to); via != nil || err != nil {
		t.Errorf("%v %v", via, err)
	}
	if via, err := (&Chooser{Setting: "ftp://p.example"}).For(to); err == nil {
		t.Errorf("an address that is none leads past the proxy: %v", via)
	}
}
