// One part exchanged: clusters of the first part with those of another.

function renderSwaps() {
  const section = document.getElementById('swaps');
  section.hidden = !content.swaps.length;
  if (section.hidden) return;
  section.replaceChildren(
    heading(
      'One part exchanged',
      'Each row is a cluster of part 1, each column a cluster of another part; a picture is the sum of both. Along a row one part stays and the other changes. Pictures that no sample shows are among them.',
    ),
    ...content.swaps.map(swapTable),
  );
}

function swapTable({ part, rows, columns, tiles }) {
  const found = [0, part].map((layer) =>
    content.clusterings.find((each) => each.layer === layer && each.attribute === null),
  );
  const name = (place, cluster) => short(clusterName(found[place], cluster).title, 24);
  const head = el(
    'tr',
    {},
    el('td', {}),
    ...columns.map((column) =>
      el('th', { attributes: { scope: 'col' } }, foreign(name(1, column))),
    ),
  );
  const body = rows.map((row, i) =>
    el(
      'tr',
      {},
      el('th', { attributes: { scope: 'row' } }, foreign(name(0, row))),
      ...columns.map((column, j) =>
        el(
          'td',
          {},
          tile(tiles, i * columns.length + j, 64, `${name(0, row)} with ${name(1, column)}`),
        ),
      ),
    ),
  );
  return el(
    'div',
    { className: 'swaps' },
    el('h3', { textContent: `Part 1 with part ${part + 1}` }),
    el('table', {}, head, ...body),
  );
}
