package cli

// channelWords say in what way an update channel was refused; by the kinds of
// pack/trust/channel.
var channelWords = map[string]string{
	"expired":       "What the update channel says has ended: it was not renewed in time, or this computer's clock is wrong.",
	"rollback":      "The update channel offers something older than what was seen before.",
	"bad-signature": "What the update channel says is not signed by those who may.",
	"malformed":     "What the update channel says cannot be read.",
	"wrong-content": "The update channel holds other files than were signed.",
	"too-large":     "The update channel sent more than is allowed.",
	"missing":       "A file that the update channel names is not there.",
}

// transferWords say why something could not be fetched; by the codes of
// pack/update, and two more.
var transferWords = map[string]string{
	"unreachable":       "{host} does not answer. | The place where updates come from does not answer.",
	"stale":             "The place where updates come from did not answer for so long that what is known of it has ended.",
	"nothing-known":     "Nothing is known of the update channel yet.",
	"incomplete":        "Something is missing in the download still.",
	"no-index":          "This version is of an old form that cannot be downloaded in parts.",
	"bad-address":       "An address that is set for updates, or for the proxy, cannot be read.",
	"password":          "An address must not hold a password ({address}): settings are kept as plain text. The password comes from the system, or from HTTPS_PROXY. | An address must not hold a password.",
	"bad-ca":            "The file of further certificate authorities cannot be used.",
	"disk":              "What was downloaded cannot be written to the disk.",
	"proxy-auth":        "The proxy {proxy} wants another name and password. | The proxy wants another name and password.",
	"proxy-auth-kind":   "The proxy {proxy} wants a way to sign in that piwork does not know: {kinds}. | The proxy wants a way to sign in that piwork does not know.",
	"proxy-unreachable": "The proxy {proxy} does not answer. | The proxy does not answer.",
	"proxy-refused":     "The proxy {proxy} does not let piwork reach {host}. | The proxy does not let piwork reach the server.",
	"proxy-script":      "This computer finds its proxy by a script ({script}), which piwork cannot follow. | This computer finds its proxy by a script, which piwork cannot follow.",
	"tls-untrusted":     "The certificate of {host} is by an authority that is not trusted here: {issuer}. | The certificate of the server is by an authority that is not trusted here.",
	"tls-invalid":       "The certificate of {host} is for another name or another time. | The certificate of the server is for another name or another time.",
	"captive-portal":    "The network answered with a page of its own: it wants you to sign in.",
	"bad-answer":        "{host} gave an answer that makes no sense. | The server gave an answer that makes no sense.",
	"redirect":          "{host} sends on to a place that is not safe, or in circles. | The server sends on to a place that is not safe, or in circles.",
	"denied":            "{host} does not hand the file out. | The server does not hand the file out.",
	"not-found":         "{host} does not have the file. | The server does not have the file.",
	"server-error":      "{host} is overloaded or broken right now. | The server is overloaded or broken right now.",
	"stalled":           "The download came to a standstill.",
	"interrupted":       "The connection broke off again and again.",
	"offline":           "This computer has no connection to the internet.",
}
