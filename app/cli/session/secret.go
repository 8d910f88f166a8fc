package session

import (
	"os"
	"strings"

	"github.com/zalando/go-keyring"

	"piwork/app/cli/flags"
	"piwork/app/sessions"
)

// KeychainService is under which name the keychain of this computer has secrets for
// sessions. piwork's own keys are under another one, and never get into a workroom.
const KeychainService = "piwork-secrets"

// Secrets finds what NAME=keychain:KEY and NAME=env:VAR stand for, here: neither an argument
// of a program nor a file has the value.
func Secrets(given []string) (map[string]sessions.Secret, error) {
	var out map[string]sessions.Secret
	for _, g := range given {
		name, ref, _ := strings.Cut(g, "=")
		from, key, ok := strings.Cut(ref, ":")
		if name == "" || !ok || key == "" {
			return nil, flags.Usage("env-secret", "value", name)
		}
		var value string
		switch from {
		case "env":
			if value, ok = os.LookupEnv(key); !ok {
				return nil, flags.Usage("env-secret-missing", "name", name, "key", key)
			}
		case "keychain":
			var err error
			if value, err = keyring.Get(KeychainService, key); err != nil {
				return nil, flags.Usage("env-secret-missing", "name", name, "key", key)
			}
		default:
			return nil, flags.Usage("env-secret", "value", name)
		}
		if out == nil {
			out = map[string]sessions.Secret{}
		}
		out[name] = sessions.Secret(value)
	}
	return out, nil
}
