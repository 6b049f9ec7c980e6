import Ajv2020, { ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { Operation, Schema } from '../../support/operations';

/** A call that is generated from the OpenAPI document. */
export interface GeneratedCall {
  readonly operation: Operation;
  readonly path: string;
  readonly body: string | undefined;
  /** Whether query and body are as documented. If not, the service must reject the call. */
  readonly valid: boolean;
}

/** Values that make calls succeed. */
export interface KnownValues {
  /** The ids of existing items. */
  readonly ids: readonly string[];
  /** Values of members by name, e.g. the password of the caller. */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

/** Values that documented members rarely allow. */
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom<unknown>('', ' ', '%', "'", '\\', '0', '1', -1, 1.5, 2 ** 53 - 1, 2 ** 53, 1e300),
  fc.constantFrom('{{7*7}}', '../../etc/passwd', '$(id)', '<script>', '\u202e', '\0', '\ud800'),
);

/** Numbers beyond 2^53 - 1 are rejected in every body, which the document states in words alone. */
const metadataValue = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, [1, 'a'], { a: {} }),
);

type Values = Record<string, unknown>;

const dictionaryOf = (names: readonly string[]): fc.Arbitrary<Values> =>
  fc.dictionary(fc.constantFrom(...names, 'unknown'), junk, { maxKeys: 2, noNullPrototype: true });

/** Generates valid and invalid calls of the operations. */
export function generatedCalls(
  operations: readonly Operation[],
  known: KnownValues,
): fc.Arbitrary<GeneratedCall> {
  return fc.constantFrom(...operations).chain((operation) =>
    fc
      .tuple(pathOf(operation, known), queryOf(operation, known), bodyOf(operation, known))
      .map(([path, query, body]) => {
        const search = Object.entries(query).map(
          ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
        );
        return {
          operation,
          path: search.length > 0 ? `${path}?${search.join('&')}` : path,
          body: body === undefined ? undefined : JSON.stringify(body),
          valid: isDocumented(operation, query, body),
        };
      }),
  );
}

function pathOf(operation: Operation, known: KnownValues): fc.Arbitrary<string> {
  const segments = operation.pathParameters.map((name) =>
    fc.oneof(
      { weight: 6, arbitrary: valueOf(name, operation.parameters[name]!, known).map(segmentOf) },
      { weight: 1, arbitrary: fc.constantFrom(...known.ids) },
      { weight: 1, arbitrary: fc.webSegment().map(nameOf) },
    ),
  );
  return fc
    .tuple(...segments)
    .map((values) => values.reduce((path, value) => path.replace(/\{\w+\}/, () => value), operation.path));
}

const segmentOf = (value: unknown): string => nameOf(encodeURIComponent(String(value).toWellFormed()));

/** An empty segment, `.` or `..` would be the path of another operation. */
const nameOf = (segment: string): string => segment.replace(/^\.*$/, 'x');

function queryOf(operation: Operation, known: KnownValues): fc.Arbitrary<Record<string, string>> {
  const names = operation.queryParameters;
  const valid = fc
    .subarray([...names], { maxLength: Math.min(3, names.length) })
    .chain((chosen) => recordOf(chosen, operation, known));
  return fc
    .tuple(
      valid,
      fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: dictionaryOf(names) }),
    )
    .map(([values, changes]) =>
      Object.fromEntries(
        Object.entries({ ...values, ...changes }).map(([name, value]) => [
          name,
          (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed(),
        ]),
      ),
    );
}

const recordOf = (names: string[], { parameters }: Operation, known: KnownValues): fc.Arbitrary<Values> =>
  fc.record(Object.fromEntries(names.map((name) => [name, valueOf(name, parameters[name]!, known)])));

/** @returns undefined for no body */
function bodyOf({ body }: Operation, known: KnownValues): fc.Arbitrary<unknown> {
  if (body === null) return fc.constant(undefined);
  const names = Object.keys(body.members);
  const valid = fc.record(
    Object.fromEntries(names.map((name) => [name, valueOf(name, body.members[name]!, known)])),
    { requiredKeys: [...body.required], noNullPrototype: true },
  );
  const changed = fc
    .tuple(valid, dictionaryOf(names), fc.option(fc.constantFrom(...names)))
    .map(([values, changes, missing]) => {
      const { [missing ?? '']: _, ...rest } = values;
      return { ...rest, ...changes };
    });
  return fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 4, arbitrary: changed },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: body.optional ? 3 : 0, arbitrary: fc.constant(undefined) },
  );
}

/** Values that the schema allows. Strings whose rule the document states in words alone are taken from the examples. */
function valueOf(name: string, schema: Schema, known: KnownValues): fc.Arbitrary<unknown> {
  const members = known.members[name];
  if (members !== undefined) return fc.constantFrom(...members);
  const example = schema.example === undefined ? [] : [schema.example];
  const prefix = prefixOf(schema);
  const ids = known.ids.filter((id) => prefix !== undefined && id.startsWith(prefix));
  if (ids.length > 0) return fc.constantFrom(...ids);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? 'string'].flat();
  const nothing = types.includes('null') ? [fc.constant(null)] : [];
  if (types.includes('boolean')) return fc.oneof(fc.boolean(), ...nothing);
  if (types.includes('integer')) return fc.oneof(integerOf(schema), ...nothing);
  if (types.includes('array')) return arrayOf(schema);
  if (types.includes('object')) return fc.oneof(objectOf(schema, known), ...nothing);
  // The example of an email would sign up as the same user in every round.
  const examples = schema.format === 'email' ? [] : example.map((text) => fc.constant(text));
  return fc.oneof(...examples, stringOf(schema), ...nothing);
}

/** The prefix with its underscore, if the pattern or the example is that of an id. */
function prefixOf({ pattern, example }: Schema): string | undefined {
  if (pattern !== undefined) return /^\^([a-z]{2,8}_)/.exec(pattern)?.[1];
  return typeof example === 'string' ? /^[a-z]{2,8}_(?=[0-9a-z]{26}$)/.exec(example)?.[0] : undefined;
}

function integerOf({ minimum = 1, maximum = Number.MAX_SAFE_INTEGER }: Schema): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 2000) }) },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
  );
}

function arrayOf({ items, minItems = 0, example = [] }: Schema): fc.Arbitrary<unknown> {
  return items?.enum ? fc.subarray(items.enum, { minLength: minItems }) : fc.constant(example);
}

function objectOf({ properties }: Schema, known: KnownValues): fc.Arbitrary<unknown> {
  if (properties === undefined)
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 40 }), metadataValue, {
      maxKeys: 3,
      noNullPrototype: true,
    });
  const values = Object.entries(properties).map(([name, schema]) => [name, valueOf(name, schema, known)]);
  return fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
}

function stringOf({
  format,
  pattern,
  example,
  minLength = 0,
  maxLength = 40,
}: Schema): fc.Arbitrary<unknown> {
  if (format === 'email') return fc.uuid().map((id) => `${id}@example.com`);
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2026-01-01'), max: new Date('2028-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString());
  if (pattern !== undefined || format !== undefined) return fc.constant(example ?? 'unknown');
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
}

const ajv = addFormats(new Ajv2020({ strict: false }));
/** A query consists of strings. */
const coercingAjv = addFormats(new Ajv2020({ strict: false, coerceTypes: true }));

interface Validators {
  readonly query: ValidateFunction;
  readonly body: ValidateFunction;
}

const compiled = new Map<Operation, Validators>();

function validatorsOf(operation: Operation): Validators {
  const { parameters, queryParameters, body } = operation;
  const query = Object.fromEntries(queryParameters.map((name) => [name, parameters[name]]));
  const { members, required } = body ?? { members: {}, required: [] };
  const closed = { type: 'object', additionalProperties: false };
  const validators = compiled.get(operation) ?? {
    query: coercingAjv.compile({ ...closed, properties: query }),
    body: ajv.compile({ ...closed, properties: members, required }),
  };
  compiled.set(operation, validators);
  return validators;
}

function isDocumented(operation: Operation, query: Values, body: unknown): boolean {
  const validators = validatorsOf(operation);
  if (!validators.query({ ...query })) return false;
  if (body === undefined) return operation.body?.optional ?? true;
  return validators.body(JSON.parse(JSON.stringify(body)));
}
