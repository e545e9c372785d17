// The distribution of a case's samples, and the change of each decile.

const kMostSteps = 400;  // in the line of a distribution

// {baseline: sorted values, candidate: …}: samples, or the medians of blocks if samples are reduced.
function values_by_side({level, blocks}) {
  const sides = {};
  for (const block of blocks) {
    const values = level === kAll ? block.values : [summary_of(block, level)[1]];
    (sides[block.side] ||= []).push(...values);
  }
  for (const values of Object.values(sides)) values.sort((a, b) => a - b);
  return sides;
}

function distribution_chart(row, samples) {
  const sides = values_by_side(samples);
  const [low, high] = range_of_points(Object.values(sides).flat().map((value) => ({value})));
  const {ticks, decimals} = make_axis(low * row.factor, high * row.factor, 0, 1);
  const shown = (value, most) => (value * row.factor).toFixed(decimals(most)) + '\u00A0' + row.unit;
  const label = `Share of samples at or below a value, from ${shown(low, 5)} to ${shown(high, 5)}`;
  const chart = fitted_chart(200, label, (svg, box) => {
    const x = make_axis(low, high, box.left, box.right).at, y = make_axis(0, 1, box.bottom, box.top).at;
    const marks = box.right - box.left > 400 ? 5 : 2;
    draw_axes(svg, box, ticks(marks).map((tick) => [x(tick / row.factor), shown(tick / row.factor, marks)]),
              [0, 0.5, 1].map((share) => [y(share), 100 * share + '\u00A0%']));
    for (const [side, values] of Object.entries(sides)) {
      const step = Math.max(1, Math.floor(values.length / kMostSteps));
      let d = `M${box.left} ${y(0)}`;
      for (let i = 0; i < values.length; i += step) {
        const value = Math.min(Math.max(values[i], low), high);
        d += `H${x(value).toFixed(1)}V${y(Math.min(1, (i + step) / values.length)).toFixed(1)}`;
      }
      svg.append(svg_element('path', {class: 'line ' + (side === 'baseline' ? 'base' : tone_of(row)), d: d + `H${box.right}`}));
    }
  });
  const outside = Object.values(sides).flat().filter((value) => value < low || value > high).length;
  return [chart, sides_key(Object.keys(sides), tone_of(row)), outside];
}

function percent_text(change) {
  if (change === null) return '–';
  return (change < 0 ? '\u2212' : '+') + Math.abs(100 * change).toFixed(2);
}

// The content of the deciles' picture, as a sentence.
function shift_title(deciles) {
  const [low, high] = [deciles[0][2], deciles[8][2]];
  const moved = `the lowest decile by ${percent_text(low)}\u00A0%, the highest by ${percent_text(high)}\u00A0%`;
  if (deciles.some((decile) => decile[3] === null)) return `Whether all samples moved alike cannot be told: ${moved}`;
  const apart = deciles.some((a) => deciles.some((b) => a[3] !== null && b[4] !== null && a[3] > b[4]));
  return (apart ? 'Not all samples moved alike: ' : 'No difference between the deciles’ changes was found: ') + moved;
}

function shift_chart(row, deciles) {
  const seen = deciles.flatMap(([, , ...changes]) => changes).filter((value) => value !== null).map((value) => 100 * value);
  const room = Math.max(0.1 * (Math.max(...seen, 0) - Math.min(...seen, 0)), 0.05);
  const low = Math.min(...seen, 0) - room, high = Math.max(...seen, 0) + room;
  return fitted_chart(200, shift_title(deciles), (svg, box) => {
    const x = make_axis(0.5, 9.5, box.left, box.right).at, up = make_axis(low, high, box.bottom, box.top), y = up.at;
    draw_axes(svg, box, [1, 3, 5, 7, 9].map((d) => [x(d), `${d}0\u00A0%`]),
              up.ticks(4).map((tick) => [y(tick), (tick < 0 ? '\u2212' : tick > 0 ? '+' : '') + Math.abs(tick).toFixed(up.decimals(4)) + '\u00A0%']));
    const tone = tone_of(row);
    if (deciles.every((decile) => decile[3] !== null)) {
      const upper = deciles.map((decile, i) => [x(i + 1), y(100 * decile[4])]);
      const lower = deciles.map((decile, i) => [x(i + 1), y(100 * decile[3])]).reverse();
      svg.append(svg_element('path', {class: 'band ' + tone, d: line_of([...upper, ...lower]) + 'Z'}));
    }
    svg.append(svg_element('path', {class: 'zero', d: `M${box.left} ${y(0)}H${box.right}`}));
    const points = deciles.map((decile, i) => [x(i + 1), y(100 * decile[2])]);
    svg.append(svg_element('path', {class: 'line ' + tone, d: line_of(points)}));
    for (const [cx, cy] of points) svg.append(svg_element('circle', {class: tone, cx, cy, r: 3}));
  });
}

function deciles_table(row, deciles) {
  const text = (value) => (value === null ? '–' : (value * row.factor).toFixed((row.after.split('.')[1] || '').length + 1));
  const unit = row.unit ? ` (${row.unit})` : '';
  if (!data_of('cases').compared)
    return folded_table(['part of the samples', '#value' + unit], deciles.map(([, value], i) => [`${i + 1}0 %`, text(value)]));
  return folded_table(['part of the samples', '#baseline' + unit, '#candidate' + unit, '#change (%)', '#99 % interval'],
    deciles.map(([baseline, candidate, change, low, high], i) =>
      [`${i + 1}0 %`, text(baseline), text(candidate), percent_text(change),
       low === null ? '–' : `${percent_text(low)}, ${percent_text(high)}`]));
}

function distribution_parts(row, samples, deciles) {
  const what = samples.level === kAll ? 'samples' : 'medians of blocks';
  const kept = data_of('detail').baseline_is_reduced ? ' The accepted baseline keeps one mean a visit.' : '';
  const [chart, key, outside] = distribution_chart(row, samples);
  const parts = [element('h2', {}, `How its ${what} are distributed`), chart, key,
                 element('p', {class: 'small quiet'}, `Share of the ${what} at or below a value.` + kept +
                         (outside ? ` ${outside} lie beyond the picture.` : ''))];
  if (deciles === null) return element('div', {}, parts);
  if (deciles.every((decile) => decile[2] !== null)) {
    const has_band = deciles.every((decile) => decile[3] !== null);
    parts.push(element('h2', {class: 'next'}, shift_title(deciles)), shift_chart(row, deciles),
               element('p', {class: 'small quiet'}, `Change of each decile of the samples within a visit. ` +
                 (has_band ? 'The band is its 99 % interval over the visits.' : 'An interval needs two visits of both sides.')));
  }
  parts.push(deciles_table(row, deciles));
  return element('div', {}, parts);
}
