// Made by `npm run types` from en.json. Do not edit.

export type Messages = {
  name: string;
  shell: {
    skip: string;
    cannotStart: string;
    startByHand: string;
    newTask: string;
    settings: string;
    tasks: string;
    noTasks: string;
    lost: string;
    back: string;
    titleIn: (values: { place: string | number }) => string;
  };
  machine: {
    label: (values: { state: string | number }) => string;
    ready: string;
    checking: string;
    attention: string;
    offline: string;
    slow: string;
  };
  home: {
    title: string;
    lead: string;
    folderHeading: string;
    drop: string;
    or: string;
    choose: string;
    chooseOther: string;
    choosing: string;
    noPathFromDrop: string;
    pathLabel: string;
    pathHint: string;
    usePath: string;
    recent: string;
    groups: {
      pictures: string;
      documents: string;
      folders: string;
      tables: string;
      other: string;
    };
    options: string;
    show: string;
    starting: string;
    needFolder: string;
    needPassword: string;
    how: string;
    howPlan: string;
    howWork: string;
    undoable: string;
  };
  setup: {
    title: string;
    titleReady: string;
    titleBlocked: string;
    lead: string;
    leadReady: string;
    leadBlocked: (values: { n: number }) => string;
    checksHeading: string;
    checksHeadingNow: string;
    checking: string;
    waitWord: string;
    waitReason: string;
    waitStall: string;
    start: string;
    checkAgain: string;
    took: (values: { time: string | number }) => string;
    states: {
      passed: string;
      failed: string;
      unknown: string;
      skipped: string;
      unneeded: string;
      spared: string;
      pending: string;
      looking: string;
    };
    nextSteps: string;
    slowHeading: string;
    slowText: string;
    slowFactor: (values: { n: string | number }) => string;
    slowGuess: string;
    slowOpens: (values: { time: string | number }) => string;
    slowOn: string;
    slowOff: string;
    slowByEnvironment: string;
    slowByFlag: string;
    installHeading: string;
    installLead: string;
    installPath: string;
    installPathHint: string;
    installChoose: string;
    install: string;
    installLeadNow: string;
    installing: (values: { done: string | number; total: string | number }) => string;
    installingStart: string;
    installed: (values: { version: string | number }) => string;
    getPack: string;
  };
  settings: {
    title: string;
    computer: string;
    runtime: string;
    runtimeNone: string;
    runtimeVersion: string;
    runtimeSigned: string;
    runtimeSignedRight: string;
    runtimeSignedOpen: string;
    runtimeDeveloper: string;
    runtimeMachine: string;
    runtimeStock: string;
    runtimeWhere: string;
    speed: string;
    speedFast: (values: { kind: string | number }) => string;
    speedSlow: string;
    speedNone: string;
    opened: (values: { time: string | number }) => string;
    look: string;
    theme: string;
    themes: {
      system: string;
      light: string;
      dark: string;
    };
    language: string;
    languageSystem: string;
    about: string;
    version: (values: { version: string | number }) => string;
  };
  runtime: {
    title: string;
    lead: string;
    open: string;
    updates: string;
    phases: {
      off: string;
      idle: string;
      checking: string;
      available: string;
      downloading: string;
      paused: string;
      installing: string;
      trying: string;
      'up-to-date': string;
      failed: string;
      offline: string;
    };
    newest: (values: { version: string | number }) => string;
    newestHere: (values: { version: string | number }) => string;
    ready: (values: { version: string | number }) => string;
    getting: string;
    gettingVersion: (values: { version: string | number }) => string;
    gettingAddOn: (values: { name: string | number }) => string;
    paused: string;
    pausedVersion: (values: { version: string | number }) => string;
    cost: (values: { size: string | number }) => string;
    costReused: (values: { size: string | number; reused: string | number }) => string;
    checked: (values: { when: string | number }) => string;
    offHint: string;
    tryingHint: (values: { current: string | number }) => string;
    tryingLast: string;
    installingHint: string;
    pausedHint: string;
    notes: string;
    look: string;
    lookAgain: string;
    now: string;
    download: string;
    downloadSize: (values: { size: string | number }) => string;
    pause: string;
    pausing: string;
    resume: string;
    starting: string;
    of: (values: { done: string | number; total: string | number }) => string;
    speed: (values: { rate: string | number }) => string;
    left: (values: { time: string | number }) => string;
    progressLabel: string;
    getLead: string;
    haveFile: string;
    repairFromFile: string;
    found: (values: { name: string | number }) => string;
    foundLead: string;
    foundInstall: string;
    otherWays: string;
    working: string;
    workingLead: string;
    versions: string;
    noVersions: string;
    states: {
      current: string;
      previous: string;
      candidate: string;
      failed: string;
      inUse: string;
      withdrawn: string;
    };
    why: string;
    built: (values: { day: string | number }) => string;
    size: (values: { size: string | number }) => string;
    signedBy: (values: { who: string | number }) => string;
    developerKey: string;
    back: (values: { version: string | number }) => string;
    goingBack: string;
    remove: string;
    removeName: (values: { version: string | number }) => string;
    removeTitle: (values: { version: string | number }) => string;
    removeText: (values: { size: string | number }) => string;
    removeYes: string;
    removeNo: string;
    removing: string;
    repair: string;
    repairing: string;
    addOns: string;
    addOnsLead: string;
    addOnsNone: string;
    addOn: {
      media: {
        name: string;
        about: string;
      };
      office: {
        name: string;
        about: string;
      };
      music: {
        name: string;
        about: string;
      };
      browser: {
        name: string;
        about: string;
      };
    };
    addOnInstalled: string;
    addOnUnfit: string;
    addOnGet: string;
    addOnGetName: (values: { name: string | number }) => string;
    addOnRemove: string;
    addOnRemoveName: (values: { name: string | number }) => string;
    choices: string;
    auto: string;
    autoOn: string;
    autoOff: string;
    autoHint: string;
    advanced: string;
    urls: string;
    urlsHint: string;
    proxy: string;
    proxyHint: string;
    caFile: string;
    caFileHint: string;
    save: string;
    saving: string;
    saved: string;
    fromFile: string;
    notices: {
      working: string;
      workingVersion: (values: { version: string | number }) => string;
      available: (values: { version: string | number }) => string;
      updated: (values: { version: string | number }) => string;
      trouble: (values: { version: string | number }) => string;
    };
    noticeClose: string;
  };
  task: {
    stages: {
      plan: string;
      working: string;
      done: string;
    };
    stagesLabel: string;
    stageNow: string;
    stagePast: string;
    states: {
      queued: string;
      preparing: string;
      running: string;
      waiting: string;
      done: string;
      failed: string;
      cancelled: string;
    };
    stop: string;
    stopping: string;
    goOn: string;
    resuming: string;
    goOnHint: string;
    again: string;
    forget: string;
    forgetTitle: string;
    forgetText: string;
    forgetYes: string;
    forgetNo: string;
    started: (values: { when: string | number }) => string;
    took: (values: { time: string | number }) => string;
    missing: string;
    missingText: string;
    goHome: string;
    announce: {
      plan: string;
      working: string;
      done: (values: { n: number }) => string;
      failed: string;
      cancelled: string;
    };
    wait: {
      queued: string;
      turn: string;
      memory: string;
      verify: string;
      boot: string;
      mount: string;
      mountRun: string;
      plan: string;
      accept: string;
      'agent-start': string;
      run: string;
      finish: string;
    };
    reason: {
      queued: string;
      turn: string;
      memory: string;
      verify: string;
      boot: string;
      bootSlow: string;
      mount: string;
      mountSlow: string;
      mountRun: string;
      plan: string;
      accept: string;
      'agent-start': string;
      run: string;
      finish: string;
    };
    stalled: string;
    keepWaiting: string;
    planTitle: string;
    planReads: (values: { n: number; size: string | number }) => string;
    planMakes: string;
    planChanges: string;
    planMovesTo: (values: { to: string | number }) => string;
    planRenames: string;
    planRenamesIn: (values: { where: string | number }) => string;
    planNewName: (values: { name: string | number }) => string;
    planCount: (values: { n: number; size: string | number }) => string;
    planDeletes: string;
    planUnpacks: (values: { n: number }) => string;
    planGrows: (values: { times: string | number }) => string;
    planIn: (values: { folder: string | number }) => string;
    planLeft: (values: { n: number }) => string;
    planSafe: string;
    planReadOnly: string;
    planNo: string;
    planAccepting: string;
    more: (values: { n: string | number }) => string;
    less: string;
    files: (values: { n: number }) => string;
    progress: (values: { done: string | number; total: string | number }) => string;
    looking: string;
    progressLabel: string;
    current: string;
    elapsed: (values: { time: string | number }) => string;
    remaining: (values: { time: string | number }) => string;
    almost: string;
    resultsTitle: string;
    resultsNone: string;
    resultsEmpty: string;
    resultsGone: string;
    open: string;
    openName: (values: { name: string | number }) => string;
    save: string;
    saveName: (values: { name: string | number }) => string;
    inFolder: (values: { folder: string | number }) => string;
    inTask: string;
    changesTitle: string;
    changesNone: string;
    changesNotYet: string;
    effects: {
      create: string;
      change: string;
      move: string;
      delete: string;
    };
    effectCounts: {
      create: (values: { n: string | number }) => string;
      change: (values: { n: string | number }) => string;
      move: (values: { n: string | number }) => string;
      delete: (values: { n: string | number }) => string;
    };
    movedFrom: (values: { from: string | number }) => string;
    undoAll: string;
    undoOne: string;
    undoOneName: (values: { name: string | number }) => string;
    undoing: string;
    undone: string;
    undoMeans: string;
    undoDone: (values: { n: number }) => string;
    undoAllDone: string;
    undoConflicts: (values: { n: number }) => string;
    undoReasons: {
      'changed-since': string;
      gone: string;
      'in-the-way': string;
      'no-before-image': string;
      io: string;
      rights: string;
      damaged: string;
    };
    reachTitle: string;
    reachFolders: string;
    modes: {
      ro: string;
      rw: string;
      review: string;
    };
    folders: {
      none: string;
      removed: (values: { when: string | number }) => string;
      add: string;
      path: string;
      use: string;
      modeOf: (values: { name: string | number }) => string;
      addThis: (values: { name: string | number }) => string;
      adding: string;
      remove: (values: { name: string | number }) => string;
      removing: string;
      means: (values: { name: string | number }) => string;
      keep: string;
      dontAdd: string;
    };
    reachNetwork: string;
    networks: {
      off: string;
      restricted: string;
      on: string;
    };
    reachWhere: string;
    reachWorkroom: string;
    reachSlow: string;
    wasLeft: (values: { n: number }) => string;
    leftOut: string;
    timelineTitle: string;
    timeline: {
      queued: string;
      verify: string;
      boot: string;
      mount: string;
      plan: string;
      run: string;
      finish: string;
      planReady: string;
      accepted: string;
      resumed: string;
      done: string;
      failed: string;
      cancelled: string;
      result: (values: { name: string | number }) => string;
      undo: (values: { n: number }) => string;
      redo: (values: { n: number }) => string;
      folderAdded: (values: { name: string | number }) => string;
      folderRemoved: (values: { name: string | number }) => string;
      apply: (values: { n: number }) => string;
    };
  };
  problem: {
    details: string;
    copy: string;
    copied: string;
    dismiss: string;
    command: string;
    unreachable: {
      title: string;
      detail: string;
    };
    unknown: {
      title: string;
      detail: string;
    };
  };
  time: {
    now: string;
    moment: string;
    seconds: (values: { n: number }) => string;
    aboutSeconds: (values: { n: string | number }) => string;
    aboutMinutes: (values: { n: number }) => string;
    aboutHours: (values: { n: number }) => string;
  };
  ai: {
    ask: {
      lead: string;
      label: string;
      hint: string;
      start: string;
      starting: string;
      choreInstead: string;
      wordsInstead: string;
      folderOptional: string;
      moreFolders: string;
      addFolder: string;
      folderPath: string;
      useFolder: string;
      removeFolder: (values: { name: string | number }) => string;
      modeOf: (values: { name: string | number }) => string;
      options: string;
      model: string;
      modelDefault: (values: { name: string | number }) => string;
      modelLocal: string;
      thinking: string;
      thinkingLevels: {
        auto: string;
        off: string;
        low: string;
        medium: string;
        high: string;
      };
      budget: string;
      budgetHint: string;
      budgetWrong: string;
      network: string;
      networks: {
        off: {
          name: string;
          about: string;
        };
        restricted: {
          name: string;
          about: string;
        };
        on: {
          name: string;
          about: string;
        };
      };
      pictures: string;
      addPictures: string;
      removePicture: (values: { name: string | number }) => string;
      pictureTooMany: string;
      pictureTooLarge: string;
      pictureUnknown: string;
      pictureUnseen: string;
      noKeyTitle: string;
      noKey: string;
      noKeyButton: string;
    };
    able: {
      pictures: string;
      noPictures: string;
      thinks: string;
      context: (values: { n: string | number }) => string;
    };
    talk: {
      title: string;
      you: string;
      assistant: string;
      earlier: (values: { n: number }) => string;
      thinking: string;
      writing: string;
      working: string;
      how: {
        steer: string;
        followUp: string;
      };
      attached: (values: { names: string | number }) => string;
      raw: string;
      rawHide: string;
      rawLoading: string;
      output: string;
      diff: string;
      newMessage: string;
      model: string;
    };
    tool: {
      read: (values: { what: string | number }) => string;
      readMany: (values: { n: number }) => string;
      write: (values: { what: string | number }) => string;
      edit: (values: { what: string | number }) => string;
      run: (values: { what: string | number }) => string;
      list: (values: { what: string | number }) => string;
      search: (values: { what: string | number }) => string;
      fetch: (values: { what: string | number }) => string;
      other: (values: { what: string | number }) => string;
      started: string;
      failed: string;
      took: (values: { time: string | number }) => string;
    };
    notices: {
      'chore-done': string;
      compacting: string;
      short: string;
      compacted: string;
      'not-compact': string;
      retry: string;
      failed: string;
      aborted: string;
      resumed: string;
      'lost-work': string;
      budget: string;
      model: string;
      notify: string;
      extension: string;
      unreadable: string;
      'network-refused': string;
      'network-failed': string;
      'link-ended': string;
      'foreign-message': string;
      'questions-refused': string;
      'provider-waits': string;
      'results-left': string;
      'pictures-left': string;
    };
    noticeOther: string;
    noticeHost: (values: { text: string | number; host: string | number }) => string;
    composer: {
      label: string;
      labelOver: string;
      hint: string;
      send: string;
      sending: string;
      how: string;
      steer: string;
      followUp: string;
      queue: string;
      queueSteer: string;
      queueFollow: string;
      takeBack: string;
      takeBackOf: (values: { said: string | number }) => string;
      resume: string;
      resuming: string;
      resumeText: string;
    };
    tune: {
      change: string;
      changeModel: string;
      title: string;
      holds: {
        beginning: string;
        answer: string;
        message: string;
      };
      more: string;
      hint: string;
      budget: (values: { amount: string | number }) => string;
      use: string;
      using: string;
      leave: string;
      goesOn: (values: { model: string | number }) => string;
      otherwise: string;
      thinks: {
        off: string;
        minimal: string;
        low: string;
        medium: string;
        high: string;
      };
    };
    compact: {
      button: string;
      about: string;
      beginning: string;
    };
    usage: {
      title: string;
      cost: string;
      free: string;
      cents: string;
      unknown: string;
      partly: (values: { cost: string | number }) => string;
      of: (values: { cost: string | number; budget: string | number }) => string;
      input: string;
      output: string;
      tokens: (values: { n: string | number }) => string;
      cached: (values: { n: string | number }) => string;
    };
    questions: {
      network: (values: { host: string | number }) => string;
      networkText: string;
      networkAddress: string;
      networkProgram: (values: { name: string | number }) => string;
      networkPort: (values: { port: string | number }) => string;
      networkPattern: (values: { pattern: string | number }) => string;
      webPages: (values: { pages: string | number }) => string;
      webFetch: (values: { host: string | number }) => string;
      webFetchText: string;
      webSearch: (values: { host: string | number }) => string;
      webSearchText: string;
      webRedirect: string;
      once: string;
      task: string;
      always: string;
      deny: string;
      never: string;
      command: string;
      commandTool: (values: { tool: string | number }) => string;
      commandText: string;
      commandEffects: string;
      effects: {
        delete: string;
        overwrite: string;
        change: string;
        move: string;
        write: string;
        system: string;
        install: string;
        network: string;
        unknown: string;
      };
      commandAllow: string;
      commandTask: string;
      commandDeny: string;
      confirm: string;
      confirmYes: string;
      confirmNo: string;
      extensionAsks: string;
      extensionSend: string;
      extensionNone: string;
      folder: string;
      folderSuggested: string;
      folderHint: string;
      folderChoose: string;
      folderPath: string;
      folderUse: string;
      folderNone: string;
    };
    login: {
      begin: string;
      beginName: (values: { name: string | number }) => string;
      again: string;
      instead: string;
      insteadName: (values: { name: string | number }) => string;
      beginning: string;
      lead: (values: { name: string | number }) => string;
      terms: (values: { name: string | number }) => string;
      page: (values: { name: string | number }) => string;
      userCode: string;
      userCodeLabel: string;
      code: string;
      codeHint: string;
      send: string;
      sending: string;
      waiting: string;
      agreeing: string;
      company: string;
      domain: string;
      domainHint: string;
      elsewhere: string;
      elsewhereLead: string;
      byCode: string;
      leave: string;
      done: (values: { name: string | number }) => string;
    };
    keyPlace: {
      title: string;
      legend: string;
      stores: {
        keychain: string;
        file: string;
      };
      hints: {
        keychain: string;
        file: string;
      };
      noKeychain: string;
      locked: string;
      passphrase: string;
      passphraseHint: string;
      unlockHint: string;
      unlock: string;
      use: string;
      working: string;
      unlocked: string;
      moved: {
        keychain: string;
        file: string;
      };
      change: string;
      now: string;
      next: string;
      nextAgain: string;
      differ: string;
      changeIt: string;
      changed: string;
    };
    models: {
      title: string;
      lead: string;
      none: string;
      yours: string;
      add: string;
      provider: string;
      custom: string;
      key: string;
      keyHint: string;
      keyHintCustom: string;
      name: string;
      nameHint: string;
      url: string;
      urlHint: string;
      protocol: string;
      protocols: {
        openai: string;
        anthropic: string;
        google: string;
      };
      save: string;
      saving: string;
      saved: (values: { name: string | number }) => string;
      savedServer: (values: { name: string | number }) => string;
      test: string;
      testName: (values: { name: string | number }) => string;
      testing: string;
      works: (values: { n: number }) => string;
      worksNot: string;
      remove: string;
      removeName: (values: { name: string | number }) => string;
      removeTitle: (values: { name: string | number }) => string;
      removeText: string;
      removeYes: string;
      removeNo: string;
      removed: (values: { name: string | number }) => string;
      kinds: {
        key: string;
        login: string;
        none: string;
      };
      places: {
        keychain: string;
        file: string;
        environment: string;
      };
      ending: (values: { ending: string | number }) => string;
      local: string;
      expires: (values: { day: string | number }) => string;
      default: string;
      defaultAuto: string;
      able: {
        title: string;
        lead: string;
        model: string;
        images: string;
        thinks: string;
        answers: {
          auto: string;
          yes: string;
          no: string;
        };
      };
      defaultHint: string;
      reasons: {
        'no-key': string;
        'key-store': string;
        'login-ended': string;
        'key-refused': string;
        'no-credit': string;
        denied: string;
        limited: string;
        overloaded: string;
        unreachable: string;
        proxy: string;
        tls: string;
        stalled: string;
        redirect: string;
        'bad-answer': string;
        'not-provider': string;
      };
    };
    network: {
      title: string;
      lead: string;
      presets: string;
      preset: {
        npm: string;
        python: string;
        rust: string;
        go: string;
        debian: string;
        github: string;
        wikipedia: string;
      };
      rules: string;
      none: string;
      may: (values: { name: string | number }) => string;
      mayNot: (values: { name: string | number }) => string;
      inTask: string;
      add: string;
      addHint: string;
      allow: string;
      deny: string;
      remove: string;
      working: string;
      allowed: (values: { name: string | number }) => string;
      denied: (values: { name: string | number }) => string;
    };
  };
  changes: {
    title: string;
    back: string;
    look: string;
    none: string;
    running: string;
    things: (values: { n: number }) => string;
    filterLabel: string;
    filters: {
      all: string;
      create: string;
      change: string;
      move: string;
      delete: string;
      undone: string;
    };
    filterCount: (values: { name: string | number; n: string | number }) => string;
    noneHere: string;
    find: string;
    list: string;
    folder: (values: { n: number; name: string | number }) => string;
    choose: (values: { name: string | number }) => string;
    chooseAll: string;
    chosen: (values: { n: string | number }) => string;
    keys: string;
    undoAll: string;
    undoChosen: (values: { n: number }) => string;
    redoAll: string;
    redoChosen: (values: { n: number }) => string;
    redoing: string;
    redoToast: string;
    redone: (values: { n: number }) => string;
    waits: string;
    waitsTitle: string;
    waitsTitleSome: (values: { n: number }) => string;
    waitsText: (values: { n: number }) => string;
    applyAll: string;
    applyChosen: (values: { n: number }) => string;
    applying: string;
    applied: (values: { n: number }) => string;
    discardAll: string;
    discardChosen: (values: { n: number }) => string;
    discarding: string;
    discarded: (values: { n: number }) => string;
    discardTitle: (values: { n: number }) => string;
    discardText: string;
    discardYes: string;
    discardNo: string;
    conflictTitle: (values: { n: number }) => string;
    conflictText: string;
    conflictTextApply: string;
    conflictEach: (values: { name: string | number }) => string;
    answers: {
      keep: string;
      restore: string;
      both: string;
    };
    answersApply: {
      keep: string;
      restore: string;
      both: string;
    };
    answerAll: string;
    answerDo: string;
    answering: string;
    besideAs: (values: { name: string | number }) => string;
    leave: string;
    loading: string;
    closePane: string;
    save: {
      before: string;
      after: string;
    };
    saving: string;
    before: string;
    after: string;
    facts: {
      moved: (values: { before: string | number; after: string | number }) => string;
      mode: (values: { before: string | number; after: string | number }) => string;
      time: (values: { before: string | number; after: string | number }) => string;
      target: (values: { before: string | number; after: string | number }) => string;
      attributes: string;
      encoding: (values: { before: string | number; after: string | number }) => string;
      'line-ends': (values: { before: string | number; after: string | number }) => string;
      'same-content': string;
    };
    newFolder: string;
    goneFolder: string;
    newLink: (values: { to: string | number }) => string;
    goneLink: (values: { to: string | number }) => string;
    missing: {
      'not-kept': string;
      gone: string;
      unreadable: string;
    };
    other: string;
    sizes: (values: { before: string | number; after: string | number }) => string;
    sizeOne: (values: { size: string | number }) => string;
    textSum: (values: { added: string | number; removed: string | number }) => string;
    noLines: string;
    part: (values: { size: string | number }) => string;
    cut: string;
    hunk: (values: { n: string | number }) => string;
    added: string;
    removed: string;
    noEnd: string;
    lineOld: string;
    lineNew: string;
    lineText: string;
    asTable: string;
    asText: string;
    view: string;
    tableSum: (values: { changed: string | number; added: string | number; removed: string | number }) => string;
    gap: (values: { n: number }) => string;
    was: (values: { value: string | number }) => string;
    empty: string;
    row: string;
    picture: (values: { width: string | number; height: string | number; size: string | number }) => string;
    pictureBig: string;
    sideBySide: string;
    over: string;
    slider: string;
    space: (values: { size: string | number }) => string;
    spaceUntil: (values: { size: string | number; day: string | number }) => string;
    spaceGone: string;
    forget: string;
    forgetTitle: string;
    forgetText: (values: { size: string | number }) => string;
    forgetYes: string;
    forgetNo: string;
    forgetting: string;
    keepTitle: string;
    keepLegend: string;
    keepDays: (values: { n: string | number }) => string;
    keepForever: string;
    keepSpace: (values: { n: number; size: string | number }) => string;
    keepHint: string;
    keepSpaceLegend: string;
    keepTitleShorter: (values: { n: string | number }) => string;
    keepTextShorter: string;
    keepYes: string;
    keepNo: string;
    modeLegend: string;
    modes: {
      ro: {
        name: string;
        about: string;
      };
      rw: {
        name: string;
        about: string;
      };
      review: {
        name: string;
        about: string;
      };
    };
    lines: (values: { n: number }) => string;
    rows: (values: { n: number }) => string;
  };
  list: {
    loading: string;
    find: string;
    clear: string;
    filter: string;
    filters: {
      all: string;
      active: string;
      waiting: string;
      done: string;
      stopped: string;
    };
    none: string;
    found: (values: { n: number }) => string;
    more: (values: { n: string | number }) => string;
    step: (values: { words: string | number; done: string | number; total: string | number }) => string;
    rename: string;
    renameLabel: string;
    renameSave: string;
    renameUndo: string;
    renamed: string;
    again: string;
    starting: string;
    export: string;
    exporting: string;
    exported: (values: { name: string | number }) => string;
    newWindow: string;
    stop: string;
    remove: string;
    removeTitle: (values: { title: string | number }) => string;
    removeText: string;
    removeResults: (values: { n: number }) => string;
    removeUndo: (values: { n: number }) => string;
    removeStays: string;
    removeYes: string;
    removeNo: string;
    loosened: string;
    loosenedTitle: string;
    loosenedCodes: {
      'network-on': string;
      'no-asking': string;
      preset: string;
      'allowed-always': string;
    };
    loosenedOther: string;
    loosenedBack: string;
    loosenedTaking: string;
    loosenedNone: string;
    preview: {
      look: string;
      lookAt: (values: { name: string | number }) => string;
      title: (values: { name: string | number }) => string;
      close: string;
      previous: string;
      next: string;
      place: (values: { n: string | number; of: string | number }) => string;
      loading: string;
      open: string;
      saveAs: string;
      saved: (values: { path: string | number }) => string;
      savedHere: string;
      show: string;
      none: string;
      noViewer: string;
      damaged: string;
      cut: (values: { size: string | number }) => string;
      rows: (values: { n: string | number; columns: string | number }) => string;
      rowsCut: (values: { n: string | number }) => string;
      empty: string;
      frame: (values: { name: string | number }) => string;
      framed: string;
      rendered: string;
      source: string;
      view: string;
    };
    palette: {
      title: string;
      label: string;
      hint: string;
      none: string;
      found: (values: { n: number }) => string;
      groups: {
        tasks: string;
        chores: string;
        tools: string;
        places: string;
        actions: string;
      };
      open: string;
      theme: string;
      shortcuts: string;
      newWindow: string;
      stopTask: (values: { title: string | number }) => string;
      checkComputer: string;
      language: (values: { name: string | number }) => string;
    };
    shortcuts: {
      title: string;
      close: string;
      signs: string;
      or: string;
      then: string;
      groups: {
        everywhere: string;
        task: string;
        lists: string;
      };
      items: {
        palette: string;
        home: string;
        find: string;
        settings: string;
        help: string;
        rename: string;
        next: string;
        previous: string;
        tell: string;
        lines: string;
        ends: string;
        press: string;
        close: string;
      };
      keys: {
        ctrl: string;
        enter: string;
        escape: string;
        home: string;
        end: string;
      };
    };
    closing: {
      title: (values: { n: number }) => string;
      text: (values: { n: number }) => string;
      background: string;
      stop: string;
      stay: string;
      remember: string;
      rememberHint: string;
      working: string;
    };
    notify: {
      done: string;
      failed: string;
      waiting: string;
    };
  };
  settingsPages: {
    nav: string;
    choose: string;
    sections: {
      models: string;
      folders: string;
      network: string;
      computer: string;
      runtime: string;
      resources: string;
      storage: string;
      appearance: string;
      window: string;
      privacy: string;
      help: string;
      about: string;
    };
    resources: {
      lead: string;
      host: (values: { n: number; memory: string | number }) => string;
      nowNone: string;
      nowRunning: (values: { n: string | number }) => string;
      nowQueued: (values: { n: string | number; queued: string | number }) => string;
      memory: string;
      cpus: string;
      atOnce: string;
      total: string;
      auto: string;
      autoIs: (values: { value: string | number }) => string;
      instant: string;
      instantHint: string;
      saved: string;
    };
    storage: {
      lead: string;
      what: {
        runtime: {
          name: string;
          about: string;
        };
        addons: {
          name: string;
          about: string;
        };
        templates: {
          name: string;
          about: string;
        };
        downloads: {
          name: string;
          about: string;
        };
        tasks: {
          name: string;
          about: string;
        };
        journals: {
          name: string;
          about: string;
        };
        logs: {
          name: string;
          about: string;
        };
      };
      otherName: string;
      total: (values: { size: string | number }) => string;
      nothing: string;
      inUse: string;
      pick: (values: { name: string | number }) => string;
      clean: (values: { size: string | number }) => string;
      cleanNone: string;
      cleaning: string;
      freed: (values: { size: string | number }) => string;
      confirmTitle: (values: { size: string | number }) => string;
      confirmText: string;
      confirmJournals: string;
      confirmYes: string;
      confirmNo: string;
      where: string;
      move: {
        title: string;
        lead: string;
        open: string;
        choose: string;
        hint: string;
        look: string;
        looking: string;
        plan: (values: { size: string | number; to: string | number; free: string | number }) => string;
        begin: string;
        stay: string;
        moving: string;
        copied: (values: { done: string | number; all: string | number }) => string;
        cancel: string;
        cancelled: string;
        done: (values: { to: string | number }) => string;
        fixed: (values: { name: string | number }) => string;
      };
    };
    appearance: {
      motion: string;
      motions: {
        system: string;
        less: string;
      };
      motionHint: string;
    };
    window: {
      close: string;
      closes: {
        ask: string;
        background: string;
        stop: string;
      };
      closeHint: string;
      notify: string;
      notifyHint: string;
      denied: string;
      saved: string;
      onlyWindow: string;
    };
    privacy: {
      lead: string;
      chores: {
        title: string;
        text: string;
      };
      words: {
        title: string;
        text: string;
        to: (values: { name: string | number }) => string;
        local: (values: { name: string | number }) => string;
        none: string;
      };
      internet: {
        title: string;
        text: string;
      };
      keys: {
        title: string;
        text: string;
      };
      updates: {
        title: string;
        on: string;
        off: string;
      };
      telemetry: {
        title: string;
        text: string;
      };
      see: string;
    };
    help: {
      shortcuts: string;
      shortcutsText: string;
      shortcutsOpen: string;
      health: string;
      healthOk: string;
      healthUp: (values: { time: string | number }) => string;
      healthComputer: string;
      healthRuntime: string;
      healthTasks: string;
      healthAudit: string;
      auditOk: string;
      auditBad: string;
      auditLook: string;
      auditLooking: string;
      healthLink: string;
      report: string;
      reportText: string;
      reportShow: string;
      reportMaking: string;
      reportFiles: (values: { n: number; size: string | number }) => string;
      reportSave: string;
      reportSaving: string;
      reportSaved: (values: { path: string | number }) => string;
      reportPath: string;
      reportPathHint: string;
      reportContent: (values: { name: string | number }) => string;
      logs: string;
      logsText: string;
      logsNone: string;
      logsShow: string;
      logsFile: string;
      logsTail: (values: { size: string | number }) => string;
      logsFind: string;
      logsLines: (values: { n: number }) => string;
      logsLevel: string;
      logsLevels: {
        all: string;
        warn: string;
      };
      logsAgain: string;
      logsEmpty: string;
      logsCopy: string;
      logsCopied: string;
    };
    about: {
      lead: string;
      version: string;
      system: string;
      runtime: string;
      licence: string;
      licences: string;
      licencesText: string;
      licencesFind: string;
      licencesNone: string;
      licencesCount: (values: { n: number }) => string;
      source: string;
      show: string;
    };
  };
  start: {
    steps: {
      label: string;
      welcome: string;
      check: string;
      runtime: string;
      first: string;
      done: string;
      skipped: string;
      now: string;
      open: string;
    };
    welcome: {
      title: string;
      lead: string;
      plan: string;
      planMore: string;
      room: string;
      roomMore: string;
      undo: string;
      undoMore: string;
      go: string;
      goDownload: (values: { size: string | number }) => string;
      goUnknown: string;
      goFound: (values: { name: string | number }) => string;
      goReady: string;
      goFile: string;
    };
    runtime: {
      title: string;
      lead: string;
      leadAsk: string;
      heading: string;
    };
    check: {
      admin: string;
      runs: string;
      runsTyped: string;
      runsNow: string;
      runsWaits: string;
      runsDeclined: string;
      foreseen: string;
      goOn: string;
      copyReport: string;
      copied: string;
      copyFailed: string;
    };
    first: {
      title: string;
      lead: string;
      card: string;
      cardMore: string;
      show: string;
      showing: string;
      waits: string;
      toPlan: string;
      own: string;
    };
    slow: {
      title: string;
      text: string;
      opens: (values: { time: string | number }) => string;
      factor: (values: { n: string | number }) => string;
    };
    home: {
      saved: string;
      savedOn: (values: { chore: string | number; folder: string | number }) => string;
      savedStart: string;
      savedRemove: (values: { name: string | number }) => string;
      quick: string;
      all: (values: { n: string | number }) => string;
      fewer: string;
      noChores: string;
      chosen: (values: { chore: string | number; folder: string | number }) => string;
      options: string;
      optionsOf: (values: { chore: string | number }) => string;
      keep: string;
      keepName: string;
      keepHint: string;
      keepNow: string;
      keeping: string;
      kept: (values: { name: string | number }) => string;
      keepNot: string;
    };
    drop: {
      here: string;
      onWindow: string;
      onWindowMore: string;
      file: (values: { name: string | number; folder: string | number }) => string;
      files: (values: { n: string | number; folder: string | number }) => string;
    };
  };
  questions: {
    title: string;
    paused: string;
    grows: string;
    announce: string;
    items: string;
    more: (values: { n: number }) => string;
    failed: string;
    risk: {
      high: string;
      unsure: string;
    };
    ask: {
      deleteMany: (values: { n: number; folder: string | number }) => string;
      changeMany: (values: { n: number; folder: string | number }) => string;
      delete: (values: { n: number; folder: string | number }) => string;
      change: (values: { n: number; folder: string | number }) => string;
      startup: (values: { n: number; folder: string | number }) => string;
      git: (values: { n: number; folder: string | number }) => string;
      hidden: (values: { n: number; folder: string | number }) => string;
      programs: (values: { n: number; folder: string | number }) => string;
      undoSpace: (values: { kept: string | number }) => string;
      undoMemory: (values: { kept: string | number }) => string;
      unpack: (values: { n: number; times: string | number; bytes: string | number }) => string;
      other: (values: { n: number; folder: string | number }) => string;
    };
    allow: {
      delete: string;
      change: string;
      undoSpace: string;
      other: string;
    };
    once: string;
    onceUnpack: string;
    onceMore: (values: { n: string | number }) => string;
    onceBytes: (values: { more: string | number }) => string;
    withoutSpace: string;
    deny: {
      delete: string;
      change: string;
      undoSpace: string;
      unpack: string;
      other: string;
    };
    denyRest: string;
    answering: string;
    rules: {
      title: string;
      none: string;
      may: (values: { what: string | number; where: string | number }) => string;
      mayNot: (values: { what: string | number; where: string | number }) => string;
      topics: {
        delete: string;
        change: string;
        startup: string;
        git: string;
        hidden: string;
        programs: string;
        command: string;
        undoSpace: string;
        other: string;
      };
      inTask: string;
      inFolder: (values: { folder: string | number }) => string;
      everywhere: string;
      since: (values: { day: string | number }) => string;
      remove: string;
      removing: string;
    };
    timeline: {
      asked: string;
      allowed: string;
      denied: string;
      allowedByRule: string;
      deniedByRule: string;
      deniedAlone: string;
    };
  };
  tools: {
    title: string;
    lead: string;
    fromHome: string;
    find: string;
    none: string;
    found: (values: { n: number }) => string;
    all: string;
    missing: string;
    missingText: string;
    groups: {
      image: string;
      pdf: string;
      text: string;
      table: string;
      file: string;
      archive: string;
      audio: string;
      metadata: string;
      plist: string;
      other: string;
    };
    needs: (values: { addOn: string | number }) => string;
    needsTitle: (values: { addOn: string | number }) => string;
    needsText: string;
    needsButton: string;
    filesTitle: string;
    fileTitle: string;
    folderTitle: string;
    filesFoldersTitle: string;
    dropHere: string;
    dropFolderHere: string;
    accepts: (values: { kinds: string | number }) => string;
    addFile: string;
    addFiles: string;
    addFolder: string;
    another: string;
    choosing: string;
    pathLabel: string;
    pathLabelFolder: string;
    pathHint: string;
    add: string;
    pathless: string;
    chosen: (values: { n: number }) => string;
    remove: (values: { name: string | number }) => string;
    up: (values: { name: string | number }) => string;
    tooMany: (values: { n: number }) => string;
    options: string;
    more: string;
    listHint: string;
    tooSmall: (values: { n: string | number }) => string;
    tooLarge: (values: { n: string | number }) => string;
    whole: string;
    where: string;
    keep: string;
    keepAbout: string;
    intoFolder: string;
    folderAbout: string;
    folder: string;
    otherFolder: string;
    folderLabel: string;
    folderHint: string;
    useFolder: string;
    fileName: string;
    newFolder: string;
    run: string;
    starting: string;
    needFiles: string;
    needPassword: string;
    needValue: (values: { label: string | number }) => string;
    wrongValue: (values: { label: string | number }) => string;
    needFolder: string;
    needName: string;
    reads: string;
    makes: string;
    changes: string;
    works: (values: { n: number }) => string;
    made: (values: { n: number }) => string;
    changed: (values: { n: number }) => string;
    told: string;
    report: string;
    reportNone: string;
    answers: {
      yes: string;
      no: string;
    };
    facts: {
      alpha: string;
      archive: string;
      biggest: string;
      bitrate: string;
      bytes: string;
      channels: string;
      codec: string;
      columns: string;
      confidence: string;
      currency: string;
      date: string;
      delimiter: string;
      empty: string;
      emptyFolders: string;
      encoding: string;
      encrypted: string;
      files: string;
      folders: string;
      format: string;
      frames: string;
      height: string;
      kind: string;
      kinds: string;
      leftOut: string;
      links: string;
      listed: string;
      times: string;
      mtime: string;
      name: string;
      newest: string;
      note: string;
      number: string;
      oldest: string;
      orientation: string;
      others: string;
      out: string;
      pages: string;
      parts: string;
      rows: string;
      sample: string;
      rate: string;
      seconds: string;
      seller: string;
      sha256: string;
      sheets: string;
      size: string;
      spare: string;
      tags: string;
      taken: string;
      tax: string;
      title: string;
      to: string;
      total: string;
      unsafe: string;
      unsure: string;
      version: string;
      width: string;
      words: string;
    };
    operations: {
      'image.info': {
        name: string;
        about: string;
      };
      'image.convert': {
        name: string;
        about: string;
        params: {
          quality: {
            hint: string;
          };
        };
      };
      'image.resize': {
        name: string;
        about: string;
        params: {
          quality: {
            hint: string;
          };
        };
      };
      'pdf.info': {
        name: string;
        about: string;
      };
      'pdf.merge': {
        name: string;
        about: string;
      };
      'pdf.split': {
        name: string;
        about: string;
      };
      'pdf.rotate': {
        name: string;
        about: string;
      };
      'pdf.compress': {
        name: string;
        about: string;
      };
      'pdf.text': {
        name: string;
        about: string;
      };
      'pdf.ocr': {
        name: string;
        about: string;
        params: {
          language: {
            label: string;
          };
        };
      };
      'pdf.images': {
        name: string;
        about: string;
        params: {
          format: {
            label: string;
          };
        };
      };
      'pdf.protect': {
        name: string;
        about: string;
        params: {
          password: {
            hint: string;
          };
        };
      };
      'pdf.unlock': {
        name: string;
        about: string;
      };
      'archive.list': {
        name: string;
        about: string;
        params: {
          password: {
            hint: string;
          };
        };
      };
      'archive.info': {
        name: string;
        about: string;
        params: {
          password: {
            hint: string;
          };
        };
      };
      'archive.extract': {
        name: string;
        about: string;
        params: {
          password: {
            hint: string;
          };
        };
      };
      'archive.create': {
        name: string;
        about: string;
      };
      'table.read': {
        name: string;
        about: string;
      };
      'table.convert': {
        name: string;
        about: string;
      };
      'table.clean': {
        name: string;
        about: string;
      };
      'table.merge': {
        name: string;
        about: string;
      };
      'table.receipts': {
        name: string;
        about: string;
        params: {
          language: {
            label: string;
          };
        };
      };
      'file.hash': {
        name: string;
        about: string;
      };
      'file.report': {
        name: string;
        about: string;
        params: {
          language: {
            label: string;
          };
        };
      };
      'file.duplicates': {
        name: string;
        about: string;
      };
      'file.organize': {
        name: string;
        about: string;
        params: {
          language: {
            label: string;
          };
        };
      };
      'file.rename': {
        name: string;
        about: string;
      };
      'file.cleanup': {
        name: string;
        about: string;
        params: {
          language: {
            label: string;
          };
        };
      };
      'file.move': {
        name: string;
        about: string;
        params: {
          to: {
            label: string;
            hint: string;
          };
        };
      };
      'file.remove': {
        name: string;
        about: string;
      };
      'metadata.read': {
        name: string;
        about: string;
      };
      'metadata.write': {
        name: string;
        about: string;
      };
      'metadata.strip': {
        name: string;
        about: string;
      };
      'plist.validate': {
        name: string;
        about: string;
      };
      'plist.convert': {
        name: string;
        about: string;
      };
      'text.convert': {
        name: string;
        about: string;
      };
      'text.extract': {
        name: string;
        about: string;
      };
      'audio.info': {
        name: string;
        about: string;
      };
      'audio.transcode': {
        name: string;
        about: string;
      };
      'csound.perform': {
        name: string;
        about: string;
      };
      'lilypond.render': {
        name: string;
        about: string;
      };
    };
    params: {
      after: {
        label: string;
        hint: string;
      };
      all: {
        label: string;
        hint: string;
      };
      angle: {
        label: string;
        hint: string;
      };
      archives: {
        label: string;
      };
      author: {
        label: string;
        hint: string;
      };
      background: {
        label: string;
        choices: {
          white: string;
          black: string;
        };
      };
      by: {
        label: string;
        choices: {
          kind: string;
          month: string;
          year: string;
          'kind-month': string;
          'taken-month': string;
          'taken-year': string;
        };
      };
      case: {
        label: string;
        choices: {
          keep: string;
          lower: string;
          upper: string;
        };
      };
      columns: {
        label: string;
        hint: string;
      };
      copyright: {
        label: string;
      };
      days: {
        label: string;
      };
      delimiter: {
        label: string;
        choices: {
          auto: string;
          comma: string;
          semicolon: string;
          tab: string;
          pipe: string;
        };
      };
      description: {
        label: string;
      };
      distance: {
        label: string;
        hint: string;
      };
      dpi: {
        label: string;
        hint: string;
      };
      dropEmpty: {
        label: string;
      };
      duplicates: {
        label: string;
      };
      empty: {
        label: string;
      };
      enlarge: {
        label: string;
      };
      every: {
        label: string;
      };
      files: {
        label: string;
        hint: string;
      };
      find: {
        label: string;
      };
      fit: {
        label: string;
        choices: {
          inside: string;
          cover: string;
          exact: string;
        };
      };
      force: {
        label: string;
      };
      format: {
        label: string;
        choices: {
          same: string;
          pdf: string;
          jpeg: string;
          png: string;
          webp: string;
          tiff: string;
          gif: string;
          zip: string;
          tar: string;
          'tar.gz': string;
          'tar.zst': string;
        };
      };
      from: {
        label: string;
        choices: {
          embedded: string;
          pages: string;
        };
      };
      header: {
        label: string;
      };
      height: {
        label: string;
        hint: string;
      };
      installers: {
        label: string;
      };
      keepDate: {
        label: string;
      };
      keywords: {
        label: string;
        hint: string;
      };
      language: {
        label: string;
        choices: {
          en: string;
          de: string;
          eng: string;
          deu: string;
          'eng+deu': string;
        };
      };
      layout: {
        label: string;
      };
      level: {
        label: string;
      };
      minSize: {
        label: string;
      };
      mono: {
        label: string;
      };
      months: {
        label: string;
      };
      mtimes: {
        label: string;
        hint: string;
      };
      names: {
        label: string;
        hint: string;
      };
      now: {
        label: string;
        hint: string;
      };
      ocr: {
        label: string;
        choices: {
          off: string;
          eng: string;
          deu: string;
          'eng+deu': string;
        };
      };
      order: {
        label: string;
        choices: {
          auto: string;
          dmy: string;
          mdy: string;
        };
      };
      outputs: {
        label: string;
        hint: string;
        choices: {
          pdf: string;
          svg: string;
          png: string;
          midi: string;
        };
      };
      page: {
        label: string;
        choices: {
          fit: string;
          a4: string;
          letter: string;
        };
      };
      pages: {
        label: string;
        hint: string;
      };
      password: {
        label: string;
        hint: string;
      };
      pattern: {
        label: string;
        hint: string;
      };
      quality: {
        label: string;
        choices: {
          screen: string;
          reading: string;
          printing: string;
          speech: string;
          music: string;
          best: string;
        };
      };
      ranges: {
        label: string;
        hint: string;
      };
      rate: {
        label: string;
        hint: string;
      };
      recursive: {
        label: string;
      };
      replace: {
        label: string;
        hint: string;
      };
      rows: {
        label: string;
      };
      safe: {
        label: string;
      };
      sheet: {
        label: string;
        hint: string;
      };
      similar: {
        label: string;
      };
      sizesOnly: {
        label: string;
        hint: string;
      };
      source: {
        label: string;
        hint: string;
      };
      spaces: {
        label: string;
        choices: {
          keep: string;
          dash: string;
          underscore: string;
        };
      };
      start: {
        label: string;
      };
      taken: {
        label: string;
        hint: string;
      };
      title: {
        label: string;
        hint: string;
      };
      to: {
        label: string;
        choices: {
          pdf: string;
          text: string;
          html: string;
          md: string;
          txt: string;
          rtf: string;
          docx: string;
          odt: string;
          csv: string;
          tsv: string;
          xlsx: string;
          json: string;
          xml: string;
          binary: string;
          openstep: string;
          mp3: string;
          m4a: string;
          opus: string;
          ogg: string;
          flac: string;
          wav: string;
        };
      };
      top: {
        label: string;
      };
      trim: {
        label: string;
      };
      width: {
        label: string;
        hint: string;
      };
      with: {
        label: string;
      };
    };
  };
  chores: {
    'pictures-to-pdf': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      run: (values: { n: number }) => string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        name: {
          label: string;
          hint: string;
        };
        order: {
          label: string;
          choices: {
            name: string;
            date: string;
          };
        };
        recursive: {
          label: string;
        };
        page: {
          label: string;
          choices: {
            fit: string;
            a4: string;
          };
        };
      };
    };
    'convert-pictures': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        format: {
          label: string;
          choices: {
            jpeg: string;
            png: string;
            webp: string;
          };
        };
        side: {
          label: string;
          hint: string;
        };
        quality: {
          label: string;
          hint: string;
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'strip-metadata': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        keepDate: {
          label: string;
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'voice-memo': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        quality: {
          label: string;
          choices: {
            speech: string;
            music: string;
          };
        };
        mono: {
          label: string;
        };
        level: {
          label: string;
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'merge-pdf': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        name: {
          label: string;
          hint: string;
        };
        order: {
          label: string;
          choices: {
            name: string;
            date: string;
          };
        };
        recursive: {
          label: string;
        };
      };
    };
    'split-pdf': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        every: {
          label: string;
        };
        recursive: {
          label: string;
        };
      };
    };
    'compress-pdf': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        quality: {
          label: string;
          choices: {
            screen: string;
            reading: string;
            printing: string;
          };
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'unlock-pdf': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        password: {
          label: string;
          hint: string;
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'searchable-scans': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        text: {
          label: string;
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        force: {
          label: string;
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'unpack-archives': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        recursive: {
          label: string;
        };
      };
    };
    'extract-text': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        layout: {
          label: string;
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'receipts-to-table': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        name: {
          label: string;
          hint: string;
        };
        format: {
          label: string;
          choices: {
            csv: string;
            xlsx: string;
          };
        };
        dates: {
          label: string;
          choices: {
            auto: string;
            dmy: string;
            mdy: string;
          };
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'folder-report': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        name: {
          label: string;
          hint: string;
        };
        format: {
          label: string;
          choices: {
            html: string;
            md: string;
            csv: string;
            xlsx: string;
          };
        };
        top: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'clean-table': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        format: {
          label: string;
          choices: {
            same: string;
            csv: string;
            xlsx: string;
          };
        };
        trim: {
          label: string;
        };
        dropEmpty: {
          label: string;
        };
        duplicates: {
          label: string;
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'join-tables': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        name: {
          label: string;
          hint: string;
        };
        format: {
          label: string;
          choices: {
            csv: string;
            xlsx: string;
          };
        };
        source: {
          label: string;
        };
        order: {
          label: string;
          choices: {
            name: string;
            date: string;
          };
        };
        recursive: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'summarise-notes': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        recursive: {
          label: string;
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'contract-summary': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        recursive: {
          label: string;
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'check-receipts': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        recursive: {
          label: string;
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
        name: {
          label: string;
          hint: string;
        };
        dates: {
          label: string;
          choices: {
            auto: string;
            dmy: string;
            mdy: string;
          };
        };
      };
    };
    'clean-csv': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        recursive: {
          label: string;
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
        trim: {
          label: string;
        };
        dropEmpty: {
          label: string;
        };
        duplicates: {
          label: string;
        };
      };
    };
    'folder-dashboard': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        recursive: {
          label: string;
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'rename-photos': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      input: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        recursive: {
          label: string;
        };
        reads: {
          label: string;
          choices: {
            'eng+deu': string;
            eng: string;
            deu: string;
          };
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'cleanup-downloads': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        months: {
          label: string;
        };
        installers: {
          label: string;
        };
        archives: {
          label: string;
        };
        days: {
          label: string;
        };
        empty: {
          label: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'sort-photos': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        by: {
          label: string;
          choices: {
            'taken-month': string;
            'taken-year': string;
          };
        };
        recursive: {
          label: string;
        };
      };
    };
    'find-duplicates': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        similar: {
          label: string;
          hint: string;
        };
        language: {
          label: string;
          choices: {
            en: string;
            de: string;
          };
        };
      };
    };
    'rename-files': {
      name: string;
      about: string;
      task: (values: { folder: string | number }) => string;
      output: (values: { n: number }) => string;
      none: string;
      run: string;
      progress: (values: { n: number; done: string | number }) => string;
      params: {
        pattern: {
          label: string;
          hint: string;
        };
        find: {
          label: string;
        };
        with: {
          label: string;
        };
        case: {
          label: string;
          choices: {
            keep: string;
            lower: string;
            upper: string;
          };
        };
        spaces: {
          label: string;
          choices: {
            keep: string;
            dash: string;
            underscore: string;
          };
        };
        start: {
          label: string;
        };
      };
    };
  };
  otherChore: {
    about: string;
    input: (values: { n: number }) => string;
    output: (values: { n: number }) => string;
    run: string;
    progress: (values: { n: number; done: string | number }) => string;
  };
  checks: {
    'pack-installed': string;
    'pack-verified': string;
    'accel-cpu': string;
    'accel-firmware': string;
    'accel-system': string;
    'accel-device': string;
    'accel-boot': string;
    'accel-boot-slow': string;
    'slow-mode': string;
  };
  checkOutcomes: {
    'pack-installed': {
      passed: string;
      failed: string;
    };
    'accel-cpu': {
      passed: string;
      failed: string;
    };
    'accel-firmware': {
      passed: string;
      failed: string;
    };
    'accel-system': {
      passed: string;
      failed: string;
    };
    'accel-device': {
      passed: string;
      failed: string;
    };
    'accel-boot': {
      passed: string;
      failed: string;
    };
    'slow-mode': {
      passed: string;
    };
  };
};
