/* global document, location, navigator */
// Runs in the browser, at the end of each page of the documentation. Without it, everything can still be read.
(() => {
  const search = document.getElementById('search-text');
  const found = document.getElementById('found');
  const menu = document.getElementById('menu');
  const lists = [...menu.querySelectorAll('.operations')].map((list) => ({ list, hidden: list.hidden }));

  /** What is found by its text, from when the search is used on. */
  let index;
  const loadIndex = () => {
    index ??= fetch('/docs/search.json')
      .then((response) => (response.ok ? response.json() : []))
      .catch(() => []);
    return index;
  };
  search.addEventListener('focus', loadIndex);

  const results = document.getElementById('results');
  const MAX_RESULTS = 12;
  const AROUND = 60;

  /** Whether the menu shows it, where its title is enough to find it. */
  const isInMenu = (href) => !/guides.*#/.test(href);

  /** Shows what has all words in its text, and the parts of guides that have them in their titles, these first. */
  async function findTexts(words, menuCount) {
    const entries = await loadIndex();
    if (words.join() !== wordsOf(search.value).join()) return; // typed further
    const has = (text) => words.every((word) => text.toLowerCase().includes(word));
    const matches = entries.filter(
      ({ title, href, text }) => has(`${title} ${text}`) && !(isInMenu(href) && has(title)),
    );
    matches.sort((one, other) => Number(has(other.title)) - Number(has(one.title)));
    results.replaceChildren(...matches.slice(0, MAX_RESULTS).map((entry) => renderResult(entry, words[0])));
    found.textContent = `${menuCount + matches.length} found`;
  }

  function renderResult({ title, href, text }, word) {
    const link = document.createElement('a');
    link.href = href;
    link.textContent = title;
    const place = Math.max(0, text.toLowerCase().indexOf(word) - AROUND);
    const excerpt = document.createElement('p');
    excerpt.textContent = `${place > 0 ? '… ' : ''}${text.slice(place, place + 2 * AROUND)} …`;
    const item = document.createElement('li');
    item.append(link, excerpt);
    return item;
  }

  const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  /** Shows the entries with all words of the search, and what has them in its text; without a search, the menu of the page. */
  function find() {
    const words = wordsOf(search.value);
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
    if (words.length > 0) return void findTexts(words, count);
    results.replaceChildren();
    found.textContent = '';
  }
  search.addEventListener('input', find);
  search.form.addEventListener('submit', (event) => {
    event.preventDefault();
    menu
      .querySelector(
        '.operations:not([hidden]) > li:not([hidden]) > a, .guides > li:not([hidden]) > a, #results a',
      )
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
