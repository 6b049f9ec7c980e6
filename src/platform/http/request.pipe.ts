import { applyDecorators, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import type { ValidationError } from 'class-validator';
import { ValidateBy, ValidateIf, validateSync } from 'class-validator';
import { DomainError, type ErrorCode } from '../../kernel/domain-error';
import { type RequestClass, RequestRules } from './request-rules';

/** Member names come from clients and may have any length. */
const MAX_QUOTED_CHARACTERS = 60;

/**
 * Parses bodies and queries into instances of their request classes. An unknown member, a missing member or an invalid
 * value is `invalid_request`, or the error code that the field declares.
 */
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    const hasClass = (type === 'body' || type === 'query') && metatype !== undefined && metatype !== Object;
    return hasClass ? parse(metatype as RequestClass, value === undefined ? {} : value, type) : value;
  }
}

/** Parses an item of a list in a body. @throws DomainError like the pipe */
export function parseItem<T extends object>(target: new () => T, value: unknown): T {
  return parse(target, value, 'body');
}

/** @throws DomainError `invalid_request`, or the error code of the invalid field */
function parse<T extends object>(target: new () => T, sent: unknown, source: 'body' | 'query'): T {
  const value = assertObject(sent);
  if (source === 'query') assertNoneRepeated(value);
  const rules = RequestRules.of(target);
  const unknown = Object.keys(value).find((name) => !rules.hasMember(name));
  // A body has JSON types already; the strings of a query are converted.
  const instance =
    source === 'query' && unknown === undefined
      ? plainToInstance(target, { ...value })
      : Object.assign(new target(), unknown === undefined ? value : onlyKnown(value, rules));
  const errors = rules.areFulfilledBy(instance)
    ? []
    : validateSync(instance, { stopAtFirstError: true, forbidUnknownValues: false });
  const withCode = errors.find((error) => readErrorCode(error) !== null);
  if (withCode) throw new DomainError(readErrorCode(withCode)!, message(withCode));
  if (unknown !== undefined) throw unknownMember(source, unknown);
  if (errors[0]) throw new DomainError('invalid_request', message(errors[0]));
  return instance;
}

/** @throws DomainError `invalid_request` for anything else */
export function assertObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new DomainError('invalid_request', 'Expected a JSON object.');
}

/** @throws DomainError `invalid_request` for a query parameter that is given more than once */
function assertNoneRepeated(query: object): void {
  const repeated = Object.entries(query).find(([, value]) => Array.isArray(value));
  if (repeated) throw new DomainError('invalid_request', `${quote(repeated[0])} is sent more than once.`);
}

/** An optional member that is an object with its own request class. */
export const Nested = (type: Type<object>) =>
  applyDecorators(
    ValidateBy(
      { name: 'nested', validator: { validate: (value: unknown) => nestedFault(type, value) === null } },
      { message: ({ property, value }) => `${property}: ${nestedFault(type, value)}` },
    ),
    ValidateIf((_, value) => value !== undefined),
    ApiProperty({ type, required: false }),
  );

function nestedFault(type: RequestClass, value: unknown): string | null {
  try {
    parse(type, value, 'body');
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error.message.replace(/\.$/, '');
    throw error;
  }
}

function onlyKnown(value: object, rules: RequestRules): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => rules.hasMember(name)));
}

function readErrorCode(error: ValidationError): ErrorCode | null {
  for (const context of Object.values(error.contexts ?? {})) {
    const { errorCode } = context as { errorCode?: ErrorCode };
    if (errorCode) return errorCode;
  }
  return null;
}

function message(error: ValidationError): string {
  if (error.value === undefined) return `${error.property} is required.`;
  const text = Object.values(error.constraints ?? {})[0] ?? `${error.property} is not valid`;
  return `${text}.`;
}

export function unknownMember(source: 'body' | 'query', name: string): DomainError {
  const quoted = quote(name);
  const what = source === 'query' ? 'Unknown query parameter' : 'Unknown member';
  return new DomainError('invalid_request', `${what} ${quoted}.`);
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, MAX_QUOTED_CHARACTERS));
}
