// The selection and one sample, beside everything else.

const MOST_FACES = 24;

/** Looks at a sample. */
function look(sample) {
  change({ sample });
  document.getElementById('inspector').classList.add('open');
  say(
    `${short(sampleName(sample), 80)}: ${content.attributes.map((attribute, place) => `${attribute.name} ${className(place, attribute.codes[sample])}`).join(', ')}`.slice(
      0,
      300,
    ),
  );
}

function renderInspector() {
  const inspector = document.getElementById('inspector');
  inspector.replaceChildren(sheetHandle(inspector), selectionPart(), samplePart());
}

/** On small screens the inspector is a sheet that opens from below. */
function sheetHandle(inspector) {
  const open = inspector.classList.contains('open');
  return el('button', {
    type: 'button',
    className: 'handle',
    aria: { expanded: String(open) },
    textContent: open
      ? 'Close ▾'
      : `▴ ${state.selection ? `${counted(state.selection.size, 'sample')} selected` : 'Look at a sample'}`,
    on: {
      click: () => {
        inspector.classList.toggle('open');
        renderInspector();
      },
    },
  });
}

function selectionPart() {
  const { selection } = state;
  if (!selection) {
    return el(
      'div',
      { className: 'selected none' },
      el('h2', { textContent: 'Selection' }),
      el('p', {
        className: 'soft',
        textContent: 'Nothing is selected. Click a cluster, drag over a map, or press / to search.',
      }),
    );
  }
  const members = [];
  for (let sample = 0; sample < SAMPLES && members.length < MOST_FACES; sample += 1) {
    if (selection.mask[sample]) members.push(sample);
  }
  const faces = el(
    'div',
    { className: 'faces' },
    ...members.map((sample) => sampleButton(sample, 40)),
  );
  arrows(faces, 'button');
  const of = SAMPLES < content.samples_total ? ` of the ${count(SAMPLES)} shown` : '';
  const more =
    selection.size > members.length ? `${members.length} of ${count(selection.size)} are here` : '';
  return el(
    'div',
    { className: 'selected' },
    el(
      'div',
      { className: 'heading' },
      el(
        'h2',
        {},
        counted(selection.size, 'sample'),
        el('small', { className: 'soft', textContent: of }),
      ),
      el('button', {
        type: 'button',
        textContent: 'Clear',
        title: 'Esc',
        on: { click: clearSelection },
      }),
    ),
    el('p', {}, foreign(short(selection.caption, 160))),
    faces,
    el('p', { className: 'soft', textContent: more }),
    ...content.attributes
      .map((attribute, place) => (attribute.usable ? composition(place, selection) : null))
      .filter(Boolean),
  );
}

/** Which classes the selected samples have. */
function composition(place, { mask }) {
  const { name, codes, classes } = content.attributes[place];
  const counts = new Map();
  let all = 0;
  codes.forEach((code, sample) => {
    if (!mask[sample] || code < 0) return;
    counts.set(code, (counts.get(code) ?? 0) + 1);
    all += 1;
  });
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4);
  const rows = most.map(([code, size]) => {
    const bar = el('span', { className: 'bar' });
    bar.style.width = `${(100 * size) / all}%`;
    return el(
      'div',
      { className: 'share' },
      foreign(short(classes[code], 18)),
      el('span', { className: 'track' }, bar),
      el('span', { textContent: percent(size / all) }),
    );
  });
  return el(
    'div',
    { className: 'composition' },
    el('h3', {}, foreign(short(name, 30))),
    ...rows,
    counts.size > most.length
      ? el('p', { className: 'soft', textContent: `and ${counts.size - most.length} more` })
      : null,
  );
}

function samplePart() {
  const { sample } = state;
  const { pictures, seen } = content.samples;
  const labels = content.attributes.map((attribute, place) => [
    attribute.name,
    className(place, attribute.codes[sample]),
  ]);
  const predicted = content.predictions.map(({ name, classes, codes, margins }) => [
    `${short(name, 30)}, predicted`,
    `${short(classes[codes[sample]], 40)} (margin ${margins[sample].toFixed(2)})`,
  ]);
  const name = sampleName(sample);
  return el(
    'div',
    { className: 'looked', id: 'looked' },
    el(
      'div',
      { className: 'heading' },
      el('h2', {}, foreign(short(name, 50))),
      el(
        'span',
        { className: 'pager' },
        el('button', {
          type: 'button',
          textContent: '‹',
          title: '[',
          aria: { label: 'Sample before' },
          on: { click: () => step(-1) },
        }),
        el('button', {
          type: 'button',
          textContent: '›',
          title: ']',
          aria: { label: 'Sample after' },
          on: { click: () => step(1) },
        }),
      ),
    ),
    el(
      'div',
      { className: 'who' },
      pictures ? tile(pictures, sample, 96, name) : null,
      seen
        ? el(
            'figure',
            {},
            tile(seen, sample, 96, 'as the model sees it'),
            el('figcaption', { className: 'soft', textContent: 'as the model sees it' }),
          )
        : null,
      labels.length + predicted.length ? definitions([...labels, ...predicted]) : null,
    ),
    content.samples.values.length ? valueTable(sample) : null,
    ...content.layers.map((_, layer) => layerPart(sample, layer)),
  );
}

/** One layer of one sample: its reconstruction, its main components and its neighbours. */
function layerPart(sample, layer) {
  const { likeness, near } = content.layers[layer];
  const clustering = clusteringOf(layer);
  const cluster = clustering.labels[sample];
  const { title, attribute } = clusterName(clustering, cluster);
  const parts = likeness.parts[sample].map(([number, share]) =>
    el(
      'figure',
      { title: `component ${number + 1} adds ${percent(share)}` },
      partPicture(layer, number, 36),
      el('figcaption', { textContent: percent(share) }),
    ),
  );
  const others = el(
    'div',
    { className: 'faces' },
    ...near[sample].map((other) => sampleButton(other, 40)),
  );
  arrows(others, 'button');
  return el(
    'div',
    { className: 'inlayer' },
    el('h3', { textContent: layerName(layer) }),
    el(
      'button',
      {
        type: 'button',
        className: 'link',
        title: 'Select this cluster',
        on: { click: (event) => selectCluster(clustering, cluster, event.shiftKey) },
      },
      attribute === null ? 'in ' : 'in cluster ',
      foreign(short(title, 40)),
    ),
    el(
      'div',
      { className: 'rebuilt' },
      likeness.rebuilt
        ? el(
            'figure',
            {},
            tile(likeness.rebuilt, sample, 72, `rebuilt by ${layerName(layer)}`),
            el('figcaption', {
              textContent: areParts
                ? `what ${layerName(layer).toLowerCase()} adds`
                : `rebuilt, error ${percent(likeness.missed[sample])}`,
            }),
          )
        : el('p', {
            className: 'soft',
            textContent: `rebuilt, error ${percent(likeness.missed[sample])}`,
          }),
      areParts
        ? null
        : el(
            'div',
            {},
            el('p', { className: 'soft', textContent: 'main components' }),
            el('div', { className: 'parts' }, ...parts),
          ),
    ),
    el('p', {
      className: 'soft',
      textContent: `nearest${SAMPLES < content.samples_total ? ' of those shown' : ''}`,
    }),
    others,
  );
}

/** The most unusual values of a sample that is no picture, and how layers rebuild them. */
function valueTable(sample) {
  const head = el(
    'tr',
    {},
    el('th', { textContent: 'most unusual' }),
    el('th', { textContent: 'value' }),
    ...content.layers.map((_, layer) =>
      el('th', { textContent: `${areParts ? 'P' : 'L'}${layer + 1}`, title: `rebuilt by ${layerName(layer)}` }),
    ),
  );
  const rows = content.samples.values[sample].map(([feature, value], i) =>
    el(
      'tr',
      {},
      el('td', {}, foreign(short(featureName(feature), 22))),
      el('td', { textContent: decimal(value) }),
      ...content.layers.map(({ likeness }) =>
        el('td', { textContent: decimal(likeness.values[sample][i]) }),
      ),
    ),
  );
  return el('table', { className: 'values' }, head, ...rows);
}
