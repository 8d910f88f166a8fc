const files = (n: number) => (n === 1 ? '1 file' : `${n} files`);

/** The sections of the settings, and what is said in those that have no words elsewhere. */
export const settingsPages = {
  nav: 'Sections of the settings',
  choose: 'Section',
  sections: {
    models: 'Models and keys',
    folders: 'Folders and permissions',
    network: 'The internet',
    computer: 'This computer',
    runtime: 'Runtime',
    resources: 'Memory and speed',
    storage: 'Storage',
    appearance: 'Look and language',
    window: 'Notifications and closing',
    privacy: 'Privacy',
    help: 'Help',
    about: 'About piwork'
  },

  resources: {
    lead: 'Each task works in a workroom of its own, with a part of this computer. More memory lets large files through; fewer tasks at a time leave more for your other programs.',
    host: (memory: string, cpus: number) =>
      cpus === 1
        ? `This computer has ${memory} of memory and 1 processor.`
        : `This computer has ${memory} of memory and ${cpus} processors.`,
    now: (running: number, queued: number) =>
      running + queued === 0
        ? 'No task works right now.'
        : queued === 0
          ? `At work right now: ${running}.`
          : `At work right now: ${running}; waiting their turn: ${queued}.`,
    memory: 'Memory for each task',
    cpus: 'Processors for each task',
    atOnce: 'Tasks at the same time',
    total: 'Memory for all tasks together',
    auto: 'Chosen by piwork',
    autoIs: (value: string) => `Chosen by piwork (${value})`,
    instant: 'Keep a workroom ready',
    instantHint: 'A task begins at once; it costs some memory while nothing runs.',
    saved: 'Kept. It holds from the next task on.'
  },

  storage: {
    lead: 'What piwork keeps on this computer. Your own files are no part of it and are never cleaned up.',
    what: {
      runtime: { name: 'Runtime', about: 'what the workroom is made of' },
      addons: { name: 'Add-ons', about: 'further tools for the workroom' },
      templates: { name: 'Prepared starts', about: 'let a workroom open at once; made anew when needed' },
      downloads: { name: 'Downloads', about: 'what was fetched for updates' },
      tasks: { name: 'Tasks', about: 'conversations, plans and what was made' },
      journals: { name: 'Kept for putting back', about: 'how your files were before tasks changed them' },
      logs: { name: 'Logs', about: 'what piwork wrote down about itself' }
    } as Record<string, { name: string; about: string }>,
    otherName: 'Something else',
    total: (size: string) => `${size} together`,
    nothing: 'nothing',
    inUse: 'in use',
    pick: (name: string) => `Clean up ${name}`,
    clean: (size: string) => `Clean up ${size}`,
    cleanNone: 'Choose what to clean up',
    cleaning: 'Cleaning up…',
    freed: (size: string) => `${size} are free again.`,
    confirmTitle: (size: string) => `Clean up ${size}?`,
    confirmText: 'Your own files stay. What is cleaned up here is made or fetched again when it is needed.',
    confirmJournals:
      'Your own files stay as they are now, but changes of earlier tasks can no longer be put back.',
    confirmYes: 'Clean it up',
    confirmNo: 'Keep it',
    where: 'Where it is',
    move: {
      title: 'Where piwork keeps its data',
      lead: 'Your own files and the settings stay where they are.',
      open: 'Move to another place…',
      choose: 'Choose a folder for the data of piwork',
      hint: 'The whole path of a folder, on a disk of this computer. A folder piwork is made in it.',
      look: 'Look',
      looking: 'Looking…',
      plan: (size: string, to: string, free: string) =>
        `${size} are copied to ${to}, where ${free} are free. No task can start until that is done. Only when everything is there, it is removed here.`,
      begin: 'Move the data',
      stay: 'Leave it here',
      moving: 'Moving the data.',
      copied: (done: string, all: string) => `${done} of ${all}`,
      cancel: 'Stop moving it',
      cancelled: 'Cancelled. Everything is as it was.',
      done: (to: string) => `Done. The data of piwork is in ${to} now.`,
      fixed: (name: string) =>
        `The environment variable ${name} says where it is, so it cannot be moved from here.`
    }
  },

  appearance: {
    motion: 'Movement',
    motions: { system: 'Like the system', less: 'As little as possible' },
    motionHint: 'Nothing slides or turns; what happens is said in words.'
  },

  window: {
    close: 'When you close the window while a task works',
    closes: {
      ask: 'Ask me',
      background: 'Let it go on in the background',
      stop: 'Stop it'
    },
    closeHint: 'A task in the background goes on and tells you when it is done or needs you.',
    notify: 'Tell me when a task is done or needs me',
    notifyHint:
      'Your system shows it while the window is not in front. What it says is the name of the task, never the contents of files.',
    denied:
      'This browser does not let piwork show messages. It can be allowed in the settings of the browser.',
    saved: 'Kept.',
    onlyWindow: 'This is about piwork’s own window; here it is open in a browser.'
  },

  privacy: {
    lead: 'What leaves this computer, and when. Everything else stays here.',
    chores: {
      title: 'Chores',
      text: 'Nothing. They are done by programs in the workroom, without any network.'
    },
    words: {
      title: 'Tasks in your own words',
      text: 'What you write, and the parts of your files that the model needs to see, go to the service whose model you chose. With a model on this computer nothing goes anywhere.',
      to: (name: string) => `Chosen now: ${name}.`,
      local: (name: string) => `Chosen now: ${name}, on this computer.`,
      none: 'No model is set up.'
    },
    internet: {
      title: 'The internet',
      text: 'A task reaches only addresses that you allowed. What it sends there can contain parts of the folders that you gave it.'
    },
    keys: {
      title: 'Keys',
      text: 'They are kept by this computer and sent only to their own service. They never get into the workroom.'
    },
    updates: {
      title: 'Updates',
      on: 'piwork asks its update channel once a day whether there is something new. That tells the address of this computer and the version in use, nothing else.',
      off: 'piwork asks for updates only when you tell it to.'
    },
    telemetry: {
      title: 'Reports',
      text: 'piwork counts nothing and reports nothing. A report for help is a file that you look at first and send yourself.'
    },
    see: 'See and change'
  },

  help: {
    shortcuts: 'Keyboard shortcuts',
    shortcutsText: 'Everything in this window can be done with the keyboard.',
    shortcutsOpen: 'Show them',
    health: 'How piwork is',
    healthOk: 'piwork answers.',
    healthUp: (time: string) => `It has run for ${time}.`,
    healthComputer: 'This computer',
    healthRuntime: 'Runtime',
    healthTasks: 'Tasks at work',
    healthAudit: 'The record of what was done',
    auditOk: 'whole',
    auditBad: 'damaged',
    auditLook: 'Check it',
    auditLooking: 'Checking…',
    healthLink: 'Look at this computer',

    report: 'A report for help',
    reportText:
      'One file for somebody who helps you: versions, checks and what went wrong. Contents of your files and keys are never in it. Look at it first; exactly this is written.',
    reportShow: 'Show what would be in it',
    reportMaking: 'Putting it together…',
    reportFiles: (n: number, size: string) => `${files(n)}, ${size}`,
    reportSave: 'Save the report',
    reportSaving: 'Saving…',
    reportSaved: (path: string) => `The report is in ${path}. Nothing was sent.`,
    reportPath: 'Place of the report',
    reportPathHint: 'For example /home/you/piwork-report.zip',
    reportContent: (name: string) => `Contents of ${name}`,

    logs: 'Logs',
    logsText: 'What piwork wrote down about itself while it worked.',
    logsNone: 'Nothing has been written down.',
    logsShow: 'Show the logs',
    logsFile: 'Log',
    logsTail: (size: string) => `The last ${size}`,
    logsFind: 'Find in it',
    logsLines: (n: number) => (n === 1 ? '1 line' : `${n} lines`),
    logsLevel: 'What to show',
    logsLevels: { all: 'Everything', warn: 'Warnings and errors' },
    logsAgain: 'Read it again',
    logsEmpty: 'No line has these words.',
    logsCopy: 'Copy these lines',
    logsCopied: 'Copied'
  },

  about: {
    lead: 'piwork works with your files in a closed workroom on this computer.',
    version: 'Version',
    system: 'System',
    runtime: 'Runtime',
    licence: 'piwork is free software under the MIT licence.',
    licences: 'What it is made of',
    licencesText:
      'These programs and libraries are part of piwork or of its runtime. Thanks to those who made them.',
    licencesFind: 'Find a name or a licence',
    licencesNone: 'Nothing has this name.',
    licencesCount: (n: number) => (n === 1 ? '1 part' : `${n} parts`),
    source: 'Source',
    show: 'Show its licence'
  }
};
