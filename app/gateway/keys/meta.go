package keys

import (
	"encoding/json"
	"net/http"
	"time"
)

// metaLife is how long a key of Meta's subscription is used, as in pi: its answer does
// not say.
const metaLife = 24 * time.Hour

// meta is Meta's login, of which a key of the subscription is made every day.
func meta() Endpoint {
	return Endpoint{
		DeviceFlow: DeviceFlow{DeviceURL: "https://auth.meta.com/oidc/device/authorization/"},
		TokenURL:   "https://auth.meta.com/oidc/device/token/",
		ClientID:   "1031625952748946",
		Form:       true,
		Flow:       FlowDevice,
		Exchange: &Exchange{
			Method: http.MethodPost, URL: "https://api.meta.ai/muse-code/key", Body: "{}", Read: readMeta,
			Header: map[string]string{"Content-Type": "application/json", "X-Api-Version": "1.0.0"},
		},
	}
}

func readMeta(data []byte, now time.Time) (token string, ends time.Time, ok bool) {
	var a struct {
		Key string `json:"api_key"`
	}
	if json.Unmarshal(data, &a) != nil {
		return "", time.Time{}, false
	}
	return a.Key, now.Add(metaLife), true
}
