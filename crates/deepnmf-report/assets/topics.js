// Components of counts as topics: their words, their samples, and what they are made of.

const TOPICS_PER_PAGE = 24;
const topicsShown = content.layers.map(() => TOPICS_PER_PAGE);

function renderTopics() {
  const section = document.getElementById('topics');
  const layers = content.layers.flatMap(({ topics }, layer) => (topics ? [layer] : []));
  section.hidden = !layers.length;
  document.querySelector('nav a[href="#topics"]').hidden = section.hidden;
  if (section.hidden) return;
  section.replaceChildren(
    heading(
      'Topics',
      'Each card is a component, the one with the largest share first. Left its features of largest weight, right those that are often in it and seldom elsewhere (how much of each is in this topic). Coherence is how often its top features come together: 1 always, 0 by chance, -1 never (NPMI). Click a card to select the samples that are mostly made of it, a name to look at a sample.',
    ),
    ...layers.map(topicsOf),
  );
}

function topicsOf(layer) {
  const { topics, coherence, distinctness } = content.layers[layer].topics;
  const facts = [
    counted(content.layers[layer].components, 'topic'),
    coherence === null ? null : `mean coherence ${coherence.toFixed(2)}`,
    `${percent(distinctness)} of the top features stand in one topic alone`,
  ];
  const grid = el(
    'div',
    { className: 'topics' },
    ...topics.slice(0, topicsShown[layer]).map((topic) => topicCard(layer, topic)),
  );
  const more = topics.length - topicsShown[layer];
  const made = el(
    'div',
    { className: 'basis' },
    el(
      'h3',
      {},
      layerName(layer),
      el('span', {
        className: 'soft',
        textContent: `: ${facts.filter((fact) => fact).join(', ')}`,
      }),
    ),
    grid,
    more > 0
      ? el('button', {
          type: 'button',
          textContent: `Show ${counted(more, 'more topic')}`,
          on: {
            click: () => {
              topicsShown[layer] = topics.length;
              renderTopics();
            },
          },
        })
      : null,
  );
  return made;
}

function topicCard(layer, topic) {
  const { component, share, top, own, coherence, samples, below } = topic;
  const name = `${layerName(layer)}, topic ${component + 1}`;
  const about = [
    `share ${percent(share)}`,
    coherence === null ? null : `coherence ${coherence.toFixed(2)}`,
  ];
  const head = el(
    'button',
    {
      type: 'button',
      className: 'topic-head',
      aria: { label: `${name}: ${topicTitle(topic, 5)}` },
      on: { click: (event) => selectTopic(layer, component, event.shiftKey) },
    },
    el('b', { textContent: `Topic ${component + 1}` }),
    el('span', { className: 'soft', textContent: about.filter((fact) => fact).join(', ') }),
  );
  explain(head, () => [line(name), line('Click to select the samples mostly made of it', 'soft')]);
  return el(
    'div',
    { className: 'topic' },
    head,
    el(
      'div',
      { className: 'words' },
      wordList(top, Math.max(top[0]?.[1] ?? 0, 1e-12), 'of the topic'),
      wordList(own, 1, 'of all its uses are in this topic'),
    ),
    below.length ? topicsBelow(layer, below) : null,
    samples.length ? topicSamples(samples) : null,
  );
}

/** Words with a bar each. */
function wordList(words, most, of) {
  return el(
    'ol',
    { className: 'word-list' },
    ...words.map(([feature, weight]) => {
      const bar = el('span', { className: 'bar' });
      bar.style.width = `${(100 * weight) / most}%`;
      return el(
        'li',
        { title: `${short(featureName(feature), 80)}: ${percent(weight)} ${of}` },
        foreign(short(featureName(feature), 24)),
        el('span', { className: 'track' }, bar),
      );
    }),
  );
}

/** The topics of the layer below that a topic is made of. */
function topicsBelow(layer, below) {
  const under = content.layers[layer - 1].topics?.topics ?? [];
  const parts = below.map(([component, share]) => {
    const topic = under.find((each) => each.component === component);
    const words = topic ? ` ${short(topicTitle(topic, 3), 48)}` : '';
    return el(
      'button',
      {
        type: 'button',
        className: 'chip',
        on: { click: (event) => selectTopic(layer - 1, component, event.shiftKey) },
      },
      el('b', { textContent: percent(share) }),
      foreign(words),
    );
  });
  return el(
    'p',
    { className: 'made-of' },
    el('span', { className: 'soft', textContent: `Made of topics of layer ${layer}: ` }),
    ...parts,
  );
}

function topicSamples(samples) {
  const names = samples.map(([sample, share]) =>
    el(
      'button',
      {
        type: 'button',
        className: 'chip',
        title: `${percent(share)} of this sample is this topic`,
        on: { click: () => change({ sample }) },
      },
      foreign(short(sampleName(sample), 28)),
      el('span', { className: 'soft', textContent: ` ${percent(share)}` }),
    ),
  );
  return el(
    'p',
    { className: 'made-of' },
    el('span', { className: 'soft', textContent: 'Samples: ' }),
    ...names,
  );
}

/** Selects the samples of which a topic is the largest. */
function selectTopic(layer, component, narrow) {
  const found = content.clusterings.find((each) => each.layer === layer && each.as_found);
  const uses = found
    ? (sample) => found.labels[sample] === component
    : (sample) => content.layers[layer].likeness.parts[sample][0]?.[0] === component;
  select(`${layerName(layer)}, topic ${component + 1}`, uses, narrow);
}
