const files = (n: number) => (n === 1 ? '1 file' : `${n} files`);

/** What a task asks in the middle of its work, and the buttons that answer. */
export const questions = {
  title: 'A question before it goes on',
  paused: 'It waits for you; nothing is lost meanwhile. Whatever it does can be put back later.',
  grows: 'Such files are often made to fill a disk.',
  announce: 'The task has a question.',
  items: 'Files it is about',
  more: (n: number) => `and ${files(n)} more`,
  failed: 'Your answer did not arrive.',
  risk: {
    high: 'High risk',
    unsure: 'If you are not sure, do not allow it: nothing of this is done then.'
  },

  /** By what it is about; the folder is the person's. */
  ask: {
    deleteMany: (done: number, folder: string) =>
      `It has deleted ${files(done)} of yours in ${folder} and wants to delete more.`,
    changeMany: (done: number, folder: string) =>
      `It has changed ${files(done)} of yours in ${folder} and wants to change more.`,
    delete: (n: number, folder: string) => `It wants to delete ${files(n)} of yours in ${folder}.`,
    change: (n: number, folder: string) => `It wants to change ${files(n)} of yours in ${folder}.`,
    startup: (n: number, folder: string) =>
      `It wants to change ${files(n)} in ${folder} that programs on this computer run or read by themselves.`,
    git: (n: number, folder: string) =>
      `It wants to change ${files(n)} in ${folder} in which git keeps the history of your project.`,
    hidden: (n: number, folder: string) => `It wants to change ${files(n)} in ${folder} that are hidden.`,
    programs: (n: number, folder: string) => `It wants to change ${files(n)} in ${folder} that are programs.`,
    undoSpace: (kept: string) =>
      `It wants to change more than undo has room for: ${kept} of how it was are kept.`,
    undoMemory: (kept: string) =>
      `It has touched so many files that remembering how they were takes ${kept} of memory. It wants to go on.`,
    unpack: (n: number, times: string, bytes: string) =>
      `It wants to unpack ${n === 1 ? '1 archive' : `${n} archives`} in which a file becomes up to ${times} times as large, ${bytes} in all.`,
    other: (n: number, folder: string) => `It wants to do something to ${files(n)} in ${folder}.`
  },
  allow: {
    delete: 'Let it delete in this task',
    change: 'Let it change in this task',
    undoSpace: 'Keep as much as it takes',
    other: 'Allow it in this task'
  },
  once: 'Only these',
  onceUnpack: 'Unpack',
  onceMore: (n: number) => `Only ${n} more`,
  onceBytes: (more: string) => `Keep up to ${more} more`,
  withoutSpace: 'It waits for you. Without more room it cannot change what could not be put back.',
  deny: {
    delete: 'Keep my files',
    change: 'Leave them as they are',
    undoSpace: 'No more changes',
    unpack: 'Leave out',
    other: 'Do not allow it'
  },
  denyRest: 'Refuse everything else in this task',
  answering: 'Answering…',

  rules: {
    title: 'What you decided',
    none: 'Nothing for longer than one task. What you allow or refuse for longer is listed here.',
    may: (what: string, where: string) => `Tasks may ${what}, ${where}.`,
    mayNot: (what: string, where: string) => `Tasks may not ${what}, ${where}.`,
    topics: {
      delete: 'delete your files',
      change: 'change your files',
      startup: 'change files that programs on this computer run or read by themselves',
      git: 'change what git keeps of your projects',
      hidden: 'change your hidden files',
      programs: 'change your programs',
      command: 'run commands of a kind that you decided about',
      undoSpace: 'keep more for putting back',
      other: 'do something that this version does not know'
    },
    inTask: 'while one task runs',
    inFolder: (folder: string) => `in ${folder}`,
    everywhere: 'everywhere',
    since: (day: string) => `since ${day}`,
    remove: 'Ask me again',
    removing: 'Taking it back…'
  },

  timeline: {
    asked: 'You were asked about your files',
    allowed: 'Allowed by you',
    denied: 'Not allowed',
    allowedByRule: 'Allowed, as you decided before',
    deniedByRule: 'Not allowed, as you decided before',
    deniedAlone: 'Not allowed: nobody was there to be asked'
  }
};
