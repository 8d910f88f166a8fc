const files = (n: number) => (n === 1 ? '1 file' : `${n} files`);
const tokens = (n: string) => `${n} tokens`;

/** Tasks in a person's own words: how they are asked for, what they say and do, and the models that do them. */
export const ai = {
  ask: {
    lead: 'Say it in your own words, or choose a chore. It works in a closed workroom on this computer, and what it changes can be put back.',
    label: 'In your own words',
    hint: 'For example: sort the letters in this folder by sender and make a list of them.',
    start: 'Start',
    starting: 'Starting…',
    choreInstead: 'Choose a chore instead',
    wordsInstead: 'Start with your own words',
    folderOptional: 'The folder (it also works without one)',
    moreFolders: 'More folders',
    addFolder: 'Add another folder',
    folderPath: 'Place of another folder',
    useFolder: 'Add it',
    removeFolder: (name: string) => `Take away ${name}`,
    modeOf: (name: string) => `What it may do with ${name}`,
    options: 'More options',
    model: 'Model',
    modelDefault: (name: string) => `${name} (as in the settings)`,
    modelLocal: 'on this computer',
    thinking: 'How long it thinks',
    thinkingLevels: {
      auto: 'As the model does',
      off: 'Not at all',
      low: 'Short',
      medium: 'Longer',
      high: 'Long'
    },
    budget: 'Stop when it has cost (US dollars)',
    budgetHint: 'Empty: no limit.',
    budgetWrong: 'Not an amount in US dollars. Write 5 or 0.50, or leave it empty for no limit.',
    network: 'The internet',
    networks: {
      off: { name: 'Off', about: 'It reaches nothing.' },
      restricted: { name: 'Asks first', about: 'It reaches what you allow, and asks about the rest.' },
      on: { name: 'On', about: 'It reaches everything but your home network.' }
    },
    pictures: 'Pictures',
    addPictures: 'Add pictures',
    removePicture: (name: string) => `Take away ${name}`,
    pictureTooMany: 'No more than 16 pictures go with one message.',
    pictureTooLarge: 'These pictures are too large together: no more than 40 MB go with one message.',
    pictureUnknown:
      'It is not known whether this model can look at pictures. If it cannot, it does not see them.',
    pictureUnseen: 'This model cannot look at pictures. It will not see them.',
    noKeyTitle: 'Or in your own words',
    noKey:
      'To ask in your own words, piwork needs a key of an AI service or a model on this computer. The chores above need neither.',
    noKeyButton: 'Set up a model'
  },

  /** What is known of what a model can do; what is not known is not said. */
  able: {
    pictures: 'looks at pictures',
    noPictures: 'cannot look at pictures',
    thinks: 'thinks for as long as you choose',
    context: (n: string) => `reads up to ${tokens(n)} at once`
  },

  talk: {
    title: 'Conversation',
    you: 'You',
    assistant: 'Answer',
    earlier: (n: number) => (n === 1 ? 'Show 1 earlier entry' : `Show ${n} earlier entries`),
    thinking: 'What it thought',
    writing: 'Is writing…',
    working: 'Is working…',
    how: { steer: 'said in between', followUp: 'for afterwards' },
    attached: (names: string) => `With ${names}`,
    raw: 'Show technical details',
    rawHide: 'Hide technical details',
    rawLoading: 'Reading it…',
    output: 'Output',
    diff: 'What was changed',
    newMessage: 'A new answer is there.',
    model: 'Model'
  },

  /** What it did, by verb; of what is not done yet, and of what did not work. */
  tool: {
    read: (what: string) => `Read ${what}`,
    readMany: (n: number) => `Read ${files(n)}`,
    write: (what: string) => `Wrote ${what}`,
    edit: (what: string) => `Changed ${what}`,
    run: (what: string) => `Ran a command: ${what}`,
    list: (what: string) => `Looked through ${what}`,
    search: (what: string) => `Searched for ${what}`,
    fetch: (what: string) => `Opened ${what}`,
    other: (what: string) => `Used ${what}`,
    started: 'under way',
    failed: 'did not work',
    took: (time: string) => time
  },

  notices: {
    'chore-done': 'What needs no AI is done.',
    compacting: 'It summarises earlier messages, as you asked.',
    short: 'The conversation is short enough: there is nothing to summarise.',
    compacted: 'Earlier messages were summarised, to make room.',
    'not-compact': 'Earlier messages could not be summarised.',
    retry: 'The model did not answer. Trying again.',
    failed: 'The model did not answer.',
    aborted: 'You stopped it.',
    resumed: 'It goes on where it stood.',
    'lost-work': 'What lay in the workroom and not in your folders is gone.',
    budget: 'It stopped: what you allowed it to cost is used up.',
    model: 'It goes on with other settings of the model.',
    notify: 'It says:',
    extension: 'A part of the AI program did not work.',
    unreadable: 'Something it said could not be read.',
    'network-refused': 'It was not let through to an address.',
    'network-failed': 'An address could not be reached.',
    'link-ended': 'The way to the model or the internet is cut.',
    'foreign-message': 'A message in your name that you did not write: a part of the AI program did.',
    'questions-refused': 'Everything else that it asks is refused without asking you.',
    'provider-waits': 'The service asks to wait a moment.',
    'results-left': 'It made more files than are kept.',
    'pictures-left': 'Sent without the pictures: this model is not known to look at any.'
  } as Record<string, string>,
  noticeOther: 'Something happened that this version has no words for.',
  noticeHost: (text: string, host: string) => `${text} (${host})`,

  composer: {
    label: 'Tell it something',
    labelOver: 'Ask for something more',
    hint: 'Enter sends, Shift and Enter begin a new line.',
    send: 'Send',
    sending: 'Sending…',
    how: 'When it hears it',
    steer: 'Now',
    followUp: 'When it is done',
    queue: 'Waits to be heard',
    queueSteer: 'next',
    queueFollow: 'when it is done',
    takeBack: 'Take back',
    takeBackOf: (said: string) => `Take back: ${said}`,
    resume: 'Go on',
    resuming: 'Going on…',
    resumeText: 'It can go on where it stood. What it made and changed so far is there.'
  },

  /** Another model for a task, and how long it thinks. */
  tune: {
    change: 'Change',
    changeModel: 'Change the model',
    title: 'Model of this task',
    holds: {
      beginning: 'It begins with this.',
      answer: 'It holds from the next answer on.',
      message: 'It holds when you ask for something more.'
    },
    more: 'Models of other services can be chosen when the task is over.',
    hint: 'A model that cannot do that takes no notice of it.',
    budget: (amount: string) => `It may cost ${amount} in all, as before.`,
    use: 'Use this',
    using: 'Changing…',
    leave: 'Leave it as it is',
    goesOn: (model: string) => `It goes on with ${model}.`,
    otherwise: 'This model cannot be told to think for as long as you chose.',
    thinks: {
      off: 'It does not think before it answers.',
      minimal: 'It thinks for a short time.',
      low: 'It thinks for a short time.',
      medium: 'It thinks for longer.',
      high: 'It thinks for a long time.'
    } as Record<string, string>
  },

  compact: {
    button: 'Summarise earlier messages',
    about:
      'The model writes a summary and works on with that, which makes a long conversation cheaper. You still see every message here.',
    beginning: 'Beginning…'
  },

  usage: {
    title: 'What it used',
    cost: 'Cost',
    free: 'nothing',
    cents: 'less than 1 cent',
    unknown: 'not known for this model',
    partly: (cost: string) => `${cost}, and a part whose price is not known`,
    of: (cost: string, budget: string) => `${cost} of ${budget}`,
    input: 'Read',
    output: 'Written',
    tokens,
    cached: (n: string) => `${n} of them from before`
  },

  questions: {
    network: (host: string) => `It wants to reach ${host}.`,
    networkText:
      'It waits for you. Whatever is sent there leaves this computer, and so may contents of the folders you chose.',
    networkAddress: 'It named no name, only this address.',
    networkProgram: (name: string) => `By its own account this is the program “${name}”.`,
    networkPort: (port: string) => `Port ${port}`,
    networkPattern: (pattern: string) => `What you decide for longer is about ${pattern}.`,
    webPages: (pages: string) =>
      `What you decide for longer is about pages below ${pages} whose address has no question mark.`,
    webFetch: (host: string) => `It wants to read a page of ${host}.`,
    webFetchText:
      'The address itself leaves this computer and cannot be taken back; look whether it tells something about you.',
    webSearch: (host: string) => `It wants to search the web with ${host}.`,
    webSearchText: 'What is searched for leaves this computer and cannot be taken back.',
    webRedirect: 'The page asked for before sends it there.',
    once: 'This time',
    task: 'In this task',
    always: 'Always',
    deny: 'Not now',
    never: 'Never',
    command: 'It wants to run a command.',
    commandTool: (tool: string) => `It wants to use “${tool}”.`,
    commandText:
      'It waits for you. It runs in the closed workroom, and what it changes in your folders can be put back; what it sends elsewhere cannot.',
    commandEffects: 'What the command does',
    effects: {
      delete: 'deletes files',
      overwrite: 'writes over files',
      change: 'changes files in place',
      move: 'moves files',
      write: 'makes new files',
      system: 'changes the workroom itself',
      install: 'installs programs in the workroom',
      network: 'sends something over the internet',
      unknown: 'cannot be told from its words'
    } as Record<string, string>,
    commandAllow: 'Let it run',
    commandTask: 'Let such commands run in this task',
    commandDeny: 'Do not run it',
    confirm: 'A part of the AI program asks you:',
    confirmYes: 'Agree',
    confirmNo: 'Refuse',
    extensionAsks: 'A part of the AI program asks this, not piwork. Do not write passwords here.',
    extensionSend: 'Send this answer',
    extensionNone: 'Do not answer',
    folder: 'The AI asks for one more folder',
    folderSuggested: 'It may be this one:',
    folderHint:
      'You choose the folder. Its changes wait for you, unless you chose otherwise for that folder.',
    folderChoose: 'Choose a folder',
    folderPath: 'Folder that it may have',
    folderUse: 'Give it this folder',
    folderNone: 'Don’t give a folder'
  },

  login: {
    begin: 'Sign in',
    beginName: (name: string) => `Sign in to ${name}`,
    again: 'Sign in again',
    instead: 'Sign in instead',
    insteadName: (name: string) => `Sign in instead: ${name}`,
    beginning: 'Beginning…',
    lead: (name: string) =>
      `Sign in on the page of ${name}. piwork gets a login of its own, and you can end it there at any time.`,
    terms: (name: string) =>
      `When you sign in, your account at ${name} agrees to the terms of the models there that piwork can use.`,
    page: (name: string) => `Open the page of ${name}`,
    userCode: 'The page asks for this code:',
    userCodeLabel: 'Code for the page',
    code: 'Code that the page shows',
    codeHint: 'Copy it from the page when you have signed in there.',
    send: 'Use this code',
    sending: 'Looking at it…',
    waiting: 'Waiting until you have signed in there.',
    agreeing:
      'You are signed in. Your account now agrees to the terms of the models there; that takes some seconds.',
    company: 'Your company has a GitHub of its own',
    domain: 'Its address',
    domainHint: 'Such as company.ghe.com. Leave it empty for the usual GitHub.',
    elsewhere: 'Sign in on another device',
    elsewhereLead: 'You get a code, and type it on the page of the service in any browser.',
    byCode: 'Sign in with a code',
    leave: 'Do not sign in',
    done: (name: string) => `You are signed in to ${name}.`
  },

  keyPlace: {
    title: 'Where keys are kept',
    legend: 'Keep them',
    stores: { keychain: 'In the keychain of this computer', file: 'In a file with a passphrase' },
    hints: {
      keychain: 'The system opens it when you log in.',
      file: 'It is encrypted; after each start of piwork the passphrase opens it.'
    },
    noKeychain: 'No keychain was found on this computer.',
    locked: 'The keys are locked. Tasks in your own words need them.',
    passphrase: 'Passphrase',
    passphraseHint: 'Whoever forgets it has to enter the keys anew: nobody can open the file without it.',
    unlockHint: 'The file stays open until piwork ends.',
    unlock: 'Unlock',
    use: 'Move the keys there',
    working: 'One moment…',
    unlocked: 'The keys are open.',
    moved: { keychain: 'The keys are in the keychain now.', file: 'The keys are in the file now.' },
    change: 'Change the passphrase',
    now: 'Passphrase until now',
    next: 'New passphrase',
    nextAgain: 'The new one once more',
    differ: 'It is not the same as the new one above.',
    changeIt: 'Change it',
    changed: 'From now on the new passphrase opens the file.'
  },

  models: {
    title: 'Models and keys',
    lead: 'A model does what you ask for in your own words. A key is kept by this computer, never shown again, and never gets into the workroom.',
    none: 'There is no key yet, and no model was found on this computer.',
    yours: 'Set up',
    add: 'Add a key',
    provider: 'Service',
    custom: 'Another server',
    key: 'Key',
    keyHint: 'It is kept when you save, and cannot be looked at afterwards.',
    keyHintCustom: 'Empty for a server that needs none.',
    name: 'Name',
    nameHint: 'What you want to call it.',
    url: 'Address',
    urlHint: 'As its manual says, for example http://localhost:8080/v1',
    protocol: 'What it speaks',
    protocols: { openai: 'Like OpenAI', anthropic: 'Like Anthropic', google: 'Like Google' },
    save: 'Save',
    saving: 'Saving…',
    saved: (name: string) => `The key of ${name} is kept.`,
    savedServer: (name: string) => `${name} is set up.`,
    test: 'Test',
    testName: (name: string) => `Test ${name}`,
    testing: 'Asking…',
    works: (n: number) => (n === 0 ? 'It works.' : n === 1 ? 'It works: 1 model.' : `It works: ${n} models.`),
    worksNot: 'It does not work.',
    remove: 'Remove',
    removeName: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove the key of ${name}?`,
    removeText: 'piwork forgets it. The service still knows it: a key nobody needs is best ended there too.',
    removeYes: 'Remove it',
    removeNo: 'Keep it',
    removed: (name: string) => `${name} is removed.`,
    kinds: { key: 'a key', login: 'a login', none: 'needs no key' } as Record<string, string>,
    places: {
      keychain: 'in the keychain of this computer',
      file: 'in a locked file',
      environment: 'given by the environment'
    } as Record<string, string>,
    ending: (ending: string) => `ends in ${ending}`,
    local: 'found on this computer',
    expires: (day: string) => `until ${day}`,
    default: 'Model for new tasks',
    defaultAuto: 'Chosen by piwork',
    able: {
      title: 'What models of your own services can do',
      lead: 'Where a service does not say it, you can. It holds for tasks that begin or go on from now on.',
      model: 'Which model',
      images: 'Looks at pictures',
      thinks: 'Thinks for as long as you choose',
      answers: { auto: 'As far as known', yes: 'Yes, it does', no: 'No, it does not' }
    },
    defaultHint: 'Each task can have another one.',
    reasons: {
      'no-key': 'There is no key.',
      'key-store': 'The place where keys are kept cannot be used.',
      'login-ended': 'The login has ended. A new one is needed.',
      'key-refused': 'The service does not take this key. Look whether it was copied whole.',
      'no-credit': 'The account has no money left.',
      denied: 'The key is not for this.',
      limited: 'Too many requests for now. Try it again later.',
      overloaded: 'The service has too much to do, or is broken. Try it again later.',
      unreachable: 'There is no connection to it.',
      proxy: 'The proxy of this network did not let it through.',
      tls: 'Its certificate is not trusted on this computer.',
      stalled: 'It began to answer and stopped.',
      redirect: 'It sends elsewhere, where no key is taken.',
      'bad-answer': 'It answers something that is no answer.',
      'not-provider': 'Something else answers at this address.'
    } as Record<string, string>
  },

  network: {
    title: 'The internet',
    lead: 'What tasks may reach that ask first. Your home network and this computer are never reached unless you name them.',
    presets: 'Allowed together',
    preset: {
      npm: 'Packages for JavaScript',
      python: 'Packages for Python',
      rust: 'Packages for Rust',
      go: 'Packages for Go',
      debian: 'Packages of Debian',
      github: 'GitHub',
      wikipedia: 'Wikipedia'
    } as Record<string, string>,
    rules: 'Names',
    none: 'You named none yet.',
    may: (name: string) => `${name} may be reached`,
    mayNot: (name: string) => `${name} may not be reached`,
    inTask: 'while one task runs',
    add: 'A name',
    addHint: 'For example example.org, or *.example.org for everything under it.',
    allow: 'Allow it',
    deny: 'Never allow it',
    remove: 'Take it back',
    working: 'One moment…',
    allowed: (name: string) => `${name} is allowed now.`,
    denied: (name: string) => `${name} is not allowed now.`
  }
};
