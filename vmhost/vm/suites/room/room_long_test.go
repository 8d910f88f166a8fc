//go:build long && linux

package room_test

import (
	"testing"

	"piwork/vmhost/vm/suites/room"
)

func TestImage(t *testing.T) {
	file, changed, err := room.Image(t.Context(), ".", t.Logf)
	t.Log(file, changed, err)
	if err != nil {
		t.Fatal(err)
	}
}
