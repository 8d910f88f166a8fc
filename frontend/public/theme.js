// Runs before the first paint, so that nobody who chose dark sees a white flash.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('piwork.theme');
    document.documentElement.dataset.motion = localStorage.getItem('piwork.motion') || 'system';
  } catch {
    // A window without storage follows the system.
  }
  var dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
