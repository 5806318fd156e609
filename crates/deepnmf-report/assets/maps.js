// The samples of every layer in two dimensions, one map beside the other.

const views = [];

const categoryOf = (layer) =>
  state.colour === 'cluster' ? clusteringOf(layer).labels : content.attributes[state.colour].codes;

function renderMaps() {
  views.length = 0;
  const colours = [
    ['cluster', 'cluster of the layer'],
    ...content.attributes
      .map((attribute, place) => [place, attribute.name])
      .filter(([place]) => content.attributes[place].usable),
  ];
  const kinds = [
    ['tsne', 't-SNE', 'Neighbours stay together; large distances mean little'],
    ['principal', 'Principal components', 'Distances are true, as far as two axes can show them'],
  ].filter(([kind]) => content.layers.some((layer) => layer[kind]));
  const drawn = [
    ['points', 'Points'],
    ['pictures', 'Pictures'],
  ];
  const grid = el(
    'div',
    { className: 'maps' },
    ...content.layers.map((_, layer) => mapPanel(layer)),
  );
  document.getElementById('maps').replaceChildren(
    heading(
      'Maps of the samples',
      `Every point is a ${thing}; near points have similar features in that ${noun}. Drag over points to select them in all views, click one to look at it. Where colours form groups, the ${noun} separates them.`,
    ),
    el(
      'div',
      { className: 'controls' },
      chooser('Colour', colours, state.colour, (colour) => change({ colour })),
      kinds.length > 1 ? switcher('Map', kinds, state.map, (map) => change({ map })) : null,
      content.samples.pictures
        ? switcher('Draw', drawn, state.drawn, (value) => change({ drawn: value }))
        : null,
    ),
    grid,
    state.colour === 'cluster' ? el('div', {}) : legend(state.colour),
  );
  drawMaps();
}

function mapPanel(layer) {
  const canvas = el('canvas', {
    tabIndex: 0,
    attributes: { role: 'application' },
    aria: {
      label: `Map of ${layerName(layer)}: arrows move from sample to sample, Enter looks at one`,
    },
  });
  const view = { layer, canvas, points: [], drag: null };
  views.push(view);
  canvas.addEventListener('pointerdown', (event) => startDrag(view, event));
  canvas.addEventListener('pointermove', (event) => moveDrag(view, event));
  canvas.addEventListener('pointerup', (event) => endDrag(view, event));
  canvas.addEventListener('pointerleave', () => {
    hideTooltip();
    change({ hover: null });
  });
  canvas.addEventListener('keydown', (event) => moveByKey(view, event));
  return el(
    'figure',
    { className: 'map' },
    el(
      'figcaption',
      {},
      el('b', { textContent: layerName(layer) }),
      el('span', { className: 'soft', textContent: axisText(layer) }),
    ),
    canvas,
    state.colour === 'cluster' ? clusterLegend(layer) : null,
  );
}

function axisText(layer) {
  const { components, principal } = content.layers[layer];
  if (state.map !== 'principal') return ` ${counted(components, 'component')}`;
  return ` ${counted(components, 'component')}; axes show ${percent(principal.explained[0])} and ${percent(principal.explained[1])} of the variance`;
}

/** Places the points within a canvas that has just got its size. */
function placePoints(view) {
  const { canvas, layer } = view;
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width || !height) return false;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
  const map = content.layers[layer][state.map] ?? content.layers[layer].principal;
  const span = (values) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return { middle: (low + high) / 2, extent: high - low || 1 };
  };
  const [x, y] = [span(map.x), span(map.y)];
  // One scale for both axes: distances would be distorted otherwise.
  const scale = Math.min((width - 36) / x.extent, (height - 36) / y.extent);
  view.points = map.x.map((value, i) => [
    width / 2 + (value - x.middle) * scale,
    height / 2 - (map.y[i] - y.middle) * scale,
  ]);
  view.size = [width, height];
  return true;
}

function drawMaps() {
  for (const view of views) {
    if (placePoints(view)) drawMap(view);
  }
}

function drawMap(view) {
  const {
    canvas,
    points,
    layer,
    size: [width, height],
  } = view;
  const context = canvas.getContext('2d');
  context.clearRect(0, 0, width, height);
  const pictures = state.drawn === 'pictures' && content.samples.pictures;
  const categories = categoryOf(layer);
  const order = points.map((_, sample) => sample).sort((a, b) => isSelected(a) - isSelected(b));
  if (pictures) drawPictures(context, view, order, categories);
  else
    for (const sample of order)
      drawPoint(context, points[sample], categories[sample], isSelected(sample));
  if (state.hover !== null) ring(context, points[state.hover], 7, 2);
  ring(context, points[state.sample], 9, 2.5);
  if (view.drag?.box) drawBrush(context, view.drag.box);
}

function drawPoint(context, [x, y], category, lit) {
  const { colour, shape } = mark(category);
  context.globalAlpha = lit ? 0.9 : 0.12;
  drawMark(context, shape, colour, x, y, 3.4);
  context.globalAlpha = 1;
}

/** Pictures where there is room for them, framed in their colour; selected ones first. */
function drawPictures(context, view, order, categories) {
  const side = 30;
  const taken = [];
  for (const sample of [...order].reverse()) {
    const [x, y] = view.points[sample];
    if (taken.some(([a, b]) => Math.abs(a - x) < side && Math.abs(b - y) < side)) continue;
    taken.push([x, y]);
    const atlas = content.samples.pictures;
    const factor = (side - 4) / Math.max(atlas.width, atlas.height);
    const [width, height] = [atlas.width * factor, atlas.height * factor];
    context.globalAlpha = isSelected(sample) ? 1 : 0.15;
    drawTile(context, atlas, sample, x - width / 2, y - height / 2, width, height);
    context.strokeStyle = mark(categories[sample]).colour;
    context.lineWidth = 2;
    context.strokeRect(x - width / 2, y - height / 2, width, height);
  }
  context.globalAlpha = 1;
}

function ring(context, [x, y], radius, thick) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--ink');
  context.lineWidth = thick;
  context.stroke();
}

function drawBrush(context, [x0, y0, x1, y1]) {
  context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent');
  context.setLineDash([4, 3]);
  context.strokeRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
  context.setLineDash([]);
}

function at(view, event) {
  const box = view.canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** The sample nearest to a place, within some pixels. */
function sampleAt(view, [x, y], reach = 14) {
  let best = null;
  let least = reach * reach;
  view.points.forEach(([a, b], sample) => {
    const distance = (a - x) ** 2 + (b - y) ** 2;
    if (distance < least && isSelected(sample)) [best, least] = [sample, distance];
  });
  return best;
}

function startDrag(view, event) {
  // A finger scrolls; it selects by tapping.
  view.drag = { from: at(view, event), box: null, brush: event.pointerType !== 'touch' };
  if (view.drag.brush) view.canvas.setPointerCapture(event.pointerId);
}

function moveDrag(view, event) {
  const [x, y] = at(view, event);
  const { drag } = view;
  if (drag?.brush && Math.hypot(x - drag.from[0], y - drag.from[1]) > 5) {
    drag.box = [...drag.from, x, y];
    hideTooltip();
    drawMap(view);
    return;
  }
  const sample = sampleAt(view, [x, y]);
  if (sample === null) hideTooltip();
  else sampleTooltip(event, sample);
  change({ hover: sample });
}

function endDrag(view, event) {
  const { drag } = view;
  view.drag = null;
  if (!drag) return;
  if (!drag.box) {
    const sample = sampleAt(view, at(view, event), event.pointerType === 'touch' ? 24 : 14);
    if (sample === null) clearSelection();
    else look(sample);
    return;
  }
  const [x0, y0, x1, y1] = drag.box;
  const within = (value, a, b) => value >= Math.min(a, b) && value <= Math.max(a, b);
  const inside = (sample) =>
    within(view.points[sample][0], x0, x1) && within(view.points[sample][1], y0, y1);
  select(`a part of the map of ${layerName(view.layer)}`, inside, event.shiftKey);
}

/** Arrows go to the nearest sample in their direction. */
function moveByKey(view, event) {
  const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
    event.key
  ];
  if (event.key === 'Enter') look(state.sample);
  if (!direction) return;
  event.preventDefault();
  const [x, y] = view.points[state.sample];
  let best = null;
  let least = Infinity;
  view.points.forEach(([a, b], sample) => {
    const ahead = (a - x) * direction[0] + (b - y) * direction[1];
    const aside = Math.abs((a - x) * direction[1]) + Math.abs((b - y) * direction[0]);
    const distance = ahead + 2 * aside;
    if (ahead > 0.5 && isSelected(sample) && distance < least) [best, least] = [sample, distance];
  });
  if (best !== null) look(best);
}

/** What colours and shapes mean; a click selects. */
function legend(attribute) {
  const { classes, codes, name } = content.attributes[attribute];
  return legendOf(classes, 40, (code, narrow) =>
    select(`${name} ${classes[code]}`, (sample) => codes[sample] === code, narrow),
  );
}

function clusterLegend(layer) {
  const clustering = clusteringOf(layer);
  const names = clustering.clusters.map((_, cluster) => clusterName(clustering, cluster).title);
  return legendOf(names, 8, (cluster, narrow) => selectCluster(clustering, cluster, narrow));
}

function legendOf(names, most, choose) {
  const items = names.slice(0, most).map((text, code) =>
    el(
      'button',
      {
        type: 'button',
        aria: { label: `Select ${short(text, 60)}` },
        on: { click: (event) => choose(code, event.shiftKey) },
      },
      markIcon(code),
      foreign(short(text, 24)),
    ),
  );
  const rest =
    names.length > most
      ? el('span', { className: 'soft', textContent: `and ${names.length - most} more` })
      : null;
  const made = el('div', { className: 'legend' }, ...items, rest);
  arrows(made, 'button');
  return made;
}
