// Classes against clusters: agreement stands on the diagonal.

const cursor = { row: 0, column: 0 };

function renderAgreement() {
  const section = document.getElementById('agreement');
  if (state.cell === null) {
    section.replaceChildren();
    section.hidden = true;
    return;
  }
  const cell = content.cells[state.cell];
  const clustering = content.clusterings.find(
    (found) => found.layer === cell.layer && found.attribute === cell.attribute,
  );
  const layers = content.layers.map((_, layer) => [layer, layerName(layer)]);
  const attributes = judgedAttributes.map((attribute) => [
    attribute,
    content.attributes[attribute].name,
  ]);
  const go = (layer, attribute) => change({ cell: cellPlace(layer, attribute) });
  section.replaceChildren(
    heading(
      'Where classes and clusters agree',
      'A row is a class, a column a cluster, paired as well as they can be: what stands off the diagonal is confused. Click a square to select its samples.',
    ),
    el(
      'div',
      { className: 'controls' },
      chooser(areParts ? 'Part' : 'Layer', layers, cell.layer, (layer) => go(layer, cell.attribute)),
      chooser('Attribute', attributes, cell.attribute, (attribute) => go(cell.layer, attribute)),
      el('span', { className: 'soft', textContent: scoreText(cell) }),
    ),
    el('div', { className: 'scroll' }, confusionDrawing(clustering)),
  );
}

function scoreText(cell) {
  const parts = MEASURES.filter(([key]) => cell[key]).map(
    ([key, name]) => `${name} ${percent(cell[key].value)} (chance ${percent(cell[key].chance)})`,
  );
  return parts.join(', ');
}

function confusionDrawing(clustering) {
  const { attribute, confusion, clusters } = clustering;
  const { classes } = content.attributes[attribute];
  const side = Math.max(
    9,
    Math.min(46, Math.floor(640 / Math.max(classes.length, clusters.length))),
  );
  const named = side >= 12;
  const [left, top] = [named ? 170 : 34, 24];
  const width = left + clusters.length * side + 10;
  const height = top + classes.length * side + 10;
  const drawing = svg('svg', {
    class: 'confusion',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    tabindex: 0,
    role: 'application',
    'aria-label': 'Classes by clusters: arrows move from square to square, Enter selects',
  });
  const totals = classes.map(() => 0);
  confusion.forEach(([row, , size]) => {
    totals[row] += size;
  });
  drawing.append(
    svg('rect', {
      x: left,
      y: top,
      width: clusters.length * side,
      height: classes.length * side,
      class: 'ground',
    }),
  );
  if (named)
    classes.forEach((text, row) =>
      drawing.append(rowLabel(short(text, 20), left - 6, top + (row + 0.7) * side, side)),
    );
  const caption = svg('text', { x: left, y: 15, class: 'soft' });
  caption.textContent = `clusters 1 to ${clusters.length} →`;
  drawing.append(caption);
  for (const [row, column, size] of confusion) {
    const square = svg('rect', {
      x: left + column * side + 0.5,
      y: top + row * side + 0.5,
      width: side - 1,
      height: side - 1,
      class: 'square',
    });
    square.style.fill = amountColours(size / totals[row]).background;
    square.addEventListener('click', (event) =>
      selectSquare(clustering, row, column, event.shiftKey),
    );
    explain(square, () => squareLines(clustering, row, column, size, totals[row]));
    drawing.append(square);
    if (side >= 26)
      drawing.append(
        squareText(size, totals[row], left + (column + 0.5) * side, top + (row + 0.5) * side),
      );
  }
  addCursor(drawing, clustering, { left, top, side, totals });
  return drawing;
}

function rowLabel(text, x, y, side) {
  const label = svg('text', {
    x,
    y,
    'text-anchor': 'end',
    class: 'foreign',
    'font-size': Math.min(13, side - 1),
  });
  label.textContent = text;
  return label;
}

function squareText(size, total, x, y) {
  const text = svg('text', { x, y: y + 4, 'text-anchor': 'middle', class: 'number' });
  text.textContent = size;
  text.style.fill = amountColours(size / total).text;
  return text;
}

function squareLines(clustering, row, column, size, total) {
  const { attribute } = clustering;
  return [
    line(
      `${short(content.attributes[attribute].name, 24)} ${short(className(attribute, row), 40)}, cluster ${column + 1}`,
    ),
    line(`${counted(size, 'sample')}, ${percent(size / total)} of the class`, 'soft'),
  ];
}

function selectSquare(clustering, row, column, narrow) {
  const { attribute, labels } = clustering;
  const { codes, name } = content.attributes[attribute];
  select(
    `${name} ${className(attribute, row)} in ${layerName(clustering.layer)}, cluster ${column + 1}`,
    (sample) => codes[sample] === row && labels[sample] === column,
    narrow,
  );
}

/** A square that arrows move. */
function addCursor(drawing, clustering, { left, top, side, totals }) {
  const rows = content.attributes[clustering.attribute].classes.length;
  const columns = clustering.clusters.length;
  const frame = svg('rect', { width: side, height: side, class: 'cursor' });
  const put = () => {
    cursor.row = Math.min(cursor.row, rows - 1);
    cursor.column = Math.min(cursor.column, columns - 1);
    frame.setAttribute('x', left + cursor.column * side);
    frame.setAttribute('y', top + cursor.row * side);
  };
  drawing.addEventListener('keydown', (event) => {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[
      event.key
    ];
    if (event.key === 'Enter') selectSquare(clustering, cursor.row, cursor.column, event.shiftKey);
    if (!move) return;
    event.preventDefault();
    cursor.row = (cursor.row + move[0] + rows) % rows;
    cursor.column = (cursor.column + move[1] + columns) % columns;
    put();
    const found = clustering.confusion.find(
      ([row, column]) => row === cursor.row && column === cursor.column,
    );
    say(
      squareLines(clustering, cursor.row, cursor.column, found?.[2] ?? 0, totals[cursor.row] || 1)
        .map((made) => made.textContent)
        .join(': '),
    );
  });
  put();
  drawing.append(frame);
}
