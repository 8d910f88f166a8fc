package keys

// Endpoint is what a provider's logins are made with. It is data: logins that
// were made elsewhere can only be renewed with the client they were made for.
type Endpoint struct {
	AuthorizeURL string
	FindURL      string // says where AuthorizeURL is, where that is not known before
	TokenURL     string
	ClientID     string
	RedirectURL  string // shows the code to the person, who pastes it; of [FlowLoopback] the one address that the provider takes, "" where it takes any
	Scopes       string
	Form         bool // tokens are asked for with a form (RFC 6749) in place of JSON
	Flow         Flow // of new logins
	DeviceFlow
	Key       bool                         // what comes of a login is a key that does not end
	Device    *Endpoint                    // makes logins by a device, where the usual ones are by a browser; they are renewed alike
	Registers bool                         // each login gets a client of its own, which the browser brings back
	Scope     string                       // that tokens have to be good for; "" does not look
	At        func(domain string) Endpoint // the same at a place of its own ([How]); nil: there is one only

	Params   map[string]string // of AuthorizeURL, besides the usual ones
	Always   map[string]string // of every question for tokens
	Account  bool              // tokens say whose they are, which requests repeat; see [Credential.Account]
	Header   map[string]string // of every question
	Exchange *Exchange         // nil: what comes of a login is sent as it is
}

// DeviceFlow is where logins of [FlowDevice] are made.
type DeviceFlow struct {
	DeviceURL string // of [FlowDevice]
	CodeURL   string // of [FlowDevice] with codes to exchange at TokenURL; see codexCode
	PageURL   string // with CodeURL, where the person types their code
}

// begins reports whether a login can be begun: others can only be renewed.
func (e Endpoint) begins() bool {
	return e.AuthorizeURL != "" || e.FindURL != "" || e.Flow == FlowDevice
}

// Endpoints has the providers whose logins can be made and renewed here, as pi
// makes them (dist/bundle/chunks of its package).
func Endpoints() map[string]Endpoint {
	return map[string]Endpoint{
		"anthropic": {
			AuthorizeURL: "https://claude.ai/oauth/authorize",
			TokenURL:     "https://platform.claude.com/v1/oauth/token",
			ClientID:     "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
			RedirectURL:  "https://platform.claude.com/oauth/code/callback",
			Scopes:       "org:create_api_key user:profile user:inference user:sessions:claude_code user:mcp_servers user:file_upload",
		},
		"github-copilot": copilot(""),
		"kimi-coding": {
			DeviceFlow: DeviceFlow{DeviceURL: "https://auth.kimi.com/api/oauth/device_authorization"},
			TokenURL:   "https://auth.kimi.com/api/oauth/token",
			ClientID:   "17e5f671-d194-4dfb-9706-5516cb48c098",
			Form:       true,
			Flow:       FlowDevice,
		},
		"meta":         meta(),
		"openai":       chatGPT(),
		"openai-codex": codex(),
		"openrouter": {
			AuthorizeURL: "https://openrouter.ai/auth",
			TokenURL:     "https://openrouter.ai/api/v1/auth/keys",
			Flow:         FlowLoopback,
			Key:          true,
		},
		"radius": radius(),
		"xai": {
			DeviceFlow: DeviceFlow{DeviceURL: "https://auth.x.ai/oauth2/device/code"},
			TokenURL:   "https://auth.x.ai/oauth2/token",
			ClientID:   "b1a00492-073a-47ea-816f-4c329264a828",
			Scopes:     "openid profile email offline_access grok-cli:access api:access",
			Form:       true,
			Flow:       FlowDevice,
		},
	}
}
