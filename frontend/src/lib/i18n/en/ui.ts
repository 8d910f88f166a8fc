const files = (n: number) => (n === 1 ? '1 file' : `${n} files`);

/** Everything on the screens that is no problem and no chore. */
export const ui = {
  name: 'English',

  shell: {
    skip: 'Skip to the content',
    newTask: 'New task',
    settings: 'Settings',
    tasks: 'Tasks',
    showTasks: 'Show tasks',
    closeTasks: 'Close tasks',
    noTasks: 'What you start appears here.',
    taskLine: (title: string, state: string, when: string) => `${title}, ${state}, ${when}`,
    lost: 'piwork does not answer. Trying again…',
    back: 'piwork answers again.',
    titleIn: (place: string) => `${place} – piwork`
  },

  machine: {
    label: (state: string) => `This computer: ${state}`,
    ready: 'Ready',
    checking: 'Getting ready',
    attention: 'Needs you',
    offline: 'Not answering',
    slow: 'Ready, slow mode'
  },

  home: {
    title: 'What should be done?',
    lead: 'Choose a folder and a chore. piwork first shows what it would do; nothing changes before you say so.',
    folderHeading: 'The folder',
    drop: 'Drop a folder here',
    or: 'or',
    choose: 'Choose a folder',
    chooseOther: 'Choose another folder',
    choosing: 'Waiting for your choice…',
    noPathFromDrop:
      'A browser does not tell where a dropped folder is. Please write its place below, or use piwork’s own window.',
    pathLabel: 'Place of the folder',
    pathHint: 'For example /home/you/Pictures',
    usePath: 'Use this folder',
    recent: 'Used before',
    choreHeading: 'The chore',
    options: 'Options',
    show: 'Show me the plan',
    starting: 'Starting…',
    needFolder: 'Choose a folder first.',
    how: 'How it goes',
    howPlan: 'You see the plan: what would be read, made and left out.',
    howWork:
      'You say yes. The work is done in a closed workroom on this computer, which only sees the folder you chose and has no network.',
    undoable: 'Everything it changes is listed and can be put back.'
  },

  setup: {
    title: 'Getting this computer ready',
    titleReady: 'This computer is ready',
    titleBlocked: 'This computer is not ready yet',
    lead: 'piwork looks at what this computer can do. Looking installs and changes nothing.',
    leadReady: 'The workroom opened in a test. You can start.',
    leadBlocked: 'Nothing was installed or changed. The first card below comes first.',
    checksHeading: 'What was looked at',
    checking: 'Looking at this computer…',
    waitWord: 'Checking the runtime and opening the workroom for a test.',
    waitReason: 'A workroom that really opens is the only proof, and the first time takes longest.',
    waitStall: 'This takes longer than it should. You can keep waiting, or look again from the start.',
    start: 'Start',
    checkAgain: 'Check again',
    took: (time: string) => `took ${time}`,
    states: {
      passed: 'in order',
      failed: 'not in order',
      unknown: 'could not be looked at',
      skipped: 'not looked at yet',
      unneeded: 'not there, not needed',
      pending: 'still to come'
    },
    nextSteps: 'What you can do',
    slowHeading: 'Work slowly',
    slowText: 'Everything works as it should and is as safe, but takes longer.',
    slowFactor: (factor: number) => `About ${factor} times slower on this computer.`,
    slowGuess: 'How much longer was not measured on this computer.',
    slowOpens: (time: string) => `Opening the workroom takes ${time} then.`,
    slowOn: 'Work slowly',
    slowIsOn: 'Slow mode is on',
    slowOff: 'Switch slow mode off',
    slowByEnvironment: 'It was switched on from outside (PIWORK_ACCEL) and can only be switched off there.',
    slowByFlag: 'It was switched on when piwork was started and is on until it ends.',
    installHeading: 'Install the runtime from a file',
    installLead:
      'The runtime is one file, named like “piwork-runtime-….tar.zst”. piwork installs it only when its signature is right.',
    installPath: 'Place of the file',
    installPathHint: 'For example /home/you/Downloads/piwork-runtime-linux-x86_64.tar.zst',
    installChoose: 'Choose the file',
    install: 'Install',
    installLeadNow: 'The runtime is checked and installed. Your own files are not touched.',
    installing: (done: string, total: string) => `Checking and unpacking: ${done} of ${total}`,
    installingStart: 'Checking the signature…',
    installed: (version: string) => `Runtime ${version} is installed.`
  },

  settings: {
    title: 'Settings',
    computer: 'This computer',
    runtime: 'Runtime',
    runtimeNone: 'No runtime is installed.',
    runtimeVersion: 'Version',
    runtimeSigned: 'Signature',
    runtimeSignedRight: 'checked and right',
    runtimeSignedOpen: 'not checked yet',
    runtimeDeveloper: 'made by a developer key of this computer',
    runtimeWhere: 'Where',
    installOther: 'Install another one',
    speed: 'Speed',
    speedFast: (kind: string) => `Fast (${kind}), proven by opening the workroom`,
    speedSlow: 'Slow mode, chosen on purpose',
    speedNone: 'Not working yet',
    opened: (time: string) => `The workroom opened in ${time}.`,
    look: 'Look',
    theme: 'Appearance',
    themes: { system: 'Like the system', light: 'Light', dark: 'Dark' },
    language: 'Language',
    languageSystem: 'Like the system',
    about: 'About',
    version: (version: string) => `piwork ${version}`
  },

  task: {
    stages: { plan: 'Plan', working: 'Working', done: 'Done' },
    stagesLabel: 'Where this task is',
    stageNow: 'now',
    stagePast: 'finished',
    states: {
      queued: 'waiting its turn',
      preparing: 'getting ready',
      running: 'working',
      waiting: 'waits for you',
      done: 'done',
      failed: 'did not work',
      cancelled: 'stopped'
    },
    stop: 'Stop',
    stopping: 'Stopping…',
    again: 'Start again',
    forget: 'Forget this task',
    forgetTitle: 'Forget this task?',
    forgetText:
      'It disappears from the list. Your files stay as they are now, and what the task changed can no longer be put back.',
    forgetYes: 'Forget it',
    forgetNo: 'Keep it',
    started: (when: string) => `Started ${when}`,
    took: (time: string) => `took ${time}`,
    missing: 'This task is not here any more.',
    missingText: 'It may have been removed in another window.',
    goHome: 'Start something new',
    announce: {
      plan: 'The plan is ready.',
      working: 'Working.',
      done: (results: number) => (results === 0 ? 'Done.' : `Done. ${files(results)} made.`),
      failed: 'This did not work.',
      cancelled: 'Stopped.'
    },

    wait: {
      queued: 'Waiting for another task to end.',
      verify: 'Checking the runtime.',
      boot: 'Opening the workroom.',
      mount: 'Putting your folder into the workroom and looking through it.',
      mountRun: 'Putting your folder into the workroom and checking that nothing has changed since the plan.',
      plan: 'Looking through the folder.',
      accept: 'Waiting for you.',
      run: 'Starting.',
      finish: 'Tidying up: the workroom is closed and thrown away.'
    },
    reason: {
      queued: 'Tasks that need much memory work one after the other.',
      verify: 'Every file is compared with its signature before it is used.',
      boot: 'It is made fresh for each task.',
      bootSlow: 'It is made fresh for each task; in slow mode that takes up to a minute.',
      mount: 'Every picture is opened once to see whether it is whole.',
      mountSlow: 'Every picture is opened once to see whether it is whole. Slow mode takes its time here.',
      mountRun: 'What you saw in the plan is what is done, or nothing.',
      plan: 'The folder can only be read while the plan is made.',
      accept: 'Nothing goes on before you say so.',
      run: 'The first piece takes longest.',
      finish: 'Results are written to the disk for good.'
    },
    stalled: 'Nothing has been heard for a while. You can keep waiting; stopping changes nothing more.',
    keepWaiting: 'Keep waiting',

    planTitle: 'This is the plan',
    planReads: (n: number, size: string) => `Reads ${files(n)}, ${size}`,
    planMakes: 'Makes',
    planChanges: 'Changes',
    planMoves: 'Moves',
    planDeletes: 'Deletes',
    planIn: (folder: string) => `in ${folder}`,
    planLeft: (n: number) => (n === 1 ? '1 file is left out' : `${n} files are left out`),
    planSafe: 'Nothing that is there now is changed, moved or deleted.',
    planReadOnly: 'Up to here the folder was only read.',
    planNo: 'Not now',
    planAccepting: 'Starting…',
    more: (n: number) => (n === 1 ? 'Show 1 more' : `Show ${n} more`),
    less: 'Show fewer',
    files,

    progress: (done: number, total: number) => `${done} of ${total}`,
    looking: 'Looking through the folder',
    progressLabel: 'Progress',
    current: 'Now',
    elapsed: (time: string) => `${time} so far`,
    remaining: (time: string) => `${time} left`,
    almost: 'almost done',

    resultsTitle: 'Results',
    resultsNone: 'Nothing has been made yet.',
    resultsEmpty: 'Nothing was made.',
    resultsGone: 'Put back: the files that were made are gone again.',
    open: 'Open',
    openName: (name: string) => `Open ${name}`,
    save: 'Save',
    saveName: (name: string) => `Save ${name}`,
    inFolder: (folder: string) => `in ${folder}`,
    inTask: 'kept with this task',

    changesTitle: 'Changes',
    changesNone: 'Nothing in your folder was changed.',
    changesNotYet: 'Nothing has been changed yet.',
    changesSum: (n: number) => (n === 1 ? '1 change' : `${n} changes`),
    effects: { create: 'new', change: 'changed', move: 'moved', delete: 'deleted' },
    effectCounts: {
      create: (n: number) => `${n} new`,
      change: (n: number) => `${n} changed`,
      move: (n: number) => `${n} moved`,
      delete: (n: number) => `${n} deleted`
    },
    movedFrom: (from: string) => `was ${from}`,
    undoAll: 'Put everything back',
    undoOne: 'Put back',
    undoOneName: (name: string) => `Put back ${name}`,
    undoing: 'Putting back…',
    undone: 'put back',
    undoMeans: 'Your folder will be as it was before this task. What you changed since stays.',
    undoDone: (n: number) => (n === 1 ? '1 change was put back.' : `${n} changes were put back.`),
    undoAllDone: 'Everything is as it was before.',
    undoConflicts: (n: number) =>
      n === 1
        ? '1 thing was left alone, because it is yours now:'
        : `${n} things were left alone, because they are yours now:`,
    undoReasons: {
      'changed-since': 'you changed it after the task',
      gone: 'it is not there any more',
      'in-the-way': 'something else stands in its place',
      'no-before-image': 'how it was before could not be kept',
      io: 'the disk refused'
    },

    reachTitle: 'What it can reach',
    reachFolders: 'Folders',
    modes: {
      ro: 'may only read',
      rw: 'may read and change',
      review: 'changes wait for you'
    },
    reachNetwork: 'Network',
    networks: { off: 'none', restricted: 'only allowed addresses', on: 'the internet' },
    reachWhere: 'Where',
    reachWorkroom: 'In a closed workroom on this computer, thrown away afterwards',
    reachSlow: 'slow mode',

    wasLeft: (n: number) => (n === 1 ? '1 file was left out' : `${n} files were left out`),
    leftOut: 'Left out',
    timelineTitle: 'What happened',
    timeline: {
      queued: 'Started by you',
      verify: 'Runtime checked',
      boot: 'Workroom being opened',
      mount: 'Folder put into the workroom',
      plan: 'Planning began, the folder could only be read',
      run: 'Work began',
      finish: 'Workroom closed and thrown away',
      planReady: 'Plan shown to you',
      accepted: 'You agreed to the plan',
      done: 'Done',
      failed: 'Did not work',
      cancelled: 'Stopped',
      result: (name: string) => `Made ${name}`,
      problem: (title: string) => title,
      undo: (n: number) => (n === 1 ? '1 change put back' : `${n} changes put back`)
    }
  },

  problem: {
    details: 'Details',
    copy: 'Copy',
    copied: 'Copied',
    dismiss: 'Close',
    command: 'Command'
  },

  time: {
    now: 'just now',
    moment: 'a moment',
    seconds: (n: number) => (n === 1 ? '1 second' : `${n} seconds`),
    aboutSeconds: (n: number) => `about ${n} seconds`,
    aboutMinutes: (n: number) => (n === 1 ? 'about 1 minute' : `about ${n} minutes`),
    aboutHours: (n: number) => (n === 1 ? 'about 1 hour' : `about ${n} hours`)
  }
};
