import { Body, Controller, Get, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { cursorListResponse } from '../../../platform/http/response-fields';
import { Principal } from '../../auth';
import { Caller, IdempotencyKey } from '../../auth/http';
import { ApprovalDecisions } from './approval-decisions.service';
import { ApprovalRequests } from './approval-requests.service';
import {
  approvalResponse,
  ApprovalResponse,
  ApprovalsResponse,
  ApproveApprovalRequest,
  ListApprovalsQuery,
  RejectApprovalRequest,
  RequestApprovalRequest,
} from './approvals.dto';

const Id = (): ParameterDecorator => IdParam('approval_id', 'apr', 'The id of the approval.');

/** What one admin asks for and another one approves. */
@ApiTags('Approvals')
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly requests: ApprovalRequests,
    private readonly decisions: ApprovalDecisions,
  ) {}

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
  ): Promise<StoredResponse> {
    const operation = { ...request, render: approvalResponse };
    return this.requests.request(caller, { type, objectId, reason }, operation);
  }

  @Get()
  @Operation({
    id: 'listApprovals',
    summary: 'List approvals',
    description: 'For admins and support people. Newest first.',
    alsoAs: ['text/csv'],
    response: { type: ApprovalsResponse, description: 'One page.' },
  })
  list(
    @Caller() caller: Principal,
    @Query() query: ListApprovalsQuery,
  ): Promise<ApprovalsResponse | StreamableFile> {
    return listOrCsv(ApprovalsResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.requests.list(caller, filter, page), approvalResponse);
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
  async get(@Caller() caller: Principal, @Id() id: string): Promise<ApprovalResponse> {
    return approvalResponse(await this.requests.get(caller, id));
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
  async approve(
    @Caller() caller: Principal,
    @Id() id: string,
    @Body() { reason }: ApproveApprovalRequest,
  ): Promise<ApprovalResponse> {
    return approvalResponse(await this.decisions.approve(caller, id, reason));
  }

  @Post(':approval_id/reject')
  @Operation({
    id: 'rejectApproval',
    summary: 'Reject what an admin asked for',
    errors: ['not_found', 'conflict'],
    description: 'For admins. The one who asked withdraws it so. A repeat has the same response.',
    response: { type: ApprovalResponse, description: 'The approval.' },
  })
  async reject(
    @Caller() caller: Principal,
    @Id() id: string,
    @Body() { reason }: RejectApprovalRequest,
  ): Promise<ApprovalResponse> {
    return approvalResponse(await this.decisions.reject(caller, id, reason));
  }
}
