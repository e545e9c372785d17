// If rows are blocks (a narrow window), a choice above the table sorts it: headers show only two columns.

const kOrderWords = {
  alarm: [['asc', 'worst first'], ['desc', 'best first']],
  text: [['asc', 'A to Z'], ['desc', 'Z to A']],
  number: [['desc', 'largest first'], ['asc', 'smallest first']],
};

function order_of({field, headerSortStartingDir, cssClass}) {
  return field === 'rank' ? 'alarm' : headerSortStartingDir || cssClass === 'num' ? 'number' : 'text';
}

// The choice always shows the table's current order.
function apply_sort_choice() {
  document.getElementById('sort-by').value = state.get('sort') || '';
}

function fill_sort_choice(columns) {
  const choice = document.getElementById('sort-by');
  choice.append(element('option', {value: ''}, 'as the page has them'));
  for (const column of columns.filter(({headerSort}) => headerSort !== false))
    for (const [direction, words] of kOrderWords[order_of(column)])
      choice.append(element('option', {value: column.field + ':' + direction}, `${column.title}: ${words}`));
  choice.addEventListener('change', () => set_state({sort: choice.value}));
  state_listeners.push(apply_sort_choice);
  apply_sort_choice();
}
