package cli

import (
	"fmt"
	"strings"
	"testing"

	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
)

// Without a keychain, the error itself says what keeps keys instead.
func TestMissingKeychainOffersFile(t *testing.T) {
	for _, err := range []error{keys.ErrNoKeychain, keys.ErrTooLong} {
		p := problem.From(fmt.Errorf("keep the key: %w", err))
		terminal.Texts().Problem(p)
		if got := strings.Join(wording.NextSteps(*p), "\n"); !strings.Contains(got, "piwork key store file") {
			t.Errorf("%v: the next steps are %q", err, got)
		}
	}
	p := problem.From(keys.ErrDamaged)
	terminal.Texts().Problem(p)
	if got := strings.Join(wording.NextSteps(*p), "\n"); strings.Contains(got, "key store file") {
		t.Errorf("a damaged place is moved away from: %q", got)
	}
}
