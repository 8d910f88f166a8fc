package keys

import (
	"context"
	"slices"
	"strings"
)

// Variables of the environment.
const (
	VarMode    = "PIWORK_AUTH_MODE"    // "env": keys of the environment come first
	VarPath    = "PIWORK_AUTH_PATH"    // an auth.json to copy logins and keys from
	VarCopy    = "PIWORK_COPY_AUTH"    // "1": copy from the usual places
	VarProfile = "PIWORK_AUTH_PROFILE" // name of the profile, "default" without it
)

// variable is one that holds a key. Of several of one provider the first that is
// set holds.
type variable struct {
	name, provider string
	kind           Kind
}

var variables = []variable{
	{"ANTHROPIC_OAUTH_TOKEN", "anthropic", KindOAuth},
	{"ANTHROPIC_API_KEY", "anthropic", KindKey},
	{"OPENAI_API_KEY", "openai", KindKey},
	{"OPENROUTER_API_KEY", "openrouter", KindKey},
	{"GEMINI_API_KEY", "google", KindKey},
	{"GROQ_API_KEY", "groq", KindKey},
	{"CEREBRAS_API_KEY", "cerebras", KindKey},
	{"XAI_API_KEY", "xai", KindKey},
	{"DEEPSEEK_API_KEY", "deepseek", KindKey},
	{"TOGETHER_API_KEY", "together", KindKey},
	{"KIMI_API_KEY", "kimi-coding", KindKey},
	{"META_API_KEY", "meta", KindKey},
	{"MOONSHOT_API_KEY", "moonshotai", KindKey},
	{"NVIDIA_API_KEY", "nvidia", KindKey},
	{"RADIUS_API_KEY", "radius", KindKey},
	{"HF_TOKEN", "huggingface", KindKey},
}

// Env reads keys from an environment, and never writes.
type Env struct {
	Getenv func(string) string // os.Getenv
}

func (e Env) find(provider string) (Credential, string, error) {
	for _, v := range variables {
		if v.provider != provider {
			continue
		}
		s := NewSecret(strings.TrimSpace(e.Getenv(v.name)))
		if s.IsZero() {
			continue
		}
		c := Credential{Provider: provider, Kind: v.kind}
		if v.kind == KindOAuth {
			c.Access = s
		} else {
			c.Key = s
		}
		return c, v.name, c.Check()
	}
	return Credential{}, "", ErrNotFound
}

// Get implements [Store].
func (e Env) Get(_ context.Context, provider string) (Credential, error) {
	c, _, err := e.find(provider)
	if err != nil {
		return Credential{}, err
	}
	return c, nil
}

// Set implements [Store]: it is always [ErrReadOnly].
func (Env) Set(context.Context, Credential) error { return ErrReadOnly }

// Delete implements [Store]: it is always [ErrReadOnly].
func (Env) Delete(context.Context, string) error { return ErrReadOnly }

// List implements [Store]. A variable that holds no key is left out.
func (e Env) List(context.Context) ([]Info, error) {
	var all []Info
	for _, v := range variables {
		if slices.ContainsFunc(all, func(i Info) bool { return i.Provider == v.provider }) {
			continue
		}
		if c, name, err := e.find(v.provider); err == nil {
			i := c.Info(WhereEnvironment)
			i.Variable = name
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Provider, b.Provider) })
	return all, nil
}
