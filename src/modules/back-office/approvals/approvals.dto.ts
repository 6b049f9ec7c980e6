import { isId } from '../../../kernel/ids';
import { CursorListQuery, FormatParam, ListFormat } from '../../../platform/http/list-query';
import { EnumField, ReasonField, StringField } from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  exampleId,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { Approval, ApprovalType, approvalTypes } from './approval';
import { approvalLifecycle, ApprovalStatus } from './approval.lifecycle';

nameEnum('ApprovalType', approvalTypes);
nameEnum('ApprovalStatus', approvalLifecycle.states);

const REASON = 'Closes at the wish of its owner, who has died.';

export class RequestApprovalRequest {
  @EnumField(approvalTypes, {
    description:
      '`make_admin`, `close_account`, `settle_transaction` or `settle_payment_request`. An adjustment and a transaction above the limit ask for their approval themselves.',
  })
  type: ApprovalType;

  @StringField(1, 64, exampleId('acc'), {
    description:
      'The id of the user to make an admin, of the account to close, or of the transaction or the payment request to settle as succeeded.',
  })
  object_id: string;

  @StringField(1, 500, REASON, { visible: true, description: 'Why. Shown in the audit log.' }) reason: string;
}

export class ApproveApprovalRequest {
  @ReasonField() reason?: string;
}

export class RejectApprovalRequest {
  @StringField(1, 500, 'The amount is wrong.', { visible: true, description: 'Why. Shown in the audit log.' })
  reason: string;
}

export class ListApprovalsQuery extends CursorListQuery('apr', 'approvals', {
  status: approvalLifecycle.states,
  type: approvalTypes,
}) {
  @FormatParam() format?: ListFormat;
}

export class ApprovalResponse {
  @IdResponseField('apr') id: string;
  @ResponseField({ enum: approvalTypes }) type: ApprovalType;
  @ResponseField({ enum: approvalLifecycle.states }) status: ApprovalStatus;

  @ResponseField({
    example: exampleId('acc'),
    description:
      'The user to make an admin, the account to close, the adjustment to post, the new transaction, or the transaction or payment request to settle.',
  })
  object_id: string;

  @IdResponseField('acc', { nullable: true, description: 'The account that it is about; null for a user.' })
  account_id: string | null;

  @ResponseField({
    type: 'object',
    additionalProperties: true,
    example: { amount: 250, currency: 'EUR', direction: 'credit' },
    description:
      'What is about money: `amount` and `currency`, of an adjustment also `direction`, of a transaction `type`. Of a new admin, as of the request: `email`, `name` and `login_changes`, the last change (`at`) of the `password`, the `email` and the `second_factor`, each `by` `self`, an `admin` or the `email_link`.',
  })
  details: Readonly<Record<string, unknown>>;

  @ResponseField({ example: REASON }) reason: string;
  @IdResponseField('usr', { description: 'The admin who asked for it.' }) requested_by: string;

  @IdResponseField('usr', { nullable: true, description: 'The admin who approved or rejected it.' })
  decided_by: string | null;

  @ResponseField({ nullable: true, example: 'The amount is wrong.' }) rejection_reason: string | null;
  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
  @Timestamp('When it expires unless it is decided.', { example: '2026-02-07T09:30:00.000Z' })
  expires_at: string;
}

export class ApprovalsResponse extends CursorListResponse(ApprovalResponse) {}

export function approvalResponse(approval: Readonly<Approval>): ApprovalResponse {
  const { id, type, status, objectId, accountId, details, reason } = approval;
  return {
    id,
    type,
    status,
    object_id: objectId,
    account_id: isId('acc', accountId) ? accountId : null,
    details,
    reason,
    requested_by: approval.requestedBy,
    decided_by: approval.decidedBy,
    rejection_reason: approval.rejectionReason,
    created_at: approval.createdAt.toISOString(),
    updated_at: approval.updatedAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
  };
}
