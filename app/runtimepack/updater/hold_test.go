package updater

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/problem"
)

// While it is held nothing changes, and everybody hears why; then it goes on.
func TestHold(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		k := r.open()
		defer k.Close()
		release, err := k.Hold(t.Context(), problem.New(problem.CodeMoving))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Install(t.Context(), s.packs["1.1.0"].File, nil); codeOf(err) != problem.CodeMoving {
			t.Errorf("an installation: %v", err)
		}
		if err := k.Remove(t.Context(), "1.0.0"); codeOf(err) != problem.CodeMoving {
			t.Errorf("a removal: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := k.Check(ctx); codeOf(err) != problem.CodeMoving {
			t.Errorf("a look: %v", err)
		}
		if st, err := k.Start(Request{}); codeOf(err) != problem.CodeMoving || st.Phase == PhaseChecking {
			t.Errorf("an update: %s, %v", st.Phase, err)
		}
		if _, err := k.Hold(t.Context(), nil); codeOf(err) != problem.CodeMoving {
			t.Errorf("held twice: %v", err)
		}
		release()
		if _, err := k.Install(t.Context(), s.packs["1.1.0"].File, nil); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
