// Package webtool fetches pages from the host, for tasks whose machine has no
// network: what comes back is text, and nothing of it runs.
//
// Connections are made by a function that is given, which is where the policy and
// the questions are: every host that a page redirects to is a connection of its
// own. Nothing is sent but a GET without cookies, passwords and referrer, so that
// the address is all that leaves; who calls decides whether it may.
//
// What comes is hostile: its size, its time, the number of redirects and the text
// that is made of it are bounded.
package webtool
