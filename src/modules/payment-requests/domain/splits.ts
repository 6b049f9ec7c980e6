import { DomainError } from '../../../kernel/domain-error';
import { isAmount, MAX_MINOR_UNITS } from '../../../kernel/money';

const MAX_SPLITS = 20;

/** A part of a payment that goes to another account. */
export interface Split {
  readonly accountId: string;
  /** Minor units. Of a percentage it is rounded down, so that the parts never exceed the payment. */
  readonly amount: number;
  /** Where the part was given as one. */
  readonly percent?: number;
  /** The request is paid, and the part has stayed with the account that was paid. */
  readonly skipped?: true;
}

/** A part as a request names it: with either an amount or a percentage. */
export interface NewSplit {
  readonly account_id: string;
  readonly amount?: number;
  readonly percent?: number;
}

const accountSchema = { type: 'string', example: 'acc_01k9x8v2t4e6rb3m5n7p9q1s0x' } as const;
const amountSchema = { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_MINOR_UNITS } as const;
const percentSchema = { type: 'number', minimum: 0.01, maximum: 100, example: 12.5 } as const;

/** For the OpenAPI document. */
export const splitsDescription =
  'Parts of the payment that go to other accounts when the customer pays: active ones with the same currency, each with `amount` (minor units) or `percent` (of the payment, at most two decimals, rounded down). The rest stays.';

export const splitsRule = {
  expected: `a list of 1 to ${MAX_SPLITS} parts, each with an account_id and either amount or percent, above 0 up to 100 with at most two decimals`,
  isValid: (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.length <= MAX_SPLITS && value.every(isSplit),
  schema: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_SPLITS,
    items: {
      type: 'object',
      required: ['account_id'] as string[],
      additionalProperties: false,
      properties: { account_id: accountSchema, amount: amountSchema, percent: percentSchema },
    },
  },
} as const;

/** The splits of a response. */
export const splitsSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['account_id', 'amount'] as string[],
    properties: {
      ...splitsRule.schema.items.properties,
      skipped: {
        type: 'boolean',
        description:
          'The part stayed with the account that was paid: one of the accounts was not active at the payment, or could not send or take it.',
      },
    },
  },
} as const;

function isSplit(value: unknown): value is NewSplit {
  if (typeof value !== 'object' || value === null) return false;
  const { account_id, amount, percent, ...others } = value as Record<keyof NewSplit, unknown>;
  const isPart = percent === undefined ? isAmount(amount) : amount === undefined && isPercent(percent);
  return typeof account_id === 'string' && isPart && Object.keys(others).length === 0;
}

function isPercent(value: unknown): boolean {
  if (typeof value !== 'number' || !(value > 0 && value <= 100)) return false;
  return toBasisPoints(value) / 100 === value;
}

function toBasisPoints(percent: number): number {
  return Math.round(percent * 100);
}

/**
 * Decides the amounts of the parts.
 * @returns null for no splits
 * @throws DomainError `invalid_request` for the account itself or one that is named twice, for less than one minor unit, and
 * for more than the payment
 */
export function splitAmount(
  accountId: string,
  amount: number,
  splits: readonly NewSplit[] | undefined,
): readonly Split[] | null {
  if (splits === undefined) return null;
  const parts = splits.map((split) => toPart(amount, split));
  if (new Set([accountId, ...parts.map((part) => part.accountId)]).size <= parts.length)
    throw new DomainError('invalid_request', 'splits must name other accounts, and each once.');
  // By difference, since a sum beyond the safe range would be rounded.
  const rest = parts.reduce((left, part) => left - part.amount, amount);
  if (rest < 0)
    throw new DomainError('invalid_request', `The splits exceed the amount, ${amount} minor units.`);
  return parts;
}

/** @throws DomainError `invalid_request` */
function toPart(payment: number, { account_id: accountId, amount, percent }: NewSplit): Split {
  if (percent === undefined) return { accountId, amount: amount! };
  const part = Number((BigInt(payment) * BigInt(toBasisPoints(percent))) / 10_000n);
  if (part === 0)
    throw new DomainError('invalid_request', `${percent} percent of ${payment} is less than one minor unit.`);
  return { accountId, amount: part, percent };
}

/** The accounts that get parts, which never change. */
export function splitAccountIds({ splits }: { readonly splits: readonly Split[] | null }): string[] {
  return splits?.map(({ accountId }) => accountId) ?? [];
}

export type SplitResponse = Omit<Split, 'accountId'> & { readonly account_id: string };

/** Renders the splits as a member of a response, where there are some. */
export function splitsMember({ splits }: { readonly splits: readonly Split[] | null }) {
  return (
    splits !== null && {
      splits: splits.map(({ accountId, ...part }) => ({ account_id: accountId, ...part })),
    }
  );
}
