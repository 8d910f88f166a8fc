// Made by `npm run types` from app/api/openapi.yaml. Do not edit.

export interface paths {
    "/_health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The program listens */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What this program is, and which tools its runtime has */
        get: operations["getManifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/addons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Add-ons that are installed or on offer */
        get: operations["listAddOns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/addons/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an add-on from the channel
         * @description Answers at once; what follows are events of kind update.
         */
        post: operations["installAddOn"];
        /** Delete an add-on */
        delete: operations["removeAddOn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was executed and decided, and what left this computer; the latest first
         * @description Names of files and arguments are digests: `about` finds those of a path, an address or a host.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The audit log as a file that can be verified elsewhere
         * @description JSON lines: the signed head, then all records as they were written.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Does the chain of the audit log hold? */
        get: operations["verifyAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/caches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which projects have a cache, and how large is it?
         * @description What a task puts into the cache of its project, later tasks of the same project use, and only these.
         */
        get: operations["listCaches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/caches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Empty the cache of a project
         * @description The next task of the project begins with an empty one. A cache that a task uses stays.
         */
        delete: operations["emptyCache"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/caches/{id}/back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take what the last task changed out of the cache of a project
         * @description The next task begins as the last one did whose changes were kept.
         */
        post: operations["backCache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ready-made chores */
        get: operations["listChores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/diagnostics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a report for a fault would hold, without secrets and names of files
         * @description It takes as long as a boot where this computer was not looked at yet.
         */
        get: operations["getDiagnostics"];
        put?: never;
        /** Write what was shown, byte for byte, into a zip file */
        post: operations["writeDiagnostics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dropped": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Which folders would a task get for what was dropped on the window?
         * @description A folder itself, a file the folder that it lies in. Nothing is opened.
         */
        post: operations["lookAtDropped"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens, as it happens
         * @description Server-sent events. The data of each message is an Event; its id is the event's seq (volatile events have none). Comments are heartbeats. Who comes back with Last-Event-ID misses nothing; what is not remembered any more, or was counted by another process, is answered by an event of kind reset: then everything has to be asked for again, and all that is remembered follows. A stream whose reader stops ends after a while, and costs no other anything.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What may an AI do with which folders?
         * @description As the person chose when an AI task was last started with them. It gets a folder without a choice for review: its changes wait.
         */
        get: operations["listFolderChoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How does everything stand?
         * @description It takes as long as a boot where this computer was not looked at yet.
         */
        get: operations["getHealthPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Providers of models, and whether there is a key */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Keep a key in the keychain of this computer
         * @description It is never shown again.
         */
        put: operations["setKey"];
        post?: never;
        /** Forget a key */
        delete: operations["removeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{provider}/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to sign in to a provider
         * @description The person opens the address. What it needs is then done by itself, or by giving it the code that the page shows. Without a body it is the usual way of the provider.
         */
        post: operations["beginLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{provider}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the provider whether it takes the key */
        post: operations["testKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the program and its runtime are made of */
        get: operations["listLicences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/logins/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a login stands */
        get: operations["getLogin"];
        put?: never;
        /**
         * Give a login the code that the page showed
         * @description A code that is not of this login is an error, and leaves it open.
         */
        post: operations["finishLogin"];
        /** End a login */
        delete: operations["cancelLogin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The logs of machines, the newest first */
        get: operations["listLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/logs/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The end of a log
         * @description As it was written: what the guest printed is not to be trusted.
         */
        get: operations["getLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/machines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How is this computer shared out among the machines of tasks? */
        get: operations["getMachines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/machines/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make ready, now, what lets machines be there at once
         * @description Answers when that is done, or says why it cannot be. It is done without being asked when nobody needs the computer.
         */
        post: operations["prepareMachines"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What can do an AI task */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Which model is taken when none is named */
        put: operations["setModel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/said": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Say what a model of a service of one's own can do */
        put: operations["sayOfModel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/native/notify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have the system show a message
         * @description Nothing is shown to a person who does not want it. 501 without a window.
         */
        post: operations["notify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/native/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show a result in the person's own program
         * @description 501 without a window.
         */
        post: operations["openResult"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/native/pick-file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the person choose a file
         * @description 501 without a window.
         */
        post: operations["pickFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/native/pick-files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the person choose files
         * @description 501 without a window.
         */
        post: operations["pickFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/native/pick-folder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the person choose a folder
         * @description 501 without a window.
         */
        post: operations["pickFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/native/save-as": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the person choose where to save a file, and save it
         * @description 501 without a window.
         */
        post: operations["saveAs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/network/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Groups of hosts, and which are allowed everywhere */
        get: operations["listNetworkPresets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/network/presets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Allow a group of hosts everywhere, or not any more */
        put: operations["setNetworkPreset"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/network/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What tasks may reach */
        get: operations["listNetworkRules"];
        put?: never;
        /** Allow or deny a name */
        post: operations["addNetworkRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Is this window the first that would tell of an event?
         * @description Of several windows, one tells; none when one is in front.
         */
        post: operations["claimNotice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Installed runtime packs */
        get: operations["listPacks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a runtime that is not in use */
        delete: operations["removePack"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write the one file for an installation without a network
         * @description Answers when it is written; meanwhile events of kind pack count bytes. Going away cancels, and leaves nothing behind.
         */
        post: operations["bundlePack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify and install a runtime pack
         * @description Answers when it is installed; meanwhile events of kind pack count bytes. Going away cancels, and leaves nothing behind.
         */
        post: operations["installPack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/repair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring the runtime in use back to what was signed
         * @description Answers when it is done; meanwhile events of kind pack or update count bytes.
         */
        post: operations["repairPack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Use the previous runtime again */
        post: operations["rollbackPack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/packs/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Is every byte of this file covered by a trusted signature? */
        post: operations["verifyPack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is the process that answers, and why does it run?
         * @description 501 from one that cannot be ended.
         */
        get: operations["getProcess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/process/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the process that answers
         * @description Windows and command lines start another one when they need it. 501 from one that cannot be ended.
         */
        post: operations["endProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a person, the riskiest first */
        get: operations["listQuestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/remotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which other computers are there for tasks?
         * @description Each is a kind of place: remote, a colon and its name.
         */
        get: operations["listRemotes"];
        put?: never;
        /**
         * Add another computer
         * @description It has to let the person in. Where its key is in nobody's known hosts, the problem (cause host-key-unknown) has the fingerprint: with that in confirm, the key is the computer's from then on.
         */
        post: operations["addRemote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/remotes/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget another computer
         * @description What piwork keeps there stays: cleanRemote.
         */
        delete: operations["removeRemote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/remotes/{name}/clean": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End what runs on another computer, and remove all that piwork keeps there
         * @description Tasks that work there fail.
         */
        post: operations["cleanRemote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/remotes/{name}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How much does piwork have on another computer?
         * @description It is asked for now, over the network.
         */
        get: operations["remoteUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was decided for longer than once */
        get: operations["listRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules/{rule}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take back what was decided */
        delete: operations["removeRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which kinds of places for tasks are there, and do they work here?
         * @description The one that keeps a task apart best comes first. A kind that was not proven since this computer started does a small task for it.
         */
        get: operations["listRuntimes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{kind}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have a kind of place do a small task, now */
        post: operations["testRuntime"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Where would a task work, and why not elsewhere?
         * @description Nothing is started but what proves a kind. The kind is empty where none will do.
         */
        post: operations["explainRuntime"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a folder with pictures to try a chore on
         * @description Fresh each time; while a task works in it, it is left as it is.
         */
        post: operations["makeSamples"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Chores with parameters and folders, to be done again */
        get: operations["listSavedChores"];
        put?: never;
        /**
         * Save a chore to do it again
         * @description One of the same name is replaced. Passwords are not kept.
         */
        post: operations["saveChore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/saved/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Forget a saved chore */
        delete: operations["removeSavedChore"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sessions, the oldest first
         * @description One that is over is listed until it is closed, for a few minutes.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * End a session with everything that it started
         * @description Answers how it ended. The last one of a task that was started as open ends the task.
         */
        delete: operations["closeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/attach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Join the output, the input and the terminal of a session
         * @description A WebSocket as that of attachTask. It begins with the output that is kept. Between messages with output one may say skipped (bytes that came faster than they were read) or taken (another client writes from now on).
         */
        get: operations["attachSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Type into a session where a WebSocket cannot pass
         * @description Whoever types has the lease to, where nobody else has it: a conflict then. Waits until the program has room.
         */
        post: operations["writeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the output of a session where a WebSocket cannot pass
         * @description Answers at once when there is output, and asks to be asked again from at and the length of data. Who asks counts as a reader.
         */
        get: operations["readSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/resize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the size of a session's terminal */
        post: operations["resizeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a shell do a command, and wait for its end
         * @description Directory, variables and background programs stay for the next one. A conflict where another command runs, and for what is no shell or is on a terminal. Of longer output than 1 MiB the answer has the begin, and the task gets a result with all of it. Ends by itself when the session does.
         */
        post: operations["runInSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}/signal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a signal to the programs of a session */
        post: operations["signalSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/at-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Does the system start the process at login?
         * @description 501 from one that is part of another program.
         */
        get: operations["getAtLogin"];
        /**
         * Have the system start the process at login, or not
         * @description It takes effect at the next login. 501 from one that is part of another program.
         */
        put: operations["setAtLogin"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** For how long are records of the audit log kept? */
        get: operations["getAuditKeeping"];
        put?: never;
        /**
         * Choose for how long they are kept
         * @description Older ones go within a day.
         */
        post: operations["setAuditKeeping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where keys are kept */
        get: operations["getKeyStore"];
        /**
         * Choose where keys are kept, and move them there
         * @description The file is made with the passphrase, or opened with it.
         */
        put: operations["setKeyStore"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/keys/passphrase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Encrypt the file of keys with another passphrase */
        post: operations["changePassphrase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/keys/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open the file of keys until the program ends */
        post: operations["unlockKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/machines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Choose how much of this computer the machines of tasks get */
        post: operations["setMachines"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was chosen about models and keys
         * @description It asks neither the keychain nor a provider.
         */
        get: operations["getModelsChosen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/runtimes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which kinds of places are preferred, and what is said to weaker ones? */
        get: operations["getRuntimeSettings"];
        put?: never;
        /** Choose which kinds of places are preferred, and what is said to weaker ones */
        post: operations["setRuntimes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What searches the web in the place of tasks */
        get: operations["getWebSearch"];
        /** Choose what searches the web in the place of tasks */
        put: operations["setWebSearch"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/slow-mode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Was it chosen to work without acceleration? */
        get: operations["getSlowMode"];
        put?: never;
        /** Work without acceleration, by choice */
        post: operations["setSlowMode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** For how long undo is kept, and how much all of it is */
        get: operations["getUndoKeeping"];
        put?: never;
        /** Choose for how long undo is kept */
        post: operations["setUndoKeeping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Choose whether, where and how updates are looked for */
        post: operations["setUpdates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/window": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How does the window behave? */
        get: operations["getWindowSettings"];
        /** Choose how the window behaves */
        put: operations["setWindowSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Can this computer work, and if not, what is the next step?
         * @description The last report, or a new one when there is none yet; that takes as long as a boot.
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Look at everything again, the proof boot included */
        post: operations["checkStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status/mend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have the system ask for an administrator, and run what the last report says of a fix
         * @description Only what stands in a report as `runs` can be run, and the person sees it before. Answers when the person did. Afterwards everything is looked at again.
         */
        post: operations["mend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What takes how much of the disk? */
        get: operations["getStorage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/storage/clean": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove what can be made again, or is of no use any more
         * @description What a task at work needs stays. Undo that is still kept is given up only with loseUndo.
         */
        post: operations["cleanStorage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/storage/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a move of the data stands */
        get: operations["getStorageMove"];
        put?: never;
        /**
         * Move the data of piwork to another folder or disk
         * @description It goes on after the answer, and no task starts meanwhile. When it is done the program opens its data anew.
         */
        post: operations["moveStorage"];
        /** End a move of the data: everything is as it was */
        delete: operations["cancelMove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tasks, newest first
         * @description Without asked, which getTask has.
         */
        get: operations["listTasks"];
        put?: never;
        /**
         * Record a task and start it
         * @description Answers as soon as the record is durable; what follows are events. A task that is not detached must be held: GET /v1/events?task=ID&hold=true.
         */
        post: operations["startTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The record of a task */
        get: operations["getTask"];
        put?: never;
        post?: never;
        /** Delete the record, its journal and its results */
        delete: operations["deleteTask"];
        options?: never;
        head?: never;
        /** Give a task a title; an empty one brings the made one back */
        patch: operations["renameTask"];
        trace?: never;
    };
    "/v1/tasks/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Do what the plan says */
        post: operations["acceptPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a new task that asks for the same
         * @description As startTask: unless it is detached, the new task must be held.
         */
        post: operations["startAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The agent's own events, untouched, as they come
         * @description Server-sent events from this moment on: agent.event with one line of the agent (pi --mode rpc) as data, unchanged, also the parts of messages, which no record keeps; agent.over when the task does not run any more. Comments are heartbeats. Nobody waits for the reader: a stream that ends without agent.over was too slow. What is kept is at /v1/tasks/{id}/agent/{line}.
         */
        get: operations["streamAgentEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/agent/{line}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One event of the agent, untouched */
        get: operations["getAgentLine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide about changes that wait in front of a folder
         * @description They get into the folder, and can be taken back from there, or are thrown away. Conflicts go on waiting and are listed. The answer is 200 also then.
         */
        post: operations["applyTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/attach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Join the output, the input and the terminal of a program that runs
         * @description A WebSocket (RFC 6455) with the subprotocol attach.piwork.v1. Binary messages are a byte and data: 0 is the program's standard input, to the server; 1 its output and 2 its errors, to the client. Text messages are objects of JSON: the server's first one is info, its last one an end (over, or behind: too slow), one between them may be empty; a client sends size, of its terminal, and closeInput. Messages have at most 64 KiB. A conflict for a task in which no program runs.
         */
        get: operations["attachTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a task */
        post: operations["cancelTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a task changed in the folders */
        get: operations["listChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/changes/{change}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a change did to a file
         * @description Lines, cells, pictures or facts, bounded; that something was cut is said. Texts are as in the file: whoever shows them makes control characters visible.
         */
        get: operations["compareChange"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/changes/{change}/{side}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bytes of a file before or after a change; ranges are honoured
         * @description 409 when a person changed since what the task left.
         */
        get: operations["getChangeContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have the older messages of an AI task summarised
         * @description For a task that is over: it goes on only for that and is then as it was. Its timeline says what came of it. Unless it is detached it must be held: GET /v1/events?task=ID&hold=true.
         */
        post: operations["compactTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/detach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a task go on when its callers are gone */
        post: operations["detachTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything that is known of a task, as a ZIP file
         * @description task.json, timeline.jsonl, changes.json, results/ and, of an AI task, conversation.md; missing.json lists results that could not be read.
         */
        get: operations["exportTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/fetch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get what is at an address of the web, in a task
         * @description Over the network of a task that runs a program or an AI: rules, questions and audit log are those of its programs, after each redirect too. Without cookies. A conflict where the task has no network.
         */
        post: operations["fetch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/files/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What is in a directory of a task?
         * @description In the folders and in /work of a task that runs a program or an AI, with the rights of its programs: guards, journal and audit log are the same. A conflict for another task.
         */
        post: operations["listFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/files/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a file of a task
         * @description In the folders and in /work of a task that runs a program or an AI, with the rights of its programs: guards, journal and audit log are the same. A conflict for another task. At most 16 MiB at once; the digest is that of the whole file.
         */
        post: operations["readFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/files/stat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What is there at a path, and which digest has a file?
         * @description In the folders and in /work of a task that runs a program or an AI, with the rights of its programs: guards, journal and audit log are the same. A conflict for another task.
         */
        post: operations["statFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/files/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hear what changes in a directory of a task
         * @description In the folders and in /work of a task that runs a program or an AI, with the rights of its programs: guards, journal and audit log are the same. A conflict for another task. Server-sent events: file.change with a change as data, the first one ready; file.over when the time is over or so much was heard; a stream that ends without it broke. It hears what is changed in the place where the task works, not what is changed elsewhere on this computer.
         */
        get: operations["watchFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/files/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write a file of a task
         * @description In the folders and in /work of a task that runs a program or an AI, with the rights of its programs: guards, journal and audit log are the same. A conflict for another task. The file is replaced as a whole. 412 where it is not as expected; sha256 of the problem is what it has. Whether originals may be overwritten is asked as for programs, which this waits for.
         */
        post: operations["writeFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a task that runs have another folder
         * @description It appears in /folders at once. A task that is over, a chore and an operation take none: a conflict.
         */
        post: operations["addFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/folders/{folder}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a folder from a task that runs
         * @description The record keeps it, with the time: what the task changed there stays listed and can be undone.
         */
        delete: operations["removeFolder"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End what the agent does at the moment */
        post: operations["interrupt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an AI task a message
         * @description While it works, the message is told at once (steer) or when it is done (followUp). A task that is over goes on with it; unless it is detached it must be held then: GET /v1/events?task=ID&hold=true.
         */
        post: operations["say"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/messages/{message}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take back a message that was not heard yet */
        delete: operations["takeBack"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/model": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the model of an AI task, or how long it thinks
         * @description At once where it is at work, and for whenever it goes on. What is left out stays as it is. While it is at work, only models of the same provider can be chosen.
         */
        put: operations["setTaskModel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a chore will do */
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/questions/{question}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide a question
         * @description Answers when the decision is recorded. A question that was answered, or that nobody waits for any more, is a conflict.
         */
        post: operations["answerQuestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/redo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring back what was taken back
         * @description Conflicts are left alone and listed. The answer is 200 also then.
         */
        post: operations["redoTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/results/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bytes of a result; ranges are honoured */
        get: operations["getResult"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go on with a task that was interrupted, stopped or failed */
        post: operations["resumeTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a shell or a program in the workroom of a task, which stays when its clients go
         * @description For a task that runs a program or an AI, or one that was started as open. Answers when the program runs; a task that gets ready is waited for. The values of secrets are passed to the program and written down nowhere.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened; seq counts per task */
        get: operations["getTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is kept for taking a task's changes back */
        get: operations["getUndoSpace"];
        put?: never;
        /**
         * Take changes back
         * @description Conflicts are changes that the person changed since; they are left alone and listed, unless the request answers them. The answer is 200 also then.
         */
        post: operations["undoTask"];
        /** Give that up: the changes stay listed and cannot be taken back any more */
        delete: operations["forgetUndo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/visit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Visit the web with a browser, in a task
         * @description As fetch, with a page that begins empty: open, click, type, text, screenshot and pdf, one after the other. Dialogs are dismissed, downloads and further windows refused. Needs the add-on browser.
         */
        post: operations["visit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tokens of other programs, without their secrets */
        get: operations["listTokens"];
        put?: never;
        /**
         * Make a token for another program
         * @description The secret is in this answer and nowhere else. A program with a token cannot make one.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description Its requests end, and what it held. Tasks that were detached go on.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The operations on files
         * @description Each is run by POST /v1/tools/{name}. params is the JSON schema of its parameters.
         */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/archive.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** archive.create: makes one file */
        post: operations["runArchiveCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/archive.extract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** archive.extract: makes files */
        post: operations["runArchiveExtract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/archive.info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** archive.info: reports on files */
        post: operations["runArchiveInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/archive.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** archive.list: reports on files */
        post: operations["runArchiveList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/audio.info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** audio.info: reports on files; needs the add-on media */
        post: operations["runAudioInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/audio.transcode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** audio.transcode: makes a file of each; needs the add-on media */
        post: operations["runAudioTranscode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/csound.perform": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** csound.perform: makes a file of each; needs the add-on music */
        post: operations["runCsoundPerform"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/file.cleanup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** file.cleanup: reports on files */
        post: operations["runFileCleanup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/file.duplicates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** file.duplicates: reports on files */
        post: operations["runFileDuplicates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/file.hash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** file.hash: reports on files */
        post: operations["runFileHash"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/file.move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** file.move: changes files */
        post: operations["runFileMove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/file.organize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** file.organize: reports on files */
        post: operations["runFileOrganize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/file.remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** file.remove: changes files */
        post: operations["runFileRemove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/file.rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** file.rename: reports on files */
        post: operations["runFileRename"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/file.report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** file.report: makes one file */
        post: operations["runFileReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/image.convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** image.convert: makes a file of each */
        post: operations["runImageConvert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/image.info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** image.info: reports on files */
        post: operations["runImageInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/image.resize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** image.resize: makes a file of each */
        post: operations["runImageResize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/lilypond.render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** lilypond.render: makes files; needs the add-on music */
        post: operations["runLilypondRender"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/metadata.read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** metadata.read: reports on files */
        post: operations["runMetadataRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/metadata.strip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** metadata.strip: makes a file of each */
        post: operations["runMetadataStrip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/metadata.write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** metadata.write: makes a file of each */
        post: operations["runMetadataWrite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.compress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.compress: makes a file of each */
        post: operations["runPdfCompress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.images: makes files */
        post: operations["runPdfImages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.info: reports on files */
        post: operations["runPdfInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.merge: makes one file */
        post: operations["runPdfMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.ocr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.ocr: makes a file of each */
        post: operations["runPdfOcr"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.protect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.protect: makes a file of each */
        post: operations["runPdfProtect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.rotate: makes a file of each */
        post: operations["runPdfRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.split": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.split: makes files */
        post: operations["runPdfSplit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.text: makes a file of each */
        post: operations["runPdfText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/pdf.unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** pdf.unlock: makes a file of each */
        post: operations["runPdfUnlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/plist.convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** plist.convert: makes a file of each */
        post: operations["runPlistConvert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/plist.validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** plist.validate: reports on files */
        post: operations["runPlistValidate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/table.clean": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** table.clean: makes a file of each */
        post: operations["runTableClean"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/table.convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** table.convert: makes a file of each */
        post: operations["runTableConvert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/table.merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** table.merge: makes one file */
        post: operations["runTableMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/table.read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** table.read: reports on files */
        post: operations["runTableRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/table.receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** table.receipts: makes one file */
        post: operations["runTableReceipts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/text.convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** text.convert: makes a file of each; needs the add-on office */
        post: operations["runTextConvert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/text.extract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** text.extract: makes a file of each */
        post: operations["runTextExtract"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How does the runtime stand against its channel? */
        get: operations["getUpdate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/update/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Look at the channel now */
        post: operations["checkUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/update/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop the download and keep what arrived */
        post: operations["pauseUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/update/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Download, install, try and use what is new, or go on after a pause
         * @description Answers at once; what follows are events of kind update.
         */
        post: operations["startUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/window/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a close that was asked about
         * @description 501 without a window.
         */
        post: operations["closeWindow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/window/drawn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The page was drawn, or was not
         * @description A window whose page stays blank is opened once more, and drawn in another way. 501 without a window.
         */
        post: operations["windowDrawn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/window/new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open another window, on a task
         * @description 501 without a window.
         */
        post: operations["newWindow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/window/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The page listens: what was it asked to open?
         * @description Later wishes come as events of kind window. 501 without a window.
         */
        post: operations["windowReady"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wizard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far is the way to the first chore?
         * @description By what was seen last; answers at once and looks at nothing itself.
         */
        get: operations["getWizard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wizard/{step}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish, leave out, or do again a step
         * @description Which acts are possible now is in the step.
         */
        post: operations["actWizard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        About: {
            /** @description version of the document */
            api: string;
            arch: string;
            /** @description a build for developers */
            developer: boolean;
            /** @description of the listener that the request came through; 429 above them */
            limits?: components["schemas"]["ListenerLimits"];
            /** @enum {string} */
            name: "piwork";
            /** @description path of the document */
            oas: string;
            os: string;
            /** @description the runtime in use; absent where none is */
            pack?: components["schemas"]["PackTools"];
            version: string;
            /** @description native dialogs are there */
            window: boolean;
        };
        AccelState: {
            /** Format: int64 */
            bootMs?: number;
            chosenBy?: string;
            kind: string;
            native: string;
            proven: boolean;
            slowMode: boolean;
            /** Format: int64 */
            slowMs?: number;
        };
        AddOnInfo: {
            /** Format: int64 */
            bytes?: number;
            /** Format: int64 */
            download?: number;
            installed: boolean;
            name: string;
            problem?: components["schemas"]["Problem"];
            usable: boolean;
            version?: string;
        };
        AgainRequest: {
            accept?: boolean;
            detached?: boolean;
            id?: string;
            /** @description kind of place in which the new task works; empty for where the other one was asked to */
            runtime?: string;
        };
        AI: {
            /** Format: int64 */
            budget?: number;
            dir?: string;
            model: string;
            pending?: components["schemas"]["Pending"][];
            /** Format: int64 */
            resumes?: number;
            thinking?: string;
            usage: components["schemas"]["Usage"];
        };
        AIPart: {
            only?: boolean;
            results: string[];
            review?: boolean;
        };
        /** @enum {string} */
        Allowance: "ask" | "always" | "never";
        AnswerOption: {
            /** @enum {string} */
            answer: "allow" | "deny";
            label: string;
            /** @description refuses everything else that the task asks, too */
            rest?: boolean;
            /**
             * @description how far it reaches; as is usual for the question where it is not said
             * @enum {string}
             */
            scope?: "once" | "task" | "folder" | "always";
        };
        AnswerRequest: {
            /** @enum {string} */
            answer: "allow" | "deny";
            /** Format: int64 */
            choice?: number;
            rest?: boolean;
            /** @enum {string} */
            scope?: "once" | "task" | "folder" | "always";
            /** Format: int64 */
            seen?: number;
            text?: string;
            unattended?: boolean;
        };
        ApiError: {
            cause: string;
            code: string;
            /** @description what it means and what to do, likewise */
            detail?: string;
            details?: string;
            /** @description what does not fit, for a bad request */
            errors?: components["schemas"]["ApiErrorDetail"][];
            fix: components["schemas"]["Fix"][];
            /** @description urn:piwork:request:<x-request-id> */
            instance?: string;
            params?: {
                [key: string]: unknown;
            };
            reason?: string;
            restart?: string;
            severity: components["schemas"]["Severity"];
            /** Format: int64 */
            status: number;
            then?: string;
            /** @description what happened, in the language of Accept-Language */
            title: string;
            /** @description urn:piwork:problem:<code> */
            type: string;
        };
        ApiErrorDetail: {
            /** @description Where the error occurred, e.g. 'body.items[3].tags' or 'path.thing-id' */
            location?: string;
            /** @description Error message text */
            message?: string;
            /** @description The value at the given location */
            value?: unknown;
        };
        ApplyData: {
            applied: string[];
            conflicts: string[];
            discarded: string[];
        };
        ApplyEvent: {
            data: components["schemas"]["ApplyData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "apply";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        ApplyReport: {
            applied: components["schemas"]["Change"][];
            beside?: {
                [key: string]: string;
            };
            conflicts: components["schemas"]["UndoConflict"][];
            discarded: components["schemas"]["Change"][];
        };
        ApplyRequest: {
            discard?: boolean;
            ids?: string[];
            onConflict?: components["schemas"]["Resolution"];
            resolve?: {
                [key: string]: components["schemas"]["Resolution"];
            };
        };
        ArchiveCreateForm: {
            /**
             * @default zip
             * @enum {string}
             */
            format: "zip" | "tar" | "tar.gz" | "tar.zst";
            /** @description the files, a part of this name for each */
            in: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
        };
        ArchiveCreateParams: {
            /**
             * @default zip
             * @enum {string}
             */
            format: "zip" | "tar" | "tar.gz" | "tar.zst";
            /** @default false */
            replace: boolean;
        };
        ArchiveCreateRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["ArchiveCreateParams"];
        };
        ArchiveCreateResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ArchiveMade"][];
            /** @enum {string} */
            operation: "archive.create";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        ArchiveEntry: {
            archive: string;
            kind: string;
            mtime?: string;
            path: string;
            /** Format: int64 */
            size: number;
            unsafe?: boolean;
        };
        ArchiveExtractForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /**
             * Format: password
             * @default
             */
            password: string;
            /** @default false */
            replace: boolean;
        };
        ArchiveExtractParams: {
            /**
             * Format: password
             * @default
             */
            password: string;
            /** @default false */
            replace: boolean;
        };
        ArchiveExtractRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["ArchiveExtractParams"];
        };
        ArchiveExtractResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ArchiveMade"][];
            /** @enum {string} */
            operation: "archive.extract";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        ArchiveInfo: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            files: number;
            /** Format: int64 */
            folders: number;
            /** Format: int64 */
            leftOut: number;
            path: string;
            sha256: string;
            /** Format: int64 */
            size: number;
            /** Format: int64 */
            times: number;
        };
        ArchiveInfoForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /**
             * Format: password
             * @default
             */
            password: string;
        };
        ArchiveInfoParams: {
            /**
             * Format: password
             * @default
             */
            password: string;
        };
        ArchiveInfoRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["ArchiveInfoParams"];
        };
        ArchiveInfoResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ArchiveInfo"][];
            /** @enum {string} */
            operation: "archive.info";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        ArchiveListForm: {
            /** @default  */
            after: string;
            /** @description the files, a part of this name for each */
            in: string[];
            /**
             * Format: password
             * @default
             */
            password: string;
        };
        ArchiveListParams: {
            /** @default  */
            after: string;
            /**
             * Format: password
             * @default
             */
            password: string;
        };
        ArchiveListRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["ArchiveListParams"];
        };
        ArchiveListResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ArchiveEntry"][];
            /** @enum {string} */
            operation: "archive.list";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        ArchiveMade: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            files: number;
            /** Format: int64 */
            folders: number;
            /** Format: int64 */
            leftOut: number;
            /** Format: int64 */
            listed?: number;
        };
        Asked: {
            cache?: string;
            /** Format: int64 */
            cpus?: number;
            cwd?: string;
            images?: string[];
            limits?: components["schemas"]["Limits"];
            lost?: string;
            /** Format: int64 */
            memoryMb?: number;
            planOnly?: boolean;
            prompt?: string;
            requiresRuntime?: components["schemas"]["Requirement"];
            runtime?: string;
        };
        AtLogin: {
            on: boolean;
            /** @description false: this system has no such service that piwork knows, or the data of this process is where the one it starts would not look */
            possible: boolean;
        };
        AtLoginChoice: {
            on: boolean;
        };
        AudioInfo: {
            /** Format: int64 */
            bitrate: number;
            /** Format: int64 */
            channels: number;
            codec: string;
            format: string;
            path: string;
            /** Format: int64 */
            rate: number;
            /** Format: double */
            seconds: number;
            sha256: string;
            /** Format: int64 */
            size: number;
            tags?: {
                [key: string]: string;
            };
        };
        AudioInfoForm: {
            /** @description the files, a part of this name for each */
            in: string[];
        };
        AudioInfoParams: Record<string, never>;
        AudioInfoRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["AudioInfoParams"];
        };
        AudioInfoResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["AudioInfo"][];
            /** @enum {string} */
            operation: "audio.info";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        AudioTranscodeForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default false */
            level: boolean;
            /** @default false */
            mono: boolean;
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /**
             * @default music
             * @enum {string}
             */
            quality: "speech" | "music" | "best";
            /** @default false */
            replace: boolean;
            /**
             * @default mp3
             * @enum {string}
             */
            to: "mp3" | "m4a" | "opus" | "ogg" | "flac" | "wav";
        };
        AudioTranscodeParams: {
            /** @default false */
            level: boolean;
            /** @default false */
            mono: boolean;
            /** @default [] */
            names: string[];
            /**
             * @default music
             * @enum {string}
             */
            quality: "speech" | "music" | "best";
            /** @default false */
            replace: boolean;
            /**
             * @default mp3
             * @enum {string}
             */
            to: "mp3" | "m4a" | "opus" | "ogg" | "flac" | "wav";
        };
        AudioTranscodeRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["AudioTranscodeParams"];
        };
        AudioTranscodeResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "audio.transcode";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        AuditFolder: {
            mode: string;
            path: string;
        };
        AuditPage: {
            /** Format: int64 */
            before?: number;
            records: components["schemas"]["AuditRecord"][];
        };
        AuditRecord: {
            accel?: string;
            action?: string;
            answer?: string;
            args?: string;
            by?: string;
            /** Format: int64 */
            bytesIn?: number;
            /** Format: int64 */
            bytesOut?: number;
            claimedProgram?: string;
            client?: string;
            content?: string;
            domain?: string;
            /** Format: int64 */
            dropped?: number;
            ended?: string;
            envNames?: string[];
            event: string;
            exec?: string;
            /** Format: int64 */
            exit?: number;
            folder?: string;
            folders?: components["schemas"]["AuditFolder"][];
            host?: string;
            hosts?: string[];
            in?: string[];
            /** Format: int64 */
            inputs?: number;
            isolation?: string;
            mode?: string;
            /** Format: int64 */
            n: number;
            network?: string;
            op?: string;
            out?: string;
            pack?: string;
            /** Format: int64 */
            port?: number;
            prev: string;
            problem?: string;
            program?: string;
            purpose?: string;
            question?: string;
            reason?: string;
            request?: string;
            runtime?: string;
            scope?: string;
            task?: string;
            /** Format: date-time */
            time: string;
            /** Format: int64 */
            times?: number;
            topic?: string;
            /** Format: int64 */
            v: number;
            /** Format: int64 */
            wallMs?: number;
        };
        AuditReport: {
            /** Format: int64 */
            badLine?: number;
            /** Format: int64 */
            first?: number;
            key?: string;
            ok: boolean;
            reason?: string;
            /** Format: int64 */
            records: number;
        };
        AuditSettings: {
            /** Format: int64 */
            days: number;
        };
        BundleInfo: {
            /** Format: int64 */
            bytes: number;
            file: string;
            packs: components["schemas"]["PackInfo"][];
            sha256: string;
        };
        BundleRequest: {
            addOns?: string[];
            app?: string;
            out: string;
        };
        Cache: {
            /** Format: int64 */
            bytes: number;
            canBack: boolean;
            id: string;
            inUse: boolean;
            /** Format: int64 */
            limitMb: number;
            project: components["schemas"]["Project"];
            /** Format: date-time */
            used: string;
        };
        Change: {
            after?: components["schemas"]["FileState"];
            before?: components["schemas"]["FileState"];
            effect: components["schemas"]["ChangeEffect"];
            folder?: string;
            from?: string;
            id: string;
            kind?: string;
            path: string;
            staged?: boolean;
            /** Format: date-time */
            undone?: string;
        };
        /** @enum {string} */
        ChangeEffect: "create" | "change" | "move" | "delete";
        ChangeFact: {
            after?: string;
            before?: string;
            code: components["schemas"]["FactCode"];
        };
        /** @enum {string} */
        ChangeSide: "before" | "after";
        Check: {
            code: string;
            params?: {
                [key: string]: unknown;
            };
            said?: string;
            state: components["schemas"]["CheckState"];
            /** Format: int64 */
            tookMs: number;
        };
        CheckEvent: {
            data: components["schemas"]["Check"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "check";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        /** @enum {string} */
        CheckState: "passed" | "failed" | "unknown" | "skipped";
        Choice: {
            label: string;
        };
        ChoreInfo: {
            about?: string;
            ai?: components["schemas"]["AIPart"];
            effects: components["schemas"]["PlanEffect"][];
            name: string;
            needs: string[];
            params: components["schemas"]["ChoreParam"][];
            run?: string;
            title?: string;
            unit?: {
                [key: string]: string;
            };
        };
        ChoreParam: {
            choices?: string[];
            default: unknown;
            /** Format: int64 */
            max?: number;
            /** Format: int64 */
            min?: number;
            name: string;
            type: string;
            words?: components["schemas"]["ParamWords"];
        };
        Chosen: {
            model: string;
            /** @enum {string} */
            store: "keychain" | "file";
        };
        Cleaned: {
            /** Format: int64 */
            freed: number;
        };
        CleanRequest: {
            /** @description the person knows that changes of tasks that are over cannot be taken back afterwards */
            loseUndo?: boolean;
            what: components["schemas"]["StorageKind"][];
        };
        CloseRequest: {
            /** @enum {string} */
            answer: "background" | "stop" | "cancel";
            /** @description do so without asking the next time; with cancel nothing is remembered */
            remember?: boolean;
        };
        Cluster: {
            /** @description what Pods are made of, with a shell */
            image: string;
            /** @description where Pods are made; none is the one of the context */
            namespace?: string;
            /** @description the label by which piwork knows its own Pods there */
            readonly owner?: string;
        };
        ComparedSide: {
            encoding?: components["schemas"]["TextEncoding"];
            /** Format: int64 */
            height?: number;
            missing?: string;
            show?: boolean;
            /** Format: int64 */
            size: number;
            type?: string;
            /** Format: int64 */
            width?: number;
        };
        Comparison: {
            after?: components["schemas"]["ComparedSide"];
            before?: components["schemas"]["ComparedSide"];
            change: components["schemas"]["Change"];
            facts: components["schemas"]["ChangeFact"][];
            kind: components["schemas"]["ComparisonKind"];
            table?: components["schemas"]["TableDiff"];
            text?: components["schemas"]["TextDiff"];
        };
        /** @enum {string} */
        ComparisonKind: "text" | "table" | "image" | "other" | "none";
        Computer: {
            /** Format: int64 */
            cpus: number;
            /** Format: int64 */
            freeMb: number;
            /** Format: int64 */
            memoryMb: number;
        };
        CsoundPerformForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default 48000 */
            rate: number;
            /** @default false */
            replace: boolean;
            /**
             * @default wav
             * @enum {string}
             */
            to: "wav" | "flac";
        };
        CsoundPerformParams: {
            /** @default [] */
            names: string[];
            /** @default 48000 */
            rate: number;
            /** @default false */
            replace: boolean;
            /**
             * @default wav
             * @enum {string}
             */
            to: "wav" | "flac";
        };
        CsoundPerformRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["CsoundPerformParams"];
        };
        CsoundPerformResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "csound.perform";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        Decision: {
            answer: string;
            by: string;
            /** Format: int64 */
            choice?: number;
            client?: string;
            id: string;
            scope: string;
            text?: string;
            /** Format: date-time */
            time: string;
        };
        DecisionEvent: {
            data: components["schemas"]["Decision"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "decision";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        DeltaData: {
            id: string;
            /** Format: int64 */
            part?: number;
            text?: string;
            thinking?: string;
        };
        DeltaEvent: {
            data: components["schemas"]["DeltaData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "delta";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        Diagnostics: {
            files: components["schemas"]["DiagnosticsText"][];
            /** @description of this preview; the next one replaces it */
            id: string;
        };
        DiagnosticsFile: {
            /** Format: int64 */
            bytes: number;
            path: string;
        };
        DiagnosticsRequest: {
            /** @description of the preview that the person saw: without it what is gathered now is written */
            id?: string;
            /** @description absolute, ends with .zip; a file that is there is replaced */
            path: string;
        };
        DiagnosticsText: {
            /** Format: int64 */
            bytes: number;
            name: string;
            text: string;
        };
        /** @enum {string} */
        DiffOp: "same" | "added" | "removed" | "changed";
        DrawnReport: {
            /** @description false: no frame was drawn within seconds in which the page was visible */
            drawn: boolean;
        };
        DroppedFolder: {
            file?: string;
            /** Format: int64 */
            files: number;
            name: string;
            path: string;
            problem?: components["schemas"]["Problem"];
        };
        DroppedRequest: {
            /** @description absolute */
            paths: string[];
        };
        Duplicates: {
            files: components["schemas"]["FileInfo"][];
            kind: string;
            /** Format: int64 */
            spare: number;
        };
        Ending: {
            /** Format: int64 */
            cpuMs: number;
            /** Format: date-time */
            ended: string;
            /** Format: int64 */
            exitCode: number;
            /** Format: int64 */
            peakKb?: number;
            /** Format: int64 */
            signal?: number;
            /** Format: int64 */
            wallMs: number;
        };
        EndRequest: {
            /** @description tasks at work are cancelled; without it the answer is 409 while there are any */
            cancel?: boolean;
        };
        Engine: {
            /** @description Podman or Docker */
            name: string;
            /** @description it runs without administrator rights: a fault in it gives nobody these */
            rootless: boolean;
            /** @description where it listens */
            socket: string;
            text?: string;
            version: string;
        };
        /** @description What happened. Kinds that are not listed may be added: ignore them. */
        Event: components["schemas"]["StateEvent"] | components["schemas"]["StepEvent"] | components["schemas"]["PlanEvent"] | components["schemas"]["ProgressEvent"] | components["schemas"]["OutputEvent"] | components["schemas"]["ProblemEvent"] | components["schemas"]["ResultEvent"] | components["schemas"]["QuestionEvent"] | components["schemas"]["DecisionEvent"] | components["schemas"]["UndoEvent"] | components["schemas"]["RedoEvent"] | components["schemas"]["ApplyEvent"] | components["schemas"]["FolderEvent"] | components["schemas"]["MessageEvent"] | components["schemas"]["DeltaEvent"] | components["schemas"]["ToolEvent"] | components["schemas"]["UsageEvent"] | components["schemas"]["NoticeEvent"] | components["schemas"]["QueueEvent"] | components["schemas"]["PackEvent"] | components["schemas"]["UpdateEvent"] | components["schemas"]["MachinesEvent"] | components["schemas"]["StatusEvent"] | components["schemas"]["CheckEvent"] | components["schemas"]["ResetEvent"] | components["schemas"]["SettingsEvent"] | components["schemas"]["GoneEvent"] | components["schemas"]["WindowEvent"];
        ExtractedText: {
            note?: string;
            out: string;
            path: string;
            sha256: string;
            /** Format: int64 */
            size: number;
            words: string;
        };
        /** @enum {string} */
        FactCode: "moved" | "mode" | "time" | "target" | "attributes" | "encoding" | "line-ends" | "same-content";
        Fetched: {
            /** @description the content, where it goes to no file */
            data?: string;
            /** @description where it was written */
            file?: components["schemas"]["TaskFile"];
            sha256: string;
            /**
             * Format: int64
             * @description bytes
             */
            size: number;
            /**
             * Format: int64
             * @description of HTTP
             */
            status: number;
            /** @description media type, as the server says it */
            type?: string;
            /** @description where it came from in the end */
            url: string;
        };
        FetchRequest: {
            /** @description file that it goes to, in a folder of the task or in /work; without it the content comes with the answer */
            into?: string;
            /**
             * Format: int64
             * @description bytes at most: without it 64 MiB, and 1 MiB of what comes with the answer
             */
            limit?: number;
            /** @description what the place where the task works has to be: elsewhere nothing is done */
            requiresRuntime?: components["schemas"]["Requirement"];
            /** @description http or https */
            url: string;
        };
        FileCleanupForm: {
            /** @default  */
            after: string;
            /** @default true */
            archives: boolean;
            /** @default 30 */
            days: number;
            /** @default true */
            empty: boolean;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default true */
            installers: boolean;
            /**
             * @default en
             * @enum {string}
             */
            language: "en" | "de";
            /** @default true */
            months: boolean;
            /** @default  */
            now: string;
        };
        FileCleanupParams: {
            /** @default  */
            after: string;
            /** @default true */
            archives: boolean;
            /** @default 30 */
            days: number;
            /** @default true */
            empty: boolean;
            /** @default true */
            installers: boolean;
            /**
             * @default en
             * @enum {string}
             */
            language: "en" | "de";
            /** @default true */
            months: boolean;
            /** @default  */
            now: string;
        };
        FileCleanupRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["FileCleanupParams"];
        };
        FileCleanupResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["PlannedMove"][];
            /** @enum {string} */
            operation: "file.cleanup";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        FileDuplicatesForm: {
            /** @default  */
            after: string;
            /** @default 4 */
            distance: number;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default 1 */
            minSize: number;
            /** @default false */
            similar: boolean;
        };
        FileDuplicatesParams: {
            /** @default  */
            after: string;
            /** @default 4 */
            distance: number;
            /** @default 1 */
            minSize: number;
            /** @default false */
            similar: boolean;
        };
        FileDuplicatesRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["FileDuplicatesParams"];
        };
        FileDuplicatesResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["Duplicates"][];
            /** @enum {string} */
            operation: "file.duplicates";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        FileHashForm: {
            /** @default  */
            after: string;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default false */
            recursive: boolean;
            /** @default false */
            sizesOnly: boolean;
        };
        FileHashParams: {
            /** @default  */
            after: string;
            /** @default false */
            recursive: boolean;
            /** @default false */
            sizesOnly: boolean;
        };
        FileHashRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["FileHashParams"];
        };
        FileHashResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["FileInfo"][];
            /** @enum {string} */
            operation: "file.hash";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        FileInfo: {
            mtime: string;
            path: string;
            sha256?: string;
            /** Format: int64 */
            size: number;
        };
        FileMoveParams: {
            /** @default [] */
            mtimes: string[];
            to: string[];
        };
        FileMoveRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation, unless its point is to change them */
            in: string[];
            params: components["schemas"]["FileMoveParams"];
        };
        FileMoveResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["PlannedMove"][];
            /** @enum {string} */
            operation: "file.move";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        FileOrganizeForm: {
            /** @default  */
            after: string;
            /**
             * @default kind
             * @enum {string}
             */
            by: "kind" | "month" | "year" | "kind-month" | "taken-month" | "taken-year";
            /** @description the files, a part of this name for each */
            in: string[];
            /**
             * @default en
             * @enum {string}
             */
            language: "en" | "de";
            /** @default false */
            recursive: boolean;
        };
        FileOrganizeParams: {
            /** @default  */
            after: string;
            /**
             * @default kind
             * @enum {string}
             */
            by: "kind" | "month" | "year" | "kind-month" | "taken-month" | "taken-year";
            /**
             * @default en
             * @enum {string}
             */
            language: "en" | "de";
            /** @default false */
            recursive: boolean;
        };
        FileOrganizeRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["FileOrganizeParams"];
        };
        FileOrganizeResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["PlannedMove"][];
            /** @enum {string} */
            operation: "file.organize";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        FileRemoveParams: {
            /** @default false */
            files: boolean;
        };
        FileRemoveRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation, unless its point is to change them */
            in: string[];
            params?: components["schemas"]["FileRemoveParams"];
        };
        FileRemoveResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["PlannedMove"][];
            /** @enum {string} */
            operation: "file.remove";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        FileRenameForm: {
            /** @default  */
            after: string;
            /**
             * @default keep
             * @enum {string}
             */
            case: "keep" | "lower" | "upper";
            /** @default  */
            find: string;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default {name}{ext} */
            pattern: string;
            /**
             * @default keep
             * @enum {string}
             */
            spaces: "keep" | "dash" | "underscore";
            /** @default 1 */
            start: number;
            /** @default  */
            with: string;
        };
        FileRenameParams: {
            /** @default  */
            after: string;
            /**
             * @default keep
             * @enum {string}
             */
            case: "keep" | "lower" | "upper";
            /** @default  */
            find: string;
            /** @default {name}{ext} */
            pattern: string;
            /**
             * @default keep
             * @enum {string}
             */
            spaces: "keep" | "dash" | "underscore";
            /** @default 1 */
            start: number;
            /** @default  */
            with: string;
        };
        FileRenameRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["FileRenameParams"];
        };
        FileRenameResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["PlannedMove"][];
            /** @enum {string} */
            operation: "file.rename";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        FileReportForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /**
             * @default en
             * @enum {string}
             */
            language: "en" | "de";
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /**
             * @default html
             * @enum {string}
             */
            to: "html" | "md" | "csv" | "xlsx";
            /** @default 20 */
            top: number;
        };
        FileReportParams: {
            /**
             * @default en
             * @enum {string}
             */
            language: "en" | "de";
            /** @default false */
            replace: boolean;
            /**
             * @default html
             * @enum {string}
             */
            to: "html" | "md" | "csv" | "xlsx";
            /** @default 20 */
            top: number;
        };
        FileReportRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["FileReportParams"];
        };
        FileReportResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["FolderReport"][];
            /** @enum {string} */
            operation: "file.report";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        FileRequest: {
            /** @description absolute path on this computer */
            file: string;
        };
        FileState: {
            attributes?: string;
            /** Format: int32 */
            mode: number;
            /** Format: date-time */
            mtime: string;
            sha256?: string;
            /** Format: int64 */
            size: number;
            target?: string;
        };
        Fix: {
            code: string;
            command?: string;
            kind: components["schemas"]["FixKind"];
            lead?: string;
            runs?: string;
            steps?: string[];
            title?: string;
        };
        /** @enum {string} */
        FixKind: "action" | "link" | "command";
        Folder: {
            id: string;
            mode: components["schemas"]["FolderMode"];
            name: string;
            path: string;
            /** Format: date-time */
            removed?: string;
        };
        FolderChoice: {
            mode: components["schemas"]["FolderMode"];
            path: string;
        };
        FolderData: {
            by: string;
            folder: components["schemas"]["Folder"];
        };
        FolderEvent: {
            data: components["schemas"]["FolderData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "folder";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        /** @enum {string} */
        FolderMode: "ro" | "rw" | "review";
        FolderReport: {
            biggest: components["schemas"]["FileInfo"][];
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            empty: number;
            emptyFolders: string[];
            /** Format: int64 */
            files: number;
            /** Format: int64 */
            folders: number;
            kinds: components["schemas"]["KindSize"][];
            /** Format: int64 */
            links: number;
            newest: components["schemas"]["FileInfo"][];
            oldest: components["schemas"]["FileInfo"][];
            /** Format: int64 */
            others: number;
            parts: components["schemas"]["FolderSize"][];
            path: string;
        };
        FolderRequest: {
            mode?: components["schemas"]["FolderMode"];
            path: string;
        };
        FolderSize: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            files: number;
            path: string;
        };
        GoneEvent: {
            data: components["schemas"]["Nothing"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "gone";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        Health: {
            /** @enum {string} */
            status: "ok";
            /** Format: int64 */
            uptimeMs: number;
        };
        HealthPage: {
            audit?: components["schemas"]["AuditReport"];
            machines?: components["schemas"]["Machines"];
            problems: components["schemas"]["Problem"][];
            status?: components["schemas"]["StatusReport"];
            storage?: components["schemas"]["Storage"];
            update?: components["schemas"]["UpdateState"];
            /** Format: int64 */
            uptimeMs: number;
            version: string;
        };
        ImageConvertForm: {
            /**
             * @default white
             * @enum {string}
             */
            background: "white" | "black";
            /** @default 150 */
            dpi: number;
            /** @enum {string} */
            format: "pdf" | "jpeg" | "png" | "webp" | "tiff" | "gif";
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /**
             * @default fit
             * @enum {string}
             */
            page: "fit" | "a4" | "letter";
            /** @default 90 */
            quality: number;
            /** @default false */
            replace: boolean;
        };
        ImageConvertParams: {
            /**
             * @default white
             * @enum {string}
             */
            background: "white" | "black";
            /** @default 150 */
            dpi: number;
            /** @enum {string} */
            format: "pdf" | "jpeg" | "png" | "webp" | "tiff" | "gif";
            /** @default [] */
            names: string[];
            /**
             * @default fit
             * @enum {string}
             */
            page: "fit" | "a4" | "letter";
            /** @default 90 */
            quality: number;
            /** @default false */
            replace: boolean;
        };
        ImageConvertRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["ImageConvertParams"];
        };
        ImageConvertResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ImageInfo"][];
            /** @enum {string} */
            operation: "image.convert";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        ImageInfo: {
            alpha: boolean;
            format: string;
            /** Format: int64 */
            frames: number;
            /** Format: int64 */
            height: number;
            /** Format: int64 */
            orientation: number;
            out?: string;
            path: string;
            sha256: string;
            /** Format: int64 */
            size: number;
            taken?: string;
            /** Format: int64 */
            width: number;
        };
        ImageInfoForm: {
            /** @description the files, a part of this name for each */
            in: string[];
        };
        ImageInfoParams: Record<string, never>;
        ImageInfoRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["ImageInfoParams"];
        };
        ImageInfoResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ImageInfo"][];
            /** @enum {string} */
            operation: "image.info";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        ImageRequest: {
            data: string;
            name: string;
        };
        ImageResizeForm: {
            /**
             * @default white
             * @enum {string}
             */
            background: "white" | "black";
            /** @default false */
            enlarge: boolean;
            /**
             * @default inside
             * @enum {string}
             */
            fit: "inside" | "cover" | "exact";
            /**
             * @default same
             * @enum {string}
             */
            format: "same" | "jpeg" | "png" | "webp" | "tiff" | "gif";
            /** @default 0 */
            height: number;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default 85 */
            quality: number;
            /** @default false */
            replace: boolean;
            /** @default 0 */
            width: number;
        };
        ImageResizeParams: {
            /**
             * @default white
             * @enum {string}
             */
            background: "white" | "black";
            /** @default false */
            enlarge: boolean;
            /**
             * @default inside
             * @enum {string}
             */
            fit: "inside" | "cover" | "exact";
            /**
             * @default same
             * @enum {string}
             */
            format: "same" | "jpeg" | "png" | "webp" | "tiff" | "gif";
            /** @default 0 */
            height: number;
            /** @default [] */
            names: string[];
            /** @default 85 */
            quality: number;
            /** @default false */
            replace: boolean;
            /** @default 0 */
            width: number;
        };
        ImageResizeRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["ImageResizeParams"];
        };
        ImageResizeResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ImageInfo"][];
            /** @enum {string} */
            operation: "image.resize";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        InputRequest: {
            /** @description as it reads */
            client: string;
            /** @description at most 64 KiB; none asks for the lease alone */
            data?: string;
            /** @description also when another client writes, which goes on reading */
            take?: boolean;
        };
        Instant: {
            /** Format: int64 */
            bytes?: number;
            mode?: components["schemas"]["InstantMode"];
            problem?: components["schemas"]["Problem"];
            reason?: components["schemas"]["InstantReason"];
            said?: string;
            state: components["schemas"]["InstantState"];
        };
        /** @enum {string} */
        InstantMode: "template" | "spare";
        /** @enum {string} */
        InstantReason: "setup" | "tasks" | "soon" | "unused" | "memory" | "disk" | "battery";
        /** @enum {string} */
        InstantState: "off" | "pending" | "making" | "ready" | "failed";
        /** @enum {string} */
        Isolation: "hardware" | "emulated" | "namespace" | "none";
        KeyInfo: {
            baseUrl?: string;
            canLogin?: boolean;
            ending?: string;
            /** Format: date-time */
            expires?: string;
            has: boolean;
            kind?: string;
            local?: boolean;
            name: string;
            noKey?: boolean;
            place?: string;
            protocol?: string;
            provider: string;
        };
        KeyRequest: {
            baseUrl?: string;
            key?: string;
            name?: string;
            /** @enum {string} */
            protocol?: "anthropic" | "openai" | "google";
        };
        KeyStore: {
            keychain: boolean;
            locked: boolean;
            /** @enum {string} */
            store: "keychain" | "file";
        };
        KeyStoreChoice: {
            passphrase?: string;
            /** @enum {string} */
            store: "keychain" | "file";
        };
        KeyTest: {
            detail?: string;
            /** Format: int64 */
            models?: number;
            ok: boolean;
            reason?: string;
        };
        KindSize: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            files: number;
            kind: string;
        };
        Licence: {
            /** @description of the runtime: where the text lies on this computer */
            file?: string;
            /** @description names of SPDX where they are known; the text decides */
            licence: string;
            name: string;
            /**
             * @description what it is part of
             * @enum {string}
             */
            of: "program" | "window" | "runtime";
            /** @description of the runtime: where the list of sources lies on this computer */
            source?: string;
            /** @description of the program and the window */
            text?: string;
            version?: string;
        };
        Licences: {
            items: components["schemas"]["Licence"][];
        };
        LilypondRenderForm: {
            /** @default 150 */
            dpi: number;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default [] */
            outputs: ("pdf" | "svg" | "png" | "midi")[];
            /** @default false */
            replace: boolean;
        };
        LilypondRenderParams: {
            /** @default 150 */
            dpi: number;
            /** @default [] */
            outputs: ("pdf" | "svg" | "png" | "midi")[];
            /** @default false */
            replace: boolean;
        };
        LilypondRenderRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["LilypondRenderParams"];
        };
        LilypondRenderResult: {
            files: components["schemas"]["ToolFile"][];
            info: unknown[];
            /** @enum {string} */
            operation: "lilypond.render";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        Limits: {
            /**
             * Format: int64
             * @description processor time of the whole process tree, ms
             */
            cpuMs?: number;
            /**
             * Format: int64
             * @description what the whole process tree reads and writes in all, from and to files and pipes, bytes
             */
            ioBytes?: number;
            /**
             * Format: int64
             * @description of the whole process tree, MiB
             */
            memoryMb?: number;
            /**
             * Format: int64
             * @description stdout and stderr of a program together, bytes
             */
            outputBytes?: number;
            /**
             * Format: int64
             * @description wall clock, ms
             */
            wallMs?: number;
        };
        LimitSupport: {
            cpu: boolean;
            disk: boolean;
            memory: boolean;
            output: boolean;
            /** @description their number is bounded, without a limit of the task's own */
            processes: boolean;
            wall: boolean;
        };
        ListenerLimits: {
            /**
             * Format: int64
             * @description bytes of the body of a request, where the operation does not take more; 413 above it
             */
            body: number;
            /**
             * Format: int64
             * @description requests that may come at once before that counts
             */
            burst: number;
            /**
             * Format: int64
             * @description that may be open at once; one process can have no more than it leaves to others, where the system says which it is
             */
            connections: number;
            /**
             * Format: double
             * @description requests in a second of one program; on loopback HTTP of all together
             */
            rate: number;
            /**
             * Format: int64
             * @description of events, and programs attached to, that may be open at once; likewise
             */
            streams: number;
        };
        ListRequest: {
            /**
             * Format: int64
             * @description how many directories below it are listed too
             */
            depth?: number;
            /**
             * Format: int64
             * @description no more entries than so many; without it 1000
             */
            limit?: number;
            /** @description as the task sees it, such as /folders/Letters/a.txt or /work/out */
            path: string;
            /** @description what the place where the task works has to be: elsewhere nothing is done */
            requiresRuntime?: components["schemas"]["Requirement"];
        };
        Login: {
            /** Format: date-time */
            expires: string;
            id: string;
            /** @enum {string} */
            needs: "code" | "nothing";
            terms?: boolean;
            url: string;
            userCode?: string;
        };
        LoginCode: {
            code: string;
        };
        LogInfo: {
            /** Format: int64 */
            bytes: number;
            /** Format: date-time */
            changed: string;
            name: string;
            task?: string;
        };
        LoginRequest: {
            device?: boolean;
            domain?: string;
        };
        LoginState: {
            problem?: components["schemas"]["Problem"];
            /** @enum {string} */
            state: "waiting" | "done" | "failed";
            /** @enum {string} */
            step?: "terms";
        };
        Logs: {
            logs: components["schemas"]["LogInfo"][];
        };
        Machines: {
            /** Format: int64 */
            atOnce: number;
            host: components["schemas"]["Computer"];
            instant: components["schemas"]["Instant"];
            /** Format: int64 */
            queued: number;
            /** Format: int64 */
            running: number;
            settings: components["schemas"]["MachineSettings"];
            share: components["schemas"]["Share"];
            size: components["schemas"]["MachineSize"];
            /** Format: int64 */
            totalMb: number;
        };
        MachineSettings: {
            /** Format: int64 */
            atOnce: number;
            /** Format: int64 */
            cacheMb?: number;
            /** Format: int64 */
            cpus: number;
            instant: boolean;
            /** Format: int64 */
            memoryMb: number;
            /** @enum {string} */
            share?: "auto" | "9p" | "virtiofs";
            /** Format: int64 */
            totalMb: number;
        };
        MachinesEvent: {
            data: components["schemas"]["Machines"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "machines";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        MachineSize: {
            /** Format: int64 */
            cpus: number;
            /** Format: int64 */
            memoryMb: number;
        };
        MadeFile: {
            note?: string;
            out: string;
            path: string;
        };
        Makes: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            files: number;
            /** Format: int64 */
            times?: number;
        };
        Mended: {
            declined: boolean;
            report: components["schemas"]["StatusReport"];
        };
        MendRequest: {
            /** @description code of a fix that the last report says can be run */
            fix: string;
        };
        MessageData: {
            how?: string;
            id: string;
            images?: string[];
            model?: string;
            pending?: string;
            /** Format: int64 */
            raw?: number;
            role: string;
            text: string;
            thinking?: string;
        };
        MessageEvent: {
            data: components["schemas"]["MessageData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "message";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        MetadataInfo: {
            path: string;
            tags: {
                [key: string]: unknown;
            };
        };
        MetadataReadForm: {
            /** @default false */
            all: boolean;
            /** @description the files, a part of this name for each */
            in: string[];
        };
        MetadataReadParams: {
            /** @default false */
            all: boolean;
        };
        MetadataReadRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["MetadataReadParams"];
        };
        MetadataReadResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MetadataInfo"][];
            /** @enum {string} */
            operation: "metadata.read";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        MetadataStripForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default false */
            keepDate: boolean;
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
        };
        MetadataStripParams: {
            /** @default false */
            keepDate: boolean;
            /** @default [] */
            names: string[];
            /** @default false */
            replace: boolean;
        };
        MetadataStripRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["MetadataStripParams"];
        };
        MetadataStripResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "metadata.strip";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        MetadataWriteForm: {
            /** @default  */
            author: string;
            /** @default  */
            copyright: string;
            /** @default  */
            description: string;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            keywords: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /** @default  */
            taken: string;
            /** @default  */
            title: string;
        };
        MetadataWriteParams: {
            /** @default  */
            author: string;
            /** @default  */
            copyright: string;
            /** @default  */
            description: string;
            /** @default [] */
            keywords: string[];
            /** @default [] */
            names: string[];
            /** @default false */
            replace: boolean;
            /** @default  */
            taken: string;
            /** @default  */
            title: string;
        };
        MetadataWriteRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["MetadataWriteParams"];
        };
        MetadataWriteResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "metadata.write";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        ModelChoice: {
            model: string;
        };
        ModelInfo: {
            /** Format: int64 */
            context?: number;
            id: string;
            images?: boolean;
            /** Format: int64 */
            inputPrice?: number;
            local?: boolean;
            name: string;
            /** Format: int64 */
            outputPrice?: number;
            own?: boolean;
            provider: string;
            said?: components["schemas"]["ModelSaid"];
            thinks?: boolean;
        };
        Models: {
            chosen: boolean;
            default: string;
            list: components["schemas"]["ModelInfo"][];
        };
        ModelSaid: {
            /** Format: int64 */
            context?: number;
            images?: boolean;
            thinks?: boolean;
        };
        ModelWord: {
            /** Format: int64 */
            context?: number;
            images?: boolean;
            model: string;
            thinks?: boolean;
        };
        /** @enum {string} */
        MovePhase: "none" | "planned" | "copying" | "done" | "failed" | "cancelled";
        MoveRequest: {
            /** @description absolute; a folder piwork is made in it */
            dir: string;
            /** @description only say what would be moved, and whether it can */
            dryRun?: boolean;
        };
        /** @enum {string} */
        Network: "off" | "restricted" | "on";
        NetworkPreset: {
            code: string;
            default: boolean;
            hosts: string[];
            on: boolean;
            title?: string;
        };
        NetworkRuleRequest: {
            /** @enum {string} */
            answer: "allow" | "deny";
            host?: string;
            preset?: string;
            task?: string;
        };
        NetworkRules: {
            presets: components["schemas"]["NetworkPreset"][];
            rules: components["schemas"]["Rule"][];
        };
        NewToken: {
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            expires: string;
            folders: components["schemas"]["FolderRequest"][];
            id: string;
            name: string;
            scopes: ("read" | "tasks" | "tools" | "ai" | "decide" | "manage")[];
            secret: string;
            /** Format: date-time */
            used?: string;
        };
        NewWindowRequest: {
            /** @description id; without it the main window */
            task?: string;
        };
        Nothing: Record<string, never>;
        Notice: {
            body?: string;
            /** @description a click shows it */
            task?: string;
            title: string;
        };
        NoticeClaim: {
            /**
             * Format: int64
             * @description its number (seq)
             */
            event: number;
        };
        NoticeClaimed: {
            /** @description false: another window told of it, or was in front */
            first: boolean;
        };
        Noticed: {
            /** @description false where the person does not want messages */
            shown: boolean;
        };
        NoticeData: {
            code: string;
            /** @description of model: model, or thinking; with wanted, the level that was chosen and that the model does not have */
            params?: {
                [key: string]: unknown;
            };
            /** Format: int64 */
            raw?: number;
            text?: string;
        };
        NoticeEvent: {
            data: components["schemas"]["NoticeData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "notice";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        Opened: {
            /**
             * @description files that could run something are only revealed
             * @enum {string}
             */
            how: "opened" | "revealed";
        };
        OpenRequest: {
            /** Format: int64 */
            index: number;
            /** @description show it in its folder instead */
            reveal?: boolean;
            task: string;
        };
        OpenWish: {
            /** @description name of its form */
            chore?: string;
            /** @description absolute paths of folders and files */
            paths?: string[];
            /** @description id */
            task?: string;
        };
        Output: {
            /**
             * Format: int64
             * @description offset of the first byte; beyond the one that was asked for when that is not kept any more
             */
            at: number;
            /** @description at most 256 KiB; on a terminal all of it, on pipes output and errors as they came */
            data: string;
            session: components["schemas"]["Session"];
            /**
             * Format: int64
             * @description grows when another client writes, and when the size of the terminal changes
             */
            turn: number;
            /** @description the client has the lease to write */
            writes: boolean;
        };
        OutputData: {
            data: string;
            /** Format: int64 */
            part?: number;
            stream: string;
        };
        OutputEvent: {
            data: components["schemas"]["OutputData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "output";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        PackData: {
            /** Format: int64 */
            done: number;
            /** Format: int64 */
            total: number;
        };
        PackEvent: {
            data: components["schemas"]["PackData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "pack";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        PackInfo: {
            arch: string;
            /** Format: date-time */
            built: string;
            /** Format: int64 */
            bytes: number;
            candidate?: boolean;
            checksum?: string;
            current: boolean;
            developer: boolean;
            dir?: string;
            failed?: boolean;
            /** Format: int64 */
            files: number;
            flavour?: string;
            guestArch: string;
            installed: boolean;
            inUse?: boolean;
            kind?: components["schemas"]["PackKind"];
            name: string;
            os: string;
            previous?: boolean;
            problem?: components["schemas"]["Problem"];
            signedBy: string;
            tools?: components["schemas"]["PackTool"][];
            version: string;
            withdrawn?: boolean;
        };
        /** @enum {string} */
        PackKind: "runtime" | "addon" | "bundle";
        PackState: {
            developer: boolean;
            dir?: string;
            flavour?: string;
            installed: boolean;
            missing?: string[];
            verified: boolean;
            version?: string;
        };
        PackTool: {
            name: string;
            operations?: string[];
            version: string;
        };
        PackTools: {
            /** @description SHA-256 of the signed manifest, which covers every file */
            checksum: string;
            /** @description programs of the pack, their versions and what they are used for */
            tools: components["schemas"]["PackTool"][];
            version: string;
        };
        PageDone: {
            /** @description there is more text, or the page did not stop loading */
            cut?: boolean;
            /** @description why an optional step could not be done: missing, failed, too-large or unreachable */
            failed?: string;
            /** @description that was made */
            file?: components["schemas"]["TaskFile"];
            /** @description that was read */
            text?: string;
        };
        PageResult: {
            steps: components["schemas"]["PageDone"][];
            title: string;
            /** @description where the page is from in the end */
            url: string;
        };
        PageStep: {
            /** @enum {string} */
            do: "open" | "click" | "type" | "text" | "screenshot" | "pdf";
            /** @description file of screenshot (PNG) and pdf, in a folder of the task or in /work */
            into?: string;
            /** @description the visit goes on where it can't be done */
            optional?: boolean;
            /** @description CSS selector of click and type, and of text, which is of the whole page without it */
            selector?: string;
            /** @description of type */
            text?: string;
            /** @description of open: http or https */
            url?: string;
        };
        ParamWords: {
            choices?: {
                [key: string]: string;
            };
            hint?: string;
            label: string;
        };
        Passphrase: {
            passphrase: string;
        };
        PassphraseChange: {
            new: string;
            passphrase: string;
        };
        PdfCompressForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /**
             * @default reading
             * @enum {string}
             */
            quality: "screen" | "reading" | "printing";
            /** @default false */
            replace: boolean;
        };
        PdfCompressParams: {
            /** @default [] */
            names: string[];
            /**
             * @default reading
             * @enum {string}
             */
            quality: "screen" | "reading" | "printing";
            /** @default false */
            replace: boolean;
        };
        PdfCompressRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["PdfCompressParams"];
        };
        PdfCompressResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "pdf.compress";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PdfImagesForm: {
            /** @default 150 */
            dpi: number;
            /**
             * @default jpeg
             * @enum {string}
             */
            format: "jpeg" | "png";
            /**
             * @default embedded
             * @enum {string}
             */
            from: "embedded" | "pages";
            /** @description the files, a part of this name for each */
            in: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
        };
        PdfImagesParams: {
            /** @default 150 */
            dpi: number;
            /**
             * @default jpeg
             * @enum {string}
             */
            format: "jpeg" | "png";
            /**
             * @default embedded
             * @enum {string}
             */
            from: "embedded" | "pages";
            /** @default false */
            replace: boolean;
        };
        PdfImagesRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["PdfImagesParams"];
        };
        PdfImagesResult: {
            files: components["schemas"]["ToolFile"][];
            info: unknown[];
            /** @enum {string} */
            operation: "pdf.images";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PDFInfo: {
            encrypted: boolean;
            /** Format: double */
            height: number;
            /** Format: int64 */
            pages: number;
            path: string;
            sha256: string;
            /** Format: int64 */
            size: number;
            title?: string;
            version?: string;
            /** Format: double */
            width: number;
        };
        PdfInfoForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /**
             * Format: password
             * @default
             */
            password: string;
        };
        PdfInfoParams: {
            /**
             * Format: password
             * @default
             */
            password: string;
        };
        PdfInfoRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["PdfInfoParams"];
        };
        PdfInfoResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["PDFInfo"][];
            /** @enum {string} */
            operation: "pdf.info";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PdfMergeForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
        };
        PdfMergeParams: {
            /** @default false */
            replace: boolean;
        };
        PdfMergeRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["PdfMergeParams"];
        };
        PdfMergeResult: {
            files: components["schemas"]["ToolFile"][];
            info: unknown[];
            /** @enum {string} */
            operation: "pdf.merge";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PdfOcrForm: {
            /** @default 300 */
            dpi: number;
            /** @default false */
            force: boolean;
            /** @description the files, a part of this name for each */
            in: string[];
            /**
             * @default eng+deu
             * @enum {string}
             */
            language: "eng" | "deu" | "eng+deu";
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /**
             * @default pdf
             * @enum {string}
             */
            to: "pdf" | "text";
        };
        PdfOcrParams: {
            /** @default 300 */
            dpi: number;
            /** @default false */
            force: boolean;
            /**
             * @default eng+deu
             * @enum {string}
             */
            language: "eng" | "deu" | "eng+deu";
            /** @default [] */
            names: string[];
            /** @default false */
            replace: boolean;
            /**
             * @default pdf
             * @enum {string}
             */
            to: "pdf" | "text";
        };
        PdfOcrRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["PdfOcrParams"];
        };
        PdfOcrResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "pdf.ocr";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PdfProtectForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** Format: password */
            password: string;
            /** @default false */
            replace: boolean;
        };
        PdfProtectParams: {
            /** @default [] */
            names: string[];
            /** Format: password */
            password: string;
            /** @default false */
            replace: boolean;
        };
        PdfProtectRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["PdfProtectParams"];
        };
        PdfProtectResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "pdf.protect";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PdfRotateForm: {
            /** @default 90 */
            angle: number;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default 1-z */
            pages: string;
            /** @default false */
            replace: boolean;
        };
        PdfRotateParams: {
            /** @default 90 */
            angle: number;
            /** @default [] */
            names: string[];
            /** @default 1-z */
            pages: string;
            /** @default false */
            replace: boolean;
        };
        PdfRotateRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["PdfRotateParams"];
        };
        PdfRotateResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "pdf.rotate";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PdfSplitForm: {
            /** @default 1 */
            every: number;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default [] */
            ranges: string[];
            /** @default false */
            replace: boolean;
        };
        PdfSplitParams: {
            /** @default 1 */
            every: number;
            /** @default [] */
            ranges: string[];
            /** @default false */
            replace: boolean;
        };
        PdfSplitRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["PdfSplitParams"];
        };
        PdfSplitResult: {
            files: components["schemas"]["ToolFile"][];
            info: unknown[];
            /** @enum {string} */
            operation: "pdf.split";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PdfTextForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default true */
            layout: boolean;
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
        };
        PdfTextParams: {
            /** @default true */
            layout: boolean;
            /** @default [] */
            names: string[];
            /** @default false */
            replace: boolean;
        };
        PdfTextRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["PdfTextParams"];
        };
        PdfTextResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "pdf.text";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PdfUnlockForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** Format: password */
            password: string;
            /** @default false */
            replace: boolean;
        };
        PdfUnlockParams: {
            /** @default [] */
            names: string[];
            /** Format: password */
            password: string;
            /** @default false */
            replace: boolean;
        };
        PdfUnlockRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["PdfUnlockParams"];
        };
        PdfUnlockResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "pdf.unlock";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        Pending: {
            how: string;
            id: string;
            images?: string[];
            text: string;
        };
        Picked: {
            /** @description absolute; empty when nothing was chosen */
            path: string;
        };
        PickedFiles: {
            /** @description absolute; none when nothing was chosen */
            paths: string[];
        };
        PickRequest: {
            /** @description of files, e.g. *.tar.zst */
            patterns?: string[];
            /** @description of the dialog */
            title?: string;
        };
        Plan: {
            chore: string;
            limits?: components["schemas"]["Limits"];
            needs: string[];
            operations: components["schemas"]["PlanOperation"][];
            params: {
                [key: string]: unknown;
            };
            run?: string;
            skipped?: components["schemas"]["Problem"][];
            summary?: string;
            title?: string;
            /** Format: int64 */
            v: number;
        };
        /** @enum {string} */
        PlanEffect: "create" | "move" | "change" | "delete";
        PlanEvent: {
            data: components["schemas"]["Plan"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "plan";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        PlanInput: {
            mtime?: string;
            path: string;
            sha256?: string;
            /** Format: int64 */
            size?: number;
        };
        PlannedMove: {
            kind: string;
            mtime: string;
            path: string;
            /** Format: int64 */
            size: number;
            to: string;
        };
        PlanOperation: {
            effect: components["schemas"]["PlanEffect"];
            in: components["schemas"]["PlanInput"][];
            makes?: components["schemas"]["Makes"];
            op: string;
            out: string;
        };
        PlistConvertForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /** @enum {string} */
            to: "xml" | "binary" | "json" | "openstep";
        };
        PlistConvertParams: {
            /** @default [] */
            names: string[];
            /** @default false */
            replace: boolean;
            /** @enum {string} */
            to: "xml" | "binary" | "json" | "openstep";
        };
        PlistConvertRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["PlistConvertParams"];
        };
        PlistConvertResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "plist.convert";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PlistInfo: {
            format: string;
            path: string;
            sha256: string;
            /** Format: int64 */
            size: number;
        };
        PlistValidateForm: {
            /** @description the files, a part of this name for each */
            in: string[];
        };
        PlistValidateParams: Record<string, never>;
        PlistValidateRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["PlistValidateParams"];
        };
        PlistValidateResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["PlistInfo"][];
            /** @enum {string} */
            operation: "plist.validate";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        PresetChoice: {
            on: boolean;
        };
        Problem: {
            cause: string;
            code: string;
            detail?: string;
            details?: string;
            fix: components["schemas"]["Fix"][];
            params?: {
                [key: string]: unknown;
            };
            reason?: string;
            restart?: string;
            severity: components["schemas"]["Severity"];
            then?: string;
            title?: string;
        };
        ProblemEvent: {
            data: components["schemas"]["Problem"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "problem";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        ProcessStatus: {
            /** @description tcg is the slow mode, by its environment */
            accel?: string;
            /** @description started by whoever needed it, or at login */
            background: boolean;
            /**
             * Format: date-time
             * @description when its file was written; another time on disk is another piwork
             */
            built: string;
            /**
             * Format: int64
             * @description requests and streams of others that are open
             */
            clients: number;
            /** @description of the variables that it was started with: a program with others starts another one when this has nothing to do */
            env: string;
            /** @description those of them that end with whoever waits for them */
            held: string[];
            /**
             * Format: int64
             * @description seconds without use after which it ends by itself; none: never
             */
            idleEnd?: number;
            /** @description it serves the pages of the window, too */
            pages: boolean;
            /** Format: int64 */
            pid: number;
            /** @description path of its file */
            program: string;
            /** Format: date-time */
            since: string;
            /** @description of piwork */
            version: string;
            /**
             * Format: int64
             * @description those of them that are streams of windows (header X-Piwork-Client: window)
             */
            windows: number;
            /**
             * Format: int64
             * @description tasks that are not over
             */
            working: number;
        };
        ProgressData: {
            /** Format: int64 */
            bytes?: number;
            /** Format: int64 */
            done: number;
            /** Format: int64 */
            eta?: number;
            item?: string;
            /** Format: int64 */
            total: number;
            /** Format: int64 */
            totalBytes?: number;
        };
        ProgressEvent: {
            data: components["schemas"]["ProgressData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "progress";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        Project: {
            folders?: string[];
            name?: string;
        };
        Question: {
            answers?: components["schemas"]["AnswerOption"][];
            caution?: string;
            choices?: components["schemas"]["Choice"][];
            detail?: string;
            /** Format: date-time */
            expires?: string;
            id: string;
            input?: boolean;
            items: string[];
            kind: components["schemas"]["QuestionKind"];
            more?: string;
            notes?: string[];
            quotes?: string[];
            /**
             * @description how careful to be with a yes; where it is not said, as with high
             * @enum {string}
             */
            risk?: "none" | "low" | "high";
            /** @description how far a yes may reach, the nearest first */
            scopes?: ("once" | "task" | "folder" | "always")[];
            task: string;
            text: components["schemas"]["QuestionText"];
            title?: string;
        };
        QuestionEvent: {
            data: components["schemas"]["Question"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "question";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        /** @enum {string} */
        QuestionKind: "delete" | "overwrite" | "mass-change" | "network" | "command" | "apply" | "undo-space" | "unpack" | "runtime" | "folder";
        QuestionText: {
            code: string;
            params?: {
                [key: string]: unknown;
            };
        };
        QueueData: {
            followUp: string[];
            steering: string[];
        };
        QueueEvent: {
            data: components["schemas"]["QueueData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "queue";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        ReadRequest: {
            /**
             * Format: int64
             * @description no more bytes than so many; without it 1 MiB
             */
            length?: number;
            /**
             * Format: int64
             * @description of the first byte
             */
            offset?: number;
            /** @description as the task sees it, such as /folders/Letters/a.txt or /work/out */
            path: string;
            /** @description what the place where the task works has to be: elsewhere nothing is done */
            requiresRuntime?: components["schemas"]["Requirement"];
        };
        ReceiptInfo: {
            /** Format: double */
            confidence: number;
            currency: string;
            date: string;
            number: string;
            path: string;
            seller: string;
            sha256: string;
            /** Format: int64 */
            size: number;
            tax: string;
            total: string;
            unsure: string[];
            words: string;
        };
        RedoData: {
            conflicts: string[];
            redone: string[];
        };
        RedoEvent: {
            data: components["schemas"]["RedoData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "redo";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        RedoReport: {
            conflicts: components["schemas"]["UndoConflict"][];
            redone: components["schemas"]["Change"][];
        };
        RedoRequest: {
            ids?: string[];
        };
        Remote: {
            /** @description [user@]host[:port], or a name of the person's SSH configuration */
            address: string;
            /** @description it is a cluster, and the address a context of the person's kubeconfig */
            cluster?: components["schemas"]["Cluster"];
            /** @description keys that a person confirmed, by address, as SSH writes them */
            hostKeys?: {
                [key: string]: string;
            };
            /** @description what it is called here */
            name: string;
        };
        RemoteAddition: {
            /** @description [user@]host[:port], or a name of the person's SSH configuration; of a cluster, a context of their kubeconfig */
            address: string;
            /** @description it is a cluster */
            cluster?: components["schemas"]["Cluster"];
            /** @description fingerprints of keys (SHA256:…) that a person confirms */
            confirm?: string[];
            /** @description what it is to be called here: small letters, digits and - */
            name: string;
        };
        RemoteUsage: {
            /**
             * Format: int64
             * @description of its disk; cleanRemote frees them. A cluster keeps nothing between tasks
             */
            bytes: number;
            /**
             * Format: int64
             * @description how many tasks work there, also of other computers
             */
            places: number;
            /**
             * Format: date-time
             * @description when one began or ended there last; without it, never
             */
            used?: string;
        };
        RenameRequest: {
            title: string;
        };
        RepairRequest: {
            /** @description absolute path of a pack or a bundle; without it a bundle beside the program, or the channel */
            file?: string;
        };
        Request: {
            /** @description a program; none is a shell */
            argv?: string[];
            /** @description no variables but these, and PATH */
            clean?: boolean;
            /** @description in the workroom; where programs of the task start without */
            cwd?: string;
            /** @description variables beside those of the workroom */
            env?: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description ends it when nothing is written, typed or run for so long, ms
             */
            idleMs?: number;
            /**
             * Format: int64
             * @description of its output that is kept, KiB; 0 is 1024
             */
            keepKb?: number;
            /** @description of the whole session */
            limits?: components["schemas"]["Limits"];
            /** @description what the place where the task works has to be: elsewhere nothing is started */
            requiresRuntime?: components["schemas"]["Requirement"];
            /** @description variables whose values are written down nowhere */
            secrets?: {
                [key: string]: string;
            };
            /** @description it runs on a terminal of this size; else on pipes */
            terminal?: components["schemas"]["TerminalSize"];
        };
        Requirement: {
            /**
             * @description how well it has to keep programs apart
             * @enum {unknown}
             */
            atLeast?: components["schemas"]["Isolation"];
            /** @description what it has to be able to do */
            can?: ("tools" | "read-only" | "limits" | "no-network" | "restricted-network")[];
            /** @description the only kinds of places that will do, such as vm and container; remote and kubernetes are each of theirs */
            kinds?: string[];
        };
        ResetEvent: {
            data: components["schemas"]["Nothing"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "reset";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        /** @enum {string} */
        Resolution: "keep" | "restore" | "both";
        Result: {
            folder?: string;
            path: string;
            sha256?: string;
            /** Format: int64 */
            size: number;
        };
        ResultEvent: {
            data: components["schemas"]["Result"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "result";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        Rule: {
            answer: string;
            /** Format: date-time */
            created: string;
            folder?: string;
            id: string;
            name?: string;
            said?: string;
            task?: string;
            topic: string;
        };
        RunRequest: {
            /** @description as a shell has it; it may have several lines */
            command: string;
            /** @description what the place of the session has to be: elsewhere nothing is done */
            requiresRuntime?: components["schemas"]["Requirement"];
            /**
             * Format: int64
             * @description after which it is interrupted, and then ended with its session, ms
             */
            timeoutMs?: number;
        };
        RunResult: {
            /**
             * Format: int64
             * @description of all programs whose end it waited for
             */
            cpuMs: number;
            /** @description why it did not end by itself; the session may be over, too */
            ended?: string;
            /** Format: int64 */
            exitCode: number;
            /**
             * Format: int64
             * @description that ended it, as its shell says: the exit code is 128 and this
             */
            signal?: number;
            /** @description likewise */
            stderr: string;
            stderrFile?: string;
            /** Format: int64 */
            stderrSize: number;
            /** @description at most 1 MiB of it */
            stdout: string;
            /** @description result of the task that has all of a longer output */
            stdoutFile?: string;
            /**
             * Format: int64
             * @description bytes in all
             */
            stdoutSize: number;
            /** Format: int64 */
            wallMs: number;
        };
        RuntimeChoice: {
            ask: boolean;
            kind: string;
            verdicts: components["schemas"]["RuntimeVerdict"][];
        };
        RuntimeNeed: {
            /** @description it needs an add-on of the runtime */
            addOns?: boolean;
            /**
             * @description how well it has to be kept apart
             * @enum {unknown}
             */
            atLeast?: components["schemas"]["Isolation"];
            /** @description it uses the cache of a project */
            cache?: boolean;
            /** @description it may change files in them */
            changes?: boolean;
            /** @description it works on folders of the person */
            folders?: boolean;
            /** @description it computes on a graphics card */
            gpu?: boolean;
            /** @description it has limits of memory, of processor time or of what it reads and writes */
            limits?: boolean;
            /** @description the only kind that will do; without it any */
            named?: string;
            /**
             * @description off where it is not said
             * @enum {unknown}
             */
            network?: components["schemas"]["Network"];
            /** @description what it needs of its place besides */
            requiresRuntime?: components["schemas"]["Requirement"];
            /** @description a size of its machine was chosen */
            size?: boolean;
            /**
             * @description kind of task
             * @enum {unknown}
             */
            work?: components["schemas"]["TaskKind"];
        };
        /** @enum {string} */
        RuntimeReason: "named" | "preferred" | "strongest" | "allowed" | "ask" | "another" | "work" | "network" | "folders" | "add-ons" | "limits" | "cache" | "isolation" | "required" | "files" | "gpu" | "off" | "unnamed" | "problem" | "weaker" | "after";
        RuntimeSettings: {
            /** @description the only kinds in which tasks may change files of the person; without any, all */
            files?: string[];
            /** @description kinds that are taken before the others, the first one first */
            prefer?: string[];
            /** @description what is said to kinds that keep a task less apart than a virtual machine */
            weaker?: {
                [key: string]: components["schemas"]["Allowance"];
            };
        };
        RuntimeStatus: {
            /** @description what is said to a task that would work here because nothing stronger does */
            allowance: components["schemas"]["Allowance"];
            /** @description it is used only when it is named, preferred or always allowed */
            byName?: boolean;
            domain: string;
            /** @description what runs it, where that is a program of this computer that was found */
            engine?: components["schemas"]["Engine"];
            /** @description it can be given folders whose changes can be taken back */
            folders: boolean;
            isolation: components["schemas"]["Isolation"];
            kind: string;
            limits: components["schemas"]["LimitSupport"];
            networks: string[];
            /**
             * Format: int64
             * @description its place among those that are preferred, from 1
             */
            preferred?: number;
            /** @description why it does not */
            problem?: components["schemas"]["Problem"];
            text?: string;
            title?: string;
            /** @description kinds of tasks that it can do */
            work: components["schemas"]["TaskKind"][];
            /** @description a small task was done in it */
            works: boolean;
        };
        RuntimeVerdict: {
            kind: string;
            problem?: components["schemas"]["Problem"];
            reason: components["schemas"]["RuntimeReason"];
            taken: boolean;
            text?: string;
        };
        SamplesFolder: {
            /** Format: int64 */
            files: number;
            path: string;
        };
        SamplesRequest: {
            /** @description of the names: en or de; any other is English */
            language?: string;
        };
        SaveChoreRequest: {
            chore?: string;
            folders?: components["schemas"]["FolderRequest"][];
            name: string;
            params?: {
                [key: string]: unknown;
            };
            /** @description id of a task whose chore, parameters and folders are saved */
            task?: string;
        };
        SavedChore: {
            chore: string;
            /** Format: date-time */
            created: string;
            folders: components["schemas"]["FolderRequest"][];
            id: string;
            name: string;
            params: {
                [key: string]: unknown;
            };
        };
        SaveRequest: {
            /** @description path of this API whose answer is written there, e.g. a result or an export; without it nothing is written */
            from?: string;
            /** @description that is offered */
            name: string;
            /** @description of the dialog */
            title?: string;
        };
        SayRequest: {
            detached?: boolean;
            /** @enum {string} */
            how?: "steer" | "followUp";
            images?: components["schemas"]["ImageRequest"][];
            text: string;
        };
        Session: {
            argv?: string[];
            /** Format: date-time */
            created: string;
            ending?: components["schemas"]["Ending"];
            id: string;
            /** Format: int64 */
            kept: number;
            /** Format: int64 */
            output: number;
            problem?: components["schemas"]["Problem"];
            /** Format: int64 */
            readers: number;
            reason?: string;
            shell: boolean;
            size?: components["schemas"]["TerminalSize"];
            state: string;
            task: string;
            terminal: boolean;
            writer: boolean;
        };
        SettingsEvent: {
            data: components["schemas"]["Nothing"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "settings";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        /** @enum {string} */
        Severity: "blocking" | "error" | "warning";
        Share: {
            detail?: string;
            /** @enum {string} */
            kind: "9p" | "virtiofs";
            reason?: string;
            said?: string;
        };
        SignalRequest: {
            /** @enum {string} */
            signal: "HUP" | "INT" | "QUIT" | "KILL" | "USR1" | "USR2" | "TERM" | "CONT" | "STOP" | "WINCH";
        };
        SlowMode: {
            on: boolean;
        };
        StartRequest: {
            accel?: string;
            accept?: boolean;
            agent?: boolean;
            argv?: string[];
            attached?: boolean;
            /** Format: int64 */
            budget?: number;
            /** @description exec and ai, in a machine: name of the project whose cache it uses, or a dot for the one of its set of folders; what it leaves there is used by later tasks of the same project, and only by them */
            cache?: string;
            chore?: string;
            client?: string;
            /** Format: int64 */
            cpus?: number;
            cwd?: string;
            detached?: boolean;
            env?: {
                [key: string]: string;
            };
            folders: components["schemas"]["FolderRequest"][];
            id?: string;
            images?: components["schemas"]["ImageRequest"][];
            interactive?: boolean;
            kind: components["schemas"]["TaskKind"];
            limits?: components["schemas"]["Limits"];
            /** Format: int64 */
            memoryMb?: number;
            model?: string;
            network?: components["schemas"]["Network"];
            open?: boolean;
            params?: {
                [key: string]: unknown;
            };
            planOnly?: boolean;
            presets?: string[];
            prompt?: string;
            /** @description what its place has to be; one that is not is not used */
            requiresRuntime?: components["schemas"]["Requirement"];
            runtime?: string;
            stdin?: string;
            terminal?: components["schemas"]["TerminalSize"];
            /** @enum {string} */
            thinking?: "off" | "minimal" | "low" | "medium" | "high";
            title?: string;
            tool?: components["schemas"]["ToolParams"];
        };
        StateData: {
            error?: components["schemas"]["Problem"];
            state: components["schemas"]["TaskState"];
        };
        StateEvent: {
            data: components["schemas"]["StateData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "state";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        StatRequest: {
            /** @description as the task sees it, such as /folders/Letters/a.txt or /work/out */
            path: string;
            /** @description what the place where the task works has to be: elsewhere nothing is done */
            requiresRuntime?: components["schemas"]["Requirement"];
        };
        StatusEvent: {
            data: components["schemas"]["StatusReport"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "status";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        StatusReport: {
            accel: components["schemas"]["AccelState"];
            arch: string;
            checks: components["schemas"]["Check"][];
            os: string;
            pack: components["schemas"]["PackState"];
            problems: components["schemas"]["Problem"][];
            ready: boolean;
            /** Format: date-time */
            time: string;
            version: string;
        };
        StepData: {
            step: string;
        };
        StepEvent: {
            data: components["schemas"]["StepData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "step";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        Storage: {
            /** Format: int64 */
            freeBytes: number;
            items: components["schemas"]["StorageItem"][];
        };
        StorageItem: {
            /** Format: int64 */
            bytes: number;
            cleanable: boolean;
            /** Format: int64 */
            frees: number;
            losesUndo?: boolean;
            path: string;
            said?: string;
            what: components["schemas"]["StorageKind"];
        };
        /** @enum {string} */
        StorageKind: "runtime" | "addons" | "templates" | "caches" | "downloads" | "tasks" | "journals" | "logs";
        StorageMove: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            done: number;
            /** Format: int64 */
            files: number;
            fixedBy?: string;
            /** Format: int64 */
            freeBytes: number;
            from: string;
            /** Format: int64 */
            needBytes: number;
            phase: components["schemas"]["MovePhase"];
            problem?: components["schemas"]["Problem"];
            to?: string;
        };
        TableCell: {
            op: components["schemas"]["DiffOp"];
            text: string;
            was?: string;
        };
        TableCleanForm: {
            /** @default [] */
            columns: string[];
            /**
             * @default auto
             * @enum {string}
             */
            delimiter: "auto" | "comma" | "semicolon" | "tab" | "pipe";
            /** @default true */
            dropEmpty: boolean;
            /** @default true */
            duplicates: boolean;
            /** @default true */
            header: boolean;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /** @default true */
            safe: boolean;
            /** @default  */
            sheet: string;
            /** @enum {string} */
            to: "csv" | "tsv" | "xlsx" | "json";
            /** @default true */
            trim: boolean;
        };
        TableCleanParams: {
            /** @default [] */
            columns: string[];
            /**
             * @default auto
             * @enum {string}
             */
            delimiter: "auto" | "comma" | "semicolon" | "tab" | "pipe";
            /** @default true */
            dropEmpty: boolean;
            /** @default true */
            duplicates: boolean;
            /** @default true */
            header: boolean;
            /** @default [] */
            names: string[];
            /** @default false */
            replace: boolean;
            /** @default true */
            safe: boolean;
            /** @default  */
            sheet: string;
            /** @enum {string} */
            to: "csv" | "tsv" | "xlsx" | "json";
            /** @default true */
            trim: boolean;
        };
        TableCleanRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["TableCleanParams"];
        };
        TableCleanResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "table.clean";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        TableColumn: {
            /** Format: int64 */
            empty: number;
            kind: string;
            name: string;
        };
        TableConvertForm: {
            /**
             * @default auto
             * @enum {string}
             */
            delimiter: "auto" | "comma" | "semicolon" | "tab" | "pipe";
            /** @default true */
            header: boolean;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /** @default true */
            safe: boolean;
            /** @default  */
            sheet: string;
            /** @enum {string} */
            to: "csv" | "tsv" | "xlsx" | "json";
        };
        TableConvertParams: {
            /**
             * @default auto
             * @enum {string}
             */
            delimiter: "auto" | "comma" | "semicolon" | "tab" | "pipe";
            /** @default true */
            header: boolean;
            /** @default [] */
            names: string[];
            /** @default false */
            replace: boolean;
            /** @default true */
            safe: boolean;
            /** @default  */
            sheet: string;
            /** @enum {string} */
            to: "csv" | "tsv" | "xlsx" | "json";
        };
        TableConvertRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["TableConvertParams"];
        };
        TableConvertResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "table.convert";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        TableDiff: {
            /** Format: int64 */
            added: number;
            /** Format: int64 */
            changed: number;
            /** Format: int64 */
            columns: number;
            cut?: boolean;
            /** Format: int64 */
            removed: number;
            rows: components["schemas"]["TableRow"][];
        };
        TableInfo: {
            columns: components["schemas"]["TableColumn"][];
            delimiter?: string;
            encoding?: string;
            format: string;
            path: string;
            /** Format: int64 */
            rows: number;
            sample: string[][];
            sha256: string;
            sheets?: string[];
            /** Format: int64 */
            size: number;
        };
        TableMergeForm: {
            /**
             * @default auto
             * @enum {string}
             */
            delimiter: "auto" | "comma" | "semicolon" | "tab" | "pipe";
            /** @default true */
            header: boolean;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /** @default true */
            safe: boolean;
            /** @default  */
            sheet: string;
            /** @default  */
            source: string;
            /** @enum {string} */
            to: "csv" | "tsv" | "xlsx" | "json";
        };
        TableMergeParams: {
            /**
             * @default auto
             * @enum {string}
             */
            delimiter: "auto" | "comma" | "semicolon" | "tab" | "pipe";
            /** @default true */
            header: boolean;
            /** @default false */
            replace: boolean;
            /** @default true */
            safe: boolean;
            /** @default  */
            sheet: string;
            /** @default  */
            source: string;
            /** @enum {string} */
            to: "csv" | "tsv" | "xlsx" | "json";
        };
        TableMergeRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["TableMergeParams"];
        };
        TableMergeResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "table.merge";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        TableReadForm: {
            /**
             * @default auto
             * @enum {string}
             */
            delimiter: "auto" | "comma" | "semicolon" | "tab" | "pipe";
            /** @default true */
            header: boolean;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default 20 */
            rows: number;
            /** @default  */
            sheet: string;
        };
        TableReadParams: {
            /**
             * @default auto
             * @enum {string}
             */
            delimiter: "auto" | "comma" | "semicolon" | "tab" | "pipe";
            /** @default true */
            header: boolean;
            /** @default 20 */
            rows: number;
            /** @default  */
            sheet: string;
        };
        TableReadRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            params?: components["schemas"]["TableReadParams"];
        };
        TableReadResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["TableInfo"][];
            /** @enum {string} */
            operation: "table.read";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        TableReceiptsForm: {
            /** @default 300 */
            dpi: number;
            /** @description the files, a part of this name for each */
            in: string[];
            /**
             * @default en
             * @enum {string}
             */
            language: "en" | "de";
            /**
             * @default eng+deu
             * @enum {string}
             */
            ocr: "off" | "eng" | "deu" | "eng+deu";
            /**
             * @default auto
             * @enum {string}
             */
            order: "auto" | "dmy" | "mdy";
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /** @default true */
            safe: boolean;
            /** @enum {string} */
            to: "csv" | "tsv" | "xlsx" | "json";
        };
        TableReceiptsParams: {
            /** @default 300 */
            dpi: number;
            /**
             * @default en
             * @enum {string}
             */
            language: "en" | "de";
            /**
             * @default eng+deu
             * @enum {string}
             */
            ocr: "off" | "eng" | "deu" | "eng+deu";
            /**
             * @default auto
             * @enum {string}
             */
            order: "auto" | "dmy" | "mdy";
            /** @default false */
            replace: boolean;
            /** @default true */
            safe: boolean;
            /** @enum {string} */
            to: "csv" | "tsv" | "xlsx" | "json";
        };
        TableReceiptsRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["TableReceiptsParams"];
        };
        TableReceiptsResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ReceiptInfo"][];
            /** @enum {string} */
            operation: "table.receipts";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        TableRow: {
            /** Format: int64 */
            after?: number;
            /** Format: int64 */
            before?: number;
            cells: components["schemas"]["TableCell"][];
            /** Format: int64 */
            gap?: number;
            op: components["schemas"]["DiffOp"];
        };
        Task: {
            accel?: string;
            agent?: boolean;
            ai?: components["schemas"]["AI"];
            argv?: string[];
            asked?: components["schemas"]["Asked"];
            called?: string;
            chore?: string;
            client?: string;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            ended?: string;
            error?: components["schemas"]["Problem"];
            /** Format: int64 */
            exitCode?: number;
            folders: components["schemas"]["Folder"][];
            id: string;
            info?: unknown[];
            kind: components["schemas"]["TaskKind"];
            loosened?: string[];
            network: components["schemas"]["Network"];
            pack: string;
            params?: {
                [key: string]: unknown;
            };
            presets?: string[];
            problems?: components["schemas"]["Problem"][];
            results?: components["schemas"]["Result"][];
            runtime: string;
            stands?: string;
            /** Format: date-time */
            started?: string;
            state: components["schemas"]["TaskState"];
            title: string;
            titled?: boolean;
            /** Format: int64 */
            v: number;
            versions?: {
                [key: string]: string;
            };
            where?: string;
        };
        TaskFile: {
            /** @enum {string} */
            kind: "file" | "directory" | "link" | "other";
            /**
             * Format: int32
             * @description permissions, as chmod has them
             */
            mode: number;
            /** Format: date-time */
            modified: string;
            /** @description as the task sees it */
            path: string;
            /** @description of a file's content, in hex; of files up to 1 GiB that were read or written, or that stat was asked about */
            sha256?: string;
            /**
             * Format: int64
             * @description bytes; 0 of what is no file
             */
            size: number;
            /** @description of a link */
            target?: string;
        };
        TaskFileContent: {
            /** @description from the offset on; fewer bytes than were asked for where the file ends */
            data: string;
            /** @enum {string} */
            kind: "file" | "directory" | "link" | "other";
            /**
             * Format: int32
             * @description permissions, as chmod has them
             */
            mode: number;
            /** Format: date-time */
            modified: string;
            /** @description as the task sees it */
            path: string;
            /** @description of a file's content, in hex; of files up to 1 GiB that were read or written, or that stat was asked about */
            sha256?: string;
            /**
             * Format: int64
             * @description bytes; 0 of what is no file
             */
            size: number;
            /** @description of a link */
            target?: string;
        };
        TaskFileList: {
            entries: components["schemas"]["TaskFile"][];
            /** @description there are more than were asked for */
            more: boolean;
            /**
             * Format: int64
             * @description files that are left out, since their names are no text
             */
            unnamed: number;
        };
        /** @enum {string} */
        TaskKind: "chore" | "ai" | "exec" | "tool";
        TaskModelRequest: {
            model?: string;
            /** @enum {string} */
            thinking?: "off" | "minimal" | "low" | "medium" | "high";
        };
        /** @enum {string} */
        TaskState: "queued" | "preparing" | "running" | "waiting" | "done" | "failed" | "cancelled";
        TerminalSize: {
            /** Format: int64 */
            columns: number;
            /** Format: int64 */
            rows: number;
        };
        TextConvertForm: {
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default [] */
            names: string[];
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
            /** @enum {string} */
            to: "pdf" | "html" | "docx" | "odt" | "rtf" | "txt" | "md";
        };
        TextConvertParams: {
            /** @default [] */
            names: string[];
            /** @default false */
            replace: boolean;
            /** @enum {string} */
            to: "pdf" | "html" | "docx" | "odt" | "rtf" | "txt" | "md";
        };
        TextConvertRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params: components["schemas"]["TextConvertParams"];
        };
        TextConvertResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["MadeFile"][];
            /** @enum {string} */
            operation: "text.convert";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        TextDiff: {
            /** Format: int64 */
            added: number;
            cut?: boolean;
            hunks: components["schemas"]["TextHunk"][];
            part?: components["schemas"]["TextPart"];
            /** Format: int64 */
            removed: number;
        };
        /** @enum {string} */
        TextEncoding: "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "latin-1";
        TextExtractForm: {
            /** @default 300 */
            dpi: number;
            /** @description the files, a part of this name for each */
            in: string[];
            /** @default true */
            layout: boolean;
            /** @default [] */
            names: string[];
            /**
             * @default eng+deu
             * @enum {string}
             */
            ocr: "off" | "eng" | "deu" | "eng+deu";
            /** @description name of what is made; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            /** @default false */
            replace: boolean;
        };
        TextExtractParams: {
            /** @default 300 */
            dpi: number;
            /** @default true */
            layout: boolean;
            /** @default [] */
            names: string[];
            /**
             * @default eng+deu
             * @enum {string}
             */
            ocr: "off" | "eng" | "deu" | "eng+deu";
            /** @default false */
            replace: boolean;
        };
        TextExtractRequest: {
            /** @description absolute paths on this computer; their folders are read-only for the operation */
            in: string[];
            /** @description absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task; where the parameter for a format is left to its default, the suffix of the name says the format */
            out?: string;
            params?: components["schemas"]["TextExtractParams"];
        };
        TextExtractResult: {
            files: components["schemas"]["ToolFile"][];
            /** @description of each input, or of what was made; paths as in the request */
            info: components["schemas"]["ExtractedText"][];
            /** @enum {string} */
            operation: "text.extract";
            /** @description what could not be done while the rest was */
            problems: components["schemas"]["Problem"][];
            /** @description its record: /v1/tasks/{task} */
            task: string;
            /** @description of the programs that it used, by their names */
            versions: {
                [key: string]: string;
            };
        };
        TextHunk: {
            /** Format: int64 */
            after: number;
            /** Format: int64 */
            afterLines: number;
            /** Format: int64 */
            before: number;
            /** Format: int64 */
            beforeLines: number;
            lines: components["schemas"]["TextLine"][];
        };
        TextLine: {
            cut?: boolean;
            op: components["schemas"]["DiffOp"];
            open?: boolean;
            start?: boolean;
            text: string;
        };
        TextPart: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            from: number;
        };
        Token: {
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            expires: string;
            folders: components["schemas"]["FolderRequest"][];
            id: string;
            name: string;
            scopes: ("read" | "tasks" | "tools" | "ai" | "decide" | "manage")[];
            /** Format: date-time */
            used?: string;
        };
        TokenRequest: {
            /**
             * Format: int64
             * @description for how long; 90 without it
             */
            days?: number;
            /** @description that its tasks may have, each as a whole; without a mode it can be read only */
            folders?: components["schemas"]["FolderRequest"][];
            /** @description of the program that will have it; tasks of it carry the name */
            name: string;
            /** @description what it is for */
            scopes: ("read" | "tasks" | "tools" | "ai" | "decide" | "manage")[];
        };
        ToolBounds: {
            /**
             * Format: int64
             * @description MiB a second, from and to each disk
             */
            diskMbPerSecond: number;
            /** @description of the largest file that is written */
            file: components["schemas"]["ToolBytesBound"];
            /**
             * Format: int64
             * @description MiB of everything together; the machine may have less
             */
            memoryMb: number;
            /**
             * Format: int64
             * @description processes and threads at a time
             */
            processes: number;
            /**
             * Format: int64
             * @description that may be busy at a time
             */
            processors: number;
            /** @description of one run of one program */
            program: components["schemas"]["ToolTimeBound"];
            /** @description of the whole operation */
            wall: components["schemas"]["ToolTimeBound"];
        };
        ToolBytesBound: {
            /**
             * Format: int64
             * @description MiB
             */
            mb: number;
            /**
             * Format: int64
             * @description so many times all inputs
             */
            times: number;
        };
        ToolData: {
            diff?: string;
            id: string;
            name: string;
            output?: string;
            /** Format: int64 */
            raw?: number;
            state: string;
            target?: string;
            verb: string;
            /** Format: int64 */
            wallMs?: number;
        };
        ToolDescription: {
            about?: string;
            accepts: string[];
            addOns: string[];
            bounds: components["schemas"]["ToolBounds"];
            changes: boolean;
            folders: boolean;
            licences: string[];
            /** Format: int64 */
            maxIn: number;
            /** Format: int64 */
            minIn: number;
            name: string;
            out: components["schemas"]["ToolOutput"];
            params: {
                [key: string]: unknown;
            };
            programs: string[];
            random: boolean;
            title?: string;
            words?: {
                [key: string]: components["schemas"]["ParamWords"];
            };
        };
        ToolEvent: {
            data: components["schemas"]["ToolData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "tool";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        ToolFile: {
            name: string;
            /** @description on this computer, where a folder was named for it; else it is kept with the task */
            path?: string;
            /** @description hex */
            sha256: string;
            /**
             * Format: int64
             * @description in bytes
             */
            size: number;
            /** @description media type, by the name */
            type: string;
            /** @description where its bytes are, on this server */
            url: string;
        };
        /** @enum {string} */
        ToolOutput: "none" | "file" | "folder" | "each";
        ToolParams: {
            id: string;
            in: string[];
            limits?: components["schemas"]["Limits"];
            op: string;
            out?: string;
            params?: {
                [key: string]: unknown;
            };
            request?: string;
        };
        ToolTimeBound: {
            /**
             * Format: int64
             * @description seconds for each input
             */
            perInput: number;
            /**
             * Format: int64
             * @description seconds for each MiB of all inputs
             */
            perMb: number;
            /** Format: int64 */
            seconds: number;
        };
        UndoConflict: {
            change: components["schemas"]["Change"];
            detail?: string;
            reason: string;
            said?: string;
        };
        UndoData: {
            conflicts: string[];
            undone: string[];
        };
        UndoEvent: {
            data: components["schemas"]["UndoData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "undo";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        UndoKeeping: {
            /** Format: int64 */
            bytes: number;
            settings: components["schemas"]["UndoSettings"];
            /** Format: int64 */
            tasks: number;
        };
        UndoReport: {
            beside?: {
                [key: string]: string;
            };
            conflicts: components["schemas"]["UndoConflict"][];
            kept?: components["schemas"]["Change"][];
            undone: components["schemas"]["Change"][];
        };
        UndoRequest: {
            ids?: string[];
            onConflict?: components["schemas"]["Resolution"];
            resolve?: {
                [key: string]: components["schemas"]["Resolution"];
            };
        };
        UndoSettings: {
            /** Format: int64 */
            days: number;
            /** Format: int64 */
            spaceMb?: number;
        };
        UndoSpace: {
            /** Format: int64 */
            bytes: number;
            /** Format: date-time */
            expires?: string;
            forgotten?: boolean;
        };
        UpdateEvent: {
            data: components["schemas"]["UpdateState"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "update";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        /** @enum {string} */
        UpdatePhase: "off" | "idle" | "checking" | "available" | "downloading" | "paused" | "installing" | "trying" | "up-to-date" | "failed" | "offline";
        UpdateRequest: {
            addOns?: string[];
            version?: string;
        };
        UpdateSettings: {
            auto: boolean;
            caFile?: string;
            proxy?: string;
            urls: string[];
        };
        UpdateState: {
            channel: string;
            /** Format: date-time */
            checked?: string;
            current: string;
            /** Format: int64 */
            done: number;
            /** Format: int64 */
            eta: number;
            notes?: string;
            phase: components["schemas"]["UpdatePhase"];
            problem?: components["schemas"]["Problem"];
            /** Format: int64 */
            rate: number;
            /** Format: int64 */
            reused: number;
            said?: string;
            settings: components["schemas"]["UpdateSettings"];
            /** Format: int64 */
            total: number;
            version?: string;
            what: string;
        };
        Usage: {
            /** Format: int64 */
            cacheRead?: number;
            /** Format: int64 */
            cacheWrite?: number;
            /** Format: int64 */
            cost?: number;
            /** Format: int64 */
            input: number;
            /** Format: int64 */
            output: number;
            /** Format: int64 */
            requests: number;
            unknown?: boolean;
        };
        UsageEvent: {
            data: components["schemas"]["Usage"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "usage";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        VisitRequest: {
            /** @description what the place where the task works has to be: elsewhere nothing is done */
            requiresRuntime?: components["schemas"]["Requirement"];
            /**
             * Format: int64
             * @description how long a page may load, each time; without it 30. What came until then is used
             */
            seconds?: number;
            /** @description what is done, the first an open */
            steps: components["schemas"]["PageStep"][];
        };
        WebSearch: {
            /** @enum {string} */
            kind: "none" | "searxng";
            url?: string;
        };
        WindowEvent: {
            data: components["schemas"]["WindowEventData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "window";
            /** @description the event in one line, where there is one */
            said?: string;
            /**
             * Format: int64
             * @description 0 for volatile events
             */
            seq: number;
            /** @description id, empty for what belongs to no task */
            task: string;
            /** Format: date-time */
            time: string;
            /** @description version of the record, 1 */
            v: number;
        };
        WindowEventData: {
            /** @description name of its form */
            chore?: string;
            /** @description absolute paths of folders and files */
            paths?: string[];
            /**
             * Format: int64
             * @description close-asked: tasks at work
             */
            running?: number;
            /** @description id */
            task?: string;
            /** @enum {string} */
            what: "close-asked" | "open";
        };
        WindowSettings: {
            /**
             * @description what closing the window does while tasks are at work
             * @enum {string}
             */
            close: "ask" | "background" | "stop";
            /** @enum {string} */
            language?: "system" | "en" | "de";
            /**
             * @description how much moves
             * @enum {string}
             */
            motion?: "system" | "less";
            /** @description the system shows questions and tasks that are over */
            notify: boolean;
            /**
             * @description shortcuts of one character alone
             * @enum {string}
             */
            signs?: "on" | "off";
            /** @enum {string} */
            theme?: "system" | "light" | "dark";
        };
        WindowState: {
            /** @description what it was asked to open and was not told yet */
            open: components["schemas"]["OpenWish"][];
            /** @description the task that this window is for; absent in the main window */
            task?: string;
        };
        Wizard: {
            again?: boolean;
            done: boolean;
            /** @description the kind of place in which tasks work because there can be no workroom */
            instead?: string;
            steps: components["schemas"]["WizardStep"][];
        };
        /** @enum {string} */
        WizardAct: "done" | "skip" | "reset";
        WizardRequest: {
            act: components["schemas"]["WizardAct"];
        };
        WizardStep: {
            acts: components["schemas"]["WizardAct"][];
            admin?: boolean;
            command?: string;
            id: components["schemas"]["WizardStepId"];
            problems: number[];
            state: components["schemas"]["WizardStepState"];
        };
        /** @enum {string} */
        WizardStepId: "welcome" | "check" | "runtime" | "first";
        /** @enum {string} */
        WizardStepState: "open" | "now" | "done" | "skipped";
        WriteRequest: {
            /** @description the whole content, at most 16 MiB */
            data: string;
            /** @description SHA-256 in hex that the file has to have, or absent where there must be none; without it whatever is there is replaced */
            expect?: string;
            /** @description directories on the way are made */
            parents?: boolean;
            /** @description as the task sees it, such as /folders/Letters/a.txt or /work/out */
            path: string;
            /** @description what the place where the task works has to be: elsewhere nothing is done */
            requiresRuntime?: components["schemas"]["Requirement"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type About = components['schemas']['About'];
export type AccelState = components['schemas']['AccelState'];
export type AddOnInfo = components['schemas']['AddOnInfo'];
export type AgainRequest = components['schemas']['AgainRequest'];
export type AI = components['schemas']['AI'];
export type AIPart = components['schemas']['AIPart'];
export type Allowance = components['schemas']['Allowance'];
export type AnswerOption = components['schemas']['AnswerOption'];
export type AnswerRequest = components['schemas']['AnswerRequest'];
export type ApiError = components['schemas']['ApiError'];
export type ApiErrorDetail = components['schemas']['ApiErrorDetail'];
export type ApplyData = components['schemas']['ApplyData'];
export type ApplyEvent = components['schemas']['ApplyEvent'];
export type ApplyReport = components['schemas']['ApplyReport'];
export type ApplyRequest = components['schemas']['ApplyRequest'];
export type ArchiveCreateForm = components['schemas']['ArchiveCreateForm'];
export type ArchiveCreateParams = components['schemas']['ArchiveCreateParams'];
export type ArchiveCreateRequest = components['schemas']['ArchiveCreateRequest'];
export type ArchiveCreateResult = components['schemas']['ArchiveCreateResult'];
export type ArchiveEntry = components['schemas']['ArchiveEntry'];
export type ArchiveExtractForm = components['schemas']['ArchiveExtractForm'];
export type ArchiveExtractParams = components['schemas']['ArchiveExtractParams'];
export type ArchiveExtractRequest = components['schemas']['ArchiveExtractRequest'];
export type ArchiveExtractResult = components['schemas']['ArchiveExtractResult'];
export type ArchiveInfo = components['schemas']['ArchiveInfo'];
export type ArchiveInfoForm = components['schemas']['ArchiveInfoForm'];
export type ArchiveInfoParams = components['schemas']['ArchiveInfoParams'];
export type ArchiveInfoRequest = components['schemas']['ArchiveInfoRequest'];
export type ArchiveInfoResult = components['schemas']['ArchiveInfoResult'];
export type ArchiveListForm = components['schemas']['ArchiveListForm'];
export type ArchiveListParams = components['schemas']['ArchiveListParams'];
export type ArchiveListRequest = components['schemas']['ArchiveListRequest'];
export type ArchiveListResult = components['schemas']['ArchiveListResult'];
export type ArchiveMade = components['schemas']['ArchiveMade'];
export type Asked = components['schemas']['Asked'];
export type AtLogin = components['schemas']['AtLogin'];
export type AtLoginChoice = components['schemas']['AtLoginChoice'];
export type AudioInfo = components['schemas']['AudioInfo'];
export type AudioInfoForm = components['schemas']['AudioInfoForm'];
export type AudioInfoParams = components['schemas']['AudioInfoParams'];
export type AudioInfoRequest = components['schemas']['AudioInfoRequest'];
export type AudioInfoResult = components['schemas']['AudioInfoResult'];
export type AudioTranscodeForm = components['schemas']['AudioTranscodeForm'];
export type AudioTranscodeParams = components['schemas']['AudioTranscodeParams'];
export type AudioTranscodeRequest = components['schemas']['AudioTranscodeRequest'];
export type AudioTranscodeResult = components['schemas']['AudioTranscodeResult'];
export type AuditFolder = components['schemas']['AuditFolder'];
export type AuditPage = components['schemas']['AuditPage'];
export type AuditRecord = components['schemas']['AuditRecord'];
export type AuditReport = components['schemas']['AuditReport'];
export type AuditSettings = components['schemas']['AuditSettings'];
export type BundleInfo = components['schemas']['BundleInfo'];
export type BundleRequest = components['schemas']['BundleRequest'];
export type Cache = components['schemas']['Cache'];
export type Change = components['schemas']['Change'];
export type ChangeEffect = components['schemas']['ChangeEffect'];
export type ChangeFact = components['schemas']['ChangeFact'];
export type ChangeSide = components['schemas']['ChangeSide'];
export type Check = components['schemas']['Check'];
export type CheckEvent = components['schemas']['CheckEvent'];
export type CheckState = components['schemas']['CheckState'];
export type Choice = components['schemas']['Choice'];
export type ChoreInfo = components['schemas']['ChoreInfo'];
export type ChoreParam = components['schemas']['ChoreParam'];
export type Chosen = components['schemas']['Chosen'];
export type Cleaned = components['schemas']['Cleaned'];
export type CleanRequest = components['schemas']['CleanRequest'];
export type CloseRequest = components['schemas']['CloseRequest'];
export type Cluster = components['schemas']['Cluster'];
export type ComparedSide = components['schemas']['ComparedSide'];
export type Comparison = components['schemas']['Comparison'];
export type ComparisonKind = components['schemas']['ComparisonKind'];
export type Computer = components['schemas']['Computer'];
export type CsoundPerformForm = components['schemas']['CsoundPerformForm'];
export type CsoundPerformParams = components['schemas']['CsoundPerformParams'];
export type CsoundPerformRequest = components['schemas']['CsoundPerformRequest'];
export type CsoundPerformResult = components['schemas']['CsoundPerformResult'];
export type Decision = components['schemas']['Decision'];
export type DecisionEvent = components['schemas']['DecisionEvent'];
export type DeltaData = components['schemas']['DeltaData'];
export type DeltaEvent = components['schemas']['DeltaEvent'];
export type Diagnostics = components['schemas']['Diagnostics'];
export type DiagnosticsFile = components['schemas']['DiagnosticsFile'];
export type DiagnosticsRequest = components['schemas']['DiagnosticsRequest'];
export type DiagnosticsText = components['schemas']['DiagnosticsText'];
export type DiffOp = components['schemas']['DiffOp'];
export type DrawnReport = components['schemas']['DrawnReport'];
export type DroppedFolder = components['schemas']['DroppedFolder'];
export type DroppedRequest = components['schemas']['DroppedRequest'];
export type Duplicates = components['schemas']['Duplicates'];
export type Ending = components['schemas']['Ending'];
export type EndRequest = components['schemas']['EndRequest'];
export type Engine = components['schemas']['Engine'];
export type Event = components['schemas']['Event'];
export type ExtractedText = components['schemas']['ExtractedText'];
export type FactCode = components['schemas']['FactCode'];
export type Fetched = components['schemas']['Fetched'];
export type FetchRequest = components['schemas']['FetchRequest'];
export type FileCleanupForm = components['schemas']['FileCleanupForm'];
export type FileCleanupParams = components['schemas']['FileCleanupParams'];
export type FileCleanupRequest = components['schemas']['FileCleanupRequest'];
export type FileCleanupResult = components['schemas']['FileCleanupResult'];
export type FileDuplicatesForm = components['schemas']['FileDuplicatesForm'];
export type FileDuplicatesParams = components['schemas']['FileDuplicatesParams'];
export type FileDuplicatesRequest = components['schemas']['FileDuplicatesRequest'];
export type FileDuplicatesResult = components['schemas']['FileDuplicatesResult'];
export type FileHashForm = components['schemas']['FileHashForm'];
export type FileHashParams = components['schemas']['FileHashParams'];
export type FileHashRequest = components['schemas']['FileHashRequest'];
export type FileHashResult = components['schemas']['FileHashResult'];
export type FileInfo = components['schemas']['FileInfo'];
export type FileMoveParams = components['schemas']['FileMoveParams'];
export type FileMoveRequest = components['schemas']['FileMoveRequest'];
export type FileMoveResult = components['schemas']['FileMoveResult'];
export type FileOrganizeForm = components['schemas']['FileOrganizeForm'];
export type FileOrganizeParams = components['schemas']['FileOrganizeParams'];
export type FileOrganizeRequest = components['schemas']['FileOrganizeRequest'];
export type FileOrganizeResult = components['schemas']['FileOrganizeResult'];
export type FileRemoveParams = components['schemas']['FileRemoveParams'];
export type FileRemoveRequest = components['schemas']['FileRemoveRequest'];
export type FileRemoveResult = components['schemas']['FileRemoveResult'];
export type FileRenameForm = components['schemas']['FileRenameForm'];
export type FileRenameParams = components['schemas']['FileRenameParams'];
export type FileRenameRequest = components['schemas']['FileRenameRequest'];
export type FileRenameResult = components['schemas']['FileRenameResult'];
export type FileReportForm = components['schemas']['FileReportForm'];
export type FileReportParams = components['schemas']['FileReportParams'];
export type FileReportRequest = components['schemas']['FileReportRequest'];
export type FileReportResult = components['schemas']['FileReportResult'];
export type FileRequest = components['schemas']['FileRequest'];
export type FileState = components['schemas']['FileState'];
export type Fix = components['schemas']['Fix'];
export type FixKind = components['schemas']['FixKind'];
export type Folder = components['schemas']['Folder'];
export type FolderChoice = components['schemas']['FolderChoice'];
export type FolderData = components['schemas']['FolderData'];
export type FolderEvent = components['schemas']['FolderEvent'];
export type FolderMode = components['schemas']['FolderMode'];
export type FolderReport = components['schemas']['FolderReport'];
export type FolderRequest = components['schemas']['FolderRequest'];
export type FolderSize = components['schemas']['FolderSize'];
export type GoneEvent = components['schemas']['GoneEvent'];
export type Health = components['schemas']['Health'];
export type HealthPage = components['schemas']['HealthPage'];
export type ImageConvertForm = components['schemas']['ImageConvertForm'];
export type ImageConvertParams = components['schemas']['ImageConvertParams'];
export type ImageConvertRequest = components['schemas']['ImageConvertRequest'];
export type ImageConvertResult = components['schemas']['ImageConvertResult'];
export type ImageInfo = components['schemas']['ImageInfo'];
export type ImageInfoForm = components['schemas']['ImageInfoForm'];
export type ImageInfoParams = components['schemas']['ImageInfoParams'];
export type ImageInfoRequest = components['schemas']['ImageInfoRequest'];
export type ImageInfoResult = components['schemas']['ImageInfoResult'];
export type ImageRequest = components['schemas']['ImageRequest'];
export type ImageResizeForm = components['schemas']['ImageResizeForm'];
export type ImageResizeParams = components['schemas']['ImageResizeParams'];
export type ImageResizeRequest = components['schemas']['ImageResizeRequest'];
export type ImageResizeResult = components['schemas']['ImageResizeResult'];
export type InputRequest = components['schemas']['InputRequest'];
export type Instant = components['schemas']['Instant'];
export type InstantMode = components['schemas']['InstantMode'];
export type InstantReason = components['schemas']['InstantReason'];
export type InstantState = components['schemas']['InstantState'];
export type Isolation = components['schemas']['Isolation'];
export type KeyInfo = components['schemas']['KeyInfo'];
export type KeyRequest = components['schemas']['KeyRequest'];
export type KeyStore = components['schemas']['KeyStore'];
export type KeyStoreChoice = components['schemas']['KeyStoreChoice'];
export type KeyTest = components['schemas']['KeyTest'];
export type KindSize = components['schemas']['KindSize'];
export type Licence = components['schemas']['Licence'];
export type Licences = components['schemas']['Licences'];
export type LilypondRenderForm = components['schemas']['LilypondRenderForm'];
export type LilypondRenderParams = components['schemas']['LilypondRenderParams'];
export type LilypondRenderRequest = components['schemas']['LilypondRenderRequest'];
export type LilypondRenderResult = components['schemas']['LilypondRenderResult'];
export type Limits = components['schemas']['Limits'];
export type LimitSupport = components['schemas']['LimitSupport'];
export type ListenerLimits = components['schemas']['ListenerLimits'];
export type ListRequest = components['schemas']['ListRequest'];
export type Login = components['schemas']['Login'];
export type LoginCode = components['schemas']['LoginCode'];
export type LogInfo = components['schemas']['LogInfo'];
export type LoginRequest = components['schemas']['LoginRequest'];
export type LoginState = components['schemas']['LoginState'];
export type Logs = components['schemas']['Logs'];
export type Machines = components['schemas']['Machines'];
export type MachineSettings = components['schemas']['MachineSettings'];
export type MachinesEvent = components['schemas']['MachinesEvent'];
export type MachineSize = components['schemas']['MachineSize'];
export type MadeFile = components['schemas']['MadeFile'];
export type Makes = components['schemas']['Makes'];
export type Mended = components['schemas']['Mended'];
export type MendRequest = components['schemas']['MendRequest'];
export type MessageData = components['schemas']['MessageData'];
export type MessageEvent = components['schemas']['MessageEvent'];
export type MetadataInfo = components['schemas']['MetadataInfo'];
export type MetadataReadForm = components['schemas']['MetadataReadForm'];
export type MetadataReadParams = components['schemas']['MetadataReadParams'];
export type MetadataReadRequest = components['schemas']['MetadataReadRequest'];
export type MetadataReadResult = components['schemas']['MetadataReadResult'];
export type MetadataStripForm = components['schemas']['MetadataStripForm'];
export type MetadataStripParams = components['schemas']['MetadataStripParams'];
export type MetadataStripRequest = components['schemas']['MetadataStripRequest'];
export type MetadataStripResult = components['schemas']['MetadataStripResult'];
export type MetadataWriteForm = components['schemas']['MetadataWriteForm'];
export type MetadataWriteParams = components['schemas']['MetadataWriteParams'];
export type MetadataWriteRequest = components['schemas']['MetadataWriteRequest'];
export type MetadataWriteResult = components['schemas']['MetadataWriteResult'];
export type ModelChoice = components['schemas']['ModelChoice'];
export type ModelInfo = components['schemas']['ModelInfo'];
export type Models = components['schemas']['Models'];
export type ModelSaid = components['schemas']['ModelSaid'];
export type ModelWord = components['schemas']['ModelWord'];
export type MovePhase = components['schemas']['MovePhase'];
export type MoveRequest = components['schemas']['MoveRequest'];
export type Network = components['schemas']['Network'];
export type NetworkPreset = components['schemas']['NetworkPreset'];
export type NetworkRuleRequest = components['schemas']['NetworkRuleRequest'];
export type NetworkRules = components['schemas']['NetworkRules'];
export type NewToken = components['schemas']['NewToken'];
export type NewWindowRequest = components['schemas']['NewWindowRequest'];
export type Nothing = components['schemas']['Nothing'];
export type Notice = components['schemas']['Notice'];
export type NoticeClaim = components['schemas']['NoticeClaim'];
export type NoticeClaimed = components['schemas']['NoticeClaimed'];
export type Noticed = components['schemas']['Noticed'];
export type NoticeData = components['schemas']['NoticeData'];
export type NoticeEvent = components['schemas']['NoticeEvent'];
export type Opened = components['schemas']['Opened'];
export type OpenRequest = components['schemas']['OpenRequest'];
export type OpenWish = components['schemas']['OpenWish'];
export type Output = components['schemas']['Output'];
export type OutputData = components['schemas']['OutputData'];
export type OutputEvent = components['schemas']['OutputEvent'];
export type PackData = components['schemas']['PackData'];
export type PackEvent = components['schemas']['PackEvent'];
export type PackInfo = components['schemas']['PackInfo'];
export type PackKind = components['schemas']['PackKind'];
export type PackState = components['schemas']['PackState'];
export type PackTool = components['schemas']['PackTool'];
export type PackTools = components['schemas']['PackTools'];
export type PageDone = components['schemas']['PageDone'];
export type PageResult = components['schemas']['PageResult'];
export type PageStep = components['schemas']['PageStep'];
export type ParamWords = components['schemas']['ParamWords'];
export type Passphrase = components['schemas']['Passphrase'];
export type PassphraseChange = components['schemas']['PassphraseChange'];
export type PdfCompressForm = components['schemas']['PdfCompressForm'];
export type PdfCompressParams = components['schemas']['PdfCompressParams'];
export type PdfCompressRequest = components['schemas']['PdfCompressRequest'];
export type PdfCompressResult = components['schemas']['PdfCompressResult'];
export type PdfImagesForm = components['schemas']['PdfImagesForm'];
export type PdfImagesParams = components['schemas']['PdfImagesParams'];
export type PdfImagesRequest = components['schemas']['PdfImagesRequest'];
export type PdfImagesResult = components['schemas']['PdfImagesResult'];
export type PDFInfo = components['schemas']['PDFInfo'];
export type PdfInfoForm = components['schemas']['PdfInfoForm'];
export type PdfInfoParams = components['schemas']['PdfInfoParams'];
export type PdfInfoRequest = components['schemas']['PdfInfoRequest'];
export type PdfInfoResult = components['schemas']['PdfInfoResult'];
export type PdfMergeForm = components['schemas']['PdfMergeForm'];
export type PdfMergeParams = components['schemas']['PdfMergeParams'];
export type PdfMergeRequest = components['schemas']['PdfMergeRequest'];
export type PdfMergeResult = components['schemas']['PdfMergeResult'];
export type PdfOcrForm = components['schemas']['PdfOcrForm'];
export type PdfOcrParams = components['schemas']['PdfOcrParams'];
export type PdfOcrRequest = components['schemas']['PdfOcrRequest'];
export type PdfOcrResult = components['schemas']['PdfOcrResult'];
export type PdfProtectForm = components['schemas']['PdfProtectForm'];
export type PdfProtectParams = components['schemas']['PdfProtectParams'];
export type PdfProtectRequest = components['schemas']['PdfProtectRequest'];
export type PdfProtectResult = components['schemas']['PdfProtectResult'];
export type PdfRotateForm = components['schemas']['PdfRotateForm'];
export type PdfRotateParams = components['schemas']['PdfRotateParams'];
export type PdfRotateRequest = components['schemas']['PdfRotateRequest'];
export type PdfRotateResult = components['schemas']['PdfRotateResult'];
export type PdfSplitForm = components['schemas']['PdfSplitForm'];
export type PdfSplitParams = components['schemas']['PdfSplitParams'];
export type PdfSplitRequest = components['schemas']['PdfSplitRequest'];
export type PdfSplitResult = components['schemas']['PdfSplitResult'];
export type PdfTextForm = components['schemas']['PdfTextForm'];
export type PdfTextParams = components['schemas']['PdfTextParams'];
export type PdfTextRequest = components['schemas']['PdfTextRequest'];
export type PdfTextResult = components['schemas']['PdfTextResult'];
export type PdfUnlockForm = components['schemas']['PdfUnlockForm'];
export type PdfUnlockParams = components['schemas']['PdfUnlockParams'];
export type PdfUnlockRequest = components['schemas']['PdfUnlockRequest'];
export type PdfUnlockResult = components['schemas']['PdfUnlockResult'];
export type Pending = components['schemas']['Pending'];
export type Picked = components['schemas']['Picked'];
export type PickedFiles = components['schemas']['PickedFiles'];
export type PickRequest = components['schemas']['PickRequest'];
export type Plan = components['schemas']['Plan'];
export type PlanEffect = components['schemas']['PlanEffect'];
export type PlanEvent = components['schemas']['PlanEvent'];
export type PlanInput = components['schemas']['PlanInput'];
export type PlannedMove = components['schemas']['PlannedMove'];
export type PlanOperation = components['schemas']['PlanOperation'];
export type PlistConvertForm = components['schemas']['PlistConvertForm'];
export type PlistConvertParams = components['schemas']['PlistConvertParams'];
export type PlistConvertRequest = components['schemas']['PlistConvertRequest'];
export type PlistConvertResult = components['schemas']['PlistConvertResult'];
export type PlistInfo = components['schemas']['PlistInfo'];
export type PlistValidateForm = components['schemas']['PlistValidateForm'];
export type PlistValidateParams = components['schemas']['PlistValidateParams'];
export type PlistValidateRequest = components['schemas']['PlistValidateRequest'];
export type PlistValidateResult = components['schemas']['PlistValidateResult'];
export type PresetChoice = components['schemas']['PresetChoice'];
export type Problem = components['schemas']['Problem'];
export type ProblemEvent = components['schemas']['ProblemEvent'];
export type ProcessStatus = components['schemas']['ProcessStatus'];
export type ProgressData = components['schemas']['ProgressData'];
export type ProgressEvent = components['schemas']['ProgressEvent'];
export type Project = components['schemas']['Project'];
export type Question = components['schemas']['Question'];
export type QuestionEvent = components['schemas']['QuestionEvent'];
export type QuestionKind = components['schemas']['QuestionKind'];
export type QuestionText = components['schemas']['QuestionText'];
export type QueueData = components['schemas']['QueueData'];
export type QueueEvent = components['schemas']['QueueEvent'];
export type ReadRequest = components['schemas']['ReadRequest'];
export type ReceiptInfo = components['schemas']['ReceiptInfo'];
export type RedoData = components['schemas']['RedoData'];
export type RedoEvent = components['schemas']['RedoEvent'];
export type RedoReport = components['schemas']['RedoReport'];
export type RedoRequest = components['schemas']['RedoRequest'];
export type Remote = components['schemas']['Remote'];
export type RemoteAddition = components['schemas']['RemoteAddition'];
export type RemoteUsage = components['schemas']['RemoteUsage'];
export type RenameRequest = components['schemas']['RenameRequest'];
export type RepairRequest = components['schemas']['RepairRequest'];
export type Request = components['schemas']['Request'];
export type Requirement = components['schemas']['Requirement'];
export type ResetEvent = components['schemas']['ResetEvent'];
export type Resolution = components['schemas']['Resolution'];
export type Result = components['schemas']['Result'];
export type ResultEvent = components['schemas']['ResultEvent'];
export type Rule = components['schemas']['Rule'];
export type RunRequest = components['schemas']['RunRequest'];
export type RunResult = components['schemas']['RunResult'];
export type RuntimeChoice = components['schemas']['RuntimeChoice'];
export type RuntimeNeed = components['schemas']['RuntimeNeed'];
export type RuntimeReason = components['schemas']['RuntimeReason'];
export type RuntimeSettings = components['schemas']['RuntimeSettings'];
export type RuntimeStatus = components['schemas']['RuntimeStatus'];
export type RuntimeVerdict = components['schemas']['RuntimeVerdict'];
export type SamplesFolder = components['schemas']['SamplesFolder'];
export type SamplesRequest = components['schemas']['SamplesRequest'];
export type SaveChoreRequest = components['schemas']['SaveChoreRequest'];
export type SavedChore = components['schemas']['SavedChore'];
export type SaveRequest = components['schemas']['SaveRequest'];
export type SayRequest = components['schemas']['SayRequest'];
export type Session = components['schemas']['Session'];
export type SettingsEvent = components['schemas']['SettingsEvent'];
export type Severity = components['schemas']['Severity'];
export type Share = components['schemas']['Share'];
export type SignalRequest = components['schemas']['SignalRequest'];
export type SlowMode = components['schemas']['SlowMode'];
export type StartRequest = components['schemas']['StartRequest'];
export type StateData = components['schemas']['StateData'];
export type StateEvent = components['schemas']['StateEvent'];
export type StatRequest = components['schemas']['StatRequest'];
export type StatusEvent = components['schemas']['StatusEvent'];
export type StatusReport = components['schemas']['StatusReport'];
export type StepData = components['schemas']['StepData'];
export type StepEvent = components['schemas']['StepEvent'];
export type Storage = components['schemas']['Storage'];
export type StorageItem = components['schemas']['StorageItem'];
export type StorageKind = components['schemas']['StorageKind'];
export type StorageMove = components['schemas']['StorageMove'];
export type TableCell = components['schemas']['TableCell'];
export type TableCleanForm = components['schemas']['TableCleanForm'];
export type TableCleanParams = components['schemas']['TableCleanParams'];
export type TableCleanRequest = components['schemas']['TableCleanRequest'];
export type TableCleanResult = components['schemas']['TableCleanResult'];
export type TableColumn = components['schemas']['TableColumn'];
export type TableConvertForm = components['schemas']['TableConvertForm'];
export type TableConvertParams = components['schemas']['TableConvertParams'];
export type TableConvertRequest = components['schemas']['TableConvertRequest'];
export type TableConvertResult = components['schemas']['TableConvertResult'];
export type TableDiff = components['schemas']['TableDiff'];
export type TableInfo = components['schemas']['TableInfo'];
export type TableMergeForm = components['schemas']['TableMergeForm'];
export type TableMergeParams = components['schemas']['TableMergeParams'];
export type TableMergeRequest = components['schemas']['TableMergeRequest'];
export type TableMergeResult = components['schemas']['TableMergeResult'];
export type TableReadForm = components['schemas']['TableReadForm'];
export type TableReadParams = components['schemas']['TableReadParams'];
export type TableReadRequest = components['schemas']['TableReadRequest'];
export type TableReadResult = components['schemas']['TableReadResult'];
export type TableReceiptsForm = components['schemas']['TableReceiptsForm'];
export type TableReceiptsParams = components['schemas']['TableReceiptsParams'];
export type TableReceiptsRequest = components['schemas']['TableReceiptsRequest'];
export type TableReceiptsResult = components['schemas']['TableReceiptsResult'];
export type TableRow = components['schemas']['TableRow'];
export type Task = components['schemas']['Task'];
export type TaskFile = components['schemas']['TaskFile'];
export type TaskFileContent = components['schemas']['TaskFileContent'];
export type TaskFileList = components['schemas']['TaskFileList'];
export type TaskKind = components['schemas']['TaskKind'];
export type TaskModelRequest = components['schemas']['TaskModelRequest'];
export type TaskState = components['schemas']['TaskState'];
export type TerminalSize = components['schemas']['TerminalSize'];
export type TextConvertForm = components['schemas']['TextConvertForm'];
export type TextConvertParams = components['schemas']['TextConvertParams'];
export type TextConvertRequest = components['schemas']['TextConvertRequest'];
export type TextConvertResult = components['schemas']['TextConvertResult'];
export type TextDiff = components['schemas']['TextDiff'];
export type TextEncoding = components['schemas']['TextEncoding'];
export type TextExtractForm = components['schemas']['TextExtractForm'];
export type TextExtractParams = components['schemas']['TextExtractParams'];
export type TextExtractRequest = components['schemas']['TextExtractRequest'];
export type TextExtractResult = components['schemas']['TextExtractResult'];
export type TextHunk = components['schemas']['TextHunk'];
export type TextLine = components['schemas']['TextLine'];
export type TextPart = components['schemas']['TextPart'];
export type Token = components['schemas']['Token'];
export type TokenRequest = components['schemas']['TokenRequest'];
export type ToolBounds = components['schemas']['ToolBounds'];
export type ToolBytesBound = components['schemas']['ToolBytesBound'];
export type ToolData = components['schemas']['ToolData'];
export type ToolDescription = components['schemas']['ToolDescription'];
export type ToolEvent = components['schemas']['ToolEvent'];
export type ToolFile = components['schemas']['ToolFile'];
export type ToolOutput = components['schemas']['ToolOutput'];
export type ToolParams = components['schemas']['ToolParams'];
export type ToolTimeBound = components['schemas']['ToolTimeBound'];
export type UndoConflict = components['schemas']['UndoConflict'];
export type UndoData = components['schemas']['UndoData'];
export type UndoEvent = components['schemas']['UndoEvent'];
export type UndoKeeping = components['schemas']['UndoKeeping'];
export type UndoReport = components['schemas']['UndoReport'];
export type UndoRequest = components['schemas']['UndoRequest'];
export type UndoSettings = components['schemas']['UndoSettings'];
export type UndoSpace = components['schemas']['UndoSpace'];
export type UpdateEvent = components['schemas']['UpdateEvent'];
export type UpdatePhase = components['schemas']['UpdatePhase'];
export type UpdateRequest = components['schemas']['UpdateRequest'];
export type UpdateSettings = components['schemas']['UpdateSettings'];
export type UpdateState = components['schemas']['UpdateState'];
export type Usage = components['schemas']['Usage'];
export type UsageEvent = components['schemas']['UsageEvent'];
export type VisitRequest = components['schemas']['VisitRequest'];
export type WebSearch = components['schemas']['WebSearch'];
export type WindowEvent = components['schemas']['WindowEvent'];
export type WindowEventData = components['schemas']['WindowEventData'];
export type WindowSettings = components['schemas']['WindowSettings'];
export type WindowState = components['schemas']['WindowState'];
export type Wizard = components['schemas']['Wizard'];
export type WizardAct = components['schemas']['WizardAct'];
export type WizardRequest = components['schemas']['WizardRequest'];
export type WizardStep = components['schemas']['WizardStep'];
export type WizardStepId = components['schemas']['WizardStepId'];
export type WizardStepState = components['schemas']['WizardStepState'];
export type WriteRequest = components['schemas']['WriteRequest'];
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getManifest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listAddOns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddOnInfo"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    installAddOn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the add-on */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removeAddOn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the add-on */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description only about this path of a folder, path in a workroom, address of the web, or host */
                about?: string;
                /** @description only with a smaller number: the cursor of the page before */
                before?: number;
                /** @description only of this program with a token */
                client?: string;
                /** @description only of this kind */
                event?: "begin" | "end" | "decision" | "folder" | "traffic" | "recovered" | "expired" | "broken";
                /** @description 0 is 100 */
                limit?: number;
                /** @description only of this request (X-Request-Id) */
                request?: string;
                /** @description only of this time or later */
                since?: string;
                /** @description only of this task */
                task?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    exportAudit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    verifyAudit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listCaches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cache"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    emptyCache: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the list */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    backCache: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the list */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listChores: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChoreInfo"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getDiagnostics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diagnostics"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    writeDiagnostics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiagnosticsRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiagnosticsFile"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    lookAtDropped: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DroppedRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DroppedFolder"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description only events with a larger seq; without it everything that is still remembered */
                after?: number;
                /** @description with task: one that is not detached ends soon after this stream */
                hold?: boolean;
                /** @description only events of these kinds, and reset */
                kind?: string[];
                /** @description only events of this task, and reset */
                task?: string;
                /** @description with task: its programs wait for this reader, who gets all of their output; without it a reader that is too slow for their output gets parts of it, whose numbers (part) have gaps */
                wait?: boolean;
            };
            header?: {
                /** @description as after, sent by a client that comes back; it wins */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream without end; each data line is an Event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listFolderChoices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderChoice"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getHealthPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthPage"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyInfo"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description short name of the provider */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyInfo"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description short name of the provider */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    beginLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description short name of the provider */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Login"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    testKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description short name of the provider */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyTest"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listLicences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Licences"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the login */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    finishLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the login */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginCode"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    cancelLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the login */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logs"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getLog: {
        parameters: {
            query?: {
                /** @description bytes from its end; 65536 without it */
                tail?: number;
            };
            header?: never;
            path: {
                /** @description of the list */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text */
            200: {
                headers: {
                    "Content-Type"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getMachines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Machines"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    prepareMachines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Machines"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Models"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Models"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    sayOfModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelWord"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Models"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    notify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Notice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Noticed"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    openResult: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Opened"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    pickFile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PickRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Picked"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    pickFiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PickRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PickedFiles"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    pickFolder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PickRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Picked"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    saveAs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Picked"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listNetworkPresets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NetworkPreset"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setNetworkPreset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description code of the group */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresetChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NetworkPreset"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listNetworkRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NetworkRules"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    addNetworkRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NetworkRuleRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    claimNotice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoticeClaim"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeClaimed"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listPacks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackInfo"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removePack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description installed version */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    bundlePack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BundleRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BundleInfo"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    installPack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackInfo"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    repairPack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RepairRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackInfo"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    rollbackPack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackInfo"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    verifyPack: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackInfo"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getProcess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessStatus"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    endProcess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EndRequest"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listQuestions: {
        parameters: {
            query?: {
                /** @description only what is of this task */
                task?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Question"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listRemotes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Remote"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    addRemote: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemoteAddition"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Remote"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removeRemote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description what it is called here */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    cleanRemote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description what it is called here */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    remoteUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description what it is called here */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoteUsage"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removeRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the rule */
                rule: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listRuntimes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeStatus"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    testRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the kind */
                kind: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeStatus"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    explainRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuntimeNeed"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeChoice"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    makeSamples: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SamplesRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SamplesFolder"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listSavedChores: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedChore"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    saveChore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveChoreRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedChore"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removeSavedChore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the saved chore */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description only of this task */
                task?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the session */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    closeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the session */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    attachSession: {
        parameters: {
            query?: {
                /** @description of the output, the byte to begin with; what is not kept any more is skipped */
                from?: number;
                /** @description begins with what comes next */
                last?: boolean;
                /** @description also when another client writes, which goes on reading */
                take?: boolean;
                /** @description what it writes is the input; one client at a time */
                write?: boolean;
            };
            header?: never;
            path: {
                /** @description id of the session */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    writeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the session */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InputRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    readSession: {
        parameters: {
            query: {
                /** @description a name that nobody guesses, which the client gave itself; 15 s after its last request it counts as gone */
                client: string;
                /** @description of the output, the byte to begin with */
                from?: number;
                /** @description the turn of the answer before; another one is answered at once */
                seen?: number;
                /** @description how long the answer may wait for output, another turn or the end, ms */
                waitMs?: number;
            };
            header?: never;
            path: {
                /** @description id of the session */
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Output"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    resizeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the session */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TerminalSize"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runInSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the session */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunResult"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    signalSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the session */
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignalRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getAtLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AtLogin"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setAtLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AtLoginChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AtLogin"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getAuditKeeping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditSettings"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setAuditKeeping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuditSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditSettings"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getKeyStore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyStore"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setKeyStore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyStoreChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyStore"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    changePassphrase: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PassphraseChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyStore"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    unlockKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Passphrase"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyStore"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setMachines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MachineSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Machines"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getModelsChosen: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Chosen"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getRuntimeSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeSettings"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setRuntimes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuntimeSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeSettings"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getWebSearch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebSearch"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setWebSearch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebSearch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebSearch"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getSlowMode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlowMode"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setSlowMode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SlowMode"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getUndoKeeping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoKeeping"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setUndoKeeping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoKeeping"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setUpdates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getWindowSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WindowSettings"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setWindowSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WindowSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WindowSettings"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    checkStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    mend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MendRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mended"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getStorage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Storage"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    cleanStorage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CleanRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cleaned"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getStorageMove: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageMove"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    moveStorage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageMove"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    cancelMove: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageMove"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /** @description only made earlier than this */
                before?: string;
                /** @description only with this folder, or one that lies in it */
                folder?: string;
                /** @description only of one of these */
                kind?: components["schemas"]["TaskKind"][];
                /** @description no more than so many, the newest; 0 is all */
                limit?: number;
                /** @description words that are all in the title, in what was asked, or in names of folders and results; case and accents do not matter */
                q?: string;
                /** @description only made at this time or later */
                since?: string;
                /** @description only in one of these */
                state?: components["schemas"]["TaskState"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    startTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    deleteTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    renameTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenameRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    acceptPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    startAgain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AgainRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    streamAgentEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Messages until the task is over */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getAgentLine: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
                /** @description as raw of the timeline's events */
                line: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    applyTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplyRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplyReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    attachTask: {
        parameters: {
            query?: {
                /** @description the program waits for this client to read; else one that is too slow is disconnected */
                wait?: boolean;
            };
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    cancelTask: {
        parameters: {
            query?: {
                /** @description only if it ends with whoever holds it: one that was detached goes on */
                held?: boolean;
            };
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listChanges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Change"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    compareChange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the change */
                change: string;
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getChangeContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the change */
                change: string;
                /** @description id of the task */
                id: string;
                side: components["schemas"]["ChangeSide"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    compactTask: {
        parameters: {
            query?: {
                /** @description it does not end with the caller */
                detached?: boolean;
            };
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    detachTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    exportTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    fetch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FetchRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fetched"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskFileList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    readFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskFileContent"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    statFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskFile"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    watchFiles: {
        parameters: {
            query: {
                /** @description how many directories below it are watched too; a thousand directories at most */
                depth?: number;
                /** @description ends after so many changes; without it 1000 */
                limit?: number;
                /** @description of a file or a directory, as the task sees it */
                path: string;
                /** @description what the place where the task works has to be, in words, such as vm,hardware,no-network: elsewhere nothing is heard */
                requires?: string[];
                /** @description for how long; without it 600 */
                seconds?: number;
            };
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Changes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    writeFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WriteRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskFile"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    addFolder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FolderRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removeFolder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the folder in the task */
                folder: string;
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    interrupt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    say: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SayRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    takeBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
                /** @description id of the message, as in the task's ai.pending */
                message: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setTaskModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskModelRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    answerQuestion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
                /** @description id of the question */
                question: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decision"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    redoTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedoRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedoReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
                /** @description position in the task's results */
                index: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    resumeTask: {
        parameters: {
            query?: {
                /** @description it does not end with the caller */
                detached?: boolean;
            };
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Request"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getTimeline: {
        parameters: {
            query?: {
                /** @description only events with a larger seq */
                after?: number;
            };
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getUndoSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoSpace"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    undoTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    forgetUndo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoSpace"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    visit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the task */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VisitRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageResult"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id or name of the token */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDescription"][];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runArchiveCreate: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArchiveCreateRequest"];
                "multipart/form-data": components["schemas"]["ArchiveCreateForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["ArchiveCreateResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["ArchiveCreateResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runArchiveExtract: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArchiveExtractRequest"];
                "multipart/form-data": components["schemas"]["ArchiveExtractForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["ArchiveExtractResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["ArchiveExtractResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runArchiveInfo: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArchiveInfoRequest"];
                "multipart/form-data": components["schemas"]["ArchiveInfoForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveInfoResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["ArchiveInfoResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runArchiveList: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArchiveListRequest"];
                "multipart/form-data": components["schemas"]["ArchiveListForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveListResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["ArchiveListResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runAudioInfo: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AudioInfoRequest"];
                "multipart/form-data": components["schemas"]["AudioInfoForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AudioInfoResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["AudioInfoResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runAudioTranscode: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AudioTranscodeRequest"];
                "multipart/form-data": components["schemas"]["AudioTranscodeForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["AudioTranscodeResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["AudioTranscodeResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runCsoundPerform: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CsoundPerformRequest"];
                "multipart/form-data": components["schemas"]["CsoundPerformForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["CsoundPerformResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["CsoundPerformResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runFileCleanup: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileCleanupRequest"];
                "multipart/form-data": components["schemas"]["FileCleanupForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileCleanupResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["FileCleanupResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runFileDuplicates: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileDuplicatesRequest"];
                "multipart/form-data": components["schemas"]["FileDuplicatesForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileDuplicatesResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["FileDuplicatesResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runFileHash: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileHashRequest"];
                "multipart/form-data": components["schemas"]["FileHashForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileHashResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["FileHashResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runFileMove: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileMoveRequest"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileMoveResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["FileMoveResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runFileOrganize: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileOrganizeRequest"];
                "multipart/form-data": components["schemas"]["FileOrganizeForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileOrganizeResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["FileOrganizeResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runFileRemove: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileRemoveRequest"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileRemoveResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["FileRemoveResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runFileRename: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileRenameRequest"];
                "multipart/form-data": components["schemas"]["FileRenameForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileRenameResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["FileRenameResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runFileReport: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FileReportRequest"];
                "multipart/form-data": components["schemas"]["FileReportForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["FileReportResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["FileReportResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runImageConvert: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageConvertRequest"];
                "multipart/form-data": components["schemas"]["ImageConvertForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["ImageConvertResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["ImageConvertResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runImageInfo: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageInfoRequest"];
                "multipart/form-data": components["schemas"]["ImageInfoForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImageInfoResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["ImageInfoResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runImageResize: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageResizeRequest"];
                "multipart/form-data": components["schemas"]["ImageResizeForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["ImageResizeResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["ImageResizeResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runLilypondRender: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LilypondRenderRequest"];
                "multipart/form-data": components["schemas"]["LilypondRenderForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["LilypondRenderResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["LilypondRenderResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runMetadataRead: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetadataReadRequest"];
                "multipart/form-data": components["schemas"]["MetadataReadForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetadataReadResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["MetadataReadResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runMetadataStrip: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetadataStripRequest"];
                "multipart/form-data": components["schemas"]["MetadataStripForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["MetadataStripResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["MetadataStripResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runMetadataWrite: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetadataWriteRequest"];
                "multipart/form-data": components["schemas"]["MetadataWriteForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["MetadataWriteResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["MetadataWriteResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfCompress: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfCompressRequest"];
                "multipart/form-data": components["schemas"]["PdfCompressForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfCompressResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfCompressResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfImages: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfImagesRequest"];
                "multipart/form-data": components["schemas"]["PdfImagesForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfImagesResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfImagesResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfInfo: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfInfoRequest"];
                "multipart/form-data": components["schemas"]["PdfInfoForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PdfInfoResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfInfoResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfMerge: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfMergeRequest"];
                "multipart/form-data": components["schemas"]["PdfMergeForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfMergeResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfMergeResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfOcr: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfOcrRequest"];
                "multipart/form-data": components["schemas"]["PdfOcrForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfOcrResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfOcrResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfProtect: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfProtectRequest"];
                "multipart/form-data": components["schemas"]["PdfProtectForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfProtectResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfProtectResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfRotate: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfRotateRequest"];
                "multipart/form-data": components["schemas"]["PdfRotateForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfRotateResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfRotateResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfSplit: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfSplitRequest"];
                "multipart/form-data": components["schemas"]["PdfSplitForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfSplitResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfSplitResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfText: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfTextRequest"];
                "multipart/form-data": components["schemas"]["PdfTextForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfTextResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfTextResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPdfUnlock: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PdfUnlockRequest"];
                "multipart/form-data": components["schemas"]["PdfUnlockForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PdfUnlockResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PdfUnlockResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPlistConvert: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlistConvertRequest"];
                "multipart/form-data": components["schemas"]["PlistConvertForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["PlistConvertResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PlistConvertResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runPlistValidate: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlistValidateRequest"];
                "multipart/form-data": components["schemas"]["PlistValidateForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlistValidateResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["PlistValidateResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runTableClean: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TableCleanRequest"];
                "multipart/form-data": components["schemas"]["TableCleanForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["TableCleanResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["TableCleanResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runTableConvert: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TableConvertRequest"];
                "multipart/form-data": components["schemas"]["TableConvertForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["TableConvertResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["TableConvertResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runTableMerge: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TableMergeRequest"];
                "multipart/form-data": components["schemas"]["TableMergeForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["TableMergeResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["TableMergeResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runTableRead: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TableReadRequest"];
                "multipart/form-data": components["schemas"]["TableReadForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableReadResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["TableReadResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runTableReceipts: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TableReceiptsRequest"];
                "multipart/form-data": components["schemas"]["TableReceiptsForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["TableReceiptsResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["TableReceiptsResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runTextConvert: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TextConvertRequest"];
                "multipart/form-data": components["schemas"]["TextConvertForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["TextConvertResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["TextConvertResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    runTextExtract: {
        parameters: {
            query?: never;
            header?: {
                /** @description respond-async: answer with the task at once (RFC 7240) */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TextExtractRequest"];
                "multipart/form-data": components["schemas"]["TextExtractForm"];
            };
        };
        responses: {
            /** @description Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                    "application/json": components["schemas"]["TextExtractResult"];
                    "text/event-stream": components["schemas"]["Event"] | components["schemas"]["TextExtractResult"] | components["schemas"]["ApiError"];
                };
            };
            /** @description Begun; Location names the task */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    checkUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    pauseUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    startUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    closeWindow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloseRequest"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    windowDrawn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DrawnReport"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    newWindow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewWindowRequest"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    windowReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WindowState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getWizard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wizard"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    actWizard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description step of the wizard */
                step: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WizardRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wizard"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
}
