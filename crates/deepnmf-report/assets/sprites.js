// Tiles cut from the atlases that the page carries.

const sheets = new Map();

/** Decodes an atlas once; signed ones are coloured again when the page turns light or dark. */
async function loadSheet(atlas) {
  const image = new Image();
  image.src = `data:image/png;base64,${atlas.png}`;
  await image.decode();
  sheets.set(atlas, { grey: image, drawn: image });
}

function allAtlases() {
  const { pictures, seen } = content.samples;
  const layers = content.layers.flatMap((layer) => [layer.basis.tiles, layer.likeness.rebuilt]);
  const means = content.clusterings.map((clustering) => clustering.means);
  const swaps = content.swaps.map((swap) => swap.tiles);
  return [pictures, seen, ...layers, ...means, ...swaps].filter(Boolean);
}

async function loadSheets() {
  await Promise.all(allAtlases().map(loadSheet));
  colourSheets();
}

function colourSheets() {
  const table = signedTable();
  for (const [atlas, sheet] of sheets) {
    if (atlas.signed) sheet.drawn = coloured(sheet.grey, table);
  }
}

function coloured(grey, table) {
  const canvas = el('canvas', { width: grey.naturalWidth, height: grey.naturalHeight });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(grey, 0, 0);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < pixels.data.length; i += 4) {
    const colour = table[pixels.data[i]];
    [pixels.data[i], pixels.data[i + 1], pixels.data[i + 2]] = colour;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

/** Draws a tile into a rectangle of a canvas. */
function drawTile(context, atlas, index, x, y, width, height) {
  const left = (index % atlas.columns) * atlas.width;
  const top = Math.floor(index / atlas.columns) * atlas.height;
  // Tiny pictures are clearer as squares, others as if they were photographs.
  context.imageSmoothingEnabled = atlas.width > 16;
  context.imageSmoothingQuality = 'high';
  context.drawImage(
    sheets.get(atlas).drawn,
    left,
    top,
    atlas.width,
    atlas.height,
    x,
    y,
    width,
    height,
  );
}

/** A picture of a tile, `side` pixels on its longer side. */
function tile(atlas, index, side, label) {
  const factor = side / Math.max(atlas.width, atlas.height);
  const [width, height] = [atlas.width * factor, atlas.height * factor];
  const canvas = el('canvas', {
    className: 'tile',
    width: Math.round(2 * width),
    height: Math.round(2 * height),
    attributes: { role: 'img' },
    aria: { label: short(label, 120) },
  });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  drawTile(canvas.getContext('2d'), atlas, index, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** A sample that can be clicked: its picture, or its name where it has none. */
function sampleButton(sample, side) {
  const { pictures } = content.samples;
  const name = sampleName(sample);
  const face = pictures ? tile(pictures, sample, side, name) : foreign(short(name, 24));
  return el(
    'button',
    {
      type: 'button',
      className: pictures ? 'sample pictured' : 'sample',
      title: short(name, 120),
      data: { sample },
      aria: { label: `Look at ${short(name, 80)}` },
      on: {
        click: (event) => {
          event.stopPropagation();
          look(sample);
        },
        pointerenter: () => change({ hover: sample }),
        pointerleave: () => change({ hover: null }),
      },
    },
    face,
  );
}
