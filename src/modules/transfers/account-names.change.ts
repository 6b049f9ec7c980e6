import { OmitType } from '@nestjs/swagger';
import { ResponseField } from '../../platform/http/response-fields';
import { ApiChange, responseChange } from '../../platform/versions/api-change';
import { TransferPartResponse } from './transfers.dto';

class TransferPartResponseWithName extends OmitType(TransferPartResponse, ['account_name']) {
  @ResponseField({ example: 'Harbour Cycles Ltd' }) name: string;
}

/** The name of an account is called the same on both sides of a transfer, and in exports. */
export const accountNamesOfTransfers: ApiChange = {
  version: '2026-11-26',
  description:
    'The accounts to which a transfer gives have an `account_name`, as the one that gives has a `from_account_name`. Before, they had a `name`.',
  responses: [
    responseChange({
      newer: TransferPartResponse,
      older: TransferPartResponseWithName,
      toOlder: ({ account_name: name, ...part }) => ({ ...part, name }),
    }),
  ],
};
