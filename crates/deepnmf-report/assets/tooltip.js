// One box that follows the pointer.

const tooltip = document.getElementById('tooltip');

function showTooltip(event, ...lines) {
  tooltip.replaceChildren(...lines.filter(Boolean));
  tooltip.hidden = false;
  const box = tooltip.getBoundingClientRect();
  const beside =
    event.clientX + 16 + box.width > innerWidth
      ? event.clientX - 12 - box.width
      : event.clientX + 16;
  const below =
    event.clientY + 16 + box.height > innerHeight
      ? event.clientY - 12 - box.height
      : event.clientY + 16;
  tooltip.style.left = `${Math.max(4, beside)}px`;
  tooltip.style.top = `${Math.max(4, below)}px`;
}

function hideTooltip() {
  tooltip.hidden = true;
}

function line(text, className = '') {
  return el('div', { textContent: text, className, dir: 'auto' });
}

/** All labels of a sample. */
function labelLines(sample) {
  return content.attributes.map((attribute, place) =>
    line(
      `${short(attribute.name, 30)}: ${short(className(place, attribute.codes[sample]), 60)}`,
      'soft',
    ),
  );
}

function sampleTooltip(event, sample) {
  const { pictures } = content.samples;
  const name = sampleName(sample);
  showTooltip(
    event,
    pictures && tile(pictures, sample, 72, name),
    line(short(name, 60)),
    ...labelLines(sample),
  );
}

/** Shows a tooltip made by `lines()` while the pointer is over an element. */
function explain(element, lines) {
  element.addEventListener('pointermove', (event) => showTooltip(event, ...lines()));
  element.addEventListener('pointerleave', hideTooltip);
}
