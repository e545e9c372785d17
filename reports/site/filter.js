// The search box of a list: a row must contain all words. The search is in the URL.

starters.push(() => {
  const box = document.getElementById('search');
  if (!box) return;
  const rows = [...document.querySelectorAll('.filtered tbody tr')].map((row) => [row, row.textContent.toLowerCase()]);
  const apply = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const [row, text] of rows) {
      const holds = words.every((word) => text.includes(word));
      row.classList.toggle('hidden', !holds);
      found += holds;
    }
    for (const table of document.querySelectorAll('.filtered')) show_first_rows(table);
    document.getElementById('found').textContent = words.length ? `${found} of ${rows.length}` : '';
  };
  const take_link = () => {
    box.value = site_state().get('q') || '';
    apply();
  };
  window.addEventListener('hashchange', take_link);
  window.addEventListener('popstate', take_link);
  box.addEventListener('input', () => {
    set_site_state('q', box.value, false);
    apply();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === box) return;
    event.preventDefault();
    box.focus();
  });
  take_link();
});
