// Price against speed, drawn again for another set of cases or devices, as in
// reports/devices/prices.cpp.

const kPrices = {wide: 640, left: 48, top: 12, bottom: 256, line: 14, marks: 6, letter: 6.5, beside: 5, above: 7, below: 15};

// Of {x, y}: points for which no other is as cheap and as fast, cheapest first.
function price_frontier(points) {
  const sorted = [...points].sort((a, b) => a.x - b.x || b.y - a.y);
  return sorted.filter((point, i) => sorted.slice(0, i).every((cheaper) => cheaper.y < point.y));
}

// Keeps names off the frontier, which rises to the right: names are below and right of their points, or above
// and left without room. A name that would cover another moves on.
function price_names(points, x, y) {
  const taken = [], {letter, beside, above, below} = kPrices;
  return points.map((point) => {
    const at = x.at(point.x), wide = letter * new TextEncoder().encode(point.name).length, is_left = at + beside + wide > kPrices.wide;
    const left = is_left ? at - beside - wide : at + beside, right = is_left ? at - beside : at + beside + wide;
    let down = y.at(point.y) + (is_left ? -above : below);
    while (taken.some((other) => other.left < right && left < other.right && Math.abs(other.down - down) < kPrices.line)) down += is_left ? -1 : 1;
    taken.push({left, right, down});
    return svg_element('text', {class: 'name', x: is_left ? right : left, y: down, 'text-anchor': is_left ? 'end' : 'start'}, point.name);
  });
}

// points: {name, x, y, price}; x: price per hour, y: mean ratio, price: as text.
function show_prices(points) {
  const svg = document.querySelector('svg.scatter');
  if (!svg) return;
  const {wide, left, top, bottom, marks} = kPrices, high = (of) => 1.1 * Math.max(1e-9, ...points.map(of));
  const x = make_axis(0, high((point) => point.x), left, wide - 16), y = make_axis(0, high((point) => point.y), bottom, top);
  const frontier = price_frontier(points), place = (point) => `${x.at(point.x).toFixed(1)} ${y.at(point.y).toFixed(1)}`;
  set_path(svg, 'grid', y.ticks(marks).map((mark) => `M${left} ${y.at(mark).toFixed(1)}H${wide - 16}`).join(''));
  set_path(svg, 'frontier', frontier.map((point, i) => (i ? 'L' : 'M') + place(point)).join(''));
  set_path(svg, 'dots faster', points.map((point) => `M${place(point)}h0`).join(''));
  for (const text of svg.querySelectorAll('text')) text.remove();
  const told = (mark) => String(Number(mark.toPrecision(6)));
  const text = (across, down, anchor, words) => svg_element('text', {x: across, y: down, 'text-anchor': anchor}, words);
  svg.append(...x.ticks(marks).map((mark) => text(x.at(mark), bottom + 18, 'middle', told(mark))),
             ...y.ticks(marks).map((mark) => text(left - 6, y.at(mark) + 4, 'end', '×' + told(mark))),
             text(wide - 16, bottom + 36, 'end', svg.dataset.currency ? svg.dataset.currency + ' an hour' : 'price of an hour'),
             ...price_names(points, x, y));
  document.querySelector('.frontier-names').textContent =
    frontier.map(({name, price, y: mean}) => `${name} (${price}, ${ratio_text(mean)})`).join(', ');
}
