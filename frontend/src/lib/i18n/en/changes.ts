const things = (n: number) => (n === 1 ? '1 change' : `${n} changes`);
const lines = (n: number) => (n === 1 ? '1 line' : `${n} lines`);
const rows = (n: number) => (n === 1 ? '1 row' : `${n} rows`);

/** The page of what a task changed: the list, the differences, and the way back. */
export const changes = {
  title: 'What was changed',
  back: 'Back to the task',
  look: 'Look at the changes',
  none: 'Nothing in your folders was changed.',
  running: 'The task still works. Changes can be put back when it has ended.',
  things,

  filterLabel: 'Show',
  filters: {
    all: 'All',
    create: 'New',
    change: 'Changed',
    move: 'Moved',
    delete: 'Deleted',
    undone: 'Put back'
  },
  filterCount: (name: string, n: string) => `${name} (${n})`,
  noneHere: 'Nothing of this kind.',
  find: 'Find a file',
  list: 'Changed files',
  folder: (name: string, n: number) => `${name}, ${things(n)}`,
  choose: (name: string) => `Choose ${name}`,
  chooseAll: 'Choose all that are shown',
  chosen: (n: number) => (n === 1 ? '1 chosen' : `${n} chosen`),
  keys: 'Arrow keys go from line to line, space chooses, enter shows what was changed.',

  undoAll: 'Put everything back',
  undoChosen: (n: number) => `Put back ${things(n)}`,
  redoAll: 'Bring everything back',
  redoChosen: (n: number) => `Bring back ${things(n)}`,
  redoing: 'Bringing back…',
  redoToast: 'Bring back',
  redone: (n: number) => (n === 1 ? '1 change was brought back.' : `${n} changes were brought back.`),

  waits: 'waits for you',
  waitsTitle: 'Nothing in the folder has been changed yet',
  waitsTitleSome: (n: number) =>
    n === 1 ? '1 change is not in its folder yet' : `${n} changes are not in their folder yet`,
  waitsText: (n: number) =>
    n === 1
      ? '1 change waits for your yes. Look at it, then put it into the folder or throw it away.'
      : `${n} changes wait for your yes. Look at them, then put them into the folder, all or some, or throw them away.`,
  applyAll: 'Put all into the folder',
  applyChosen: (n: number) => `Put ${things(n)} into the folder`,
  applying: 'Putting into the folder…',
  applied: (n: number) =>
    n === 1
      ? '1 change is in the folder now. It can still be put back.'
      : `${n} changes are in the folder now. They can still be put back.`,
  discardAll: 'Throw all away',
  discardChosen: (n: number) => `Throw ${things(n)} away`,
  discarding: 'Throwing away…',
  discarded: (n: number) => (n === 1 ? '1 change was thrown away.' : `${n} changes were thrown away.`),
  discardTitle: (n: number) => `Throw ${things(n)} away?`,
  discardText: 'The folder stays as it is. What the task made is gone then, and cannot be brought back.',
  discardYes: 'Throw away',
  discardNo: 'Keep for now',

  conflictTitle: (n: number) => (n === 1 ? '1 file is yours now' : `${n} files are yours now`),
  conflictText:
    'What is yours was left alone. Here you can say what should be there; what is replaced can be brought back.',
  conflictTextApply:
    'What was changed since the task looked at it was left alone. Here you can say what should be there.',
  conflictEach: (name: string) => `What should become of ${name}?`,
  answers: { keep: 'Leave mine', restore: 'As before the task', both: 'Keep both' },
  answersApply: { keep: 'Leave mine', restore: 'Take the task’s', both: 'Keep both' },
  answerAll: 'For all of them',
  answerDo: 'Do it like this',
  answering: 'One moment…',
  besideAs: (name: string) => `the other one is now ${name}`,
  leave: 'Decide later',
  loading: 'Looking into the file…',
  closePane: 'Close',
  save: { before: 'Save as it was', after: 'Save as the task left it' },
  saving: 'Saving…',
  before: 'Before',
  after: 'After',
  facts: {
    moved: (before: string, after: string) => `It was ${before} and is ${after} now.`,
    mode: (before: string, after: string) =>
      `Who may read and change it is another (${before}, now ${after}).`,
    time: (before: string, after: string) => `Its date was ${before}, now ${after}.`,
    target: (before: string, after: string) => `The link leads to ${after}, before to ${before}.`,
    attributes: () => 'Its further properties are others.',
    encoding: (before: string, after: string) =>
      `The letters are written in another way (${before}, now ${after}).`,
    'line-ends': (before: string, after: string) => `The line ends are others (${before}, now ${after}).`,
    'same-content': () => 'What is in it is the same.'
  },
  newFolder: 'A new folder.',
  goneFolder: 'The folder was deleted.',
  newLink: (to: string) => `A new link that leads to ${to}.`,
  goneLink: (to: string) => `A link that led to ${to} was deleted.`,
  missing: {
    'not-kept': 'How it was before is not kept any more.',
    gone: 'What the task left is not there any more: you changed it since.',
    unreadable: 'It could not be read.'
  },
  other: 'This kind of file cannot be shown here.',
  sizes: (before: string, after: string) => `It was ${before}, now ${after}.`,
  sizeOne: (size: string) => `It has ${size}.`,

  textSum: (added: number, removed: number) => `${lines(added)} new, ${lines(removed)} gone`,
  noLines: 'No line differs.',
  part: (size: string) => `A large file: ${size} of it were compared, from the first difference on.`,
  cut: 'There is more than is shown here.',
  hunk: (line: number) => `From line ${line}`,
  added: 'new',
  removed: 'gone',
  noEnd: 'no line end',
  lineOld: 'Line before',
  lineNew: 'Line now',
  lineText: 'Text',

  asTable: 'Table',
  asText: 'Text',
  view: 'View',
  tableSum: (changed: number, added: number, removed: number) =>
    `${rows(changed)} changed, ${rows(added)} new, ${rows(removed)} gone`,
  gap: (n: number) => `${rows(n)} that are the same`,
  was: (value: string) => `was ${value}`,
  empty: 'empty',
  row: 'Row',

  picture: (width: number, height: number, size: string) => `${width} × ${height}, ${size}`,
  pictureBig: 'This picture is too large to be shown here.',
  sideBySide: 'Side by side',
  over: 'One over the other',
  slider: 'How much of the picture before is shown',

  space: (size: string) => `${size} are kept to put changes back.`,
  spaceUntil: (size: string, day: string) => `${size} are kept to put changes back, until ${day}.`,
  spaceGone: 'What was needed to put these changes back is not kept any more.',
  forget: 'Free this space',
  forgetTitle: 'Free this space?',
  forgetText: (size: string) =>
    `${size} become free. The changes stay as they are and stay listed; they can no longer be put back.`,
  forgetYes: 'Give up putting back',
  forgetNo: 'Keep it',
  forgetting: 'Freeing…',

  keepTitle: 'Putting back',
  keepLegend: 'For how long changes can be put back',
  keepDays: (n: number) => `${n} days`,
  keepForever: 'Always',
  keepSpace: (size: string, tasks: number) =>
    tasks === 1 ? `${size} are kept for 1 task.` : `${size} are kept for ${tasks} tasks.`,
  keepHint: 'After that time the list of changes stays; only putting them back is not possible any more.',
  keepSpaceLegend: 'For that, a task may keep without asking',
  keepTitleShorter: (n: number) => `Keep for ${n} days only?`,
  keepTextShorter: 'What older tasks changed can no longer be put back then.',
  keepYes: 'Keep for less time',
  keepNo: 'Leave it as it is',

  modeLegend: 'What may the task do with the folder?',
  modes: {
    ro: { name: 'Only look', about: 'It can read the folder and change nothing.' },
    rw: { name: 'Make changes', about: 'It changes the folder. Everything can be put back.' },
    review: {
      name: 'Show me first',
      about: 'It works on a copy. You look at its changes, then say what goes into the folder.'
    }
  }
};
