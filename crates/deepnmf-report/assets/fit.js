// How the fit went: the error over the iterations, the bound, and every setting.

function renderFit() {
  const { fit, model } = content;
  const main = fit.curves.find((curve) => curve.main) ?? fit.curves.at(-1);
  const numbers = [
    ['Error', `${decimal(fit.error)}, ${percent3(fit.relative_error)} of ${fit.relative_to}`],
    [
      'SVD bound',
      fit.bound === null
        ? 'not computed'
        : `${decimal(fit.bound)}, the least of any linear model of this size`,
    ],
    [
      'Gap',
      fit.gap === null
        ? 'unknown'
        : `${percent3(Math.abs(fit.gap))} ${fit.gap < -1e-9 ? 'below' : 'above'} the bound`,
    ],
    ['Main loop', `${counted(fit.iterations, 'iteration')}; ${fit.stop}`],
    ['Time', `${decimal(fit.seconds)} s for ${counted(fit.samples, 'sample')}`],
    ['Preprocessing', model.preprocessing],
    ['Features scaled', `${content.scale} (for clusters, maps and classifiers)`],
  ];
  if (model.learnt.length)
    numbers.push(['Labels learnt from', model.learnt.map((name) => name ?? 'none').join(', ')]);
  document
    .getElementById('fit')
    .replaceChildren(
      heading('The fit', 'How the error fell, and every setting of the model.'),
      el(
        'div',
        { className: 'fit' },
        main ? curveFigure(main) : null,
        definitions(numbers),
        model.choice ? choiceFigure(model.choice) : null,
        el('details', {}, el('summary', { textContent: 'All loops of the fit' }), loopTable()),
        el(
          'details',
          {},
          el('summary', { textContent: 'All settings' }),
          definitions(model.settings),
        ),
      ),
    );
}

/** Why the model has as many components as it has. */
function choiceFigure(choice) {
  const why = choice.reasons.join(' ');
  return el(
    'details',
    { open: true },
    el('summary', { textContent: 'How many components' }),
    el('p', { textContent: why }),
    el('img', { className: 'choice', src: choice.picture, alt: `Curves. ${why}` }),
  );
}

function percent3(share) {
  const tiny = share > 0 && share < 1e-6;
  return tiny ? 'less than 0.0001%' : `${Number((100 * share).toPrecision(3))}%`;
}

function definitions(pairs) {
  const rows = pairs.map(([name, value]) =>
    el(
      'tr',
      {},
      el('th', { attributes: { scope: 'row' } }, foreign(short(name, 60))),
      el('td', {}, foreign(short(value, 200))),
    ),
  );
  return el('table', { className: 'pairs' }, ...rows);
}

function loopTable() {
  const rows = content.fit.curves.map((curve) =>
    el(
      'tr',
      {},
      el('th', { textContent: curve.name, attributes: { scope: 'row' } }),
      el('td', { textContent: counted(curve.iterations.at(-1) ?? 0, 'iteration') }),
      el('td', {
        textContent: `${decimal(curve.errors[0] ?? 0)} → ${decimal(curve.errors.at(-1) ?? 0)}`,
      }),
      el('td', { textContent: `${decimal(curve.seconds)} s` }),
      el('td', { textContent: curve.stop }),
    ),
  );
  return el('table', { className: 'pairs' }, ...rows);
}

/** The errors of a loop, with the bound if it lies near. */
function curveFigure(curve) {
  const { bound } = content.fit;
  const [width, height, left, bottom] = [520, 220, 64, 30];
  const low = Math.min(...curve.errors, bound !== null && curve.main ? bound : Infinity);
  const high = Math.max(...curve.errors, low + Math.abs(low) * 1e-6, low + 1e-12);
  const last = Math.max(curve.iterations.at(-1) ?? 1, 1);
  const x = (iteration) => left + ((width - left - 12) * iteration) / last;
  const y = (error) => 14 + (height - bottom - 28) * (1 - (error - low) / (high - low));
  const drawing = svg('svg', {
    class: 'curve',
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': `Error of ${curve.name}: from ${decimal(curve.errors[0])} to ${decimal(curve.errors.at(-1))}`,
  });
  const text = (words, at, anchor = 'middle') => {
    const made = svg('text', { x: at[0], y: at[1], 'text-anchor': anchor });
    made.textContent = words;
    drawing.append(made);
  };
  for (const error of [low, (low + high) / 2, high]) {
    drawing.append(
      svg('line', { x1: left, x2: width - 12, y1: y(error), y2: y(error), class: 'grid' }),
    );
    text(Number(error.toPrecision(5)).toString(), [left - 6, y(error) + 4], 'end');
  }
  text('0', [x(0), height - 10]);
  text(`iteration ${count(last)}`, [x(last), height - 10], 'end');
  if (bound !== null && curve.main) {
    drawing.append(
      svg('line', { x1: left, x2: width - 12, y1: y(bound), y2: y(bound), class: 'bound' }),
    );
    text('SVD bound', [width - 14, y(bound) - 6], 'end');
  }
  const points = curve.errors.map((error, i) => `${x(curve.iterations[i])},${y(error)}`);
  drawing.append(svg('polyline', { points: points.join(' '), class: 'error' }));
  const dot = svg('circle', { r: 4, class: 'dot', cx: -10, cy: -10 });
  drawing.append(dot);
  drawing.addEventListener('pointermove', (event) => {
    const box = drawing.getBoundingClientRect();
    const wanted =
      ((((event.clientX - box.left) / box.width) * width - left) / (width - left - 12)) * last;
    const nearest = curve.iterations.reduce(
      (best, iteration, i) =>
        Math.abs(iteration - wanted) < Math.abs(curve.iterations[best] - wanted) ? i : best,
      0,
    );
    dot.setAttribute('cx', x(curve.iterations[nearest]));
    dot.setAttribute('cy', y(curve.errors[nearest]));
    showTooltip(
      event,
      line(`iteration ${count(curve.iterations[nearest])}`),
      line(`error ${Number(curve.errors[nearest].toPrecision(7))}`, 'soft'),
    );
  });
  drawing.addEventListener('pointerleave', hideTooltip);
  return el(
    'figure',
    {},
    el('figcaption', { className: 'soft', textContent: `Error during ${curve.name}` }),
    drawing,
  );
}
