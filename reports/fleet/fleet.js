// The page of a fleet: its filter shows only hosts and devices whose names contain the text.

function filter_by(text) {
  const wanted = text.trim().toLowerCase();
  let found = 0, all = 0;
  for (const one of document.querySelectorAll('[data-find]')) {
    one.hidden = !one.dataset.find.toLowerCase().includes(wanted);
    if (!one.closest('.map')) continue;
    ++all;
    found += !one.hidden;
  }
  if (wanted) for (const folded of document.querySelectorAll('details.folded')) folded.open = true;
  document.getElementById('shown').textContent = wanted ? `${found} of ${all} devices` : '';
}

starters.push(() => {
  const box = document.getElementById('filter');
  box.addEventListener('input', () => filter_by(box.value));
  box.form.addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    } else if (event.key === 'Escape' && document.activeElement === box) {
      box.value = '';
      filter_by('');
    }
  });
  document.documentElement.dataset.ready = 'true';
});
