package problem

import (
	"cmp"
	"errors"

	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/update"
)

// transferCodes are the codes of pack/update: the problem that each is when a
// download fails, and what helps, best first. The cause of the problem is the
// code itself.
var transferCodes = map[update.Code]remedy{
	update.CodeNoMirror:         {CodeUpdateOff, []string{FixUpdateSettings, FixInstallPack}},
	update.CodeBadAddress:       {CodeUpdateSettings, []string{FixUpdateSettings}},
	update.CodeBadCA:            {CodeUpdateSettings, []string{FixUpdateSettings}},
	update.CodeDiskFull:         {CodeDiskFull, []string{FixFreeSpace, FixUpdateNow}},
	update.CodeDisk:             {CodeDownloadFailed, []string{FixFolderRights, FixUpdateNow, FixShowDetails}},
	update.CodeProxyAuth:        {CodeDownloadFailed, []string{FixUpdateSettings, FixUpdateNow}},
	update.CodeProxyAuthKind:    {CodeDownloadFailed, []string{FixUpdateSettings, FixInstallPack}},
	update.CodeProxyUnreachable: {CodeDownloadFailed, []string{FixUpdateSettings, FixUpdateNow}},
	update.CodeProxyRefused:     {CodeDownloadFailed, []string{FixUpdateSettings, FixInstallPack}},
	update.CodeProxyScript:      {CodeDownloadFailed, []string{FixUpdateSettings, FixInstallPack}},
	update.CodeTLSUntrusted:     {CodeDownloadFailed, []string{FixUpdateSettings, FixShowDetails}},
	update.CodeTLSInvalid:       {CodeDownloadFailed, []string{FixCheckClock, FixUpdateNow, FixShowDetails}},
	update.CodeCaptivePortal:    {CodeDownloadFailed, []string{FixNetworkSignIn, FixUpdateNow}},
	update.CodeChanged:          {CodeDownloadInvalid, []string{FixUpdateNow, FixShowDetails}},
	update.CodeWrongContent:     {CodeDownloadInvalid, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	update.CodeTooLarge:         {CodeDownloadInvalid, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	update.CodeBadAnswer:        {CodeDownloadFailed, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	update.CodeRedirect:         {CodeDownloadFailed, []string{FixUpdateSettings, FixShowDetails}},
	update.CodeDenied:           {CodeDownloadFailed, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	update.CodeNotFound:         {CodeDownloadFailed, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	update.CodeServerError:      {CodeDownloadFailed, []string{FixUpdateNow, FixShowDetails}},
	update.CodeStalled:          {CodeDownloadFailed, []string{FixUpdateNow, FixCheckNetwork}},
	update.CodeInterrupted:      {CodeDownloadFailed, []string{FixUpdateNow, FixCheckNetwork}},
	update.CodeUnreachable:      {CodeDownloadFailed, []string{FixCheckNetwork, FixUpdateNow, FixUpdateSettings}},
	update.CodeOffline:          {CodeDownloadFailed, []string{FixCheckNetwork, FixUpdateNow}},
}

// channelKinds are the kinds of channel.Error, likewise.
var channelKinds = map[channel.Kind]remedy{
	channel.KindUnreachable:  {CodeUpdateOffline, []string{FixCheckNetwork, FixUpdateNow, FixUpdateSettings}},
	channel.KindStale:        {CodeUpdateOffline, []string{FixCheckNetwork, FixUpdateNow, FixUpdateSettings}},
	channel.KindExpired:      {CodeUpdateInvalid, []string{FixCheckClock, FixUpdateNow, FixUpdateSettings}},
	channel.KindRollback:     {CodeUpdateInvalid, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	channel.KindBadSignature: {CodeUpdateInvalid, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	channel.KindMalformed:    {CodeUpdateInvalid, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	channel.KindWrongContent: {CodeUpdateInvalid, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	channel.KindTooLarge:     {CodeUpdateInvalid, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	channel.KindMissing:      {CodeUpdateInvalid, []string{FixUpdateNow, FixUpdateSettings, FixShowDetails}},
	channel.KindNotOffered:   {CodeUpdateNotOffered, []string{FixUpdateApp, FixUpdateSettings}},
	channel.KindNewerForm:    {CodePackTooNew, []string{FixUpdateApp}},
}

// fromUpdate knows the errors of pack/update and pack/trust/channel.
func fromUpdate(err error) *Problem {
	if failed, is := errors.AsType[*channel.Error](err); is {
		return fromChannel(failed)
	}
	var transfer *update.Error
	switch {
	case errors.As(err, &transfer):
		return fromTransfer(transfer)
	case errors.Is(err, channel.ErrNothingKnown):
		return New(CodeUpdateOffline).By("nothing-known")
	case errors.Is(err, trust.ErrNoChannel):
		return New(CodeUpdateOff)
	}
	return nil
}

// fromChannel is what a channel that gives no release means. Where it could
// not be fetched, the transfer says why.
func fromChannel(failed *channel.Error) *Problem {
	std := channelKinds[failed.Kind]
	if transfer, is := errors.AsType[*update.Error](failed.Err); is && std.code == CodeUpdateOffline {
		p := fromTransfer(transfer)
		if p.Code == CodeDownloadFailed {
			p.Code = CodeUpdateOffline
		}
		if failed.Kind == channel.KindStale { // for how long matters more than why
			p = p.By(string(failed.Kind))
		}
		return p
	}
	p := known(std, CodeUpdateInvalid, string(failed.Kind))
	if failed.File != "" {
		p = p.With("file", failed.File)
	}
	return p
}

func fromTransfer(failed *update.Error) *Problem {
	p := known(transferCodes[failed.Code], CodeDownloadFailed, string(failed.Code))
	for name, value := range map[string]string{"host": failed.Server, "proxy": failed.Proxy, "issuer": failed.Issuer, "script": failed.Script} {
		if value != "" {
			p = p.With(name, value)
		}
	}
	if failed.Status != 0 {
		p = p.With("status", failed.Status)
	}
	if len(failed.Kinds) > 0 {
		p = p.With("kinds", failed.Kinds)
	}
	if space, is := errors.AsType[*spec.SpaceError](failed.Err); is {
		p = p.lacking(space)
	}
	return p
}

// remedy is the problem that a code of another room is, and what helps.
type remedy struct {
	code string
	fix  []string
}

// known makes a problem of a remedy; otherwise is the code where there is none.
func known(s remedy, otherwise, cause string) *Problem {
	s.code = cmp.Or(s.code, otherwise)
	p := New(s.code).Weigh(Failed).By(cause)
	if len(s.fix) > 0 {
		p.Fix = Fixes(s.fix...)
	}
	return p
}
