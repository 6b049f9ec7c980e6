import type { Type } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import type { ApiChange, ResponseChange } from './api-change';

/** The version before the first change: that of release 0.1. */
export const FIRST_VERSION = '2026-11-20';

export const VERSION_HEADER = 'Countinghouse-Version';

/** What an object is that is in a response whose class does not say it: a resource of any type. */
interface Known {
  readonly type: Type;
  /** The version in whose shape it is; null for the newest. */
  readonly version: string | null;
}

const known = new WeakMap<object, Known>();

/** Says which class an object in a response has, and in which version it was stored, if it was. */
export function asResponse<T extends object>(type: Type, object: T, version: string | null = null): T {
  known.set(object, { type, version });
  return object;
}

/** A change of a response, with the version that has it. */
interface VersionedChange extends ResponseChange {
  readonly version: string;
}

/** One version of the API: it turns responses from their newest shape into its own. */
export class ApiVersion {
  /** @param later the changes that came after this version, from the newest to the oldest */
  constructor(
    readonly name: string,
    private readonly later: readonly VersionedChange[],
  ) {}

  get isNewest(): boolean {
    return this.later.length === 0;
  }

  /** Returns the class of a response in this version. */
  classOf(type: Type): Type {
    return this.changesOf(type, null).at(-1)?.older ?? type;
  }

  /**
   * Returns a response in the shape of this version. One that was stored in an older version keeps that shape.
   * @param type its class in the newest version
   * @param stored the version in which it was stored; null for a response in the newest one
   */
  convert(type: Type, response: object, stored: string | null = null): object {
    if (this.isNewest) return response;
    const changes = this.changesOf(type, stored);
    const older = changes.reduce((body, { toOlder }) => toOlder(body), response);
    const declared = changes.at(-1)?.older ?? type;
    const entries = Object.entries(older).map(([member, value]: [string, unknown]) => {
      const classes = classesOf(declared, member);
      return [
        member,
        this.convertMember(classes.length > 0 ? classes : classesOf(type, member), value, stored),
      ];
    });
    return Object.fromEntries(entries) as object;
  }

  private convertMember(classes: readonly Type[], value: unknown, stored: string | null): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item: unknown) => this.convertMember(classes, item, stored));
    const type = classes.findLast((one) => hasMembersOf(one, value));
    if (type !== undefined) return this.convert(type, value, stored);
    const object = known.get(value);
    return object === undefined ? value : this.convert(object.type, value, object.version);
  }

  /** The changes of a response one after the other, each of the class that the one before has led to. */
  private changesOf(type: Type, stored: string | null): readonly ResponseChange[] {
    const changes: ResponseChange[] = [];
    let current = type;
    for (const change of this.later) {
      if (current !== change.newer && !(current.prototype instanceof change.newer)) continue;
      if (stored === null || change.version <= stored) changes.push(change);
      current = change.older;
    }
    return changes;
  }
}

export class ApiVersions {
  /** From the newest to the oldest. */
  readonly all: readonly ApiVersion[];
  private readonly byName: ReadonlyMap<string, ApiVersion>;

  constructor(private readonly changes: readonly ApiChange[]) {
    const dates = new Set([FIRST_VERSION, ...changes.map(({ version }) => version)]);
    this.all = [...dates]
      .toSorted()
      .toReversed()
      .map((name) => this.create(name));
    this.byName = new Map(this.all.map((version) => [version.name, version]));
  }

  get newest(): ApiVersion {
    return this.all[0]!;
  }

  /** What has changed in a version. */
  describe({ name }: ApiVersion): readonly string[] {
    return this.changes.filter(({ version }) => version === name).map(({ description }) => description);
  }

  /** @throws DomainError `invalid_request` for a name of no version */
  parse(name: string, source: string): ApiVersion {
    const version = this.byName.get(name);
    if (version !== undefined) return version;
    const names = this.all.map((one) => one.name).join(', ');
    throw new DomainError('invalid_request', `${source} must be one of: ${names}.`);
  }

  /**
   * Returns the version to which something is pinned; without a pin the newest. A service of an earlier release, or without
   * an extension, may not have the pinned version: what it has of the changes until then applies.
   */
  pinned(pin: string | null): ApiVersion {
    if (pin === null) return this.newest;
    return this.byName.get(pin) ?? this.create(pin);
  }

  /**
   * Returns the version to which a caller pins something new: the one that is asked for, else the caller's own.
   * @throws DomainError `invalid_request` for a name of no version
   */
  choosePin(name: string | undefined, caller: { readonly pinnedVersion: string | null }): string {
    return name === undefined ? (caller.pinnedVersion ?? this.newest.name) : this.parse(name, 'version').name;
  }

  private create(name: string): ApiVersion {
    const later = this.changes
      .filter(({ version }) => version > name)
      .toSorted((a, b) => b.version.localeCompare(a.version));
    const changes = later.flatMap(({ version, responses }) =>
      responses.map((response) => ({ ...response, version })),
    );
    return new ApiVersion(name, changes);
  }
}

/** What Swagger keeps about a member of a response class. */
interface MemberSchema {
  readonly type?: unknown;
  readonly items?: Reference & { readonly anyOf?: readonly Reference[] };
  readonly required?: boolean;
}
interface Reference {
  readonly $ref?: string;
}

/** Returns the names of the members of a response class, in the order of their declaration. */
export function listMembers(type: Type): string[] {
  const members = (Reflect.getMetadata('swagger/apiModelPropertiesArray', type.prototype as object) ??
    []) as string[];
  return members.map((member) => member.slice(1));
}

/** Returns the classes of which a member, or each of its items, has one; none for values without a class. */
function classesOf(type: Type, member: string): readonly Type[] {
  const { type: declared, items } = readSchema(type, member);
  if (typeof declared === 'function' && listMembers(declared as Type).length > 0) return [declared as Type];
  const names = [items ?? {}, ...(items?.anyOf ?? [])].flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
  const models = (Reflect.getMetadata('swagger/apiExtraModels', type) ?? []) as readonly Type[];
  return models.filter(({ name }) => names.includes(name));
}

/** Whether an object has all members that the class requires. */
function hasMembersOf(type: Type, object: object): boolean {
  return listMembers(type).every((member) => readSchema(type, member).required === false || member in object);
}

function readSchema(type: Type, member: string): MemberSchema {
  const schema: unknown = Reflect.getMetadata('swagger/apiModelProperties', type.prototype as object, member);
  return schema ?? {};
}
