// Finds classes and samples by what they are called.

const MOST_FOUND = 8;

function renderSearch() {
  const input = el('input', {
    type: 'search',
    placeholder: 'Search  /',
    attributes: {
      role: 'combobox',
      'aria-controls': 'found',
      autocomplete: 'off',
      spellcheck: 'false',
    },
    aria: { label: 'Search labels and samples', expanded: 'false' },
  });
  const list = el('ul', { id: 'found', attributes: { role: 'listbox' }, hidden: true });
  const search = { input, list, found: [], active: 0 };
  input.addEventListener('input', () => offer(search));
  input.addEventListener('keydown', (event) => searchKey(search, event));
  input.addEventListener('blur', () => closeList(search));
  document.getElementById('search').replaceChildren(input, list);
}

/** Classes and samples whose name holds the text; classes first. */
function findings(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const found = [];
  content.attributes.forEach((attribute, place) => {
    attribute.classes.forEach((name, code) => {
      const full = `${attribute.name} ${name}`;
      if (!full.toLowerCase().includes(wanted)) return;
      const size = attribute.codes.filter((other) => other === code).length;
      const choose = () =>
        select(full, (sample) => content.attributes[place].codes[sample] === code);
      if (size)
        found.push({
          text: full,
          note: counted(size, 'sample'),
          exact: name.toLowerCase() === wanted,
          choose,
        });
    });
  });
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const name = sampleName(sample);
    if (name.toLowerCase().includes(wanted) || String(content.samples.numbers[sample]) === wanted) {
      found.push({
        text: name,
        note: 'look at it',
        exact: name.toLowerCase() === wanted,
        choose: () => look(sample),
      });
    }
  }
  return found.sort((a, b) => b.exact - a.exact);
}

function offer(search) {
  const all = findings(search.input.value);
  search.found = all.slice(0, MOST_FOUND);
  search.active = 0;
  const items = search.found.map((found, i) =>
    el(
      'li',
      {
        id: `found-${i}`,
        attributes: { role: 'option' },
        on: {
          pointerdown: (event) => {
            event.preventDefault();
            choose(search, i);
          },
        },
      },
      foreign(short(found.text, 60)),
      el('span', { className: 'soft', textContent: ` ${found.note}` }),
    ),
  );
  if (all.length > items.length)
    items.push(
      el('li', { className: 'soft', textContent: `and ${count(all.length - items.length)} more` }),
    );
  if (!all.length && search.input.value.trim())
    items.push(el('li', { className: 'soft', textContent: 'Nothing has this name' }));
  search.list.replaceChildren(...items);
  search.list.hidden = !items.length;
  search.input.setAttribute('aria-expanded', String(!search.list.hidden));
  activate(search);
}

function activate({ input, list, active, found }) {
  list
    .querySelectorAll('[role=option]')
    .forEach((item, i) => item.setAttribute('aria-selected', String(i === active)));
  input.setAttribute('aria-activedescendant', found.length ? `found-${active}` : '');
}

function searchKey(search, event) {
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (move && search.found.length) {
    event.preventDefault();
    search.active = (search.active + move + search.found.length) % search.found.length;
    activate(search);
  } else if (event.key === 'Enter' && search.found.length) {
    event.preventDefault();
    choose(search, search.active);
  } else if (event.key === 'Escape') {
    event.preventDefault();
    search.input.value = '';
    search.input.blur();
    clearSelection();
  }
}

function choose(search, place) {
  search.found[place].choose();
  search.input.blur();
}

function closeList(search) {
  search.list.hidden = true;
  search.input.setAttribute('aria-expanded', 'false');
}
