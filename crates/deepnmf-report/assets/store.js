// What is chosen at the moment, and who wants to know when it changes.

const SAMPLES = content.samples.numbers.length;

const state = {
  /** The way in which all layers are clustered. */
  grouping: 0,
  /** What points are coloured by: 'cluster', or the place of an attribute. */
  colour: 'cluster',
  /** Which map is shown, and whether it is made of points or of pictures. */
  map: content.layers.some((layer) => layer.tsne) ? 'tsne' : 'principal',
  drawn: 'points',
  /** The measure of the table of layers and attributes. */
  measure: 'ac',
  /** The cell of that table that is looked at in detail. */
  cell: bestCell('ac'),
  /** The chosen samples: a mask over the shown ones, how many, and what they are. */
  selection: null,
  /** The sample that is looked at, and the one under the pointer. */
  sample: firstSample(),
  hover: null,
  theme: null,
};

const listeners = [];

/** Calls `listener` whenever one of these parts of the state changes. */
function onChange(parts, listener) {
  listeners.push({ parts, listener });
}

function change(patch) {
  const changed = Object.keys(patch).filter((part) => state[part] !== patch[part]);
  Object.assign(state, patch);
  for (const { parts, listener } of listeners) {
    if (parts.some((part) => changed.includes(part))) listener();
  }
}

/** Selects the samples for which `chosen` holds; with `narrow`, only those selected already. */
function select(caption, chosen, narrow = false) {
  const before = narrow ? state.selection : null;
  const mask = new Uint8Array(SAMPLES);
  let size = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    if (chosen(sample) && (!before || before.mask[sample])) {
      mask[sample] = 1;
      size += 1;
    }
  }
  const full = before ? `${before.caption} and ${caption}` : caption;
  // Whoever is looked at is one of them.
  const sample = size && !mask[state.sample] ? mask.indexOf(1) : state.sample;
  change({ selection: { mask, size, caption: full }, sample });
  say(`${counted(size, 'sample')} selected: ${short(full, 120)}`);
}

function clearSelection() {
  if (!state.selection) return;
  change({ selection: null });
  say('Nothing is selected');
}

const isSelected = (sample) => !state.selection || state.selection.mask[sample] === 1;
const grouping = () => content.groupings[state.grouping];
const clusteringOf = (layer) => content.clusterings[grouping().clusterings[layer]];

/** The share of the way from the chance level to 1 that a measure has reached. */
function lift(measure) {
  if (!measure) return 0;
  const open = 1 - measure.chance;
  return open > 1e-6 ? Math.max(0, (measure.value - measure.chance) / open) : 0;
}

function bestCell(measure) {
  let best = null;
  content.cells.forEach((cell, place) => {
    if (best === null || lift(cell[measure]) > lift(content.cells[best][measure])) best = place;
  });
  return best;
}

/** The sample shown at first: the best example of the top layer's first cluster. */
function firstSample() {
  const top = content.clusterings[content.groupings[0].clusterings.at(-1)];
  return top.clusters.find((cluster) => cluster.examples.length)?.examples[0] ?? 0;
}
