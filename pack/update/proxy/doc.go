// Package proxy finds out through which proxy this computer reaches the web.
//
// Three places can say so, and the first that names a proxy decides: what the
// person set in piwork, the environment (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, in
// capitals or small letters), the operating system (GNOME's and KDE's settings
// on Linux, WinHTTP on Windows, scutil on macOS). NO_PROXY holds with all of
// them. This computer itself is never reached through a proxy.
//
// A proxy script (PAC) would have to be run, which is not supported: the address
// of the script is reported, so that a failure can name it. Nothing is guessed
// from it.
//
// The rules of NO_PROXY are golang.org/x/net's httpproxy. What systems say stays ours:
// mattn/go-ieproxy (v0.0.12) knows Windows and, with cgo, macOS, but no desktop of
// Linux; rapid7/go-get-proxied does not resolve.
//
// What a desktop says is read with its own tool or file, each in a function of
// its own that parses text and runs everywhere.
package proxy
