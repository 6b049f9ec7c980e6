import { names as de } from '../../../../console/src/i18n/messages/names/de';
import { names as en } from '../../../../console/src/i18n/messages/names/en';
import { names as es } from '../../../../console/src/i18n/messages/names/es';
import { names as fr } from '../../../../console/src/i18n/messages/names/fr';
import { names as pt } from '../../../../console/src/i18n/messages/names/pt';
import { nameOf } from '../../../../console/src/i18n/name-of';
import { auditActions, eventTypes } from '../../../../console/src/pages/event-types';
import { listEventTypes } from '../../../../src/platform/events/event-types';
import { Composition } from '../../../../src/service/composition';
import { textOf } from '../../../support/source-text';

/** All that the service records, without the attempt that a webhook endpoint is tested with. */
const recorded = listEventTypes(new Composition([]).events)
  .map(({ name }) => name)
  .filter((name) => name !== 'webhook_endpoint.ping');

/** The actions that the guide to the audit log lists. Those of all operations are also checked as they are recorded. */
function documentedActions(): string[] {
  const guide = textOf('docs/audit-log.md');
  const table = guide.slice(guide.indexOf('| Action '));
  const cells = table.split('\n').flatMap((row) => row.match(/^\| (`[^|]*)/)?.[1] ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]+(?:\.[a-z_]+)?)`/g)].map(([, code]) => code!));
}

describe('The names of events and audited actions in the console', () => {
  it.each(Object.entries({ en, de, fr, es, pt }))('exist for all that the service has: %s', (_, names) => {
    const codes = [...recorded, ...documentedActions().filter((code) => code !== 'refused')];
    expect(codes.length).toBeGreaterThan(60);
    expect(codes.filter((code) => nameOf(names, code) === code)).toEqual([]);
  });

  it('say the object and what happened to it, or are the code of an extension', () => {
    expect(nameOf(en, 'transaction.created')).toBe('Transaction: created');
    expect(nameOf(fr, 'account.suspend')).toBe('Compte : suspension');
    expect(nameOf(de, 'login')).toBe('Anmeldung');
    for (const code of ['loan.granted', 'account.audited', 'toString', 'ping'])
      expect(nameOf(en, code)).toBe(code);
  });

  it('are those of the types that the list of events can be filtered by', () => {
    expect([...eventTypes]).toEqual(recorded.toSorted());
  });

  it('are those of the actions that the audit log can be filtered by', () => {
    const documented = documentedActions().filter((code) => code !== 'refused');
    expect(documented.filter((code) => !(auditActions as readonly string[]).includes(code))).toEqual([]);
    expect(auditActions.filter((code) => nameOf(en, code) === code)).toEqual([]);
  });
});
