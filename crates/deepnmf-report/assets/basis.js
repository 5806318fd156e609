// The basis of every layer in the space of the data: Z_1, Z_1 Z_2, ...

const PER_PAGE = 36;
const basisPages = content.layers.map(() => 0);

function renderBases() {
  // Topics show the same, and more.
  const section = document.getElementById('bases');
  section.hidden = content.layers.every(({ topics }) => topics);
  document.querySelector('nav a[href="#bases"]').hidden = section.hidden;
  if (section.hidden) return;
  const signs = content.layers.some((layer) => layer.basis.tiles) ? signScale() : null;
  section.replaceChildren(
    heading(
      `The basis of every ${noun}`,
      areParts
        ? 'Every sample is the sum of one of these from each part, and a rest. Part 1 holds the mean of all samples; what the others add has any sign. Click one to select its samples.'
        : `Every sample is a sum of these components, in amounts that are never negative. Those with the largest share come first. Click one to select the samples that use it most.${content.model.nonlinear ? ' The model is nonlinear: above the first layer these are what the components would be without the nonlinearity.' : ''}`,
    ),
    signs ?? '',
    ...content.layers.map((_, layer) => basisOf(layer)),
  );
}

function signScale() {
  const stops = ramp('signed');
  const bar = el('span', { className: 'ramp', aria: { hidden: 'true' } });
  bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
  return el(
    'p',
    { className: 'scale' },
    'negative ',
    bar,
    ' positive; the middle is zero, each tile has its own range',
  );
}

function basisOf(layer) {
  const { basis, components } = content.layers[layer];
  const pages = Math.ceil(basis.shown.length / PER_PAGE);
  const from = basisPages[layer] * PER_PAGE;
  const places = basis.shown.map((_, place) => place).slice(from, from + PER_PAGE);
  const together = basis.shares.reduce((sum, share) => sum + share, 0);
  const grid = el(
    'div',
    { className: basis.tiles ? 'tiles' : 'bars' },
    ...places.map((place) => component(layer, place)),
  );
  const z = (i) => `Z${'₁₂₃₄₅₆₇₈₉'[i] ?? `_${i + 1}`}`;
  const symbol = areParts
    ? z(layer)
    : Array.from({ length: layer + 1 }, (_, i) => z(i)).join(' ');
  const some =
    basis.shown.length < components
      ? `; the ${basis.shown.length} with the largest share (together ${percent(together)}) are here`
      : '';
  const made = el(
    'div',
    { className: 'basis' },
    el(
      'div',
      { className: 'heading' },
      el(
        'h3',
        {},
        layerName(layer),
        el('span', {
          className: 'soft',
          textContent: ` ${symbol}: ${counted(components, 'component')}${some}`,
        }),
      ),
      pages > 1 ? pager(layer, pages) : null,
    ),
    grid,
  );
  arrows(grid, 'button');
  return made;
}

function pager(layer, pages) {
  const turn = (by) => {
    basisPages[layer] = (basisPages[layer] + by + pages) % pages;
    renderBases();
    document
      .querySelector(
        `#bases .pager[data-layer="${layer}"] ${by < 0 ? 'button' : 'button:last-child'}`,
      )
      .focus();
  };
  return el(
    'span',
    { className: 'pager', data: { layer } },
    el('button', {
      type: 'button',
      textContent: '‹',
      aria: { label: 'Components before' },
      on: { click: () => turn(-1) },
    }),
    el('span', { textContent: ` ${basisPages[layer] + 1} of ${pages} ` }),
    el('button', {
      type: 'button',
      textContent: '›',
      aria: { label: 'Components after' },
      on: { click: () => turn(1) },
    }),
  );
}

function component(layer, place) {
  const { basis, likeness } = content.layers[layer];
  const number = basis.shown[place];
  const label = `${layerName(layer)}, component ${number + 1}, share ${percent(basis.shares[place])}`;
  const uses = (sample) => likeness.parts[sample].some(([part]) => part === number);
  const made = el(
    'button',
    {
      type: 'button',
      className: 'component',
      aria: { label },
      on: {
        click: (event) =>
          select(
            `${layerName(layer)}, component ${number + 1} among the main components`,
            uses,
            event.shiftKey,
          ),
      },
    },
    basis.tiles ? tile(basis.tiles, place, 64, label) : featureBars(number, basis.features[place]),
  );
  explain(made, () => [
    line(label),
    basis.tiles ? null : line('Click to select the samples that use it most', 'soft'),
  ]);
  return made;
}

/** The features of largest weight of a component, as bars to either side. */
function featureBars(number, features) {
  const most = Math.max(...features.map(([, weight]) => Math.abs(weight)), 1e-12);
  const [low, , , , high] = ramp('signed');
  const rows = features.map(([feature, weight]) => {
    const bar = el('span', { className: 'bar' });
    bar.style.width = `${(50 * Math.abs(weight)) / most}%`;
    bar.style.background = weight < 0 ? low : high;
    bar.style.marginLeft = weight < 0 ? `${50 - (50 * Math.abs(weight)) / most}%` : '50%';
    return el(
      'span',
      { className: 'row', title: `${short(featureName(feature), 80)}: ${decimal(weight)}` },
      foreign(short(featureName(feature), 22)),
      el('span', { className: 'track' }, bar),
    );
  });
  return el(
    'span',
    { className: 'weights' },
    el('b', { textContent: `component ${number + 1}` }),
    ...rows,
  );
}

/** The tile of a component, if the page has it. */
function partPicture(layer, number, side) {
  const { basis } = content.layers[layer];
  const place = basis.shown.indexOf(number);
  const label = `component ${number + 1}`;
  return basis.tiles && place >= 0
    ? tile(basis.tiles, place, side, label)
    : el('span', { className: 'part', textContent: `c${number + 1}` });
}
