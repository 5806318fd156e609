// Keys for everything that can be clicked.

const KEYS = [
  ['/', 'search'],
  ['Esc', 'clear the selection, close what is open'],
  ['Tab', 'from one view to the next'],
  ['Arrows', 'within a view: clusters, tiles, table, points of a map'],
  ['Enter', 'choose; with Shift, keep only what is also in the selection'],
  ['[ and ]', 'sample before and after, within the selection'],
  ['d', 'light or dark'],
  ['?', 'this list'],
];

/** Lets arrows move between the buttons of a view, of which only one is a stop for Tab. */
function arrows(container, selector) {
  const items = () => Array.from(container.querySelectorAll(selector));
  const settle = () => {
    const all = items();
    const current = all.find((item) => item.tabIndex === 0) ?? all[0];
    all.forEach((item) => {
      item.tabIndex = item === current ? 0 : -1;
    });
  };
  container.addEventListener('keydown', (event) => {
    const from = event.target.closest(selector);
    if (!from || !event.key.startsWith('Arrow')) return;
    const next = nearestItem(items(), from, event.key.slice(5));
    if (!next) return;
    event.preventDefault();
    from.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  container.addEventListener('focusin', (event) => {
    const item = event.target.closest(selector);
    if (!item) return;
    items().forEach((other) => {
      other.tabIndex = other === item ? 0 : -1;
    });
  });
  settle();
}

/** The item that lies next in a direction: near along it, and little off it. */
function nearestItem(items, from, direction) {
  const centre = (item) => {
    const box = item.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = centre(from);
  const ahead = {
    Left: ([a]) => x - a,
    Right: ([a]) => a - x,
    Up: ([, b]) => y - b,
    Down: ([, b]) => b - y,
  }[direction];
  const aside =
    direction === 'Left' || direction === 'Right'
      ? ([, b]) => Math.abs(b - y)
      : ([a]) => Math.abs(a - x);
  let best = null;
  let least = Infinity;
  for (const item of items) {
    const place = centre(item);
    const distance = ahead(place) + 4 * aside(place);
    if (item !== from && ahead(place) > 2 && distance < least) [best, least] = [item, distance];
  }
  return best;
}

/** The next of the samples in question, around the corner at the ends. */
function step(direction) {
  for (let i = 1; i <= SAMPLES; i += 1) {
    const sample = (((state.sample + direction * i) % SAMPLES) + SAMPLES) % SAMPLES;
    if (isSelected(sample)) {
      look(sample);
      return;
    }
  }
}

function showKeys() {
  const dialog = document.getElementById('keys');
  const rows = KEYS.map(([key, what]) =>
    el('tr', {}, el('th', { textContent: key }), el('td', { textContent: what })),
  );
  const close = el('button', {
    type: 'button',
    textContent: 'Close',
    on: { click: () => dialog.close() },
  });
  dialog.replaceChildren(el('h2', { textContent: 'Keys' }), el('table', {}, ...rows), close);
  dialog.showModal();
}

function listenForKeys() {
  document.getElementById('help').addEventListener('click', showKeys);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest('input, select, textarea, dialog')) return;
    const keys = {
      '/': () => document.querySelector('#search input').focus(),
      '?': showKeys,
      d: toggleTheme,
      '[': () => step(-1),
      ']': () => step(1),
      Escape: () => {
        hideTooltip();
        clearSelection();
      },
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}
