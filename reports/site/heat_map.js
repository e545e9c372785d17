// The map of cases and nights: one stop of the Tab key. Arrow keys move between cells, the content of a cell
// is shown below, Enter opens its commit or case.

starters.push(() => {
  const table = document.querySelector('table.heat');
  if (!table) return;
  const grid = [...table.rows].map((row) => [...row.cells]);
  const readout = document.getElementById('heat-readout');
  table.setAttribute('role', 'grid');
  table.setAttribute('aria-label', 'Cases and nights');
  for (const link of table.querySelectorAll('a')) link.tabIndex = -1;
  let chosen = [1, grid[1].length - 1];
  const link_of = ([row, column]) => grid[row][0].querySelector('a') || grid[0][column].querySelector('a');
  const text_of = ([row, column]) => {
    const night = grid[0][column].querySelector('a');
    const parts = [];
    if (row > 0) parts.push(grid[row][0].innerText.trim());
    if (column > 0) parts.push(night.title.trim());
    if (row > 0 && column > 0) parts.push(grid[row][column].title);
    return parts.join(' · ');
  };
  const choose = (place, has_focus) => {
    grid[chosen[0]][chosen[1]].tabIndex = -1;
    chosen = place;
    const cell = grid[chosen[0]][chosen[1]];
    cell.tabIndex = 0;
    if (has_focus) cell.focus();
  };
  const place_of = (target) => {
    const cell = target.closest('td, th');
    return cell && table.contains(cell) ? [cell.parentElement.rowIndex, cell.cellIndex] : null;
  };
  table.addEventListener('focusin', (event) => { readout.textContent = text_of(place_of(event.target)); });
  table.addEventListener('pointerover', (event) => {
    const place = place_of(event.target);
    if (place) readout.textContent = text_of(place);
  });
  table.addEventListener('click', (event) => {
    const place = place_of(event.target);
    if (place) choose(place, !event.target.closest('a'));
  });
  table.addEventListener('keydown', (event) => {
    const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    const [row, column] = chosen;
    if (event.key in steps) {
      const [down, right] = steps[event.key];
      const next = [row + down, column + right];
      if (grid[next[0]]?.[next[1]] && (next[0] > 0 || next[1] > 0)) choose(next, true);
    } else if (event.key === 'Home') choose([row, row > 0 ? 0 : 1], true);
    else if (event.key === 'End') choose([row, grid[row].length - 1], true);
    else if (event.key === 'Enter') location.href = link_of(chosen).href;
    else return;
    event.preventDefault();
  });
  choose(chosen, false);
  table.parentElement.scrollLeft = table.scrollWidth;  // starts at the newest night
});
