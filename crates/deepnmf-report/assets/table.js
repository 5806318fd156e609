// Which layer best predicts which attribute: a table that is a heat map.

const MEASURES = [
  [
    'ac',
    'AC',
    `Clustering accuracy: ${areParts ? 'the clusters of a part are paired with classes' : 'k-means finds as many clusters as there are classes'}; the share of samples in the cluster that is paired with their class`,
  ],
  ['nmi', 'NMI', 'Normalised mutual information of the same clusters'],
  ['svm', 'SVM', 'Accuracy of a linear support vector machine on held-out samples'],
];

const judgedAttributes = [...new Set(content.cells.map((cell) => cell.attribute))];

function renderTable() {
  const place = document.getElementById('table');
  if (!judgedAttributes.length) {
    place.replaceChildren(
      el('p', {
        className: 'soft',
        textContent:
          `Without labels there is no table of ${noun}s and attributes. Give labels to see which ${noun} best predicts each attribute.`,
      }),
    );
    return;
  }
  const measure = MEASURES.find(([key]) => key === state.measure);
  const head = el(
    'tr',
    {},
    el('td'),
    ...judgedAttributes.map((attribute) =>
      el(
        'th',
        { attributes: { scope: 'col' } },
        foreign(short(content.attributes[attribute].name, 24)),
        el('span', {
          className: 'soft',
          textContent: ` ${content.attributes[attribute].classes.length}`,
        }),
      ),
    ),
  );
  const rows = content.layers.map((layer, i) =>
    el(
      'tr',
      {},
      el(
        'th',
        { textContent: layerName(i), attributes: { scope: 'row' } },
        el('span', { className: 'soft', textContent: ` ${layer.components}` }),
      ),
      ...judgedAttributes.map((attribute) => tableCell(i, attribute)),
    ),
  );
  const table = el(
    'table',
    { className: 'heat', aria: { label: `${measure[1]} by ${noun} and attribute` } },
    head,
    ...rows,
  );
  place.replaceChildren(
    el(
      'div',
      { className: 'heading' },
      el('h3', { textContent: `Which ${noun} best predicts which attribute?` }),
      switcher('Measure', MEASURES, state.measure, (value) => change({ measure: value })),
    ),
    el('div', { className: 'scroll' }, table),
    el('p', {
      className: 'how',
      textContent: `${measure[2]}. The stronger the colour, the further above chance. ★ marks the best ${noun} of a column.`,
    }),
  );
  arrows(table, 'button');
}

function cellPlace(layer, attribute) {
  return content.cells.findIndex((cell) => cell.layer === layer && cell.attribute === attribute);
}

function tableCell(layer, attribute) {
  const place = cellPlace(layer, attribute);
  const found = content.cells[place][state.measure];
  if (!found) return el('td', { textContent: '–', title: 'Classes are too small to be learnt' });
  const column = content.cells
    .filter((cell) => cell.attribute === attribute)
    .map((cell) => lift(cell[state.measure]));
  const best = column.length > 1 && lift(found) > 0.05 && lift(found) >= Math.max(...column);
  const { background, text } = amountColours(lift(found));
  const button = el(
    'button',
    {
      type: 'button',
      className: 'cell',
      aria: {
        label: `${layerName(layer)}, ${content.attributes[attribute].name}: ${percent(found.value)}, chance ${percent(found.chance)}${best ? ', best layer' : ''}`,
        pressed: String(state.cell === place),
      },
      on: { click: () => openCell(place) },
    },
    el('b', { textContent: `${best ? '★ ' : ''}${percent(found.value)}` }),
    el(
      'small',
      {},
      el('span', { className: 'wide', textContent: 'chance ' }),
      percent(found.chance),
    ),
  );
  button.style.background = background;
  button.style.color = text;
  return el('td', {}, button);
}

/** Shows a cell in detail: clusters by its attribute, and its agreement below. */
function openCell(place) {
  const { attribute } = content.cells[place];
  const way = content.groupings.findIndex((candidate) => candidate.attribute === attribute);
  change({ cell: place, grouping: way < 0 ? state.grouping : way });
}
