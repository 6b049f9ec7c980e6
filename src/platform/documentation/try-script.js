/* global document, navigator */
// Lets a reader send each operation from its description. The token is nowhere but in its field, and goes with the page.
(() => {
  const operations = [...document.querySelectorAll('.operation')];
  if (operations.length === 0) return;

  /** Creates an element with properties and children. */
  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  let count = 0;
  /** A control beneath its label. */
  function field(label, control) {
    control.id = `try-${(count += 1)}`;
    return element('p', {}, element('label', { htmlFor: control.id, textContent: label }), control);
  }

  const input = (properties) => element('input', { autocomplete: 'off', spellcheck: false, ...properties });

  const token = input({ type: 'password' });
  const tokens = 'Access token or API key, with which “Try it” sends requests';
  operations[0].before(element('form', { className: 'token' }, field(tokens, token)));
  document.querySelector('.token').addEventListener('submit', (event) => event.preventDefault());

  /** Builds the form of an operation when it is first opened. */
  function build(operation, details) {
    const { method, path, query, body } = operation.dataset;
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = names.map((name) => [name, input({ required: true })]);
    const search = query === undefined ? null : input({ placeholder: query });
    const text = body === undefined ? null : element('textarea', { rows: 8, spellcheck: false, value: body });
    const send = element('button', { textContent: 'Send' });
    const status = element('p', { className: 'status' });
    status.setAttribute('role', 'status');
    const output = element('code');
    const shown = element('pre', { hidden: true }, output);
    const form = element(
      'form',
      {},
      ...parameters.map(([name, control]) => field(name, control)),
      ...(search ? [field('Query', search)] : []),
      ...(text ? [field('Body', text)] : []),
      send,
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const filled = parameters.reduce(
        (address, [name, { value }]) => address.replace(`{${name}}`, encodeURIComponent(value.trim())),
        path,
      );
      const headers = {
        ...(token.value.trim() !== '' && { Authorization: `Bearer ${token.value.trim()}` }),
        ...(text && { 'Content-Type': 'application/json' }),
      };
      send.disabled = true;
      status.textContent = 'Sending …';
      try {
        const address = search?.value ? `${filled}?${search.value}` : filled;
        const response = await fetch(address, { method, headers, ...(text && { body: text.value }) });
        const body = await response.text();
        status.textContent = `${response.status} ${response.statusText}`;
        output.textContent = indented(body);
      } catch {
        status.textContent = navigator.onLine ? 'The service does not respond.' : 'There is no connection.';
        output.textContent = '';
      }
      shown.hidden = output.textContent === '';
      send.disabled = false;
    });
    details.append(form, status, shown);
  }

  /** JSON with line breaks; anything else as it is. */
  function indented(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }

  for (const operation of operations) {
    const title = operation.querySelector('h2').textContent;
    const summary = element(
      'summary',
      { textContent: 'Try it' },
      element('span', { className: 'hidden', textContent: `: ${title}` }),
    );
    const details = element('details', { className: 'try' }, summary);
    details.addEventListener('toggle', () => build(operation, details), { once: true });
    operation.querySelector('.access').after(details);
  }
})();
