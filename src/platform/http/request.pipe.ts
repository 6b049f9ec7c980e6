import { applyDecorators, ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidateBy, ValidateIf, validateSync, ValidationError } from 'class-validator';
import { Refusal, RefusalCode } from '../../kernel/refusal';

type RequestClass = new () => object;

/**
 * Turns bodies and queries into instances of their request classes, or refuses them: an unknown member, a missing one
 * or a wrong value is `invalid_request` (or the code that the field names).
 */
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    const checked = (type === 'body' || type === 'query') && metatype !== undefined && metatype !== Object;
    return checked ? parse(metatype as RequestClass, value === undefined ? {} : value, type) : value;
  }
}

/** @throws Refusal `invalid_request`, or the code in the context of the field that is wrong */
function parse<T extends object>(target: new () => T, value: unknown, where: 'body' | 'query'): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('invalid_request', 'A JSON object is wanted here.');
  }
  const known = knownMembers(target);
  const unknown = Object.keys(value).find((name) => !known.has(name));
  // Bodies hold JSON types already; only the strings of a query need converting.
  const instance =
    where === 'query' && unknown === undefined
      ? plainToInstance(target, { ...value })
      : Object.assign(new target(), onlyKnown(value, known));
  const errors = validateSync(instance, { stopAtFirstError: true, forbidUnknownValues: false });
  const decisive = errors.find((error) => refusalCode(error) !== null);
  if (decisive) throw new Refusal(refusalCode(decisive)!, message(decisive));
  if (unknown !== undefined)
    throw new Refusal('invalid_request', `${quote(unknown)} is not a member of this ${where}.`);
  if (errors[0]) throw new Refusal('invalid_request', message(errors[0]));
  return instance;
}

/** An optional member that is an object with members of its own, checked like the body around it. */
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
    if (error instanceof Refusal) return error.message.replace(/\.$/, '');
    throw error;
  }
}

function onlyKnown(value: object, known: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => known.has(name)));
}

const knownMembersOf = new Map<RequestClass, ReadonlySet<string>>();

function knownMembers(target: RequestClass): ReadonlySet<string> {
  let known = knownMembersOf.get(target);
  if (known === undefined) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(target, '', true, false);
    known = new Set(rules.map((rule) => rule.propertyName));
    knownMembersOf.set(target, known);
  }
  return known;
}

function refusalCode(error: ValidationError): RefusalCode | null {
  for (const context of Object.values(error.contexts ?? {})) {
    const { refusal } = context as { refusal?: RefusalCode };
    if (refusal) return refusal;
  }
  return null;
}

function message(error: ValidationError): string {
  const text = Object.values(error.constraints ?? {})[0] ?? `${error.property} is not valid`;
  return `${text}.`;
}

/** A name from outside, cut to a length that does no harm in a message. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}
