/* global document, location, navigator */
// Runs in the browser, at the end of each page of the documentation. Without it, everything can still be read.
(() => {
  const search = document.getElementById('search');
  const found = document.getElementById('found');
  const menu = document.getElementById('menu');
  const lists = [...menu.querySelectorAll('.operations')].map((list) => ({ list, hidden: list.hidden }));

  /** Shows the entries with all words of the search; without a search, the menu of the page. */
  function find() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (entry) => {
      const text = `${entry.firstElementChild.textContent} ${entry.dataset.path ?? ''}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    let count = 0;
    for (const entry of menu.querySelectorAll('.operations > li, .guides > li')) {
      entry.hidden = !matches(entry);
      count += entry.hidden ? 0 : 1;
    }
    for (const { list, hidden } of lists) {
      const isEmpty = list.querySelector(':scope > li:not([hidden])') === null;
      list.hidden = words.length === 0 ? hidden : isEmpty;
      list.parentElement.hidden = words.length > 0 && isEmpty;
    }
    found.textContent = words.length === 0 ? '' : `${count} found`;
  }
  search.addEventListener('input', find);
  search.form.addEventListener('submit', (event) => {
    event.preventDefault();
    menu
      .querySelector('.operations:not([hidden]) > li:not([hidden]) > a, .guides > li:not([hidden]) > a')
      ?.click();
  });

  // On a wide screen the menu scrolls by itself.
  menu.scrollTop = (menu.querySelector('[aria-current]')?.offsetTop ?? 0) - 160;

  for (const code of document.querySelectorAll('pre > code')) {
    code.textContent = code.textContent.replaceAll('http://localhost:3000', location.origin);
    if (!navigator.clipboard) continue; // the page was not sent over HTTPS
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.textContent = 'Copy';
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent);
      copy.textContent = 'Copied';
      setTimeout(() => (copy.textContent = 'Copy'), 2000);
    });
    code.before(copy);
  }
})();
