// Puts everything together.

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  colourSheets();
  change({ theme });
}

function toggleTheme() {
  setTheme(isDark() ? 'light' : 'dark');
}

/** Paper is light. */
function preparePrint() {
  let before = null;
  addEventListener('beforeprint', () => {
    before = document.documentElement.dataset.theme;
    if (before !== 'light') setTheme('light');
  });
  addEventListener('afterprint', () => {
    if (before && before !== 'light') setTheme(before);
  });
}

function subscribe() {
  onChange(['measure', 'cell', 'theme'], renderTable);
  onChange(['grouping', 'theme'], renderLayers);
  onChange(['selection'], markSelection);
  onChange(['grouping', 'colour', 'map', 'drawn', 'theme'], renderMaps);
  onChange(['selection', 'sample', 'hover'], () =>
    views.forEach((view) => view.size && drawMap(view)),
  );
  onChange(['theme'], renderSwaps);
  onChange(['theme'], renderTopics);
  onChange(['theme'], renderBases);
  onChange(['cell', 'theme'], renderAgreement);
  onChange(['selection', 'sample', 'grouping', 'theme'], renderInspector);
}

async function start() {
  document.documentElement.dataset.theme = prefersDark.matches ? 'dark' : 'light';
  document.querySelector('nav a[href="#layers"]').textContent = areParts ? 'Parts' : 'Layers';
  await loadSheets();
  renderSummary();
  renderFooter();
  renderFit();
  renderSearch();
  subscribe();
  setTheme(document.documentElement.dataset.theme);
  listenForKeys();
  preparePrint();
  document.getElementById('theme').addEventListener('click', toggleTheme);
  prefersDark.addEventListener('change', () => setTheme(prefersDark.matches ? 'dark' : 'light'));
  new ResizeObserver(drawMaps).observe(document.getElementById('maps'));
  document.documentElement.dataset.ready = 'yes';
}

start();
