// The answer first: what data, what model, how good, and which attribute each layer predicts best.

function renderSummary() {
  const { words } = content;
  const facts = [
    ['Data', words.data],
    ['Model', words.model],
    ['Fit', words.quality],
  ];
  const list = el('dl', { className: 'facts' });
  for (const [term, text] of facts) {
    list.append(el('dt', { textContent: term }), el('dd', { textContent: text, dir: 'auto' }));
  }
  document
    .getElementById('summary')
    .replaceChildren(
      el('p', { className: 'headline', textContent: words.headline, dir: 'auto' }),
      el(
        'div',
        { className: 'answer' },
        el(
          'div',
          { className: 'said' },
          list,
          sentences(`What each ${noun} predicts best`, words.layers),
          words.topics.length ? sentences('The topics', words.topics) : null,
          words.parts.length ? sentences('The parts', words.parts) : null,
          notices(),
        ),
        el(
          'div',
          { className: 'said' },
          el('div', { id: 'table' }),
          words.attributes.length
            ? sentences('How well each attribute is predicted', words.attributes)
            : null,
          words.predictions.length
            ? sentences('What the model has learnt from labels', words.predictions)
            : null,
        ),
      ),
    );
}

function sentences(title, texts) {
  const items = texts.map((text) => el('li', { textContent: text, dir: 'auto' }));
  return el(
    'div',
    {},
    el('h3', { textContent: title }),
    el('ul', { className: 'plain' }, ...items),
  );
}

/** What is not all of it, and what a reader should know. */
function notices() {
  const { samples_total: total, judged, fit } = content;
  const texts = [...fit.notices];
  if (SAMPLES < total) {
    texts.push(
      `${count(SAMPLES)} of ${count(total)} samples are shown, drawn at random; maps, examples, ` +
        'neighbours and selections are of these.',
    );
  }
  if (judged < total) {
    texts.push(
      `Clusters, their sizes and all scores are of ${count(judged)} of ${count(total)} samples, drawn at random.`,
    );
  }
  if (!content.of_the_fit) {
    texts.push(
      'These are not the samples of the fit: their features come from projection onto the model.',
    );
  }
  const unused = content.attributes.filter((attribute) => !attribute.usable);
  if (unused.length) {
    const names = unused.map(
      (attribute) =>
        `${short(attribute.name, 30)} (${count(attribute.all_classes)} class${attribute.all_classes === 1 ? '' : 'es'})`,
    );
    texts.push(
      `Not evaluated: ${names.slice(0, 8).join(', ')}. Attributes need two to 200 classes, each of two samples or more on average.`,
    );
  }
  if (!texts.length) return null;
  const items = texts.map((text) => el('li', { textContent: text, dir: 'auto' }));
  return el(
    'details',
    { className: 'notes', open: judged < total || SAMPLES < total },
    el('summary', { textContent: `${counted(texts.length, 'note')}` }),
    el('ul', { className: 'plain' }, ...items),
  );
}

function renderFooter() {
  const text = `Made by ${content.made_by}. This page is one file: it loads nothing and sends nothing.`;
  document.getElementById('footer').replaceChildren(el('p', { textContent: text }));
}
