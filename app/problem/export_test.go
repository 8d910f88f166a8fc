package problem

import (
	"piwork/pack/spec"
	"piwork/pack/trust/channel"
	"piwork/pack/update"
	"piwork/vmhost"
)

func KnownPackKind(k string) bool { _, ok := packKinds[spec.Kind(k)]; return ok }

func KnownChannelKind(k string) bool { _, ok := channelKinds[channel.Kind(k)]; return ok }

func KnownTransferCode(c string) bool { _, ok := transferCodes[update.Code(c)]; return ok }

func KnownReason(r string) bool { _, ok := reasonCodes[vmhost.Reason(r)]; return ok }

func KnownActionCode(c string) bool { _, ok := actionCodes[vmhost.ActionCode(c)]; return ok }
