//go:build vm && linux

package image_test

import (
	"testing"

	"piwork/pack/guest/guestvm"
)

// TestGuestImage boots the pack's image and looks around in it.
func TestGuestImage(t *testing.T) {
	m := guestvm.Boot(t, guestvm.Options{})
	prepare(m)
	holdsPromises(t, m)
	shutdown(m)
}
