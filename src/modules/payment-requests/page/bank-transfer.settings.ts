import { isBIC, isIBAN } from 'class-validator';
import { makeValidator, str } from 'envalid';
import { ConfigError, defineSettings, type SettingsOf } from '../../../platform/config/settings';

/** Spaces are removed: codes are printed with and without them. */
const bankCode = (name: string, valid: (code: string) => boolean) =>
  makeValidator<string>((input) => {
    const code = input.replace(/\s/g, '').toUpperCase();
    if (code !== '' && !valid(code)) throw new Error(`must be a valid ${name}`);
    return code;
  });

/** The bank details on the payment page for customers who pay by bank transfer. */
export const bankTransferSettings = defineSettings({
  variables: {
    PAYMENT_PAYEE: str({
      default: '',
      desc: 'With `PROCESSOR=manual`: the holder of the bank account that customers transfer to; by default the name of the account that requests the payment.',
    }),
    PAYMENT_IBAN: bankCode(
      'IBAN',
      isIBAN,
    )({ default: '', desc: 'With `PROCESSOR=manual`: the bank account that customers transfer to.' }),
    PAYMENT_BIC: bankCode('BIC', isBIC)({ default: '', desc: 'The BIC of the bank of `PAYMENT_IBAN`.' }),
    PAYMENT_INSTRUCTIONS: str({
      default: '',
      desc: 'With `PROCESSOR=manual`: further instructions, which the payment page shows unchanged.',
    }),
  },
  read: (values) => {
    if (values.PAYMENT_BIC && !values.PAYMENT_IBAN) {
      throw new ConfigError('PAYMENT_IBAN: must be set when PAYMENT_BIC is set');
    }
    return {
      payee: values.PAYMENT_PAYEE || null,
      iban: values.PAYMENT_IBAN || null,
      bic: values.PAYMENT_BIC || null,
      instructions: values.PAYMENT_INSTRUCTIONS || null,
    };
  },
});

export type BankTransferSettings = SettingsOf<typeof bankTransferSettings>;
