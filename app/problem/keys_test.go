package problem

import (
	"slices"
	"testing"

	"piwork/app/gateway/keys"
)

// A wrong passphrase is typed again; one that is too short for a new file unlocks nothing.
func TestPassphrases(t *testing.T) {
	for err, want := range map[error]bool{keys.ErrPassphrase: true, keys.ErrShort: false} {
		p := From(err)
		if unlock := slices.ContainsFunc(p.Fix, func(f Fix) bool { return f.Code == FixUnlockKeys }); p.Code != CodePassphrase || unlock != want {
			t.Errorf("%v: %+v", err, p)
		}
	}
}
