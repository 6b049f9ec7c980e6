import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { isId } from '../../../kernel/ids';
import { IdempotentRequest } from '../../../platform/database/database';
import { listOrCsv } from '../../../platform/http/csv-export';
import {
  CursorListQuery,
  FormatParam,
  ListFormat,
  parseListRequest,
} from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { EnumField, ReasonField, StringField } from '../../../platform/http/request-fields';
import {
  cursorListResponse,
  CursorListResponse,
  exampleId,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import { Approval, approvalLifecycle, ApprovalStatus, ApprovalType, approvalTypes } from './approval';
import { ApprovalDecisions } from './approval-decisions.service';

nameEnum('ApprovalType', approvalTypes);
nameEnum('ApprovalStatus', approvalLifecycle.states);

const REASON = 'Closes at the wish of its owner, who has died.';

class RequestApprovalRequest {
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

class ApproveApprovalRequest {
  @ReasonField() reason?: string;
}

class RejectApprovalRequest {
  @StringField(1, 500, 'The amount is wrong.', { visible: true, description: 'Why. Shown in the audit log.' })
  reason: string;
}

class ListApprovalsQuery extends CursorListQuery('apr', 'approvals', {
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

class ApprovalsResponse extends CursorListResponse(ApprovalResponse) {}

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

const Id = (): ParameterDecorator => IdParam('approval_id', 'apr', 'The id of the approval.');

/** What one admin asks for and another one approves. */
@ApiTags('Approvals')
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalDecisions) {}

  @Post()
  @Operation({
    id: 'requestApproval',
    summary: 'Ask for an approval',
    errors: ['not_found', 'conflict'],
    idempotent: true,
    description:
      'For admins. Another admin has 7 days to approve it. While one is pending for the same object, the response is `conflict`. It is also `conflict` to make an admin of a user whose password somebody else has set, until the link of a password reset replaces it.',
    response: { type: ApprovalResponse, description: 'The new approval, which is pending.' },
  })
  create(
    @Caller() caller: Principal,
    @Body() { type, object_id: objectId, reason }: RequestApprovalRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    const operation = { ...request, render: approvalResponse };
    return this.approvals.request(caller, { type, objectId, reason }, operation);
  }

  @Get()
  @Operation({
    id: 'listApprovals',
    summary: 'List approvals',
    description: 'For admins and support people. Newest first.',
    alsoAs: ['text/csv'],
    response: { type: ApprovalsResponse, description: 'One page.' },
  })
  list(@Caller() caller: Principal, @Query() query: ListApprovalsQuery) {
    return listOrCsv(ApprovalsResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.approvals.list(caller, filter, page), approvalResponse);
    });
  }

  @Get(':approval_id')
  @Operation({
    id: 'getApproval',
    summary: 'Retrieve an approval',
    errors: ['not_found'],
    description: 'For admins and support people.',
    response: { type: ApprovalResponse, description: 'The approval.' },
  })
  async get(@Caller() caller: Principal, @Id() id: string) {
    return approvalResponse(await this.approvals.get(caller, id));
  }

  @Post(':approval_id/approve')
  @Operation({
    id: 'approveApproval',
    summary: 'Approve what another admin asked for',
    errors: ['not_found', 'conflict', 'active_subscriptions', 'insufficient_funds'],
    optionalBody: ApproveApprovalRequest,
    description:
      'For admins other than the one who asked (`forbidden`). What was asked for takes effect with the approval or not at all: an error leaves the approval pending. A repeat has the same response; what another admin has decided is `conflict`.',
    response: { type: ApprovalResponse, description: 'The approval.' },
  })
  async approve(@Caller() caller: Principal, @Id() id: string, @Body() { reason }: ApproveApprovalRequest) {
    return approvalResponse(await this.approvals.approve(caller, id, reason));
  }

  @Post(':approval_id/reject')
  @Operation({
    id: 'rejectApproval',
    summary: 'Reject what an admin asked for',
    errors: ['not_found', 'conflict'],
    description: 'For admins. The one who asked withdraws it so. A repeat has the same response.',
    response: { type: ApprovalResponse, description: 'The approval.' },
  })
  async reject(@Caller() caller: Principal, @Id() id: string, @Body() { reason }: RejectApprovalRequest) {
    return approvalResponse(await this.approvals.reject(caller, id, reason));
  }
}
