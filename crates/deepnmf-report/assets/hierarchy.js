// The layers as columns of clusters, and how samples flow from each to the next.

const MOST_CARDS = 20;
const CARD_GAP = 6;
/** From this height on words stand below pictures. */
const LARGE_CARD = 150;
const LARGEST_CARD = 156;
let allCards = false;

/** The clusters of a column, those beyond the most folded into one: `{ place, height, size }`. */
function cardsOf(clustering) {
  const order = clustering.clusters.map((_, cluster) => cluster);
  if (allCards || order.length <= MOST_CARDS) return { cards: order, folded: [] };
  const bySize = [...order].sort(
    (a, b) => clustering.clusters[b].size - clustering.clusters[a].size,
  );
  const kept = new Set(bySize.slice(0, MOST_CARDS - 1));
  return { cards: order.filter((c) => kept.has(c)), folded: order.filter((c) => !kept.has(c)) };
}

/** Where the cards of all columns stand. */
function layOut() {
  const columns = content.layers.map((_, layer) => ({
    layer,
    clustering: clusteringOf(layer),
    ...cardsOf(clusteringOf(layer)),
  }));
  const longest = Math.max(
    ...columns.map(({ cards, folded }) => cards.length + (folded.length ? 1 : 0)),
  );
  const smallest = content.samples.pictures ? 50 : 74;
  const total = Math.max(longest * (smallest + CARD_GAP), 470);
  for (const column of columns) {
    const number = column.cards.length + (column.folded.length ? 1 : 0);
    column.height = Math.min(
      Math.max(total / number - CARD_GAP, smallest),
      content.samples.pictures ? LARGEST_CARD : 110,
    );
    // Short columns spread over the height of the longest.
    column.pitch = total / number;
    column.top = (column.pitch - column.height) / 2;
    column.place = new Map();
    column.cards.forEach((cluster, i) => column.place.set(cluster, i));
    column.folded.forEach((cluster) => column.place.set(cluster, column.cards.length));
    column.slots = Array.from({ length: number }, () => 0);
    column.clustering.clusters.forEach(({ size }, cluster) => {
      column.slots[column.place.get(cluster)] += size;
    });
  }
  // One sample is as thick everywhere, but where many clusters are folded into one card.
  const room = ({ height }, size) => (height - 10) / Math.max(size, 1);
  const scale = Math.min(
    ...columns.flatMap((column) => column.cards.map((_, slot) => room(column, column.slots[slot]))),
  );
  columns.forEach((column) => {
    column.scales = column.slots.map((size) => Math.min(scale, room(column, size)));
  });
  return { columns, total };
}

function renderLayers() {
  const { columns, total } = layOut();
  const grid = el('div', { className: 'columns' });
  grid.style.setProperty('--layers', columns.length);
  columns.forEach((column, i) => {
    if (i > 0) grid.append(flowDrawing(columns[i - 1], column, grouping().flows[i - 1], total));
    grid.append(columnOf(column, total));
  });
  const ways = content.groupings.map((way, place) => [place, groupingName(way)]);
  document.getElementById('layers').replaceChildren(
    heading(
      areParts ? 'Parts and their clusters' : 'Layers and their clusters',
      `Each column is a ${noun}, each card one of its clusters${grouping().as_found ? '' : ' (k-means)'}: ${
        content.samples.pictures
          ? 'its mean picture, the pictures nearest to its centre, and what most of them are'
          : 'what most of its samples are, and its top features (↑ above, ↓ below the mean)'
      }. Bands are samples on their way from a cluster of one ${noun} to one of the next. Click a card or a band to select its samples everywhere.`,
    ),
    el(
      'div',
      { className: 'controls' },
      chooser('Clusters', ways, state.grouping, (way) => change({ grouping: way })),
      foldButton(),
    ),
    el('div', { className: 'scroll' }, grid),
  );
  arrows(grid, 'button.card');
  markSelection();
}

function foldButton() {
  const most = Math.max(...content.layers.map((_, layer) => clusteringOf(layer).clusters.length));
  if (most <= MOST_CARDS) return null;
  const textContent = allCards ? `Show the ${MOST_CARDS - 1} largest` : `Show all ${most} clusters`;
  return el('button', {
    type: 'button',
    textContent,
    on: {
      click: () => {
        allCards = !allCards;
        renderLayers();
      },
    },
  });
}

function columnOf(column, total) {
  const { layer, clustering } = column;
  const { components, relative_error: error, share } = content.layers[layer];
  const made = areParts
    ? `${percent(share)} of the scatter of the samples is between its `
    : `${counted(components, 'component')}, reconstruction error ${percent(error)}. `;
  const attribute =
    clustering.attribute === null ? null : content.attributes[clustering.attribute].name;
  const cards = el('div', { className: 'cards' });
  cards.style.height = `${total}px`;
  cards.style.paddingTop = `${column.top}px`;
  cards.style.gap = `${column.pitch - column.height}px`;
  column.cards.forEach((cluster) => cards.append(card(column, cluster)));
  if (column.folded.length) cards.append(foldedCard(column));
  return el(
    'div',
    { className: 'column', data: { layer } },
    el('h3', { textContent: layerName(layer) }),
    el(
      'p',
      { className: 'soft' },
      made,
      `${clustering.clusters.length} clusters`,
      attribute === null ? '' : ', named by ',
      attribute === null ? '' : foreign(short(attribute, 24)),
    ),
    cards,
  );
}

function card(column, cluster) {
  const { clustering, height } = column;
  const { size, examples, top_features: topFeatures } = clustering.clusters[cluster];
  const { title, share } = clusterName(clustering, cluster);
  const words = el(
    'span',
    { className: 'words' },
    el('b', {}, foreign(short(title, 28))),
    el('span', {
      className: 'soft',
      textContent: share === null ? count(size) : `${percent(share)} of ${count(size)}`,
    }),
    content.samples.pictures ? null : topFeatureText(topFeatures, 2),
    el('span', { className: 'meter' }, el('span', { className: 'chosen' })),
  );
  const made = el(
    'button',
    {
      type: 'button',
      className: column.height >= LARGE_CARD ? 'card large' : 'card',
      data: { layer: column.layer, cluster },
      aria: { label: `${clusterText(clustering, cluster)}, ${counted(size, 'sample')}` },
      on: { click: (event) => selectCluster(clustering, cluster, event.shiftKey) },
    },
    cardFaces(clustering, cluster, examples, height),
    words,
  );
  made.style.height = `${height}px`;
  explain(made, () => clusterLines(clustering, cluster));
  return made;
}

/** The mean of a cluster, large, and beside it those nearest to its centre. */
function cardFaces(clustering, cluster, examples, height) {
  const { pictures } = content.samples;
  if (!pictures) return null;
  const large = height >= LARGE_CARD;
  const side = large ? 96 : height - 14;
  const small = large ? side / 2 - 2 : side * 0.86;
  // As many as fit beside the words, which large cards have below.
  const width =
    document.getElementById('layers').clientWidth / (1.42 * content.layers.length - 0.42);
  const room = Math.floor((Math.max(width, 230) - side - (large ? 16 : 150)) / (small + 4));
  const most = Math.max(large ? 2 * room : room, 2);
  const others = el(
    'span',
    { className: 'others' },
    ...examples.slice(0, most).map((sample) => tile(pictures, sample, small, sampleName(sample))),
  );
  return el('span', { className: 'faces' }, tile(clustering.means, cluster, side, 'mean'), others);
}

function foldedCard(column) {
  const size = column.slots.at(-1);
  const made = el(
    'button',
    {
      type: 'button',
      className: 'card folded',
      on: {
        click: () => {
          allCards = true;
          renderLayers();
        },
      },
    },
    el(
      'span',
      { className: 'words' },
      el('b', { textContent: `${column.folded.length} smaller clusters` }),
      el('span', { className: 'soft', textContent: `${counted(size, 'sample')}: show them` }),
    ),
  );
  made.style.height = `${column.height}px`;
  return made;
}

/** The top features of a cluster as text. */
function topFeatureText(topFeatures, most) {
  const parts = topFeatures
    .slice(0, most)
    .map(([feature, away]) => `${away > 0 ? '↑' : '↓'} ${short(featureName(feature), 18)}`);
  return el('span', { className: 'soft top-features', textContent: parts.join('  '), dir: 'auto' });
}

function clusterLines(clustering, cluster) {
  const { size, mostly, top_features: topFeatures } = clustering.clusters[cluster];
  const parts = mostly.map(
    (found, attribute) =>
      found &&
      line(
        `${short(content.attributes[attribute].name, 24)}: mostly ${short(className(attribute, found[0]), 40)} (${percent(found[1])})`,
        'soft',
      ),
  );
  const features = topFeatures.map(([feature, away]) =>
    line(
      `${short(featureName(feature), 30)}: ${Math.abs(away).toFixed(1)} deviations ${away > 0 ? 'above' : 'below'} the mean`,
      'soft',
    ),
  );
  return [
    line(`${layerName(clustering.layer)}, cluster ${cluster + 1}: ${counted(size, 'sample')}`),
    ...parts,
    ...features,
  ];
}

function selectCluster(clustering, cluster, narrow) {
  select(
    clusterText(clustering, cluster),
    (sample) => clustering.labels[sample] === cluster,
    narrow,
  );
}

/** Bands between two columns. */
function flowDrawing(below, above, flows, total) {
  const width = 100;
  const drawing = svg('svg', {
    class: 'flows',
    viewBox: `0 0 ${width} ${total}`,
    preserveAspectRatio: 'none',
    height: total,
    'aria-hidden': 'true',
  });
  const start = (column, slot) =>
    column.top +
    slot * column.pitch +
    (column.height - column.slots[slot] * column.scales[slot]) / 2;
  const [left, right] = [below, above].map((column) =>
    column.slots.map((_, slot) => start(column, slot)),
  );
  const bands = [];
  for (const { from, to, size } of mergeFlows(below, above, flows)) {
    const [thick0, thick1] = [size * below.scales[from], size * above.scales[to]];
    const [y0, y1] = [left[from], right[to]];
    left[from] += thick0;
    right[to] += thick1;
    if (from >= below.cards.length && to >= above.cards.length) continue;
    const path = (share) => bandPath(width, [y0, y1], [thick0 * share, thick1 * share]);
    const band = svg('path', { d: path(1), class: 'band' });
    const lit = svg('path', { class: 'lit' });
    const members = (sample) => slotOf(below, sample) === from && slotOf(above, sample) === to;
    const caption = `${slotName(below, from)} → ${slotName(above, to)}`;
    band.addEventListener('click', (event) => select(caption, members, event.shiftKey));
    explain(band, () => [line(caption), line(counted(size, 'sample'), 'soft')]);
    drawing.append(band, lit);
    bands.push({ from, to, light: (share) => lit.setAttribute('d', share > 0 ? path(share) : '') });
  }
  drawing.markSelection = () => {
    const shares = selectedShares((sample) => `${slotOf(below, sample)} ${slotOf(above, sample)}`);
    bands.forEach(({ from, to, light }) => light(shares.get(`${from} ${to}`) ?? 0));
  };
  return drawing;
}

const slotOf = ({ place, clustering }, sample) => place.get(clustering.labels[sample]);

function mergeFlows(below, above, flows) {
  const sizes = new Map();
  for (const [from, to, size] of flows) {
    const key = [below.place.get(from), above.place.get(to)].join(' ');
    sizes.set(key, (sizes.get(key) ?? 0) + size);
  }
  const merged = [...sizes].map(([key, size]) => ({
    from: Number(key.split(' ')[0]),
    to: Number(key.split(' ')[1]),
    size,
  }));
  return merged.sort((a, b) => a.from - b.from || a.to - b.to);
}

function slotName(column, slot) {
  if (slot >= column.cards.length) return `${layerName(column.layer)}, smaller clusters`;
  return clusterText(column.clustering, column.cards[slot]);
}

function bandPath(width, [y0, y1], [thick0, thick1]) {
  const middle = width / 2;
  return `M0 ${y0} C${middle} ${y0} ${middle} ${y1} ${width} ${y1} v${thick1} C${middle} ${y1 + thick1} ${middle} ${y0 + thick0} 0 ${y0 + thick0} Z`;
}

/** Of the shown samples of every group, which share is selected. */
function selectedShares(groupOf) {
  const tallies = new Map();
  for (let sample = 0; state.selection && sample < SAMPLES; sample += 1) {
    const tally = tallies.get(groupOf(sample)) ?? { all: 0, chosen: 0 };
    tally.all += 1;
    tally.chosen += state.selection.mask[sample];
    tallies.set(groupOf(sample), tally);
  }
  return new Map([...tallies].map(([group, { all, chosen }]) => [group, chosen / all]));
}

/** Shows in every card and band how much of it is selected. */
function markSelection() {
  const section = document.getElementById('layers');
  section.classList.toggle('selecting', state.selection !== null);
  const shares = content.layers.map((_, layer) =>
    selectedShares((sample) => clusteringOf(layer).labels[sample]),
  );
  for (const made of section.querySelectorAll('.card[data-cluster]')) {
    const share = shares[made.dataset.layer].get(Number(made.dataset.cluster)) ?? 0;
    made.classList.toggle('out', state.selection !== null && share === 0);
    made.querySelector('.chosen').style.width = `${100 * share}%`;
  }
  section.querySelectorAll('.flows').forEach((drawing) => drawing.markSelection());
}
