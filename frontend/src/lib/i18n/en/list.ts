const tasks = (n: number) => (n === 1 ? '1 task' : `${n} tasks`);

/** The list of tasks, what can be done with one, previews of results, the palette, and closing the window. */
export const list = {
  loading: 'One moment…',

  find: 'Find a task',
  clear: 'Show all tasks again',
  filter: 'Which tasks',
  filters: { all: 'All', active: 'At work', waiting: 'Needs you', done: 'Done', stopped: 'Not done' },
  none: 'No task fits.',
  found: (n: number) => `${tasks(n)} found.`,
  more: (n: number) => `Show ${n} more`,
  step: (words: string, done: number, total: number) => `${words}, ${done} of ${total}`,
  rename: 'Rename',
  renameLabel: 'Name of the task',
  renameSave: 'Keep the name',
  renameUndo: 'Leave it as it was',
  renamed: 'The task has a new name.',
  again: 'Do it again',
  starting: 'Starting…',
  export: 'Save all of it in one file',
  exporting: 'Putting it together…',
  exported: (name: string) => `${name} is saved.`,
  newWindow: 'Open in a window of its own',
  stop: 'Stop',
  remove: 'Delete the task',
  removeTitle: (title: string) => `Delete “${title}”?`,
  removeText: 'What is deleted: the task, its plan and its conversation.',
  removeResults: (n: number) =>
    n === 1
      ? 'Also 1 result that lies in no folder of yours.'
      : `Also ${n} results that lie in no folder of yours.`,
  removeUndo: (n: number) =>
    n === 1 ? 'Its change can no longer be put back.' : `Its ${n} changes can no longer be put back.`,
  removeStays: 'Your folders stay as they are now.',
  removeYes: 'Delete it',
  removeNo: 'Keep it',

  loosened: 'With more allowed',
  loosenedTitle: 'What was allowed in this task',
  loosenedCodes: {
    'network-on': 'It may reach the whole internet.',
    'no-asking': 'It does not ask before it runs commands.',
    preset: 'It may reach groups of addresses that you allowed.',
    'allowed-always': 'It may do what you allowed for always.'
  } as Record<string, string>,
  loosenedOther: 'It may do something more that you allowed.',
  loosenedBack: 'Take it back',
  loosenedTaking: 'Taking it back…',
  loosenedNone: 'Nothing is allowed any more beyond what every task may do.',

  preview: {
    look: 'Look',
    lookAt: (name: string) => `Look at ${name}`,
    title: (name: string) => name,
    close: 'Close',
    previous: 'The one before',
    next: 'The next one',
    place: (n: number, of: number) => `${n} of ${of}`,
    loading: 'Reading it…',
    open: 'Open',
    saveAs: 'Save as…',
    saved: (path: string) => `Saved as ${path}.`,
    savedHere: 'Saved.',
    show: 'Show in folder',
    none: 'This kind of file is not shown here. Open it in its own program.',
    noViewer: 'This window cannot show PDF files. Open it in its own program.',
    damaged: 'It could not be shown; perhaps it is damaged.',
    cut: (size: string) => `Only the beginning is shown, ${size}.`,
    rows: (n: string, columns: number) => `${n} rows, ${columns} columns`,
    rowsCut: (n: number) => `The first ${n} rows are shown.`,
    empty: 'The file is empty.',
    frame: (name: string) => `Contents of ${name}`,
    framed: 'Shown closed off: nothing in it runs, and it loads nothing. In a browser it may look better.',
    rendered: 'As a page',
    source: 'As text',
    view: 'How it is shown'
  },

  palette: {
    title: 'Go to or do something',
    label: 'What are you looking for?',
    hint: 'Arrow keys choose, Enter goes there, Escape closes.',
    none: 'Nothing fits.',
    found: (n: number) => (n === 1 ? '1 thing' : `${n} things`),
    groups: {
      tasks: 'Tasks',
      chores: 'Chores',
      tools: 'Tools',
      places: 'Places',
      actions: 'What you can do'
    },
    open: 'Find or do something',
    theme: 'Change between light and dark',
    shortcuts: 'Show the keyboard shortcuts',
    newWindow: 'Open a second window',
    stopTask: (title: string) => `Stop “${title}”`,
    checkComputer: 'Look at this computer again',
    language: (name: string) => `Language: ${name}`
  },

  shortcuts: {
    title: 'Keyboard shortcuts',
    close: 'Close',
    signs: 'The ? key alone opens this list',
    or: 'or',
    then: 'then',
    groups: { everywhere: 'Everywhere', task: 'In a task', lists: 'In lists and dialogs' },
    items: {
      palette: 'Find a task, a chore, a place or an action',
      home: 'Start something new',
      find: 'Find a task',
      settings: 'Settings',
      help: 'Show these shortcuts',
      rename: 'Rename the task',
      next: 'The next task',
      previous: 'The task before',
      tell: 'Tell it something',
      lines: 'From line to line',
      ends: 'To the first and the last line',
      press: 'Press or open what is chosen',
      close: 'Close a dialog, leave a field as it was'
    },
    keys: { ctrl: 'Ctrl', enter: 'Enter', escape: 'Esc', home: 'Home', end: 'End' }
  },

  closing: {
    title: (n: number) => (n === 1 ? 'A task is at work' : `${n} tasks are at work`),
    text: (n: number): string =>
      n === 1
        ? 'It can go on in the background and tell you when it is done. If it is stopped, what it did so far stays and can be put back.'
        : 'They can go on in the background and tell you when they are done. If they are stopped, what they did so far stays and can be put back.',
    background: 'Go on in the background',
    stop: 'Stop and close',
    stay: 'Keep the window open',
    remember: 'Do this from now on',
    rememberHint: 'It can be changed in the settings, under Notifications and closing.',
    working: 'Closing…'
  },

  notify: {
    done: 'Done',
    failed: 'It did not work',
    waiting: 'It needs you'
  }
};
