// Clock, temperature and power of the device while a case was measured, visit by visit.

const kPanelHigh = 40, kPanelGap = 14;

// [{name, unit, decimals, values: one list for each visit}…] of the known quantities.
function condition_tracks(visits) {
  const tracks = [
    {name: 'SM clock', unit: 'MHz', values: visits.map((visit) => visit[5].filter((clock) => clock !== null))},
    {name: 'temperature', unit: '°C', values: visits.map((visit) => (visit[2] === null ? [] : [visit[2]]))},
    {name: 'power', unit: 'W', values: visits.map((visit) => (visit[3] === null ? [] : [visit[3]]))},
  ];
  return tracks.filter((track) => track.values.some((values) => values.length > 0));
}

function extent_text({name, unit, values}) {
  const all = values.flat(), low = Math.min(...all), high = Math.max(...all);
  return `${name} ${low === high ? high : `${low} to ${high}`}\u00A0${unit}`;
}

// Positions of visits: side by side, blocks from left to right, a wider gap between the sides.
function visit_places(visits, box) {
  const gap = 6, wide = 16;
  const gaps = visits.slice(1).map((visit, i) => (visit[0] === visits[i][0] ? gap : wide));
  const each = (box.right - box.left - gaps.reduce((sum, value) => sum + value, 0)) / visits.length;
  let from = box.left;
  return visits.map((visit, i) => {
    const place = {from, to: from + each};
    from += each + (gaps[i] || 0);
    return place;
  });
}

function draw_track(svg, box, top, track, visits, tone) {
  const all = track.values.flat();
  const low = Math.min(...all), high = Math.max(...all), room = Math.max(0.1 * (high - low), 0.002 * Math.abs(high));
  const y = make_axis(low - room, high + room, top + kPanelHigh, top).at;
  svg.append(svg_element('path', {class: 'grid', d: `M${box.left} ${top + kPanelHigh}H${box.right}`}),
             svg_element('text', {x: box.left - 8, y: top + 12, 'text-anchor': 'end'}, track.name),
             svg_element('text', {x: box.left - 8, y: top + 28, 'text-anchor': 'end'}, `${high}\u00A0${track.unit}`));
  visit_places(visits, box).forEach(({from, to}, v) => {
    const values = track.values[v], x = (i) => from + (to - from) * (i + 0.5) / values.length;
    if (values.length === 0) return;
    const d = values.length > 1 ? line_of(values.map((value, i) => [x(i), y(value)])) : `M${from} ${y(values[0])}H${to}`;
    svg.append(svg_element('path', {class: 'line ' + (visits[v][0] === 0 ? 'base' : tone), d}));
  });
}

function visit_side(side) {
  return side_name(side === 0 ? 'baseline' : 'candidate');
}

function conditions_table(visits) {
  const {throttles} = data_of('detail');
  const text = (value) => (value === null ? '–' : String(value));
  return folded_table(['side', '#round', '#lowest clock (MHz)', '#highest', '#temperature (°C)', '#power (W)', 'throttled'],
    visits.map(([side, round, temperature, power, throttle, clocks]) => {
      const known = clocks.filter((clock) => clock !== null);
      return [visit_side(side), String(round), known.length ? String(Math.min(...known)) : '–',
              known.length ? String(Math.max(...known)) : '–', text(temperature), text(power), throttles[throttle] || '–'];
    }));
}

function conditions_part(row, visits) {
  if (visits === null) return null;
  const tracks = condition_tracks(visits);
  if (tracks.length === 0) return null;
  const title = tracks.map(extent_text).join(', ');
  const height = tracks.length * (kPanelHigh + kPanelGap) + 32;
  const chart = fitted_chart(height, title, (svg, box) => {
    tracks.forEach((track, i) => draw_track(svg, box, box.top + i * (kPanelHigh + kPanelGap), track, visits, tone_of(row)));
    const places = visit_places(visits, box);
    visits.forEach(([side], v) => {
      if (v === 0 || visits[v - 1][0] !== side)
        svg.append(svg_element('text', {x: places[v].from, y: height - 8, class: 'name'}, visit_side(side)));
    });
  });
  return element('div', {}, element('h2', {}, 'The device meanwhile: ' + title), chart,
    element('p', {class: 'small quiet'}, 'Visits in the order of time; the clock is of each block’s own launches, temperature and power are of the end of a visit.'),
    conditions_table(visits));
}
