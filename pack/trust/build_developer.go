//go:build developer

package trust

// DeveloperBuild says that this program was built by and for developers (build
// tag "developer"). Only such a program reads the developer key ring without
// being asked in so many words.
const DeveloperBuild = true
