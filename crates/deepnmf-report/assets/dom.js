// Elements and texts. Whatever comes from data enters the page as text, never as markup.

const content = JSON.parse(document.getElementById('content').textContent);

/** An element; `options` are properties, with `data`, `aria` and `on` for the obvious. */
function el(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  const { data = {}, aria = {}, on = {}, attributes = {}, ...properties } = options;
  for (const [name, value] of Object.entries(properties)) made[name] = value;
  for (const [name, value] of Object.entries(data)) made.dataset[name] = value;
  for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, value);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** An element of a drawing. */
function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Text that came with the data: its direction is its own and cannot disturb its neighbours. */
function foreign(text, className = '') {
  return el('bdi', { textContent: text, className: `foreign ${className}`, dir: 'auto' });
}

/** A text of bounded length. */
function short(text, length = 40) {
  const letters = Array.from(text);
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : text;
}

/** A labelled choice of one of several `[value, text]`. */
function chooser(label, choices, value, choose) {
  const select = el('select', { on: { change: () => choose(choices[select.selectedIndex][0]) } });
  for (const [, text] of choices) select.append(el('option', { textContent: short(text, 60) }));
  select.selectedIndex = Math.max(
    0,
    choices.findIndex(([choice]) => choice === value),
  );
  return el('label', { className: 'chooser' }, el('span', { textContent: label }), select);
}

/** Buttons of which exactly one is pressed. */
function switcher(label, choices, value, choose) {
  const group = el('div', {
    className: 'switcher',
    attributes: { role: 'group' },
    aria: { label },
  });
  for (const [choice, text, title] of choices) {
    group.append(
      el('button', {
        type: 'button',
        textContent: text,
        title: title ?? '',
        aria: { pressed: String(choice === value) },
        on: { click: () => choose(choice) },
      }),
    );
  }
  return group;
}

/** The heading of a section with a few words on how to read it. */
function heading(title, sentence) {
  return el(
    'div',
    {},
    el('h2', { textContent: title }),
    el('p', { className: 'how', textContent: sentence }),
  );
}

const percent = (share) =>
  `${(100 * share).toFixed(Math.abs(share) < 0.0995 && share !== 0 ? 1 : 0)}%`;
const count = (number) => number.toLocaleString('en-US');
const counted = (number, thing) => `${count(number)} ${thing}${number === 1 ? '' : 's'}`;
const decimal = (number) => Number(number.toPrecision(4)).toString();

/** Tells those who cannot see what changed. */
function say(text) {
  document.getElementById('said').textContent = text;
}
