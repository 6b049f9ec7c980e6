import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { parseTimestamp } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { Metadata } from '../../kernel/metadata';
import {
  accountOwnedAmountResponse,
  AccountOwnedAmountResponse,
} from '../../platform/http/account-owned-resource';
import { BatchedRequest, BatchedResponse, BatchRequest, BatchResponse } from '../../platform/http/batches';
import {
  amountFilters,
  CursorListQuery,
  FormatParam,
  ListFormat,
  referenceFilter,
} from '../../platform/http/list-query';
import {
  AmountField,
  amountRule,
  CurrencyField,
  DryRunField,
  EnumField,
  field,
  IdField,
  MetadataField,
  ReferenceField,
  TimestampField,
} from '../../platform/http/request-fields';
import { parseItem } from '../../platform/http/request.pipe';
import {
  AmountResponseField,
  CanceledResponse,
  CursorListResponse,
  exampleId,
  IdResponseField,
  idSchema,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../platform/http/response-fields';
import { Capture, captures, Transfer, transferLifecycle, TransferPart } from './transfer';
import { NewTransfer } from './transfers.service';

const MAX_PARTS = 100;
const directions = ['in', 'out'] as const;

nameEnum('TransferStatus', transferLifecycle.states);
nameEnum('TransferDirection', directions);
nameEnum('TransferCapture', captures);

class TransferPartRequest {
  @IdField('acc') account_id: string;
  @AmountField() amount: number;
  @ReferenceField() reference?: string | null;
}

@ApiExtraModels(TransferPartRequest)
export class CreateTransferRequest {
  @IdField('acc', { description: 'The account that gives.' }) from_account_id: string;

  @IdField(
    'acc',
    { optional: true, description: 'The account that receives.' },
    'acc_01k9x8v2t4e6rb3m5n7p9q1s0x',
  )
  to_account_id?: string;

  @field(amountRule, { optional: true, description: 'What `to_account_id` receives, in minor units.' })
  amount?: number;

  @field(
    {
      expected: `a list of 1 to ${MAX_PARTS} accounts with amounts`,
      isValid: (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_PARTS,
      schema: {
        type: 'array',
        items: { $ref: getSchemaPath(TransferPartRequest) },
        minItems: 1,
        maxItems: MAX_PARTS,
      },
    },
    {
      optional: true,
      inExample: false,
      description: 'Several accounts that receive, instead of `to_account_id` and `amount`: all, or none.',
    },
  )
  to?: unknown[];

  @CurrencyField() currency: string;
  @ReferenceField() reference?: string | null;
  @MetadataField() metadata?: Metadata | null;

  @EnumField(captures, {
    optional: true,
    inExample: false,
    description: '`later` holds the money until the transfer is captured, canceled or expires.',
  })
  capture?: Capture;

  @TimestampField(
    'With `capture: later`, when the money is released: at most a year ahead, by default never.',
  )
  expires_at?: string;

  @DryRunField() dry_run?: boolean;
}

export class BatchedTransferRequest extends BatchedRequest(CreateTransferRequest) {}
export class CreateTransfersRequest extends BatchRequest(BatchedTransferRequest, 'transfers') {}

export class CaptureTransferRequest {
  @field(amountRule, {
    optional: true,
    inExample: false,
    description:
      'A part of the amount, for a transfer to one account: the rest is released. By default all of it.',
  })
  amount?: number;
}

export class ReverseTransferRequest {
  @IdField('acc', {
    optional: true,
    inExample: false,
    description: 'The account that sends money back. Required where several received some.',
  })
  account_id?: string;

  @field(amountRule, { optional: true, inExample: false, description: 'By default all that is left.' })
  amount?: number;

  @ReferenceField() reference?: string | null;
  @MetadataField() metadata?: Metadata | null;
  @DryRunField() dry_run?: boolean;
}

export class ListTransfersQuery extends CursorListQuery('trf', 'transfers', {
  status: transferLifecycle.states,
  direction: directions,
  reference: referenceFilter,
  reversal_of: { maxCharacters: 64, example: exampleId('trf') },
  source_transaction_id: { maxCharacters: 64, example: exampleId('txn') },
  ...amountFilters,
}) {
  @FormatParam() format?: ListFormat;
}

export class TransferPartResponse {
  @IdResponseField('acc') account_id: string;
  @ResponseField({ example: 'Harbour Cycles Ltd' }) account_name: string;
  @AmountResponseField() amount: number;
  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;
}

export class TransferResponse extends AccountOwnedAmountResponse('trf', transferLifecycle.states) {
  @ResponseField({ enum: directions, description: '`out` as the account sees it that gives.' })
  direction: Transfer['direction'];

  @IdResponseField('acc') from_account_id: string;
  @ResponseField({ example: 'Ada Lovelace' }) from_account_name: string;

  @ApiProperty({
    type: [TransferPartResponse],
    description: 'The accounts that receive. One that receives sees itself only.',
  })
  to: TransferPartResponse[];

  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;

  @ResponseField({
    type: 'object',
    additionalProperties: true,
    example: { order: '2041' },
    description: 'For the account that gives. Empty for others.',
  })
  metadata: Metadata;

  @AmountResponseField({ required: false, description: 'Not captured. Only where there is some.' })
  released_amount?: number;

  @AmountResponseField({ required: false, description: 'Sent back. Only where there is some.' })
  reversed_amount?: number;

  @ResponseField({
    required: false,
    ...idSchema('trf'),
    description: 'The transfer whose money this one sends back. Only of reversals.',
  })
  reversal_of?: string;

  @ResponseField({
    required: false,
    ...idSchema('txn'),
    description:
      'The payment that it splits, or the refund that takes a part of it back. Only where there is one.',
  })
  source_transaction_id?: string;

  @ResponseField({
    required: false,
    ...idSchema('apr'),
    description: 'The approval of a second admin that it waits or waited for. Only where there is one.',
  })
  approval_id?: string;

  @Timestamp('When it expires while it is pending; null for never.', { nullable: true })
  expires_at: string | null;

  @Timestamp() updated_at: string;
}

export class TransfersResponse extends CursorListResponse(TransferResponse) {}

class BatchedTransferResponse extends BatchedResponse(TransferResponse, 'transfer') {}
export class TransferBatchResponse extends BatchResponse(BatchedTransferResponse) {}

export class CanceledTransferResponse extends CanceledResponse('trf', 'transfer') {}

/** @throws DomainError `invalid_request` unless it says once who receives what */
export function newTransfer(request: CreateTransferRequest): NewTransfer {
  const { from_account_id, currency, reference = null, capture = 'now', expires_at } = request;
  if (capture === 'now' && expires_at !== undefined)
    throw new DomainError('invalid_request', 'expires_at is allowed with capture "later" only.');
  const expiresAt = expires_at === undefined ? null : parseTimestamp(expires_at);
  const metadata = request.metadata ?? {};
  return { from_account_id, currency, reference, metadata, capture, expiresAt, to: partsOf(request) };
}

function partsOf({ to, to_account_id: accountId, amount }: CreateTransferRequest): NewTransfer['to'] {
  if (to === undefined && accountId !== undefined && amount !== undefined)
    return [{ account_id: accountId, amount }];
  if (to === undefined || accountId !== undefined || amount !== undefined)
    throw new DomainError('invalid_request', 'Send either to_account_id and amount, or to.');
  return to.map((part, index) => {
    try {
      return parseItem(TransferPartRequest, part);
    } catch (error) {
      throw error instanceof DomainError ? error.inItem(index) : error;
    }
  });
}

export function transferResponse(transfer: Readonly<Transfer>): TransferResponse {
  const { releasedAmount, reversedAmount, reversalOf, sourceTransactionId, approvalId } = transfer;
  return accountOwnedAmountResponse(transfer, {
    direction: transfer.direction,
    from_account_id: transfer.fromAccountId,
    from_account_name: transfer.fromName,
    to: transfer.parts.map(partResponse),
    reference: transfer.reference,
    metadata: transfer.metadata,
    expires_at: transfer.expiresAt?.toISOString() ?? null,
    updated_at: transfer.updatedAt.toISOString(),
    ...(releasedAmount > 0 && { released_amount: releasedAmount }),
    ...(reversedAmount > 0 && { reversed_amount: reversedAmount }),
    ...(reversalOf !== null && { reversal_of: reversalOf }),
    ...(sourceTransactionId !== null && { source_transaction_id: sourceTransactionId }),
    ...(approvalId !== null && transfer.direction === 'out' && { approval_id: approvalId }),
  });
}

function partResponse({ accountId, name, amount, reference }: TransferPart): TransferPartResponse {
  return { account_id: accountId, account_name: name, amount, reference };
}
