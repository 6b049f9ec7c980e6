import { applyDecorators, Delete, Get, Post, Type } from '@nestjs/common';
import { ApiProperty, ApiResponse, IntersectionType } from '@nestjs/swagger';
import { ErrorCode } from '../../kernel/domain-error';
import { IdPrefix } from '../../kernel/ids';
import { IdParam, operationDecorator, OperationDecorator } from './operation';
import { AmountField, CurrencyField, DryRunField, IdField, ReferenceField } from './request-fields';
import {
  ResponseField,
  Timestamp,
  AmountResponseField,
  CurrencyResponseField,
  IdResponseField,
} from './response-fields';

class OwnerMembers {
  @IdField('acc') account_id: string;
}

class AmountMembers {
  @AmountField() amount: number;
  @CurrencyField() currency: string;
}

class CreationMembers {
  @ReferenceField() reference?: string | null;
  @DryRunField() dry_run?: boolean;
}

/** The members that the requests for new resources of accounts have in common. */
export class CreateAccountOwnedRequest extends IntersectionType(OwnerMembers, CreationMembers) {}

/** The members that the requests for new amounts of accounts have in common. */
export class CreateAccountOwnedAmountRequest extends IntersectionType(
  OwnerMembers,
  AmountMembers,
  CreationMembers,
) {}

/**
 * Declares the members that the responses of resources of accounts have in common. `accountOwnedResponse` renders them.
 * @param statusDescription what the names of the statuses do not tell
 */
export function AccountOwnedResponse<Status extends string>(
  prefix: IdPrefix,
  statuses: readonly Status[],
  statusDescription?: string,
) {
  return IntersectionType(KeyResponse(prefix), StateResponse(statuses, statusDescription));
}

/** Like `AccountOwnedResponse`, for amounts. `accountOwnedAmountResponse` renders them. */
export function AccountOwnedAmountResponse<Status extends string>(
  prefix: IdPrefix,
  statuses: readonly Status[],
  statusDescription?: string,
) {
  return IntersectionType(KeyResponse(prefix), AmountResponse, StateResponse(statuses, statusDescription));
}

function KeyResponse(prefix: IdPrefix) {
  class Response {
    @IdResponseField(prefix) id: string;
    @IdResponseField('acc') account_id: string;
  }
  return Response;
}

class AmountResponse {
  @AmountResponseField() amount: number;
  @CurrencyResponseField() currency: string;
}

function StateResponse<Status extends string>(statuses: readonly Status[], description?: string) {
  class Response {
    @ResponseField({ enum: statuses, description }) status: Status;
    @Timestamp() created_at: string;
  }
  return Response;
}

/** The balance that a dry run says would be. */
export class BalanceAfterwards {
  @AmountResponseField({ minimum: 0 }) posted: number;
  @AmountResponseField({ minimum: 0 }) held: number;
  @AmountResponseField({ minimum: 0 }) available: number;
  @AmountResponseField({ minimum: 0 }) pending_in: number;
}

/** Declares the response to a dry run of a creation. @param noun names it in the OpenAPI document */
function DryRunResponse(created: Type<object>, noun: string): Type<object> {
  class Response extends created {
    @ResponseField({ type: 'boolean', example: true }) dry_run: true;
    @ApiProperty({
      type: BalanceAfterwards,
      required: false,
      description: 'The balance that would be. For callers who may read it.',
    })
    balance?: BalanceAfterwards;
  }
  return Object.defineProperty(Response, 'name', { value: `${noun}DryRunResponse` });
}

/** Declares that an operation answers a dry run. @param noun names the response in the OpenAPI document */
export function AlsoDryRun(created: Type<object>, noun: string): MethodDecorator {
  const type = DryRunResponse(created, noun);
  return ApiResponse({ status: 200, type, description: 'The result of a dry run.' });
}

interface AccountOwnedState<Status> {
  readonly id: string;
  readonly accountId: string;
  readonly status: Status;
  readonly createdAt: Date;
}

interface AccountOwnedAmount<Status> extends AccountOwnedState<Status> {
  readonly amount: number;
  readonly currency: string;
}

/** Renders the members of `AccountOwnedResponse`. */
export function accountOwnedResponse<Status>(entity: AccountOwnedState<Status>) {
  const { id, accountId, status, createdAt } = entity;
  return { id, account_id: accountId, status, created_at: createdAt.toISOString() };
}

/** Renders the members of `AccountOwnedAmountResponse`, and after them those of the resource itself. */
export function accountOwnedAmountResponse<Status, Members extends object>(
  { id, accountId, amount, currency, status, createdAt }: AccountOwnedAmount<Status>,
  members: Members,
) {
  const created_at = createdAt.toISOString();
  return { id, account_id: accountId, amount, currency, status, created_at, ...members };
}

/** What an operation says in its own words. */
interface Details {
  readonly summary?: string;
  readonly description?: string;
  /** The error codes besides those that every such operation has. */
  readonly errors?: readonly ErrorCode[];
}

interface CreationDetails extends Details {
  /** Whether the request has `dry_run`, as `CreateAccountOwnedRequest` has. */
  readonly dryRun?: false;
}

interface ResourceOptions {
  /** The operations need `<scope>:read` or `<scope>:write` of an API key. Without it, they reject all API keys. */
  readonly scope?: string;
  /** Other scopes that are sufficient to create and to cancel some: the use case checks which. */
  readonly narrowScopes?: readonly string[];
  /** The scope of what only operators do; `scope` by default. */
  readonly operatorScope?: string;
  /** The name of the id in the path; by default made of the resource's name. */
  readonly idName?: string;
}

/**
 * Declares the routes and the OpenAPI documentation of the operations that resources of accounts have in common, as
 * method decorators, and the parameter with the id.
 * @param name the resource in the singular, for example "payment request"
 */
export function accountOwnedOperations(
  name: string,
  prefix: IdPrefix,
  { scope, narrowScopes = [], operatorScope = scope, idName = snakeCase(`${name} id`) }: ResourceOptions = {},
) {
  const noun = pascalCase(name);
  const article = /^[aeiou]/.test(name) ? 'an' : 'a';
  const item = `:${idName}`;
  const read = scope && `${scope}:read`;
  const write = scope && `${scope}:write`;
  const writeSome = write && [write, ...narrowScopes];
  return {
    /** Binds a parameter to the id in the path. */
    Id: () => IdParam(idName, prefix, `The id of the ${name}.`),

    Create: <Response extends object>(
      response: Type<Response>,
      { dryRun, ...details }: CreationDetails,
    ): OperationDecorator<Response> =>
      applyDecorators(
        Post(),
        operationDecorator({
          id: `create${noun}`,
          scope: writeSome,
          summary: `Create ${article} ${name}`,
          ...details,
          idempotent: true,
          response: { type: response, description: `The new ${name}.` },
        }),
        ...(dryRun === false ? [] : [AlsoDryRun(response, noun)]),
      ),

    /** The method returns what `listOrCsv` returns. */
    List: <Response>(response: Type<Response>, details: Details = {}): OperationDecorator<Response> =>
      applyDecorators(
        Get(),
        operationDecorator({
          id: `list${noun}s`,
          scope: read,
          summary: `List ${name}s`,
          description: `Newest first: the ${name}s of the token's account, or of all accounts for admins and platform systems.`,
          ...details,
          response: { type: response, description: 'One page.' },
          alsoAs: ['text/csv'],
        }),
      ),

    Get: <Response>(
      response: Type<Response>,
      { errors = [], ...details }: Details = {},
    ): OperationDecorator<Response> =>
      applyDecorators(
        Get(item),
        operationDecorator({
          id: `get${noun}`,
          scope: read,
          summary: `Retrieve ${article} ${name}`,
          ...details,
          errors: [...errors, 'not_found'],
          response: { type: response, description: `The ${name}.` },
        }),
      ),

    Cancel: <Response>(response: Type<Response>, details: Details = {}): OperationDecorator<Response> =>
      applyDecorators(
        Delete(item),
        operationDecorator({
          id: `cancel${noun}`,
          scope: writeSome,
          summary: `Cancel a pending ${name}`,
          ...details,
          errors: ['not_found', 'not_cancellable'],
          response: { type: response, description: `The ${name} is canceled.` },
        }),
      ),

    /** An operator reports the outcome of what is pending. */
    Settle: <Response>(response: Type<Response>, details: Details = {}): OperationDecorator<Response> =>
      applyDecorators(
        Post(`${item}/settlement`),
        operationDecorator({
          id: `settle${noun}`,
          scope: operatorScope && `${operatorScope}:write`,
          summary: `Report the outcome of a pending ${name}`,
          description: 'For admins and platform systems.',
          ...details,
          errors: ['not_found', 'conflict'],
          response: { type: response, description: `The ${name} after the change.` },
        }),
      ),
  };
}

function snakeCase(words: string): string {
  return words.replaceAll(' ', '_');
}

function pascalCase(words: string): string {
  return words.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
}
