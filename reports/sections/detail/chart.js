// Small pictures below the samples of a case: a frame with axes, drawn again if its size changes.

const kAxisRoom = 104;  // left of the frame, for `100 TFLOP/s`

// `draw(svg, box)` fills an SVG as wide as its place; `label` says what it shows.
function fitted_chart(height, label, draw) {
  const place = element('div', {class: 'chart drawn', role: 'img', 'aria-label': label});
  let width = 0;
  new ResizeObserver(() => {
    if (place.clientWidth === width || place.clientWidth === 0) return;
    width = place.clientWidth;
    const svg = svg_element('svg', {width, height, 'aria-hidden': 'true'});
    draw(svg, {left: kAxisRoom, right: width - 12, top: 8, bottom: height - 24});
    place.replaceChildren(svg);
  }).observe(place);
  return place;
}

function line_of(points) {
  return points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}

// The name of a side on the page: a run alone is not called a candidate.
function side_name(side) {
  return side === 'candidate' && !data_of('cases').compared ? 'this run' : side;
}

// The legend of the sides: never by colour alone.
function sides_key(sides, tone) {
  return element('p', {class: 'small quiet key'}, sides.map((side) =>
    element('span', {class: side === 'baseline' ? 'base' : tone}, (side === 'baseline' ? '┄ ' : '━ ') + side_name(side) + ' ')));
}

function tone_of(row) {
  return ['slower', 'faster', 'unresolved', 'broken'].includes(row.label[2]) ? row.label[2] : 'same';
}
