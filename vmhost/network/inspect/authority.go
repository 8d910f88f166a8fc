package inspect

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Lasts is how long an authority and what it signed is valid.
const Lasts = 72 * time.Hour

const early = time.Hour // clocks of guests are a little wrong

// authority signs for the hosts of one task. Its key is in memory alone.
type authority struct {
	certificate []byte // PEM
	hosts       map[string]*tls.Certificate
	sign        func(host string) (*tls.Certificate, error)
}

// newAuthority makes one for hosts, and what they show.
func newAuthority(hosts []string, now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	root := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "piwork, for one task"},
		NotBefore: now.Add(-early), NotAfter: now.Add(Lasts),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		PermittedDNSDomainsCritical: true, PermittedDNSDomains: hosts,
		ExcludedIPRanges: []*net.IPNet{
			{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}, {IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)},
		},
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make the authority of a task: %w", err)
	}
	signer, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	a := &authority{certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), hosts: map[string]*tls.Certificate{}}
	a.sign = func(host string) (*tls.Certificate, error) { return leaf(host, signer, key) }
	for _, host := range hosts {
		if a.hosts[host], err = a.sign(host); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// leaf is what a host shows.
func leaf(host string, signer *x509.Certificate, by *ecdsa.PrivateKey) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := serialNumber()
	if err != nil {
		return nil, err
	}
	c := &x509.Certificate{
		SerialNumber: serial, DNSNames: []string{host}, NotBefore: signer.NotBefore, NotAfter: signer.NotAfter,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, signer, key.Public(), by)
	if err != nil {
		return nil, fmt.Errorf("sign for %s: %w", host, err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

func serialNumber() (*big.Int, error) {
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
}
