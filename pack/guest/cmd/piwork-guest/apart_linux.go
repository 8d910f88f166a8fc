package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// Bounds of the look at a network.
const (
	apartTime    = 2 * time.Second // for each that is tried
	apartServers = 8
)

// apartServer has only the API server be tried.
const apartServer = "server"

// runApart tells whether a place has no network: by trying to reach, all at once, what every
// Pod of a cluster could, its API server and its name servers. It ends with 0 when nobody is
// reached, and else says who. With "server" it may reach name servers, and tries the API
// server alone.
func runApart(args []string) int {
	if len(args) > 1 || len(args) == 1 && args[0] != apartServer {
		fmt.Fprintln(os.Stderr, "piwork-guest: usage: apart ["+apartServer+"]")
		return 2
	}
	names := ""
	if len(args) == 0 {
		b, _ := os.ReadFile("/etc/resolv.conf")
		names = string(b)
	}
	all := nameServers(names)
	if host := os.Getenv("KUBERNETES_SERVICE_HOST"); host != "" {
		all = append(all, net.JoinHostPort(host, os.Getenv("KUBERNETES_SERVICE_PORT")))
	}
	if len(all) == 0 {
		fmt.Fprintln(os.Stderr, "piwork-guest: nobody knows what could be reached")
		return 1
	}
	reached := make(chan string, len(all))
	for _, address := range all {
		go func() {
			c, err := net.DialTimeout("tcp", address, apartTime) //nolint:noctx // it ends with this process
			if err != nil {
				address = ""
			} else {
				c.Close()
			}
			reached <- address
		}()
	}
	for range all {
		if address := <-reached; address != "" {
			fmt.Fprintln(os.Stderr, "piwork-guest: reached", address)
			return 1
		}
	}
	return 0
}

// nameServers are those of a resolv.conf.
func nameServers(conf string) (all []string) {
	for line := range strings.Lines(conf) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "nameserver" && len(all) < apartServers {
			all = append(all, net.JoinHostPort(f[1], "53"))
		}
	}
	return all
}
