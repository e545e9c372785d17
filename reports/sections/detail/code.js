// What changed in the machine code of a case's kernels: counts of instructions and a diff.

const kDiffTones = {'-': 'base', '+': 'series-2', '@': 'quiet'};

function diff_element(lines) {
  return element('pre', {class: 'wide diff'},
    lines.map((line) => element('span', {class: kDiffTones[line[0]]}, line + '\n')));
}

function code_change_parts({text, kernel, facts, mix, diff, note}) {
  return element('details', {class: 'code'},
    element('summary', {}, element('bdi', {}, text || kernel)),
    facts ? element('p', {class: 'quiet small'}, facts) : null,
    mix.length ? table_of(['instruction', '#baseline', '#candidate'], mix.map((cells) => cells.map(String))) : null,
    diff.length ? diff_element(diff) : null,
    note ? element('p', {class: 'quiet small'}, note) : null);
}

function code_part(row) {
  const changes = data_of('detail').code.filter(({cases}) => cases.some(([suite, id]) => suite === row.suite && id === row.id));
  return changes.length ? element('div', {}, element('h2', {}, 'Changed machine code'), changes.map(code_change_parts)) : null;
}
