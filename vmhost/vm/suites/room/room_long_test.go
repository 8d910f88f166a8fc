//go:build long && linux

package room_test

import (
	"testing"

	"piwork/vmhost/vm/suites/room"
)

func TestImage(t *testing.T) {
	file, _, err := room.Image(t.Context(), ".", false, t.Logf)
	t.Log(file, err)
	if err != nil {
		t.Fatal(err)
	}
}
