// Colours that people with any kind of colour vision can tell apart, for light and dark pages.

/** Okabe and Ito's colours; yellow a little darker, so that it stands out from white. */
const CATEGORIES = [
  '#e69f00',
  '#56b4e9',
  '#009e73',
  '#d55e00',
  '#0072b2',
  '#cc79a7',
  '#d6c300',
  '#8c8c8c',
];
const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'cross', 'ring'];
const UNKNOWN = '#9aa0a6';

const RAMPS = {
  light: {
    amount: ['#f2f5f9', '#c6dbef', '#6baed6', '#2171b5', '#08306b'],
    signed: ['#08519c', '#6aaed6', '#f7f7f7', '#f3a55f', '#a63603'],
  },
  dark: {
    amount: ['#20262d', '#204363', '#2a70a6', '#5da9de', '#d2eaff'],
    signed: ['#8cc8ff', '#2f6ea8', '#15181c', '#b35f16', '#ffc083'],
  },
};

const isDark = () => document.documentElement.dataset.theme === 'dark';
const ramp = (name) => RAMPS[isDark() ? 'dark' : 'light'][name];

function channels(hex) {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

/** The colour `share` (0 to 1) of the way along some stops, as three numbers. */
function along(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  const [from, to] = [channels(stops[index]), channels(stops[index + 1])];
  return from.map((value, i) => Math.round(value + (to[i] - value) * (place - index)));
}

/** Background and text colour for an amount between 0 and 1. */
function amountColours(share) {
  const [r, g, b] = along(ramp('amount'), share);
  const bright = 0.299 * r + 0.587 * g + 0.114 * b > 140;
  return { background: `rgb(${r}, ${g}, ${b})`, text: bright ? '#10151a' : '#ffffff' };
}

/** 256 colours for signed tiles, whose level 128 is zero. */
function signedTable() {
  return Array.from({ length: 256 }, (_, level) => along(ramp('signed'), level / 255));
}

/** The colour and the shape of a category; unknown ones are hollow and grey. */
function mark(category) {
  if (category < 0) return { colour: UNKNOWN, shape: 'ring' };
  const shape = SHAPES[Math.floor(category / CATEGORIES.length) % SHAPES.length];
  return { colour: CATEGORIES[category % CATEGORIES.length], shape };
}

/** Adds a mark around a point to the current path of a canvas. */
function tracePath(context, shape, x, y, size) {
  context.beginPath();
  if (shape === 'square') {
    context.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
  } else if (shape === 'triangle') {
    context.moveTo(x, y - size * 1.2);
    context.lineTo(x + size * 1.1, y + size * 0.8);
    context.lineTo(x - size * 1.1, y + size * 0.8);
    context.closePath();
  } else if (shape === 'diamond') {
    context.moveTo(x, y - size * 1.3);
    context.lineTo(x + size * 1.3, y);
    context.lineTo(x, y + size * 1.3);
    context.lineTo(x - size * 1.3, y);
    context.closePath();
  } else if (shape === 'cross') {
    const arm = size * 0.42;
    context.rect(x - size * 1.2, y - arm, size * 2.4, arm * 2);
    context.rect(x - arm, y - size * 1.2, arm * 2, size * 2.4);
  } else {
    context.arc(x, y, size, 0, 2 * Math.PI);
  }
}

/** A small drawing of a mark, for legends. */
function markIcon(category) {
  const { colour, shape } = mark(category);
  const ratio = 2;
  const icon = el('canvas', {
    className: 'mark',
    width: 14 * ratio,
    height: 14 * ratio,
    aria: { hidden: 'true' },
  });
  const context = icon.getContext('2d');
  context.scale(ratio, ratio);
  drawMark(context, shape, colour, 7, 7, 4.2);
  return icon;
}

function drawMark(context, shape, colour, x, y, size) {
  tracePath(context, shape, x, y, size);
  if (shape === 'ring') {
    context.strokeStyle = colour;
    context.lineWidth = Math.max(1, size * 0.5);
    context.stroke();
  } else {
    context.fillStyle = colour;
    context.fill();
  }
}
