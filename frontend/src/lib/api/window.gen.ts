// Made from the table of operations by `go run ./scripts/lib/sdk`. Do not edit.

import { Operations } from '$sdk/operations.gen';

export interface CloseRequest {
  answer: "background" | "stop" | "cancel";
  /** do so without asking the next time; with cancel nothing is remembered */
  remember?: boolean;
}

export interface DrawnReport {
  /** false: no frame was drawn within seconds in which the page was visible */
  drawn: boolean;
}

export interface NewWindowRequest {
  /** id; without it the main window */
  task?: string;
}

export interface Notice {
  body?: string;
  /** a click shows it */
  task?: string;
  title: string;
}

export interface Noticed {
  /** false where the person does not want messages */
  shown: boolean;
}

export interface OpenRequest {
  index: number;
  /** show it in its folder instead */
  reveal?: boolean;
  task: string;
}

export interface OpenWish {
  /** name of its form */
  chore?: string;
  /** absolute paths of folders and files */
  paths?: string[];
  /** id */
  task?: string;
}

export interface Opened {
  /** files that could run something are only revealed */
  how: "opened" | "revealed";
}

export interface PickRequest {
  /** of files, e.g. *.tar.zst */
  patterns?: string[];
  /** of the dialog */
  title?: string;
}

export interface Picked {
  /** absolute; empty when nothing was chosen */
  path: string;
}

export interface PickedFiles {
  /** absolute; none when nothing was chosen */
  paths: string[];
}

export interface SaveRequest {
  /** path of this API whose answer is written there, e.g. a result or an export; without it nothing is written */
  from?: string;
  /** that is offered */
  name: string;
  /** of the dialog */
  title?: string;
}

export interface WindowState {
  /** what it was asked to open and was not told yet */
  open: OpenWish[];
  /** the task that this window is for; absent in the main window */
  task?: string;
}

/** The operations of windows, and all others. */
export abstract class WindowOperations extends Operations {
  /** Answer a close that was asked about */
  closeWindow(body: CloseRequest): Promise<void> {
    return this.call('POST', '/v1/window/close', { body }) as Promise<void>;
  }

  /** Open another window, on a task. Problems of its own: not-found */
  newWindow(body?: NewWindowRequest): Promise<void> {
    return this.call('POST', '/v1/window/new', { body }) as Promise<void>;
  }

  /** Have the system show a message. Problems of its own: unsupported */
  notify(body: Notice): Promise<Noticed> {
    return this.call('POST', '/v1/native/notify', { body }) as Promise<Noticed>;
  }

  /** Show a result in the person's own program. Problems of its own: changed-since, download-failed, file-kind, folder-refused, folder-silent, not-found, record-damaged, task-running, unsupported */
  openResult(body: OpenRequest): Promise<Opened> {
    return this.call('POST', '/v1/native/open', { body }) as Promise<Opened>;
  }

  /** Let the person choose a file */
  pickFile(body?: PickRequest): Promise<Picked> {
    return this.call('POST', '/v1/native/pick-file', { body }) as Promise<Picked>;
  }

  /** Let the person choose files */
  pickFiles(body?: PickRequest): Promise<PickedFiles> {
    return this.call('POST', '/v1/native/pick-files', { body }) as Promise<PickedFiles>;
  }

  /** Let the person choose a folder */
  pickFolder(body?: PickRequest): Promise<Picked> {
    return this.call('POST', '/v1/native/pick-folder', { body }) as Promise<Picked>;
  }

  /** Let the person choose where to save a file, and save it. Problems of its own: changed-since, download-failed, file-kind, folder-refused, folder-silent, not-found, output-exists, record-damaged, task-running */
  saveAs(body: SaveRequest): Promise<Picked> {
    return this.call('POST', '/v1/native/save-as', { body }) as Promise<Picked>;
  }

  /** The page was drawn, or was not */
  windowDrawn(body: DrawnReport): Promise<void> {
    return this.call('POST', '/v1/window/drawn', { body }) as Promise<void>;
  }

  /** The page listens: what was it asked to open? */
  windowReady(): Promise<WindowState> {
    return this.call('POST', '/v1/window/ready') as Promise<WindowState>;
  }
}
