import { describeError } from '../../../../console/src/i18n/describe-error';
import { messages as de } from '../../../../console/src/i18n/messages/de';
import { messages as en } from '../../../../console/src/i18n/messages/en';
import { messages as es } from '../../../../console/src/i18n/messages/es';
import { messages as fr } from '../../../../console/src/i18n/messages/fr';
import { messages as pt } from '../../../../console/src/i18n/messages/pt';
import { textOf } from '../../../support/source-text';

const languages = { en, de, fr, es, pt };

/** The codes of the interface and of all modules, as generated from the OpenAPI document. */
function documentedCodes(): string[] {
  const [, codes = ''] = /\n {4}ErrorCode:([^;]*);/.exec(textOf('client/src/generated/schema.ts'))!;
  return [...codes.matchAll(/'(\w+)'/g)].map(([, code]) => code!);
}

describe('The texts of errors in the console', () => {
  it.each(Object.entries(languages))('exist for every code of the service: %s', (_, { errors }) => {
    const codes = documentedCodes();
    expect(codes.length).toBeGreaterThan(15);
    expect(Object.keys(errors.codes).toSorted()).toEqual(codes.toSorted());
    const texts = codes.map((code) => describeError(errors, { code, message: '' }).text);
    expect(new Set([...texts, errors.title]).size).toBe(codes.length + 1);
  });

  it('differ between the languages', () => {
    for (const code of documentedCodes()) {
      const texts = Object.values(languages).map(
        ({ errors }) => describeError(errors, { code, message: '' }).text,
      );
      expect(new Set(texts).size).toBe(5);
    }
  });

  it('keep what the service says where the code does not say it all', () => {
    const message = 'The refund exceeds what is left of the source transaction, 1000 minor units.';
    expect(describeError(de.errors, { code: 'invalid_request', message })).toEqual({
      text: 'Der Dienst nimmt diese Eingabe nicht an.',
      details: message,
    });
    expect(describeError(de.errors, { code: 'email_exists', message: 'Use another one.' }).details).toBe(
      null,
    );
  });

  it('are general for a code of an extension, with what the service says', () => {
    for (const code of ['loan_overdue', 'toString'])
      expect(describeError(fr.errors, { code, message: 'The loan is overdue.' })).toEqual({
        text: 'Cela n’a pas fonctionné',
        details: 'The loan is overdue.',
      });
  });
});
