package api

import "net"

// checkPrivate relies on the access list that a directory inherits from the
// user's profile.
func checkPrivate(string) error { return nil }

// checkPeer relies on the same: Windows tells no credentials of AF_UNIX peers.
func checkPeer(*net.UnixConn) error { return nil }
