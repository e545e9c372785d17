// A case over its runs up to this one.

function past_table(row, values, levels) {
  const {runs} = data_of('detail');
  const text = (value) => (value === null ? '–' : (value * row.factor).toFixed((row.after.split('.')[1] || '').length + 1));
  const changed = new Map(levels.slice(1).map(([from, , level], i) => [from, percent_text(level / levels[i][2] - 1)]));
  const device = (i) => runs[values[i][0]][2];
  const whence = (i) => (device(i) === device(i - 1) ? '' : ', on another device than the run before');
  const lines = values.map(([run, estimate, low, high], i) => [
    runs[run][0], runs[run][1] || '–', device(i) || '–', text(estimate), low === null ? '–' : `${text(low)}, ${text(high)}`,
    changed.has(i) ? `level changed by ${changed.get(i)} %${whence(i)}` : '']);
  const unit = row.unit ? ` (${row.unit})` : '';
  return folded_table(['measured', 'commit', 'device', '#value' + unit, '#99 % interval', 'change'], lines.reverse());
}

function past_chart(row, [text, values, levels, has_candidate], marks) {
  const seen = values.flatMap(([, estimate, low, high]) =>
    [estimate, Math.max(low ?? estimate, 0.9 * estimate), Math.min(high ?? estimate, 1.1 * estimate)]);
  const room = Math.max(0.08 * (Math.max(...seen) - Math.min(...seen)), 0.002 * Math.max(...seen));
  const low = Math.min(...seen) - room, high = Math.max(...seen) + room;
  const {runs} = data_of('detail');
  return fitted_chart(220, text, (svg, box) => {
    box.bottom -= 20;
    const x = make_axis(-0.5, values.length - 0.5, box.left, box.right).at;
    const up = make_axis(low * row.factor, high * row.factor, box.bottom, box.top), y = (value) => up.at(value * row.factor);
    draw_axes(svg, box, run_ticks(values.map(([run]) => runs[run][0]), box.right - box.left > 320 ? 3 : 2).map(([i, day]) => [x(i), day]),
              up.ticks(4).map((tick) => [up.at(tick), tick.toFixed(up.decimals(4)) + '\u00A0' + row.unit]));
    svg.append(svg_element('text', {x: (box.left + box.right) / 2, y: box.bottom + 38, 'text-anchor': 'middle'}, kByRun));
    for (const [from, to, level] of levels)
      svg.append(svg_element('path', {class: 'line roof', d: `M${x(from - 0.5)} ${y(level)}H${x(to - 0.5)}`}));
    values.forEach(([run, estimate, from, to], i) => {
      const is_own = has_candidate === 1 && i === values.length - 1, tone = is_own ? tone_of(row) : 'base';
      if (from !== null)
        svg.append(svg_element('path', {class: 'line range ' + tone, d: `M${x(i)} ${y(Math.max(from, low))}V${y(Math.min(to, high))}`}));
      if (marks) append_dots(svg, marks.get(runs[run][2]), `M${x(i)} ${y(estimate)}h0`, is_own ? 'now ' + tone : '');
      else svg.append(svg_element('circle', {class: tone, cx: x(i), cy: y(estimate), r: is_own ? 4 : 2.5}));
    });
  });
}

function past_part(row, past) {
  if (!past) {
    if (data_of('detail').runs.length < 2) return null;
    return titled('Its earlier runs', element('p', {class: 'quiet small'}, 'None has a time of it, or this page has no room for them: ',
      element('code', {}, 'plumbline history ' + shell_word(row.id)), ' tells.'));
  }
  const {runs} = data_of('detail');
  const marks = device_marks(past[1].map(([run]) => runs[run][2]));
  return element('div', {}, element('h2', {}, past[0]), past_chart(row, past, marks), device_key(marks),
    element('p', {class: 'small quiet'}, 'A point is a run with its 99 % interval (cut where it leaves the picture), in the order of time; lines are levels between changes.'),
    past_table(row, past[1], past[2]));
}
