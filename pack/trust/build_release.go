//go:build release

package trust

import "embed"

// DeveloperBuild says that this program was built by and for developers. This one
// is a release: it trusts what is compiled in, and nothing of the computer that it
// runs on.
const DeveloperBuild = false

// A release without a root of trust, or without an address to get updates from,
// could never be updated: it does not compile.
//
//go:embed keys keys/root.json keys/channel
var embedded embed.FS
