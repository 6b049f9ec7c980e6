import { OmitType } from '@nestjs/swagger';
import { EnumField } from '../../../platform/http/request-fields';
import {
  AmountResponseField,
  countSchema,
  CurrencyResponseField,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { DescribedEntry } from '../entry';
import { EntryResponse } from '../ledger.dto';
import { Statement } from './statement';

export const formats = ['json', 'csv', 'camt053', 'pdf'] as const;
nameEnum('StatementFormat', formats);

export class StatementQuery {
  @EnumField(formats, {
    optional: true,
    description:
      'What `Accept` prefers by default (`text/csv`, `application/xml`, `application/pdf`), else `json`; `camt053` is the XML of ISO 20022, camt.053.001.08; `pdf` is for people.',
  })
  format: (typeof formats)[number] = 'json';
}

export class StatementEntryResponse extends OmitType(EntryResponse, ['id', 'leg', 'currency']) {}

export class StatementSummary {
  @IdResponseField('acc') account_id: string;
  @CurrencyResponseField() currency: string;
  @ResponseField({ example: '2026-10' }) period: string;
  @Timestamp('The first moment of the period.') start: string;
  @Timestamp('The first moment after the period.') end: string;

  @AmountResponseField({ minimum: 0, example: 5000, description: 'At the start, in minor units.' })
  opening_balance: number;

  @AmountResponseField({
    minimum: 0,
    example: 6250,
    description: 'At the end: `opening_balance` plus `total_in` minus `total_out`.',
  })
  closing_balance: number;

  @AmountResponseField({ minimum: 0, example: 1250 }) total_in: number;
  @AmountResponseField({ minimum: 0, example: 0 }) total_out: number;

  @ResponseField({ ...countSchema, example: 1, description: 'How many entries there are.' })
  entry_count: number;
}

export class StatementResponse extends StatementSummary {
  @ResponseField({ type: [StatementEntryResponse], description: 'Oldest first.' })
  entries: StatementEntryResponse[];
}

export function statementSummary(statement: Statement): StatementSummary {
  const { accountId, currency, period, openingBalance, closingBalance, totalIn, totalOut, entryCount } =
    statement;
  return {
    account_id: accountId,
    currency,
    period: period.name,
    start: period.start.toISOString(),
    end: period.end.toISOString(),
    opening_balance: openingBalance,
    closing_balance: closingBalance,
    total_in: totalIn,
    total_out: totalOut,
    entry_count: entryCount,
  };
}

export function statementEntryResponse(entry: DescribedEntry): StatementEntryResponse {
  const { number, transactionId, amount, balance, postedAt, type, reference, counterparty } = entry;
  return {
    number,
    transaction_id: transactionId,
    amount,
    balance,
    posted_at: postedAt.toISOString(),
    type,
    reference,
    counterparty,
  };
}
