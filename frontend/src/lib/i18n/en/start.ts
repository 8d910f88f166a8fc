/** The first start, from the welcome to the first finished chore; chores that are kept; dropping things on the window. */
export const start = {
  steps: {
    label: 'The way to your first chore',
    welcome: 'Welcome',
    check: 'This computer',
    runtime: 'The workroom',
    first: 'A first chore',
    done: 'done',
    skipped: 'left out',
    now: 'now',
    open: 'still to come'
  },

  welcome: {
    title: 'Welcome to piwork',
    lead: 'It does the tedious work on your files, and you can take all of it back.',
    plan: 'You see what it will do',
    planMore: 'A plan comes first. Nothing changes before you say yes.',
    room: 'It only sees what you chose',
    roomMore: 'It works in a closed workroom on this computer that only sees the folders you chose.',
    undo: 'You can take it back',
    undoMore: 'Everything it changes is listed and can be put back, one by one or all at once.',
    go: 'Get this computer ready',
    goDownload: (size: string) => `It downloads ${size} once, and checks where that comes from.`,
    goUnknown: 'What the workroom is made of is downloaded once, and its signature is checked.',
    goFound: (name: string) => `It uses the file ${name}, which lies beside piwork. Nothing is downloaded.`,
    goReady: 'Everything it needs is here already.',
    goFile: 'What the workroom is made of comes from a file. You choose it in a moment.'
  },

  runtime: {
    title: 'Getting the workroom',
    lead: 'It is downloaded once. You can go on using this computer meanwhile.',
    leadAsk: 'One thing is still missing: what the closed workroom is made of.',
    heading: 'What the workroom is made of'
  },

  check: {
    admin:
      'This needs an administrator of this computer, once. If that is somebody else, show them this page.',
    runs: 'piwork can have your system do this. It asks for an administrator itself, and runs exactly what stands here; piwork sees no password.',
    runsTyped: 'Do it myself',
    runsNow: 'Let the system do it',
    runsWaits: 'The system asks…',
    runsDeclined: 'Nothing was changed.',
    foreseen: 'This was only seen, nothing was tried yet. You can go on and find out.',
    goOn: 'Go on all the same',
    copyReport: 'Copy the report',
    copied: 'The report is copied.',
    copyFailed: 'It could not be copied.'
  },

  first: {
    title: 'Ready. Try it?',
    lead: 'Everything works. Try it first on sample photos; nothing of yours is touched.',
    card: 'Turn these 5 sample photos into a PDF',
    cardMore: 'piwork puts them into a folder of its own. First you see the plan.',
    show: 'Show me',
    showing: 'Getting the photos…',
    waits: 'Your first chore has begun.',
    toPlan: 'Go on with it',
    own: 'Use a folder of my own'
  },

  slow: {
    title: 'Slow mode is on',
    text: 'Everything works and is as safe, but takes longer.',
    opens: (time: string) => `Opening the workroom takes ${time} here.`,
    factor: (n: number) => `About ${n} times slower on this computer.`
  },

  home: {
    saved: 'Kept by you',
    savedOn: (chore: string, folder: string) => (folder ? `${chore}, ${folder}` : chore),
    savedStart: 'show me the plan',
    savedRemove: (name: string) => `Forget ${name}`,
    quick: 'Choose a chore',
    all: (n: number) => `All ${n} chores`,
    fewer: 'Fewer chores',
    noChores: 'There are no chores. The runtime may be of another version.',
    chosen: (chore: string, folder: string) => (folder ? `${chore}, in ${folder}` : chore),
    options: 'Options',
    optionsOf: (chore: string) => `Options of ${chore}`,
    keep: 'Keep it for next time',
    keepName: 'Its name',
    keepHint: 'You find it on the first page under this name.',
    keepNow: 'Keep it',
    keeping: 'Keeping…',
    kept: (name: string) => `${name} is kept. You find it here next time.`,
    keepNot: 'Leave it'
  },

  drop: {
    here: 'Drop folders or files here',
    onWindow: 'Let go to use it here',
    onWindowMore: 'Nothing is moved or copied. piwork asks what to do with it.',
    file: (name: string, folder: string) =>
      `You dropped ${name}. piwork works with folders, so it would see all of ${folder}.`,
    files: (n: number, folder: string) =>
      `You dropped ${n} files. piwork works with folders, so it would see all of ${folder}.`
  }
};
