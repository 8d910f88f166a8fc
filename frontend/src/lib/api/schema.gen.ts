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
        /** What this program is */
        get: operations["getManifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/addons": {
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
    "/api/addons/{name}": {
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
    "/api/audit/verify": {
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
    "/api/chores": {
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
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens, as it happens
         * @description Server-sent events. The data of each message is an Event; its id is the event's seq (volatile events have none). Comments are heartbeats.
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
    "/api/machines": {
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
    "/api/machines/prepare": {
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
    "/api/native/open": {
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
    "/api/native/pick-file": {
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
    "/api/native/pick-folder": {
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
    "/api/packs": {
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
    "/api/packs/{version}": {
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
    "/api/packs/bundle": {
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
    "/api/packs/install": {
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
    "/api/packs/repair": {
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
    "/api/packs/rollback": {
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
    "/api/packs/verify": {
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
    "/api/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a person, oldest first */
        get: operations["listQuestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules": {
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
    "/api/rules/{rule}": {
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
    "/api/settings/machines": {
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
    "/api/settings/slow-mode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Work without acceleration, by choice */
        post: operations["setSlowMode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings/undo": {
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
    "/api/settings/updates": {
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
    "/api/status": {
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
    "/api/status/check": {
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
    "/api/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All tasks, newest first */
        get: operations["listTasks"];
        put?: never;
        /**
         * Record a task and start it
         * @description Answers as soon as the record is durable; what follows are events. A task that is not detached must be held: GET /api/events?task=ID&hold=true.
         */
        post: operations["startTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}": {
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
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/accept": {
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
    "/api/tasks/{id}/apply": {
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
    "/api/tasks/{id}/cancel": {
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
    "/api/tasks/{id}/changes": {
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
    "/api/tasks/{id}/changes/{change}": {
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
    "/api/tasks/{id}/changes/{change}/{side}": {
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
    "/api/tasks/{id}/plan": {
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
    "/api/tasks/{id}/questions/{question}": {
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
    "/api/tasks/{id}/redo": {
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
    "/api/tasks/{id}/results/{index}": {
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
    "/api/tasks/{id}/timeline": {
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
    "/api/tasks/{id}/undo": {
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
    "/api/update": {
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
    "/api/update/check": {
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
    "/api/update/pause": {
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
    "/api/update/start": {
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
            /** @enum {string} */
            name: "piwork";
            /** @description path of the document */
            oas: string;
            os: string;
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
        AnswerRequest: {
            /** @enum {string} */
            answer: "allow" | "deny";
            /** @enum {string} */
            scope?: "once" | "task" | "folder" | "always";
            /** Format: int64 */
            seen?: number;
            unattended?: boolean;
        };
        ApiError: {
            cause: string;
            code: string;
            /** @description one sentence in English, for logs */
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
            restart?: string;
            severity: components["schemas"]["Severity"];
            /** Format: int64 */
            status: number;
            /** @description the HTTP status in words */
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
        AuditReport: {
            /** Format: int64 */
            badLine?: number;
            ok: boolean;
            reason?: string;
            /** Format: int64 */
            records: number;
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
            state: components["schemas"]["CheckState"];
            /** Format: int64 */
            tookMs: number;
        };
        /** @enum {string} */
        CheckState: "passed" | "failed" | "unknown" | "skipped";
        ChoreInfo: {
            effects: components["schemas"]["PlanEffect"][];
            name: string;
            needs: string[];
            params: components["schemas"]["ChoreParam"][];
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
        Decision: {
            answer: string;
            by: string;
            id: string;
            scope: string;
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
        DiffOp: "same" | "added" | "removed" | "changed";
        /** @description What happened. Kinds that are not listed may be added: ignore them. */
        Event: components["schemas"]["StateEvent"] | components["schemas"]["StepEvent"] | components["schemas"]["PlanEvent"] | components["schemas"]["ProgressEvent"] | components["schemas"]["OutputEvent"] | components["schemas"]["ProblemEvent"] | components["schemas"]["ResultEvent"] | components["schemas"]["QuestionEvent"] | components["schemas"]["DecisionEvent"] | components["schemas"]["UndoEvent"] | components["schemas"]["RedoEvent"] | components["schemas"]["ApplyEvent"] | components["schemas"]["PackEvent"] | components["schemas"]["UpdateEvent"] | components["schemas"]["MachinesEvent"] | components["schemas"]["StatusEvent"] | components["schemas"]["ResetEvent"] | components["schemas"]["GoneEvent"];
        /** @enum {string} */
        FactCode: "moved" | "mode" | "time" | "target" | "attributes" | "encoding" | "line-ends" | "same-content";
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
        };
        /** @enum {string} */
        FixKind: "action" | "link" | "command";
        Folder: {
            id: string;
            mode: components["schemas"]["FolderMode"];
            name: string;
            path: string;
        };
        /** @enum {string} */
        FolderMode: "ro" | "rw" | "review";
        FolderRequest: {
            mode?: components["schemas"]["FolderMode"];
            path: string;
        };
        GoneEvent: {
            data: components["schemas"]["Nothing"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "gone";
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
        Instant: {
            /** Format: int64 */
            bytes?: number;
            mode?: components["schemas"]["InstantMode"];
            problem?: components["schemas"]["Problem"];
            reason?: components["schemas"]["InstantReason"];
            state: components["schemas"]["InstantState"];
        };
        /** @enum {string} */
        InstantMode: "template" | "spare";
        /** @enum {string} */
        InstantReason: "setup" | "tasks" | "soon" | "unused" | "memory" | "disk" | "battery";
        /** @enum {string} */
        InstantState: "off" | "pending" | "making" | "ready" | "failed";
        Limits: {
            /** Format: int64 */
            cpuMs?: number;
            /** Format: int64 */
            memoryMb?: number;
            /** Format: int64 */
            outputBytes?: number;
            /** Format: int64 */
            wallMs?: number;
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
        /** @enum {string} */
        Network: "off" | "restricted" | "on";
        Nothing: Record<string, never>;
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
            task: string;
        };
        OutputData: {
            data: string;
            stream: string;
        };
        OutputEvent: {
            data: components["schemas"]["OutputData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "output";
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
            current: boolean;
            developer: boolean;
            dir?: string;
            failed?: boolean;
            /** Format: int64 */
            files: number;
            guestArch: string;
            installed: boolean;
            inUse?: boolean;
            kind?: components["schemas"]["PackKind"];
            name: string;
            os: string;
            previous?: boolean;
            problem?: components["schemas"]["Problem"];
            signedBy: string;
            version: string;
        };
        /** @enum {string} */
        PackKind: "runtime" | "addon" | "bundle";
        PackState: {
            developer: boolean;
            dir?: string;
            installed: boolean;
            verified: boolean;
            version?: string;
        };
        Picked: {
            /** @description absolute; empty when nothing was chosen */
            path: string;
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
            skipped?: components["schemas"]["Problem"][];
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
        PlanOperation: {
            effect: components["schemas"]["PlanEffect"];
            in: components["schemas"]["PlanInput"][];
            op: string;
            out: string;
        };
        Problem: {
            cause: string;
            code: string;
            details?: string;
            fix: components["schemas"]["Fix"][];
            params?: {
                [key: string]: unknown;
            };
            restart?: string;
            severity: components["schemas"]["Severity"];
        };
        ProblemEvent: {
            data: components["schemas"]["Problem"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "problem";
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
        ProgressData: {
            /** Format: int64 */
            done: number;
            item?: string;
            /** Format: int64 */
            total: number;
        };
        ProgressEvent: {
            data: components["schemas"]["ProgressData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "progress";
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
        Question: {
            /** Format: date-time */
            expires?: string;
            id: string;
            items: string[];
            kind: components["schemas"]["QuestionKind"];
            task: string;
            text: components["schemas"]["QuestionText"];
        };
        QuestionEvent: {
            data: components["schemas"]["Question"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "question";
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
        QuestionKind: "delete" | "overwrite" | "mass-change" | "network" | "command" | "apply" | "undo-space";
        QuestionText: {
            code: string;
            params?: {
                [key: string]: unknown;
            };
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
        RepairRequest: {
            /** @description absolute path of a pack or a bundle; without it a bundle beside the program, or the channel */
            file?: string;
        };
        ResetEvent: {
            data: components["schemas"]["Nothing"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "reset";
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
            task?: string;
            topic: string;
        };
        /** @enum {string} */
        Severity: "blocking" | "error" | "warning";
        Share: {
            detail?: string;
            /** @enum {string} */
            kind: "9p" | "virtiofs";
            reason?: string;
        };
        StartRequest: {
            accel?: string;
            accept?: boolean;
            argv?: string[];
            chore?: string;
            /** Format: int64 */
            cpus?: number;
            cwd?: string;
            detached?: boolean;
            folders: components["schemas"]["FolderRequest"][];
            kind: components["schemas"]["TaskKind"];
            limits?: components["schemas"]["Limits"];
            /** Format: int64 */
            memoryMb?: number;
            network?: components["schemas"]["Network"];
            params?: {
                [key: string]: unknown;
            };
            planOnly?: boolean;
            stdin?: string;
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
        StatusEvent: {
            data: components["schemas"]["StatusReport"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "status";
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
        SwitchRequest: {
            on: boolean;
        };
        TableCell: {
            op: components["schemas"]["DiffOp"];
            text: string;
            was?: string;
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
            argv?: string[];
            chore?: string;
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
            network: components["schemas"]["Network"];
            pack: string;
            params?: {
                [key: string]: unknown;
            };
            problems?: components["schemas"]["Problem"][];
            results?: components["schemas"]["Result"][];
            runtime: string;
            /** Format: date-time */
            started?: string;
            state: components["schemas"]["TaskState"];
            title: string;
            /** Format: int64 */
            v: number;
        };
        /** @enum {string} */
        TaskKind: "chore" | "ai" | "exec" | "tool";
        /** @enum {string} */
        TaskState: "queued" | "preparing" | "running" | "waiting" | "done" | "failed" | "cancelled";
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
        UndoConflict: {
            change: components["schemas"]["Change"];
            detail?: string;
            reason: string;
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
            settings: components["schemas"]["UpdateSettings"];
            /** Format: int64 */
            total: number;
            version?: string;
            what: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
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
    streamEvents: {
        parameters: {
            query?: {
                /** @description only events with a larger seq; without it everything that is still remembered */
                after?: number;
                /** @description a task that is not detached ends soon after this stream */
                hold?: boolean;
                /** @description only events of this task */
                task?: string;
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
    setSlowMode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SwitchRequest"];
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
    listTasks: {
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
    cancelTask: {
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
}
