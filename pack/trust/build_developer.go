//go:build !release

package trust

import "embed"

// DeveloperBuild says that this program was built by and for developers: it trusts
// the developer key ring of the computer that it runs on. So does every program
// that is not built with the tag "release".
const DeveloperBuild = true

//go:embed keys
var embedded embed.FS
